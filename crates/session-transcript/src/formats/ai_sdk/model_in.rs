//! From a message of the model's side to ours.

use session_log::{
    Arguments, Fields, Media, MediaKind, MediaSource, Message, Part, Reasoning, Role, Shape,
    ToolCall, ToolResult,
};

use crate::formats::ai_sdk::output::{self, opaque};
use crate::formats::gemini::parts_in::kind_of;
use crate::formats::parts;
use crate::json::{Kind, Members, Raw};
use crate::marks;

/// Whether a message has parts that only this format has.
pub(super) fn is_sign(members: &Members<'_>) -> bool {
    let content = members
        .peek("content")
        .and_then(|list| list.first_items(50));
    content.unwrap_or_default().into_iter().any(|raw| {
        let Some(kind) = raw.find_str("type") else {
            return false;
        };
        match &*kind {
            "tool-call" | "tool-result" => raw.find("toolCallId").is_some(),
            "tool-approval-request" | "tool-approval-response" => true,
            "image" => raw
                .find("image")
                .is_some_and(|image| image.kind() == Kind::String),
            "file" => raw.find("mediaType").is_some() || raw.find("mimeType").is_some(),
            _ => false,
        }
    })
}

/// The message in a record; `None` when it has no role.
pub(super) fn message(mut members: Members<'_>) -> Option<Message> {
    let role = Role::from_name(&members.take_str("role")?);
    let content = members.take("content");
    let (parts, shape) = match content.map(|raw| (raw.kind(), raw)) {
        None => (Vec::new(), Shape::Absent),
        Some((Kind::Null, _)) => (Vec::new(), Shape::Null),
        Some((Kind::String, raw)) => (
            vec![Part::text(raw.as_str().unwrap_or_default())],
            Shape::Text,
        ),
        Some((Kind::Array, raw)) => {
            let items = raw.items().unwrap_or_default();
            let parts = items
                .into_iter()
                .map(|raw| known(raw, &role).unwrap_or_else(|| opaque(raw)));
            (parts.collect(), Shape::Parts)
        }
        Some((_, raw)) => (vec![opaque(raw)], Shape::Text),
    };
    let mut message = Message::new(role, parts).with_shape(shape);
    message.extra = members.into_fields();
    Some(message)
}

fn known(raw: Raw<'_>, role: &Role) -> Option<Part> {
    let mut members = raw.members()?;
    match members.take_str("type")?.as_str() {
        "text" => parts::text(members, "text"),
        "reasoning" => {
            let mut reasoning = Reasoning::new(members.take_str("text")?);
            reasoning.extra = members.into_fields();
            Some(Part::Reasoning(reasoning))
        }
        "image" => media("image", members),
        "file" => media("data", members),
        "tool-call" => call(members, role),
        "tool-result" => result(members, role),
        _ => None,
    }
}

fn media(field: &str, mut members: Members<'_>) -> Option<Part> {
    let data = members.take_str(field)?;
    let is_address = ["data:", "http://", "https://"]
        .iter()
        .any(|scheme| data.starts_with(scheme));
    let source = match is_address {
        true => MediaSource::Url(data),
        false => MediaSource::Base64(data),
    };
    let name = ["mediaType", "mimeType"]
        .into_iter()
        .find(|name| members.peek_str(name).is_some());
    let media_type = name.and_then(|name| members.take_str(name));
    let kind = match field {
        "image" => MediaKind::Image,
        _ => kind_of(media_type.as_deref()),
    };
    let mut media = Media::new(kind, source);
    media.media_type = media_type;
    media.name = members.take_str("filename");
    media.extra = members.into_fields();
    marks::set(&mut media.extra, marks::FIELD, field);
    if name == Some("mimeType") {
        marks::set(&mut media.extra, "@old", "");
    }
    Some(Part::Media(media))
}

/// A call. One that the provider runs itself is kept whole.
fn call(mut members: Members<'_>, role: &Role) -> Option<Part> {
    let is_run_elsewhere = members.peek("providerExecuted").and_then(Raw::as_bool) == Some(true);
    if is_run_elsewhere || *role != Role::Assistant {
        return None;
    }
    let mut call = ToolCall::new(
        members.take_str("toolCallId")?,
        members.take_str("toolName")?,
        "",
    );
    let field = ["input", "args"]
        .into_iter()
        .find(|field| members.has(field))?;
    call.arguments = Arguments::Value(members.take(field)?.to_json());
    call.extra = members.into_fields();
    if field == "args" {
        marks::set(&mut call.extra, marks::FIELD, field);
    }
    Some(Part::ToolCall(call))
}

fn result(mut members: Members<'_>, role: &Role) -> Option<Part> {
    if *role != Role::Tool {
        return None;
    }
    let mut result = ToolResult::new(members.take_str("toolCallId")?, Vec::new());
    result.name = members.take_str("toolName");
    match members.take("output") {
        Some(raw) => output::typed(&mut result, raw)?,
        None => {
            output::plain(&mut result, members.take("result")?);
            marks::set(&mut result.extra, marks::FIELD, "result");
            if let Some(is_error) = members.peek("isError").and_then(Raw::as_bool) {
                members.take("isError");
                result.is_error = Some(is_error);
            }
        }
    }
    let mut fields: Fields = members.into_fields();
    fields.append(&mut result.extra);
    result.extra = fields;
    Some(Part::ToolResult(result))
}
