//! From a chat message to ours.

use session_log::{
    Arguments, Fields, Json, Message, Part, Reasoning, Role, Shape, Text, ToolCall, ToolResult,
};

use crate::formats::openai_chat::parts;
use crate::formats::parts::exact_content;
use crate::json::{Members, Object, Raw};
use crate::marks;

/// The name under which unknown parts are kept.
pub(super) const FORMAT: &str = "openai-chat";

/// Fields that hold reasoning as text, at different servers.
pub(super) const REASONING: [&str; 2] = ["reasoning_content", "reasoning"];

/// The message in a record; `None` when it has no role.
pub(super) fn message(mut members: Members<'_>) -> Option<Message> {
    let role = members.take_str("role")?;
    if matches!(role.as_str(), "tool" | "function") {
        return Some(tool(&role, members));
    }
    let (mut content, shape) = content(&mut members);
    let mut parts = Vec::new();
    let role = Role::from_name(&role);
    if role == Role::Assistant {
        parts.extend(
            REASONING
                .iter()
                .filter_map(|name| reasoning(name, &mut members)),
        );
    }
    parts.append(&mut content);
    if role == Role::Assistant {
        parts.extend(refusal(&mut members));
        parts.extend(calls(&mut members));
        parts.extend(function_call(&mut members));
    }
    let mut message = Message::new(role, parts).with_shape(shape);
    message.name = members.take_str("name");
    message.extra = members.into_fields();
    Some(message)
}

/// A message that brings a result; `function` is the old name of the role.
fn tool(role: &str, mut members: Members<'_>) -> Message {
    let (parts, shape) = content(&mut members);
    let mut extra = Fields::new();
    let mut message_extra = Fields::new();
    let call_id = members.take_str("tool_call_id").unwrap_or_else(|| {
        if !members.has("tool_call_id") {
            marks::set(&mut extra, marks::ABSENT, "tool_call_id");
        }
        String::new()
    });
    if role == "function" {
        marks::set(&mut message_extra, marks::ROLE, role);
    }
    let mut result = ToolResult::new(call_id, parts);
    result.shape = shape;
    result.name = members.take_str("name");
    result.extra = extra;
    let mut message = Message::new(Role::Tool, vec![Part::ToolResult(result)]);
    message.extra = members.into_fields();
    message.extra.append(&mut message_extra);
    message
}

/// What is in `content`, and how it is written.
fn content(members: &mut Members<'_>) -> (Vec<Part>, Shape) {
    exact_content(members.take("content"), FORMAT, parts::read)
}

fn reasoning(name: &str, members: &mut Members<'_>) -> Option<Part> {
    let text = members.take_str(name)?;
    let mut reasoning = Reasoning::new(text);
    marks::set(&mut reasoning.extra, marks::FIELD, name);
    Some(Part::Reasoning(reasoning))
}

fn refusal(members: &mut Members<'_>) -> Option<Part> {
    let mut text = Text::new(members.take_str("refusal")?);
    marks::set(&mut text.extra, marks::FIELD, "refusal");
    Some(Part::Refusal(text))
}

/// The calls in `tool_calls`; a list with anything else in it stays where it is, unread.
fn calls(members: &mut Members<'_>) -> Vec<Part> {
    let items = members
        .peek("tool_calls")
        .and_then(Raw::items)
        .unwrap_or_default();
    let calls: Option<Vec<Part>> = items
        .into_iter()
        .map(|raw| call(raw).map(Part::ToolCall))
        .collect();
    match calls {
        Some(calls) if !calls.is_empty() => {
            members.take("tool_calls");
            calls
        }
        _ => Vec::new(),
    }
}

fn call(raw: Raw<'_>) -> Option<ToolCall> {
    let mut members = raw.members()?;
    let kind = members.peek_str("type").map(|kind| kind.into_owned());
    let (place, field) = match kind.as_deref() {
        Some("custom") => ("custom", "input"),
        _ => ("function", "arguments"),
    };
    let mut inner = members.take(place)?.members()?;
    let mut absent = Vec::new();
    let mut call = ToolCall::new("", inner.take_str("name")?, "");
    match inner.take(field) {
        Some(raw) => call.arguments = arguments(raw),
        None => absent.push(field),
    }
    match members.take_str("id") {
        Some(id) => call.id = id,
        None if members.has("id") => {}
        None => absent.push("id"),
    }
    if kind.is_none() && !members.has("type") {
        absent.push("type");
    }
    members.take_if("type", "function");
    call.extra = members.into_fields();
    let rest = inner.into_fields();
    if !rest.is_empty() {
        call.extra.insert(place.into(), object(&rest));
    }
    if !absent.is_empty() {
        marks::set(&mut call.extra, marks::ABSENT, &absent.join(" "));
    }
    Some(call)
}

fn arguments(raw: Raw<'_>) -> Arguments {
    match raw.as_str() {
        Some(text) => Arguments::Text(text.into_owned()),
        None => Arguments::Value(raw.to_json()),
    }
}

/// The call in the field that came before `tool_calls`. It has no id; neither has its result.
fn function_call(members: &mut Members<'_>) -> Option<Part> {
    let mut inner = members.peek("function_call")?.members()?;
    let name = inner.take_str("name")?;
    let mut call = ToolCall::new("", name, "");
    call.arguments = arguments(inner.take("arguments")?);
    call.extra = inner.into_fields();
    marks::set(&mut call.extra, marks::FIELD, "function_call");
    members.take("function_call");
    Some(Part::ToolCall(call))
}

fn object(fields: &Fields) -> Json {
    let mut object = Object::new();
    for (name, json) in fields {
        object.json(name, json);
    }
    object.into_json()
}
