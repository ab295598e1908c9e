//! From parts to untagged blocks.

use session_log::{
    Fields, Media, MediaKind, MediaSource, Part, Reasoning, Shape, Text, ToolCall, ToolResult,
};

use crate::call_ids::name;
use crate::formats::bedrock::blocks_in::FORMAT;
use crate::formats::lists::plain_text;
use crate::formats::style::Style;
use crate::json::{Object, Raw, array, quote};
use crate::marks;

/// The part as a block, calls aside; `None` when this format has no place for it.
pub(super) fn block(part: &Part, style: Style) -> Option<String> {
    match part {
        Part::Text(text) | Part::Refusal(text) => self::text(text, style),
        Part::Reasoning(reasoning) => self::reasoning(reasoning, style),
        Part::Media(media) => self::media(media, style),
        Part::Opaque(opaque) if opaque.format == FORMAT => Some(opaque.json.as_str().into()),
        Part::ToolResult(result) => Some(self::result(result, &result.call_id, style)),
        _ => None,
    }
}

fn finish(mut object: Object, extra: &Fields, style: Style) -> String {
    if style.is_own {
        let is_other = |name: &str| matches!(name, "text" | "toolUse" | "toolResult");
        let kept = extra
            .iter()
            .filter(|(name, _)| style.is_exact || !is_other(name));
        object.members(kept);
    }
    object.finish()
}

/// `{kind: {inner …}, …}`, with what was left inside and outside.
fn wrapped(kind: &str, mut inner: Object, extra: &Fields, style: Style) -> String {
    style.add_rest(&mut inner, kind, extra);
    let mut object = Object::new();
    object.raw(kind, &inner.finish());
    finish(object, extra, style)
}

/// A text; a blank one is refused by the provider.
fn text(text: &Text, style: Style) -> Option<String> {
    if text.text.trim().is_empty() && !style.is_exact {
        return None;
    }
    let mut object = Object::new();
    let json = style.is_own && marks::is(&text.extra, marks::FIELD, "json");
    match Raw::parse(&text.text).filter(|_| json) {
        Some(raw) => object.raw("json", raw.text()),
        None => object.str("text", &text.text),
    };
    Some(finish(object, &text.extra, style))
}

/// Reasoning goes back as it came or not at all.
fn reasoning(reasoning: &Reasoning, style: Style) -> Option<String> {
    if !style.is_own {
        return None;
    }
    let mut inner = Object::new();
    if let Some(data) = &reasoning.encrypted {
        inner.str("redactedContent", data);
    } else {
        let mut text = Object::new();
        text.str("text", reasoning.text.as_deref().unwrap_or_default());
        if let Some(signature) = &reasoning.signature {
            text.str("signature", signature);
        }
        inner.raw("reasoningText", &text.finish());
    }
    Some(wrapped("reasoningContent", inner, &reasoning.extra, style))
}

/// The call under the id `id`, and what was done to its arguments.
pub(super) fn call(call: &ToolCall, id: &str, style: Style) -> (String, Option<&'static str>) {
    let (input, warning) = style.arguments(&call.arguments);
    let name = name(&call.name, style.is_exact);
    let mut inner = Object::new();
    inner
        .str("toolUseId", id)
        .str("name", name)
        .raw("input", &input);
    (wrapped("toolUse", inner, &call.extra, style), warning)
}

/// The result of the call with the id `id`.
pub(super) fn result(result: &ToolResult, id: &str, style: Style) -> String {
    let mut inner = Object::new();
    inner.str("toolUseId", id);
    match (result.parts.as_slice(), result.shape) {
        ([], Shape::Absent) if style.is_exact => {}
        ([], Shape::Null) if style.is_exact => {
            inner.raw("content", "null");
        }
        ([Part::Text(text)], Shape::Text) if style.is_exact && style.is_own => {
            inner.raw("content", &quote(&text.text));
        }
        (parts, _) => {
            let mut written: Vec<String> =
                parts.iter().filter_map(|part| block(part, style)).collect();
            if written.is_empty() && !style.is_exact {
                written.push(plain_text("(empty)"));
            }
            inner.raw("content", &array(written));
        }
    }
    if let Some(is_error) = result.is_error {
        inner.str("status", if is_error { "error" } else { "success" });
    }
    wrapped("toolResult", inner, &result.extra, style)
}

fn media(media: &Media, style: Style) -> Option<String> {
    let (kind, usual) = match media.kind {
        MediaKind::Image => ("image", "png"),
        MediaKind::Video => ("video", "mp4"),
        MediaKind::File => ("document", "pdf"),
        _ => return None,
    };
    let mut format = media.media_type.as_deref();
    let mut source = Object::new();
    match &media.source {
        MediaSource::Base64(data) => {
            source.str("bytes", data);
        }
        MediaSource::Url(url) if style.is_own || url.starts_with("s3://") => {
            let mut place = Object::new();
            place.str("uri", url);
            source.raw("s3Location", &place.finish());
        }
        MediaSource::Url(url) => {
            let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
            format = Some(head.strip_suffix(";base64")?);
            source.str("bytes", data);
        }
        _ => return None,
    }
    let mut inner = Object::new();
    let short = |full: &str| {
        let word = full.split(';').next().unwrap_or(full);
        word.rsplit('/').next().unwrap_or(word).to_owned()
    };
    match format {
        Some(format) if style.is_own => {
            inner.str("format", format);
        }
        None if style.is_own && style.is_exact => {}
        format => {
            inner.str("format", &format.map_or_else(|| usual.to_owned(), short));
        }
    }
    match &media.name {
        Some(name) => {
            inner.str("name", name);
        }
        None if kind == "document" && !style.is_own => {
            inner.str("name", "document");
        }
        None => {}
    }
    inner.raw("source", &source.finish());
    Some(wrapped(kind, inner, &media.extra, style))
}
