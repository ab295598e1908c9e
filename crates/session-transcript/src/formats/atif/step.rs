//! What a step says: one message, and what was observed.

use session_log::{Fields, Message, Part, Reasoning, Role, Shape, Text, ToolCall, ToolResult};

use crate::format::Format;
use crate::formats::parts::{arguments, content, fields_but, opaque};
use crate::json::{Members, Raw};
use crate::marks;

/// What an observation brings that is no result of a call is marked with this.
pub(super) const OBSERVATION: &str = "observation";

/// Members of a step that the writer makes anew.
const KNOWN: [&str; 3] = ["step_id", "source", "message"];

/// A step.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) message: Message,
    /// Results, and what else was observed.
    pub(super) observed: Vec<Message>,
}

/// The step in a record; `None` when nobody is its source.
pub(super) fn read(members: &Members<'_>) -> Option<Step> {
    let source = members.peek_str("source")?;
    let role = match &*source {
        "agent" => Role::Assistant,
        other => Role::from_name(other),
    };
    let (said, shape) = content(members.peek("message"), part);
    let mut extra = fields_but(members, &KNOWN);
    let mut parts = Vec::new();
    if let Some(text) = members.peek_str("reasoning_content") {
        parts.push(Part::Reasoning(Reasoning::new(text)));
        extra.remove("reasoning_content");
    }
    parts.extend(said.into_iter().filter(|part| part.as_text() != Some("")));
    let calls = members.peek("tool_calls").and_then(Raw::items);
    let calls: Option<Vec<ToolCall>> = calls.unwrap_or_default().into_iter().map(call).collect();
    let calls = calls.unwrap_or_default();
    if !calls.is_empty() {
        extra.remove("tool_calls");
    }
    let ids: Vec<String> = calls.iter().map(|call| call.id.clone()).collect();
    parts.extend(calls.into_iter().map(Part::ToolCall));
    let observed = members.peek("observation").and_then(Raw::members);
    let observed = observed.map(|observation| observe(&observation, &ids, &mut extra));
    let mut message = Message::new(role, parts).with_shape(shape);
    message.extra = extra;
    Some(Step {
        message,
        observed: observed.unwrap_or_default(),
    })
}

/// What was observed; the step keeps the fields beside the results.
fn observe(observation: &Members<'_>, ids: &[String], extra: &mut Fields) -> Vec<Message> {
    let results = observation.peek("results").and_then(Raw::items);
    let results: Option<Vec<Members<'_>>> = results
        .unwrap_or_default()
        .into_iter()
        .map(Raw::members)
        .collect();
    let results = results.unwrap_or_default();
    if results.is_empty() {
        return Vec::new();
    }
    extra.remove("observation");
    let rest = fields_but(observation, &["results"]);
    if !rest.is_empty() {
        let mut object = crate::json::Object::new();
        object.fields(&rest);
        extra.insert("@observation".into(), object.into_json());
    }
    let count = results.len();
    let results = results.into_iter().enumerate();
    results
        .map(|(at, result)| observed(&result, guess(at, count, ids)))
        .collect()
}

/// The call of a result that names none: the one at its place, or the last for the only result.
fn guess(at: usize, count: usize, ids: &[String]) -> Option<&String> {
    match count {
        1 => ids.last(),
        _ => ids.get(at),
    }
}

fn observed(members: &Members<'_>, guess: Option<&String>) -> Message {
    let (parts, shape) = content(members.peek("content"), part);
    let named = members.peek_str("source_call_id");
    let mut extra = fields_but(members, &["content"]);
    let id = match (named, guess) {
        (Some(id), _) => {
            extra.remove("source_call_id");
            id.into_owned()
        }
        (None, guess) => {
            if !members.has("source_call_id") {
                marks::set(&mut extra, marks::ABSENT, "source_call_id");
            }
            let Some(id) = guess else {
                let mut message = Message::new(Role::User, parts).with_shape(shape);
                marks::set(&mut extra, marks::FIELD, OBSERVATION);
                message.extra = extra;
                return message;
            };
            id.clone()
        }
    };
    let mut result = ToolResult::new(id, parts);
    result.shape = shape;
    result.extra = extra;
    Message::new(Role::Tool, vec![Part::ToolResult(result)])
}

fn call(raw: Raw<'_>) -> Option<ToolCall> {
    let mut members = raw.members()?;
    let id = members.take_str("tool_call_id")?;
    let name = members.take_str("function_name")?;
    let mut call = ToolCall::new(id, name, "");
    call.arguments = arguments(Some(members.take("arguments")?));
    call.extra = members.into_fields();
    Some(call)
}

/// A text; pictures and sound lie in files beside the trajectory, and are kept as they are.
fn part(raw: Raw<'_>) -> Part {
    let text = raw.members().and_then(|mut members| {
        if !members.take_if("type", "text") {
            return None;
        }
        let mut text = Text::new(members.take_str("text")?);
        text.extra = members.into_fields();
        Some(Part::Text(text))
    });
    text.unwrap_or_else(|| opaque(Format::Atif, raw))
}

/// How the content of a message is written in its own format.
pub(super) fn is_text(shape: Shape) -> bool {
    matches!(shape, Shape::Text)
}
