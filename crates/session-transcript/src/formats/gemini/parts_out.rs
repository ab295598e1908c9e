//! From our parts to untagged ones.

use session_log::{
    Fields, Media, MediaKind, MediaSource, Part, Reasoning, Text, ToolCall, ToolResult,
};

use crate::call_ids::name;
use crate::formats::gemini::parts_in::{FORMAT, KINDS, RESULT};
use crate::formats::lists::plain_text;
use crate::formats::style::Style;
use crate::json::{Kind, Object, Raw, array};
use crate::marks;

/// The part, calls and results aside; `None` when this format has no place for it.
pub(super) fn part(part: &Part, style: Style) -> Option<String> {
    match part {
        Part::Text(text) | Part::Refusal(text) => self::text(text, style),
        Part::Reasoning(reasoning) => self::reasoning(reasoning, style),
        Part::Media(media) => self::media(media, style),
        Part::Opaque(opaque) if opaque.format == FORMAT => Some(opaque.json.as_str().into()),
        Part::ToolResult(result) => Some(self::result(result, &result.call_id, None, style)),
        _ => None,
    }
}

/// A text. A blank one is left out, unless a signature came with it.
fn text(text: &Text, style: Style) -> Option<String> {
    let is_signed = style.is_own && text.extra.keys().any(|name| name.starts_with("thought"));
    if text.text.is_empty() && !style.is_exact && !is_signed {
        return None;
    }
    let mut object = Object::new();
    object.str("text", &text.text);
    Some(finish(object, &text.extra, style))
}

fn finish(mut object: Object, extra: &Fields, style: Style) -> String {
    if style.is_own {
        let is_fit = |name: &str| style.is_exact || !KINDS.iter().take(9).any(|kind| *kind == name);
        object.members(extra.iter().filter(|(name, _)| is_fit(name)));
    }
    object.finish()
}

/// Thoughts go back to the format they came from.
fn reasoning(reasoning: &Reasoning, style: Style) -> Option<String> {
    if !style.is_own {
        return None;
    }
    let mut object = Object::new();
    object
        .str("text", reasoning.text.as_deref().unwrap_or_default())
        .raw("thought", "true");
    if let Some(signature) = &reasoning.signature {
        let name = mark(&reasoning.extra, marks::FIELD, style);
        let name = name.as_deref().unwrap_or("thoughtSignature");
        object.str(name, signature);
    }
    Some(finish(object, &reasoning.extra, style))
}

/// The text of a mark, if this format set it.
fn mark(extra: &Fields, name: &str, style: Style) -> Option<String> {
    let json = extra.get(name).filter(|_| style.is_own)?;
    Some(Raw::parse(json.as_str())?.as_str()?.into_owned())
}

/// `{kind: {inner …}, …}`, with what was left inside and outside.
fn wrapped(kind: &str, mut inner: Object, extra: &Fields, style: Style) -> String {
    style.add_rest(&mut inner, kind, extra);
    let mut object = Object::new();
    object.raw(kind, &inner.finish());
    finish(object, extra, style)
}

fn is_absent(extra: &Fields, name: &str, style: Style) -> bool {
    mark(extra, marks::ABSENT, style)
        .is_some_and(|absent| absent.split(' ').any(|absent| absent == name))
}

/// The call under the id `id`, and what was done to its arguments.
pub(super) fn call(call: &ToolCall, id: &str, style: Style) -> (String, Option<&'static str>) {
    let kind = mark(&call.extra, marks::FIELD, style);
    let (args, warning) = style.arguments(&call.arguments);
    let mut inner = Object::new();
    if !id.is_empty() && !is_absent(&call.extra, "id", style) {
        inner.str("id", id);
    }
    inner.str("name", name(&call.name, style.is_exact));
    if !(is_absent(&call.extra, "args", style) && style.is_exact) {
        inner.raw("args", &args);
    }
    let kind = kind.as_deref().unwrap_or("functionCall");
    (wrapped(kind, inner, &call.extra, style), warning)
}

