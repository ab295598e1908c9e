//! What a tool brought: a text, a JSON value, or a list of parts.

use session_log::{Arguments, Fields, Json, Media, MediaSource, Part, ToolResult};

use crate::formats::gemini::parts_in::kind_of;
use crate::formats::parts;
use crate::json::{Kind, Object, Raw, array, quote};
use crate::marks;

/// The name under which unknown parts are kept.
pub(super) const FORMAT: &str = "vercel-ai";

/// How the output of a tool was written.
pub(super) const OUTPUT: &str = "@output";

/// A part that is kept as it is.
pub(super) fn opaque(raw: Raw<'_>) -> Part {
    parts::unread(FORMAT, raw)
}

/// A value as text, and whether it was one.
fn value(raw: Raw<'_>) -> (String, bool) {
    match raw.as_str() {
        Some(text) => (text.into_owned(), true),
        None => (raw.text().into(), false),
    }
}

/// The result in a plain value, under the mark `text` or `json`.
pub(super) fn plain(result: &mut ToolResult, raw: Raw<'_>) {
    let (text, is_text) = value(raw);
    result.parts.push(Part::text(text));
    let kind = if is_text { "text" } else { "json" };
    marks::set(&mut result.extra, OUTPUT, kind);
}

/// The result in an object with a type; `None` when it is not as expected.
pub(super) fn typed(result: &mut ToolResult, raw: Raw<'_>) -> Option<()> {
    let mut members = raw.members()?;
    let kind = members.take_str("type")?;
    let mut parts = Vec::new();
    match kind.as_str() {
        "text" | "error-text" => parts.push(Part::text(members.take_str("value")?)),
        "json" | "error-json" => parts.push(Part::text(members.take("value")?.text())),
        "execution-denied" => parts.push(Part::text(members.take_str("reason")?)),
        "content" => {
            let items = members.take("value")?.items()?;
            parts.extend(
                items
                    .into_iter()
                    .map(|raw| content(raw).unwrap_or_else(|| opaque(raw))),
            );
        }
        _ => return None,
    }
    let is_error = kind.starts_with("error-") || kind == "execution-denied";
    result.is_error = is_error.then_some(true);
    result.parts = parts;
    marks::set(&mut result.extra, OUTPUT, &format!("typed {kind}"));
    let rest = members.into_fields();
    if !rest.is_empty() {
        result.extra.insert("output".into(), object(&rest));
    }
    Some(())
}

fn content(raw: Raw<'_>) -> Option<Part> {
    let mut members = raw.members()?;
    let kind = members.take_str("type")?;
    match kind.as_str() {
        "text" => parts::text(members, "text"),
        "media" | "file-data" | "image-data" => {
            let source = MediaSource::Base64(members.take_str("data")?);
            let media_type = members.take_str("mediaType");
            let mut media = Media::new(kind_of(media_type.as_deref()), source);
            media.media_type = media_type;
            media.extra = members.into_fields();
            marks::set(&mut media.extra, marks::FIELD, &kind);
            Some(Part::Media(media))
        }
        _ => None,
    }
}

/// The fields as an object.
pub(super) fn object(fields: &Fields) -> Json {
    let mut object = Object::new();
    object.fields(fields);
    object.into_json()
}

/// The text of a mark.
pub(super) fn mark(extra: &Fields, name: &str) -> Option<String> {
    Some(
        Raw::parse(extra.get(name)?.as_str())?
            .as_str()?
            .into_owned(),
    )
}

fn texts(result: &ToolResult) -> String {
    let texts: Vec<&str> = result.parts.iter().filter_map(Part::as_text).collect();
    texts.join("\n")
}

/// The result as a plain value: JSON where it was JSON and still is.
pub(super) fn plain_value(result: &ToolResult, is_own: bool) -> String {
    let text = texts(result);
    let was_json = is_own && mark(&result.extra, OUTPUT).is_some_and(|kind| kind.ends_with("json"));
    match Raw::parse(&text).filter(|_| was_json) {
        Some(raw) => raw.text().into(),
        None => quote(&text),
    }
}

/// The result as an object with a type.
pub(super) fn typed_value(result: &ToolResult, is_own: bool, lost: &mut usize) -> String {
    let kind = mark(&result.extra, OUTPUT)
        .filter(|_| is_own)
        .unwrap_or_default();
    let kind = kind.strip_prefix("typed ").unwrap_or_default();
    let has_others = result.parts.iter().any(|part| part.as_text().is_none());
    let mut object = Object::new();
    match kind {
        "content" => {
            object
                .str("type", kind)
                .raw("value", &contents(result, is_own, lost));
        }
        "execution-denied" => {
            object.str("type", kind).str("reason", &texts(result));
        }
        "json" | "error-json" if Raw::parse(&texts(result)).is_some() => {
            object.str("type", kind).raw("value", &texts(result));
        }
        _ if has_others && result.is_error != Some(true) => {
            object
                .str("type", "content")
                .raw("value", &contents(result, is_own, lost));
        }
        _ => {
            let kind = match result.is_error {
                Some(true) => "error-text",
                _ => "text",
            };
            object.str("type", kind).str("value", &texts(result));
        }
    }
    let rest = result.extra.get("output").filter(|_| is_own);
    if let Some(rest) = rest.and_then(|json| Raw::parse(json.as_str())?.members()) {
        object.fields(&rest.into_fields());
    }
    object.finish()
}

fn contents(result: &ToolResult, is_own: bool, lost: &mut usize) -> String {
    let mut written = Vec::new();
    for part in &result.parts {
        let json = match part {
            Part::Text(text) => {
                let mut object = Object::new();
                object.str("type", "text").str("text", &text.text);
                if is_own {
                    object.fields(&text.extra);
                }
                Some(object.finish())
            }
            Part::Media(media) => match &media.source {
                MediaSource::Base64(data) => {
                    let kind = mark(&media.extra, marks::FIELD).filter(|_| is_own);
                    let mut object = Object::new();
                    object
                        .str("type", kind.as_deref().unwrap_or("media"))
                        .str("data", data);
                    if let Some(media_type) = &media.media_type {
                        object.str("mediaType", media_type);
                    }
                    if is_own {
                        object.fields(&media.extra);
                    }
                    Some(object.finish())
                }
                _ => None,
            },
            Part::Opaque(opaque) if opaque.format == FORMAT => Some(opaque.json.as_str().into()),
            _ => None,
        };
        match json {
            Some(json) => written.push(json),
            None => *lost += 1,
        }
    }
    array(written)
}

/// Arguments as a JSON value: text that is none stays a text.
pub(super) fn input(arguments: &Arguments) -> String {
    match arguments {
        Arguments::Value(json) => json.as_str().into(),
        Arguments::Text(text) if text.trim().is_empty() => "{}".into(),
        other => match Raw::parse(other.as_str().trim()) {
            Some(raw) if raw.kind() != Kind::String => raw.text().into(),
            _ => quote(other.as_str()),
        },
    }
}
