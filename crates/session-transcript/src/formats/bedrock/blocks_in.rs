//! From untagged blocks to parts: the one member that is known names what a block is.

use session_log::{
    Arguments, Fields, Media, MediaKind, MediaSource, Part, Reasoning, Shape, Text, ToolCall,
    ToolResult,
};

use crate::formats::parts;
use crate::json::{Members, Object, Raw};
use crate::marks;

/// The name under which unknown blocks are kept.
pub(super) const FORMAT: &str = "bedrock";

/// Members that say what a block is.
const KINDS: [&str; 12] = [
    "text",
    "toolUse",
    "toolResult",
    "reasoningContent",
    "image",
    "document",
    "video",
    "audio",
    "cachePoint",
    "guardContent",
    "citationsContent",
    "searchResult",
];

/// How deep results may lie in results before they are kept unread.
const MAX_DEPTH: u8 = 4;

/// Whether a value is a block of this format: it has no tag, and one of the members it must have.
pub(super) fn is_block(raw: Raw<'_>) -> bool {
    raw.members()
        .is_some_and(|members| !members.has("type") && KINDS.iter().any(|kind| members.has(kind)))
}

/// What is in a list of blocks, and how it is written.
pub(super) fn blocks(raw: Option<Raw<'_>>) -> (Vec<Part>, Shape) {
    blocks_at(raw, 0)
}

fn blocks_at(raw: Option<Raw<'_>>, depth: u8) -> (Vec<Part>, Shape) {
    parts::exact_content(raw, FORMAT, |raw| {
        known(raw, depth).unwrap_or_else(|| parts::unread(FORMAT, raw))
    })
}

fn known(raw: Raw<'_>, depth: u8) -> Option<Part> {
    let mut members = raw.members()?;
    let mut kinds = KINDS.iter().chain(["json"].iter());
    let kind = kinds.find(|kind| members.has(kind))?;
    match *kind {
        "text" => parts::text(members, "text"),
        "json" if depth > 0 => {
            let mut text = Text::new(members.take("json")?.text());
            text.extra = members.into_fields();
            marks::set(&mut text.extra, marks::FIELD, "json");
            Some(Part::Text(text))
        }
        "toolUse" => {
            let mut inner = members.take(kind)?.members()?;
            let id = inner.take_str("toolUseId")?;
            let mut call = ToolCall::new(id, inner.take_str("name")?, "");
            call.arguments = Arguments::Value(inner.take("input")?.to_json());
            call.extra = extra(kind, inner, members);
            Some(Part::ToolCall(call))
        }
        "toolResult" if depth < MAX_DEPTH => {
            let mut inner = members.take(kind)?.members()?;
            let id = inner.take_str("toolUseId")?;
            let (parts, shape) = blocks_at(inner.take("content"), depth + 1);
            let mut result = ToolResult::new(id, parts);
            result.shape = shape;
            result.is_error = match inner.peek_str("status").as_deref() {
                Some("error") => Some(true),
                Some("success") => Some(false),
                _ => None,
            };
            if result.is_error.is_some() {
                inner.take("status");
            }
            result.extra = extra(kind, inner, members);
            Some(Part::ToolResult(result))
        }
        "reasoningContent" => reasoning(members),
        "image" => media(MediaKind::Image, kind, members),
        "document" => media(MediaKind::File, kind, members),
        "video" => media(MediaKind::Video, kind, members),
        _ => None,
    }
}

/// The fields beside what a block is, with what is left inside under the block's own name.
fn extra(kind: &str, inner: Members<'_>, members: Members<'_>) -> Fields {
    let mut extra = members.into_fields();
    let rest = inner.into_fields();
    if !rest.is_empty() {
        let mut object = Object::new();
        object.fields(&rest);
        extra.insert(kind.into(), object.into_json());
    }
    extra
}

fn reasoning(mut members: Members<'_>) -> Option<Part> {
    let mut inner = members.take("reasoningContent")?.members()?;
    let mut reasoning = Reasoning::default();
    if let Some(data) = inner.take_str("redactedContent") {
        reasoning.encrypted = Some(data);
        reasoning.extra = extra("reasoningContent", inner, members);
        return Some(Part::Reasoning(reasoning));
    }
    let mut text = inner.take("reasoningText")?.members()?;
    reasoning.text = Some(text.take_str("text")?);
    reasoning.signature = text.take_str("signature");
    if text.iter().next().is_some() || inner.iter().next().is_some() {
        return None;
    }
    reasoning.extra = members.into_fields();
    Some(Part::Reasoning(reasoning))
}

fn media(kind: MediaKind, name: &str, mut members: Members<'_>) -> Option<Part> {
    let mut inner = members.take(name)?.members()?;
    let mut source = inner.take("source")?.members()?;
    let from = match source.take_str("bytes") {
        Some(data) => MediaSource::Base64(data),
        None => {
            let mut place = source.take("s3Location")?.members()?;
            let uri = place.take_str("uri")?;
            if place.iter().next().is_some() {
                return None;
            }
            MediaSource::Url(uri)
        }
    };
    if source.iter().next().is_some() {
        return None;
    }
    let mut media = Media::new(kind, from);
    media.media_type = inner.take_str("format");
    media.name = inner.take_str("name");
    media.extra = extra(name, inner, members);
    Some(Part::Media(media))
}
