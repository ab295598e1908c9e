//! What a record says: calls and their results stand in one.

use session_log::{Message, Origin, Part, Reasoning, Role, ToolCall, ToolResult};

use crate::formats::gemini_cli::parts;
use crate::formats::parts::fields_but;
use crate::json::{Members, Raw};

/// The messages in a record; none when no model reads it.
pub(super) fn read(members: &Members<'_>) -> Vec<(Message, Origin)> {
    let kind = members.peek_str("type").unwrap_or_default();
    match &*kind {
        "user" => said(members).into_iter().collect(),
        "gemini" => reply(members),
        _ => Vec::new(),
    }
}

fn said(members: &Members<'_>) -> Option<(Message, Origin)> {
    let parts = parts::read_all(members.peek("content"));
    let mut message = Message::new(Role::User, parts);
    message.extra = fields_but(members, &["id", "type", "content", "timestamp"]);
    let origin = origin(&message)?;
    Some((message, origin))
}

/// Who speaks; `None` for what is said to the program and not to the model.
pub(super) fn origin(message: &Message) -> Option<Origin> {
    let text = message.text();
    let text = text.trim_start();
    match text.chars().next() {
        None if message.is_empty() => None,
        Some('/' | '?') => None,
        Some('<') if text.starts_with("<session_context>") => Some(Origin::Injected),
        Some('<') if text.starts_with("<state_snapshot>") => {
            Some(Origin::Summary { boundary: None })
        }
        _ => Some(Origin::Real),
    }
}

fn reply(members: &Members<'_>) -> Vec<(Message, Origin)> {
    let thoughts = members.peek("thoughts").and_then(Raw::items);
    let thoughts = thoughts.unwrap_or_default().into_iter().filter_map(thought);
    let mut said: Vec<Part> = thoughts.collect();
    said.extend(parts::read_all(members.peek("content")));
    let calls = members.peek("toolCalls").and_then(Raw::items);
    let mut results = Vec::new();
    for raw in calls.unwrap_or_default() {
        let Some(mut call) = raw.members() else {
            continue;
        };
        let id = call.take_str("id").unwrap_or_default();
        let name = call.take_str("name").unwrap_or_default();
        let mut tool_call = ToolCall::new(id.clone(), name.clone(), "");
        tool_call.arguments = parts::object_arguments(call.take("args"));
        results.extend(result(id, name, &call));
        tool_call.extra = fields_but(&call, &["result", "resultDisplay"]);
        said.push(Part::ToolCall(tool_call));
    }
    if said.is_empty() {
        return Vec::new();
    }
    let mut message = Message::new(Role::Assistant, said);
    let known = [
        "id",
        "type",
        "content",
        "timestamp",
        "thoughts",
        "toolCalls",
    ];
    message.extra = fields_but(members, &known);
    let results = results.into_iter().map(|result| {
        let message = Message::new(Role::Tool, vec![Part::ToolResult(result)]);
        (message, Origin::Real)
    });
    std::iter::once((message, Origin::Real))
        .chain(results)
        .collect()
}

fn thought(raw: Raw<'_>) -> Option<Part> {
    let mut members = raw.members()?;
    let texts = ["subject", "description", "summary"];
    let texts: Vec<String> = texts
        .iter()
        .filter_map(|name| members.take_str(name))
        .filter(|text| !text.is_empty())
        .collect();
    let mut reasoning = Reasoning::new(texts.join("\n\n"));
    reasoning.extra = members.into_fields();
    Some(Part::Reasoning(reasoning))
}

/// The result of a call that has one; further responses in it are files.
fn result(id: String, name: String, call: &Members<'_>) -> Option<ToolResult> {
    let status = call.peek_str("status").unwrap_or_default();
    let is_error = matches!(&*status, "error" | "cancelled").then_some(true);
    let shown = || call.peek_str("resultDisplay").map(|text| text.into_owned());
    let raw = call.peek("result").filter(|raw| !raw.is_null());
    let mut result = match raw.map(|raw| (raw.as_str(), raw)) {
        Some((Some(text), _)) => ToolResult::text(id.clone(), text),
        Some((None, raw)) => {
            let mut found: Option<ToolResult> = None;
            let mut more = Vec::new();
            for part in parts::read_all(Some(raw)) {
                match part {
                    Part::ToolResult(result) if found.is_none() => found = Some(result),
                    part => more.push(part),
                }
            }
            let mut result = found.unwrap_or_else(|| ToolResult::new(id.clone(), Vec::new()));
            if !more.is_empty() {
                result.shape = session_log::Shape::Parts;
                result.parts.extend(more);
            }
            result
        }
        None if is_error.is_some() || status == "success" => {
            ToolResult::text(id.clone(), shown().unwrap_or_default())
        }
        None => return None,
    };
    result.call_id = id;
    result.name = Some(name);
    result.is_error = is_error.or(result.is_error);
    Some(result)
}
