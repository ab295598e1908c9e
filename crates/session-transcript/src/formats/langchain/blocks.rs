//! Content: a text, or a list of texts and blocks of any provider.

use session_log::{Json, Media, MediaKind, MediaSource, Part, Shape, Text, ToolCall};

use crate::formats::parts;
use crate::json::{Members, Object, Raw, quote};
use crate::marks;

/// The name under which unknown blocks are kept.
pub(super) const FORMAT: &str = "langchain";

/// The block in the content that repeats a call.
pub(super) const BLOCK: &str = "@block";

/// What is in `content`, and how it is written. A block that repeats one of `calls` is that call.
pub(super) fn content(raw: Option<Raw<'_>>, calls: &mut Vec<ToolCall>) -> (Vec<Part>, Shape) {
    parts::exact_content(raw, FORMAT, |raw| part(raw, calls))
}

fn part(raw: Raw<'_>, calls: &mut Vec<ToolCall>) -> Part {
    if let Some(text) = raw.as_str() {
        let mut text = Text::new(text);
        marks::set(&mut text.extra, marks::BARE, "");
        return Part::Text(text);
    }
    known(raw, calls).unwrap_or_else(|| parts::unread(FORMAT, raw))
}

fn known(raw: Raw<'_>, calls: &mut Vec<ToolCall>) -> Option<Part> {
    let mut members = raw.members()?;
    let kind = members.take_str("type")?;
    match kind.as_str() {
        "text" => parts::text(members, "text"),
        "thinking" | "reasoning" => reasoning(&kind, members),
        "image_url" => image(members),
        "tool_use" | "tool_call" | "function_call" => {
            let id = ["id", "call_id"]
                .iter()
                .find_map(|name| members.peek_str(name))?;
            // The block has an id of its own beside that of the call in some.
            let ids = [members.peek_str("call_id"), Some(id)];
            let at = calls
                .iter()
                .position(|call| ids.iter().flatten().any(|id| **id == *call.id))?;
            let mut call = calls.remove(at);
            call.extra.insert(BLOCK.into(), raw.to_json());
            Some(Part::ToolCall(call))
        }
        _ => None,
    }
}

fn reasoning(kind: &str, members: Members<'_>) -> Option<Part> {
    let mut reasoning = parts::reasoning(members, kind, "signature")?;
    marks::set(&mut reasoning.extra, marks::FIELD, kind);
    Some(Part::Reasoning(reasoning))
}

fn image(mut members: Members<'_>) -> Option<Part> {
    let inner = members.take("image_url")?;
    let mut media;
    if let Some(url) = inner.as_str() {
        media = Media::new(MediaKind::Image, MediaSource::Url(url.into_owned()));
        media.extra = members.into_fields();
        marks::set(&mut media.extra, marks::BARE, "");
    } else {
        let mut inner = inner.members()?;
        media = Media::new(MediaKind::Image, MediaSource::Url(inner.take_str("url")?));
        media.extra = members.into_fields();
        let rest = inner.into_fields();
        if !rest.is_empty() {
            let mut object = Object::new();
            object.fields(&rest);
            media.extra.insert("image_url".into(), object.into_json());
        }
    }
    Some(Part::Media(media))
}

/// The part as an element of `content`; `None` when there is no place for it.
pub(super) fn block(part: &Part, is_own: bool) -> Option<String> {
    let mut object = Object::new();
    let extra = match part {
        Part::Text(text) if is_own && marks::has(&text.extra, marks::BARE) => {
            return Some(quote(&text.text));
        }
        Part::Text(text) | Part::Refusal(text) => {
            object.str("type", "text").str("text", &text.text);
            &text.extra
        }
        Part::Reasoning(reasoning) if is_own => {
            let field = reasoning.extra.get(marks::FIELD);
            let field = field.and_then(|json| Raw::parse(json.as_str())?.as_str())?;
            object
                .str("type", &field)
                .str(&field, reasoning.text.as_deref().unwrap_or_default());
            if let Some(signature) = &reasoning.signature {
                object.str("signature", signature);
            }
            &reasoning.extra
        }
        Part::Media(media) if media.kind == MediaKind::Image => {
            let url = match &media.source {
                MediaSource::Url(url) => url.clone(),
                MediaSource::Base64(data) => {
                    let media_type = media.media_type.as_deref().unwrap_or("image/png");
                    format!("data:{media_type};base64,{data}")
                }
                _ => return None,
            };
            object.str("type", "image_url");
            if is_own && marks::has(&media.extra, marks::BARE) {
                object.str("image_url", &url);
            } else {
                object.raw("image_url", &image_url(media, &url, is_own));
            }
            &media.extra
        }
        Part::ToolCall(call) => return Some(call.extra.get(BLOCK)?.as_str().into()),
        Part::Opaque(opaque) if opaque.format == FORMAT => {
            return Some(opaque.json.as_str().into());
        }
        _ => return None,
    };
    if is_own {
        object.fields(extra);
    }
    Some(object.finish())
}

fn image_url(media: &Media, url: &str, is_own: bool) -> String {
    let mut inner = Object::new();
    inner.str("url", url);
    let rest: Option<&Json> = media.extra.get("image_url").filter(|_| is_own);
    if let Some(rest) = rest.and_then(|json| Raw::parse(json.as_str())?.members()) {
        inner.fields(&rest.into_fields());
    }
    inner.finish()
}
