//! From untagged parts to ours: one member names what a part is.

use session_log::{
    Arguments, Fields, Json, Media, MediaKind, MediaSource, Part, Reasoning, Shape, Text, ToolCall,
    ToolResult,
};

use crate::formats::parts;
use crate::json::{Kind, Members, Object, Raw};
use crate::marks;

/// The name under which unknown parts are kept.
pub(super) const FORMAT: &str = "gemini";

/// The name of the member that is the whole result, when its text is taken out of an object.
pub(super) const RESULT: &str = "@result";

/// Members that say what a part is, in both spellings.
pub(super) const KINDS: [&str; 16] = [
    "text",
    "functionCall",
    "function_call",
    "functionResponse",
    "function_response",
    "inlineData",
    "inline_data",
    "fileData",
    "file_data",
    "executableCode",
    "executable_code",
    "codeExecutionResult",
    "code_execution_result",
    "toolCall",
    "toolResponse",
    "thoughtSignature",
];

/// How deep parts may lie in results before they are kept unread.
const MAX_DEPTH: u8 = 4;

/// What is in a list of parts, and how it is written.
pub(super) fn parts(raw: Option<Raw<'_>>) -> (Vec<Part>, Shape) {
    parts::exact_content(raw, FORMAT, |raw| part(raw, 0))
}

fn part(raw: Raw<'_>, depth: u8) -> Part {
    known(raw, depth).unwrap_or_else(|| parts::unread(FORMAT, raw))
}

fn known(raw: Raw<'_>, depth: u8) -> Option<Part> {
    let mut members = raw.members()?;
    let is_there = |name: &&&str| members.peek(name).is_some_and(|raw| !raw.is_null());
    let kind = KINDS.iter().find(is_there)?;
    match *kind {
        "text" => text(members),
        "functionCall" | "function_call" => {
            let inner = members.take(kind)?.members()?;
            call(kind, inner, members)
        }
        "functionResponse" | "function_response" if depth < MAX_DEPTH => {
            let inner = members.take(kind)?.members()?;
            result(kind, inner, members, depth)
        }
        "inlineData" | "inline_data" | "fileData" | "file_data" => {
            let inner = members.take(kind)?.members()?;
            media(kind, inner, members)
        }
        _ => None,
    }
}

fn text(mut members: Members<'_>) -> Option<Part> {
    let text = members.take_str("text")?;
    if members.peek("thought").and_then(Raw::as_bool) != Some(true) {
        let mut part = Text::new(text);
        part.extra = members.into_fields();
        return Some(Part::Text(part));
    }
    members.take("thought");
    let mut reasoning = Reasoning::new(text);
    let names = ["thoughtSignature", "thought_signature"];
    let name = names
        .into_iter()
        .find(|name| members.peek_str(name).is_some());
    reasoning.signature = name.and_then(|name| members.take_str(name));
    reasoning.extra = members.into_fields();
    if let Some(name) = name {
        marks::set(&mut reasoning.extra, marks::FIELD, name);
    }
    Some(Part::Reasoning(reasoning))
}

/// The fields beside what a part is, with what is left inside under the part's own name.
fn extra(kind: &str, inner: Members<'_>, members: Members<'_>) -> Fields {
    let mut extra = members.into_fields();
    let rest = inner.into_fields();
    if !rest.is_empty() {
        extra.insert(kind.into(), object(&rest));
    }
    marks::set(&mut extra, marks::FIELD, kind);
    extra
}

fn object(fields: &Fields) -> Json {
    let mut object = Object::new();
    object.fields(fields);
    object.into_json()
}

fn call(kind: &str, mut inner: Members<'_>, members: Members<'_>) -> Option<Part> {
    let mut absent = Vec::new();
    let id = inner.take_str("id").unwrap_or_else(|| {
        absent.push("id");
        String::new()
    });
    let mut call = ToolCall::new(id, inner.take_str("name")?, "");
    match inner.take("args") {
        Some(raw) => call.arguments = Arguments::Value(raw.to_json()),
        None => absent.push("args"),
    }
    call.extra = extra(kind, inner, members);
    if !absent.is_empty() {
        marks::set(&mut call.extra, marks::ABSENT, &absent.join(" "));
    }
    Some(Part::ToolCall(call))
}

fn result(kind: &str, mut inner: Members<'_>, members: Members<'_>, depth: u8) -> Option<Part> {
    let mut absent = Vec::new();
    let id = inner.take_str("id").unwrap_or_else(|| {
        absent.push("id");
        String::new()
    });
    let name = inner.take_str("name");
    let mut result = ToolResult::new(id, Vec::new());
    result.name = name;
    let mut marked = Fields::new();
    match inner.take("response") {
        Some(raw) => {
            let (text, field) = response(raw);
            result.is_error = (field == "error").then_some(true);
            marks::set(&mut marked, RESULT, field);
            result.parts.push(Part::text(text));
        }
        None => absent.push("response"),
    }
    if let Some(items) = inner.peek("parts").and_then(Raw::items) {
        inner.take("parts");
        let parts = items.into_iter().map(|raw| part(raw, depth + 1));
        result.parts.extend(parts);
        marks::set(&mut marked, "@parts", "");
    }
    result.extra = extra(kind, inner, members);
    result.extra.append(&mut marked);
    if !absent.is_empty() {
        marks::set(&mut result.extra, marks::ABSENT, &absent.join(" "));
    }
    Some(Part::ToolResult(result))
}

/// The text of a response, and the member it is the only one of; the whole object where it has
/// others.
fn response(raw: Raw<'_>) -> (String, &'static str) {
    let members = raw.members().unwrap_or_default();
    if members.iter().count() == 1 {
        for name in ["output", "result", "error"] {
            if let Some(text) = members.peek_str(name) {
                return (text.into_owned(), name);
            }
        }
    }
    (raw.text().into(), "")
}

fn media(kind: &str, mut inner: Members<'_>, members: Members<'_>) -> Option<Part> {
    let is_snake = kind.contains('_');
    let name = |camel: &'static str, snake: &'static str| if is_snake { snake } else { camel };
    let source = if kind.starts_with("inline") {
        MediaSource::Base64(inner.take_str("data")?)
    } else {
        MediaSource::Url(inner.take_str(name("fileUri", "file_uri"))?)
    };
    let media_type = inner.take_str(name("mimeType", "mime_type"));
    let mut media = Media::new(kind_of(media_type.as_deref()), source);
    media.media_type = media_type;
    media.extra = extra(kind, inner, members);
    Some(Part::Media(media))
}

/// What sort of thing has this media type.
pub(crate) fn kind_of(media_type: Option<&str>) -> MediaKind {
    match media_type.and_then(|kind| kind.split('/').next()) {
        Some("image") => MediaKind::Image,
        Some("audio") => MediaKind::Audio,
        Some("video") => MediaKind::Video,
        _ => MediaKind::File,
    }
}

/// Whether a value is a part of this format: it has no tag, and one of the members it must have.
pub(super) fn is_part(raw: Raw<'_>) -> bool {
    raw.kind() == Kind::Object
        && raw.members().is_some_and(|members| {
            let tags = ["type", "kind", "part_kind"];
            !tags.iter().any(|tag| members.has(tag)) && KINDS.iter().any(|kind| members.has(kind))
        })
}
