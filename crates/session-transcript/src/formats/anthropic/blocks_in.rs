//! From content blocks to parts.

use session_log::{
    Arguments, Fields, Media, MediaKind, MediaSource, Part, Shape, ToolCall, ToolResult,
};

use crate::formats::parts;
use crate::json::{Members, Object, Raw};
use crate::marks;

/// The name under which unknown blocks are kept.
pub(crate) const FORMAT: &str = "anthropic";

/// How deep results may lie inside of results before they are kept unread.
const MAX_DEPTH: u8 = 8;

/// What a `content` value holds, and how it is written.
pub(crate) fn content(raw: Option<Raw<'_>>) -> (Vec<Part>, Shape) {
    content_at(raw, 0)
}

fn content_at(raw: Option<Raw<'_>>, depth: u8) -> (Vec<Part>, Shape) {
    parts::exact_content(raw, FORMAT, |block| read(block, depth))
}

/// The part in a block. What is not exactly as expected is kept as it is.
fn read(raw: Raw<'_>, depth: u8) -> Part {
    known(raw, depth).unwrap_or_else(|| parts::unread(FORMAT, raw))
}

fn known(raw: Raw<'_>, depth: u8) -> Option<Part> {
    let mut members = raw.members()?;
    let kind = members.take_str("type")?;
    match kind.as_str() {
        "text" => parts::text(members, "text"),
        "thinking" => parts::reasoning(members, "thinking", "signature").map(Part::Reasoning),
        "redacted_thinking" => parts::encrypted(members, "data"),
        "tool_use" => call(members),
        "tool_result" if depth < MAX_DEPTH => result(members, depth),
        "image" => media(MediaKind::Image, &kind, members),
        "document" => media(MediaKind::File, &kind, members),
        _ => None,
    }
}

fn call(mut members: Members<'_>) -> Option<Part> {
    let id = members.take_str("id")?;
    let name = members.take_str("name")?;
    let mut call = ToolCall::new(id, name, "");
    call.arguments = Arguments::Value(members.take("input")?.to_json());
    call.extra = members.into_fields();
    Some(Part::ToolCall(call))
}

fn result(mut members: Members<'_>, depth: u8) -> Option<Part> {
    let id = members.take_str("tool_use_id")?;
    let (parts, shape) = content_at(members.take("content"), depth + 1);
    let mut result = ToolResult::new(id, parts);
    result.shape = shape;
    if let Some(is_error) = members.peek("is_error").and_then(Raw::as_bool) {
        members.take("is_error");
        result.is_error = Some(is_error);
    }
    result.extra = members.into_fields();
    Some(Part::ToolResult(result))
}

fn media(kind: MediaKind, name: &str, mut members: Members<'_>) -> Option<Part> {
    let mut source = members.take("source")?.members()?;
    let from = source.take_str("type")?;
    let (source_kind, media_type) = match from.as_str() {
        "base64" => (
            MediaSource::Base64(source.take_str("data")?),
            source.take_str("media_type"),
        ),
        "text" => (
            MediaSource::Text(source.take_str("data")?),
            source.take_str("media_type"),
        ),
        "url" => (MediaSource::Url(source.take_str("url")?), None),
        "file" => (MediaSource::FileId(source.take_str("file_id")?), None),
        _ => return None,
    };
    let mut media = Media::new(kind, source_kind);
    media.media_type = media_type;
    media.name = members.take_str("title");
    media.extra = members.into_fields();
    let rest = source.into_fields();
    if !rest.is_empty() {
        media.extra.insert("source".into(), object(&rest));
    }
    marks::set(&mut media.extra, marks::FIELD, name);
    Some(Part::Media(media))
}

fn object(fields: &Fields) -> session_log::Json {
    let mut object = Object::new();
    object.fields(fields);
    object.into_json()
}
