//! From parts to content blocks.

use session_log::{
    Fields, Media, MediaKind, MediaSource, Part, Reasoning, Shape, ToolCall, ToolResult,
};

use crate::call_ids::name;
use crate::formats::anthropic::blocks_in::FORMAT;
use crate::formats::style::Style;
use crate::json::{Object, Raw, array, quote};
use crate::marks;

/// Why a part has no block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoBlock {
    /// Blank text, which the provider refuses.
    Blank,
    /// Reasoning without a signature of this provider.
    Unsigned,
    /// Something this format has no place for.
    Foreign,
}

/// The part as a block, calls and results aside.
pub(crate) fn block(part: &Part, style: Style) -> Result<String, NoBlock> {
    match part {
        Part::Text(text) | Part::Refusal(text) => {
            if text.text.trim().is_empty() && !style.is_exact {
                return Err(NoBlock::Blank);
            }
            let mut object = Object::new();
            object.str("type", "text").str("text", &text.text);
            Ok(finish(object, &text.extra, style))
        }
        Part::Reasoning(reasoning) => self::reasoning(reasoning, style).ok_or(NoBlock::Unsigned),
        Part::Media(media) => self::media(media, style).ok_or(NoBlock::Foreign),
        Part::Opaque(opaque) if opaque.format == FORMAT => Ok(opaque.json.as_str().into()),
        Part::ToolCall(call) => Ok(self::call(call, &call.id, style).0),
        Part::ToolResult(result) => Ok(self::result(result, &result.call_id, style)),
        _ => Err(NoBlock::Foreign),
    }
}

fn finish(mut object: Object, extra: &Fields, style: Style) -> String {
    if style.is_own {
        object.fields(extra);
    }
    object.finish()
}

fn reasoning(reasoning: &Reasoning, style: Style) -> Option<String> {
    let mut object = Object::new();
    if let Some(data) = &reasoning.encrypted {
        object.str("type", "redacted_thinking").str("data", data);
        return style
            .is_own
            .then(|| finish(object, &reasoning.extra, style));
    }
    let is_signed = reasoning
        .signature
        .as_ref()
        .is_some_and(|signature| !signature.is_empty());
    if !style.is_own || !(is_signed || style.is_exact) {
        return None;
    }
    object
        .str("type", "thinking")
        .str("thinking", reasoning.text.as_deref().unwrap_or_default());
    if let Some(signature) = &reasoning.signature {
        object.str("signature", signature);
    }
    Some(finish(object, &reasoning.extra, style))
}

/// The call under the id `id`, and what was done to its arguments.
pub(crate) fn call(call: &ToolCall, id: &str, style: Style) -> (String, Option<&'static str>) {
    let (input, warning) = style.arguments(&call.arguments);
    let mut object = Object::new();
    object
        .str("type", "tool_use")
        .str("id", id)
        .str("name", name(&call.name, style.is_exact))
        .raw("input", &input);
    (finish(object, &call.extra, style), warning)
}

/// The result of the call with the id `id`.
pub(crate) fn result(result: &ToolResult, id: &str, style: Style) -> String {
    let mut object = Object::new();
    object.str("type", "tool_result").str("tool_use_id", id);
    if let Some(content) = content(&result.parts, result.shape, style) {
        object.raw("content", &content);
    }
    if let Some(is_error) = result.is_error {
        object.raw("is_error", if is_error { "true" } else { "false" });
    }
    finish(object, &result.extra, style)
}

/// The value of a `content` field; `None` when there is no such field.
pub(crate) fn content(parts: &[Part], shape: Shape, style: Style) -> Option<String> {
    match (parts, shape) {
        ([], Shape::Absent) => return None,
        ([], Shape::Null) if style.is_exact => return Some("null".into()),
        ([], Shape::Null) => return None,
        ([Part::Text(text)], Shape::Text) => return Some(quote(&text.text)),
        ([Part::Opaque(opaque)], Shape::Text) if opaque.format == FORMAT => {
            return Some(opaque.json.as_str().into());
        }
        _ => {}
    }
    let blocks: Vec<String> = parts
        .iter()
        .filter_map(|part| block(part, style).ok())
        .collect();
    Some(array(blocks))
}

fn media(media: &Media, style: Style) -> Option<String> {
    let name = match media.kind {
        _ if style.is_own && marks::is(&media.extra, marks::FIELD, "image") => "image",
        _ if style.is_own && marks::is(&media.extra, marks::FIELD, "document") => "document",
        MediaKind::Image => "image",
        MediaKind::File => "document",
        _ => return None,
    };
    let mut source = Object::new();
    match &media.source {
        MediaSource::Base64(data) => {
            source.str("type", "base64");
            match &media.media_type {
                Some(media_type) => {
                    source.str("media_type", media_type);
                }
                None if style.is_own => {}
                None => return None,
            }
            source.str("data", data);
        }
        MediaSource::Url(url) => match data_url(url).filter(|_| !style.is_own) {
            Some((media_type, data)) => {
                source
                    .str("type", "base64")
                    .str("media_type", media_type)
                    .str("data", data);
            }
            None if url.starts_with("data:") && !style.is_own => return None,
            None => {
                source.str("type", "url").str("url", url);
            }
        },
        MediaSource::FileId(id) if style.is_own => {
            source.str("type", "file").str("file_id", id);
        }
        MediaSource::Text(text) => {
            source.str("type", "text");
            match &media.media_type {
                Some(media_type) => {
                    source.str("media_type", media_type);
                }
                None if style.is_own => {}
                None => {
                    source.str("media_type", "text/plain");
                }
            }
            source.str("data", text);
        }
        _ => return None,
    }
    let mut object = Object::new();
    object.str("type", name);
    if let Some(rest) = media
        .extra
        .get("source")
        .and_then(|json| Raw::parse(json.as_str())?.members())
    {
        source.fields(&rest.into_fields());
    }
    object.raw("source", &source.finish());
    if let Some(title) = media
        .name
        .as_deref()
        .filter(|_| name == "document" || style.is_own)
    {
        object.str("title", title);
    }
    Some(finish(object, &media.extra, style))
}

/// The media type and the base64 text of a data URL.
fn data_url(url: &str) -> Option<(&str, &str)> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    let media_type = head.strip_suffix(";base64")?;
    Some((media_type.split(';').next()?, data))
}
