//! From parts of the conventions to ours.

use session_log::{
    Arguments, Media, MediaKind, MediaSource, Message, Part, Reasoning, Role, Shape, ToolCall,
    ToolResult,
};

use crate::formats::anthropic;
use crate::formats::bodies::Piece;
use crate::formats::gemini::parts_in::kind_of;
use crate::formats::parts;
use crate::json::{Members, Raw};
use crate::marks;

/// The mark of a result that was JSON and no text.
pub(super) const JSON: &str = "@json";

/// The name under which unknown parts are kept.
pub(super) const FORMAT: &str = "otel-genai";

/// Whether a value is a message whose parts are those of the conventions.
pub(super) fn is_message(raw: Raw<'_>) -> bool {
    if raw.find_str("role").is_none() {
        return false;
    }
    let parts = raw.find("parts").and_then(|parts| parts.first_items(20));
    parts.is_some_and(|parts| {
        parts
            .into_iter()
            .any(|part| match part.find_str("type").as_deref() {
                Some("text" | "reasoning") => part.find("content").is_some(),
                Some("tool_call") => part.find("name").is_some(),
                Some("tool_call_response") => true,
                _ => false,
            })
    })
}

/// The message or messages in a record; `None` when it has no role or parts.
pub(super) fn pieces(raw: Raw<'_>) -> Option<Vec<Piece>> {
    let mut members = raw.members()?;
    let role = members.take_str("role")?;
    let parts = members.take("parts")?.items()?;
    let parts = parts.into_iter().map(part).collect();
    let name = members.take_str("name");
    let mut pieces = anthropic::pieces(&role, parts, Shape::Parts, members.into_fields());
    if let Some(first) = pieces.first_mut() {
        first.message.name = name;
        if role == "user" && first.message.role == Role::Tool {
            marks::set(&mut first.message.extra, marks::ROLE, &role);
        }
    }
    Some(pieces)
}

/// The system prompt: a list of parts, or a text.
pub(super) fn system(raw: Raw<'_>) -> Message {
    match raw.items() {
        Some(items) => Message::new(Role::System, items.into_iter().map(part).collect()),
        None => Message::system(raw.as_str().unwrap_or_default()),
    }
}

fn part(raw: Raw<'_>) -> Part {
    known(raw).unwrap_or_else(|| parts::unread(FORMAT, raw))
}

fn known(raw: Raw<'_>) -> Option<Part> {
    let mut members = raw.members()?;
    match members.take_str("type")?.as_str() {
        "text" => parts::text(members, "content"),
        kind @ ("reasoning" | "thinking") => {
            let mut reasoning = Reasoning::new(members.take_str("content")?);
            reasoning.extra = members.into_fields();
            marks::set(&mut reasoning.extra, marks::FIELD, kind);
            Some(Part::Reasoning(reasoning))
        }
        "tool_call" => {
            let mut absent = Vec::new();
            absent.extend((!members.has("id")).then_some("id"));
            let id = members.take_str("id").unwrap_or_default();
            let mut call = ToolCall::new(id, members.take_str("name")?, "");
            match members.take("arguments").map(|raw| (raw.as_str(), raw)) {
                Some((Some(text), _)) => call.arguments = Arguments::Text(text.into_owned()),
                Some((None, raw)) => call.arguments = Arguments::Value(raw.to_json()),
                None => absent.push("arguments"),
            }
            call.extra = members.into_fields();
            if !absent.is_empty() {
                marks::set(&mut call.extra, marks::ABSENT, &absent.join(" "));
            }
            Some(Part::ToolCall(call))
        }
        "tool_call_response" => {
            let has_id = members.has("id");
            let id = members.take_str("id").unwrap_or_default();
            let field = ["response", "result"]
                .into_iter()
                .find(|name| members.has(name))
                .unwrap_or_default();
            let response = members.take(field);
            let text = response.map(|raw| match raw.as_str() {
                Some(text) => text.into_owned(),
                None => raw.text().to_owned(),
            });
            let mut result = ToolResult::text(id, text.unwrap_or_default());
            result.name = members.take_str("name");
            result.extra = members.into_fields();
            marks::set(&mut result.extra, marks::FIELD, field);
            if response.is_some_and(|raw| raw.as_str().is_none()) {
                marks::set(&mut result.extra, JSON, "");
            }
            if !has_id {
                marks::set(&mut result.extra, marks::ABSENT, "id");
            }
            Some(Part::ToolResult(result))
        }
        "blob" => {
            let field = ["content", "data"]
                .into_iter()
                .find(|name| members.peek_str(name).is_some())?;
            let data = members.take_str(field)?;
            Some(media(MediaSource::Base64(data), field, members))
        }
        "uri" => {
            let uri = members.take_str("uri")?;
            Some(media(MediaSource::Url(uri), "uri", members))
        }
        "file" => {
            let id = members.take_str("file_id")?;
            Some(media(MediaSource::FileId(id), "file_id", members))
        }
        _ => None,
    }
}

fn media(source: MediaSource, field: &str, mut members: Members<'_>) -> Part {
    let media_type = members.take_str("mime_type");
    let kind = match members.peek_str("modality").as_deref() {
        Some("image") => MediaKind::Image,
        Some("audio") => MediaKind::Audio,
        Some("video") => MediaKind::Video,
        _ => kind_of(media_type.as_deref()),
    };
    let mut media = Media::new(kind, source);
    media.media_type = media_type;
    media.extra = members.into_fields();
    marks::set(&mut media.extra, marks::FIELD, field);
    Part::Media(media)
}