/// The result of the call `id` of the tool `name`.
pub(super) fn result(result: &ToolResult, id: &str, name: Option<&str>, style: Style) -> String {
    let mut inner = Object::new();
    if !id.is_empty() && !is_absent(&result.extra, "id", style) {
        inner.str("id", id);
    }
    let name = match style.is_exact {
        true => result.name.as_deref(),
        false => name.or(result.name.as_deref()),
    };
    match name {
        None if style.is_exact && style.is_own => {}
        None | Some("") if !style.is_exact => {
            inner.str("name", "unnamed");
        }
        name => {
            inner.str("name", name.unwrap_or_default());
        }
    }
    let texts: Vec<&str> = result.parts.iter().filter_map(Part::as_text).collect();
    if !(texts.is_empty() && is_absent(&result.extra, "response", style) && style.is_exact) {
        inner.raw("response", &response(result, &texts.join("\n"), style));
    }
    let others: Vec<String> = result
        .parts
        .iter()
        .filter(|part| part.as_text().is_none())
        .filter_map(|part| self::part(part, style))
        .collect();
    if !others.is_empty() || (style.is_exact && style.is_own && marks::has(&result.extra, "@parts"))
    {
        inner.raw("parts", &array(others));
    }
    let kind = mark(&result.extra, marks::FIELD, style);
    let kind = kind.as_deref().unwrap_or("functionResponse");
    wrapped(kind, inner, &result.extra, style)
}

/// A response is an object. A text is its `output`, or its `error`.
fn response(result: &ToolResult, text: &str, style: Style) -> String {
    let field = mark(&result.extra, RESULT, style);
    let is_whole = field.as_deref() == Some("");
    if is_whole
        && let Some(raw) = Raw::parse(text)
        && (style.is_exact || raw.kind() == Kind::Object)
    {
        return raw.text().into();
    }
    let usual = match result.is_error {
        Some(true) => "error",
        _ => "output",
    };
    let field = field.filter(|field| !field.is_empty());
    let mut object = Object::new();
    object.str(field.as_deref().unwrap_or(usual), text);
    object.finish()
}

fn media(media: &Media, style: Style) -> Option<String> {
    let kind = mark(&media.extra, marks::FIELD, style);
    let (kind, media_type, source) = match (kind, &media.source) {
        (Some(kind), source) => (kind, media.media_type.clone(), source.clone()),
        (None, MediaSource::Url(url)) => match data_url(url) {
            Some((media_type, data)) => (
                "inlineData".to_owned(),
                Some(media_type.to_owned()),
                MediaSource::Base64(data.into()),
            ),
            None if url.starts_with("data:") => return None,
            None => (
                "fileData".to_owned(),
                usual_type(media),
                media.source.clone(),
            ),
        },
        (None, MediaSource::Base64(_)) => (
            "inlineData".to_owned(),
            usual_type(media),
            media.source.clone(),
        ),
        (None, MediaSource::Text(text)) => return Some(plain_text(text)),
        (None, _) => return None,
    };
    let is_snake = kind.contains('_');
    let name = |camel: &'static str, snake: &'static str| if is_snake { snake } else { camel };
    let mut inner = Object::new();
    if let Some(media_type) = &media_type {
        inner.str(name("mimeType", "mime_type"), media_type);
    }
    match &source {
        MediaSource::Base64(data) => inner.str("data", data),
        MediaSource::Url(url) => inner.str(name("fileUri", "file_uri"), url),
        _ => return None,
    };
    Some(wrapped(&kind, inner, &media.extra, style))
}

/// The media type; where there is only a word for it, or nothing, the usual one of its kind.
fn usual_type(media: &Media) -> Option<String> {
    let (group, usual) = match media.kind {
        MediaKind::Image => ("image", "image/png"),
        MediaKind::Audio => ("audio", "audio/wav"),
        MediaKind::Video => ("video", "video/mp4"),
        _ => ("application", "application/pdf"),
    };
    Some(match media.media_type.as_deref() {
        Some(full) if full.contains('/') => full.into(),
        Some(word) => format!("{group}/{word}"),
        None => usual.into(),
    })
}

/// The media type and the base64 text of a data URL.
fn data_url(url: &str) -> Option<(&str, &str)> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    let media_type = head.strip_suffix(";base64")?;
    Some((media_type.split(';').next()?, data))
}
