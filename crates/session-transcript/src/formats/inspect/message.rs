//! What a message of a sample says.

use session_log::{
    Arguments, Media, MediaKind, MediaSource, Message, Part, Reasoning, Role, ToolCall, ToolResult,
};

use crate::format::Format;
use crate::formats::parts::{self, arguments, content, fields_but, opaque};
use crate::json::{Members, Raw};

/// The message; `None` when it has no role.
pub(super) fn read(members: &Members<'_>) -> Option<Message> {
    let role = Role::from_name(&members.peek_str("role")?);
    if role == Role::Tool {
        return Some(result(members));
    }
    let (mut parts, shape) = content(members.peek("content"), part);
    let calls = members.peek("tool_calls").and_then(Raw::items);
    if calls.is_some() {
        // What stands beside calls often is the empty text.
        parts.retain(|part| part.as_text() != Some(""));
    }
    parts.extend(calls.unwrap_or_default().into_iter().map(call));
    let mut message = Message::new(role, parts).with_shape(shape);
    message.extra = fields_but(members, &["id", "role", "content", "tool_calls"]);
    Some(message)
}

fn result(members: &Members<'_>) -> Message {
    let (parts, shape) = content(members.peek("content"), part);
    let id = members.peek_str("tool_call_id").unwrap_or_default();
    let mut result = ToolResult::new(id, parts);
    result.shape = shape;
    result.name = members.peek_str("function").map(Into::into);
    let error = members.peek("error").filter(|error| !error.is_null());
    if let Some(error) = error {
        result.is_error = Some(true);
        let text = error.member_str("message").unwrap_or_default();
        let says_nothing = result.parts.iter().all(|part| part.as_text() == Some(""));
        if says_nothing && !text.is_empty() {
            result.parts = vec![Part::text(text)];
        }
    }
    let known = ["id", "role", "content", "tool_call_id", "function"];
    result.extra = fields_but(members, &known);
    Message::new(Role::Tool, vec![Part::ToolResult(result)])
}

/// A call; what could not be parsed of its arguments is kept as the text it was.
fn call(raw: Raw<'_>) -> Part {
    let Some(mut members) = raw.members() else {
        return opaque(Format::Inspect, raw);
    };
    let (id, name) = (members.take_str("id"), members.take_str("function"));
    let Some(name) = name else {
        return opaque(Format::Inspect, raw);
    };
    let mut call = ToolCall::new(id.unwrap_or_default(), name, "");
    call.arguments = match members.take("arguments") {
        None => Arguments::Text(String::new()),
        some => arguments(some),
    };
    call.extra = members.into_fields();
    Part::ToolCall(call)
}

fn part(raw: Raw<'_>) -> Part {
    known(raw).unwrap_or_else(|| opaque(Format::Inspect, raw))
}

fn known(raw: Raw<'_>) -> Option<Part> {
    let mut members = raw.members()?;
    let kind = members.take_str("type")?;
    match kind.as_str() {
        "text" => parts::text(members, "text"),
        "reasoning" => {
            let text = members.take_str("reasoning")?;
            let mut reasoning = Reasoning::default();
            match members.peek("redacted").and_then(Raw::as_bool) {
                Some(true) => {
                    reasoning.encrypted = Some(text);
                    reasoning.text = members.take_str("summary");
                }
                _ => reasoning.text = Some(text),
            }
            reasoning.signature = members.take_str("signature");
            reasoning.extra = members.into_fields();
            Some(Part::Reasoning(reasoning))
        }
        "image" => media(MediaKind::Image, members.take_str("image")?, members),
        "audio" => media(MediaKind::Audio, members.take_str("audio")?, members),
        "video" => media(MediaKind::Video, members.take_str("video")?, members),
        "document" => media(MediaKind::File, members.take_str("document")?, members),
        _ => None,
    }
}

fn media(kind: MediaKind, source: String, mut members: Members<'_>) -> Option<Part> {
    let mut media = Media::new(kind, MediaSource::Url(source));
    media.media_type = members.take_str("mime_type");
    media.name = members.take_str("filename");
    media.extra = members.into_fields();
    Some(Part::Media(media))
}
