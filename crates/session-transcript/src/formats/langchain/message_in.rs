//! From the fields of a message to ours.

use session_log::{Arguments, Message, Part, Reasoning, Role, ToolCall, ToolResult};

use crate::formats::langchain::blocks;
use crate::formats::langchain::encoding::Unwrapped;
use crate::json::{Members, Raw};
use crate::marks;

/// How the message was wrapped.
pub(super) const ENCODING: &str = "@encoding";

/// What the wrap had beside the fields.
pub(super) const OUTER: &str = "@outer";

/// The list of calls whose arguments are no JSON.
pub(super) const INVALID: &str = "invalid_tool_calls";

/// Reasoning that is said again in the fields of the provider, which are kept whole.
pub(super) const REPEATED: &str = "@repeated";

/// The message in a record.
pub(super) fn message(unwrapped: Unwrapped<'_>) -> Message {
    let Unwrapped {
        encoding,
        kind,
        fields,
        outer,
        ..
    } = unwrapped;
    let mut message = match kind.as_str() {
        "tool" | "function" => result(&kind, fields),
        kind => spoken(kind, fields),
    };
    marks::set(&mut message.extra, ENCODING, encoding.name());
    if let Some(outer) = outer {
        message.extra.insert(OUTER.into(), outer);
    }
    message
}

fn spoken(kind: &str, mut fields: Members<'_>) -> Message {
    let role = match kind.trim_end_matches("Chunk") {
        "human" | "HumanMessage" => Role::User,
        "ai" | "AIMessage" => Role::Assistant,
        "system" | "SystemMessage" => Role::System,
        "developer" => Role::Developer,
        "chat" | "ChatMessage" => {
            let role = fields.peek_str("role").unwrap_or_default();
            Role::from_name(&role)
        }
        other => Role::Other(other.into()),
    };
    let mut found = Vec::new();
    if role == Role::Assistant {
        found.extend(calls("tool_calls", &mut fields));
        found.extend(calls(INVALID, &mut fields));
    }
    let mut parts = Vec::new();
    if role == Role::Assistant
        && let Some(text) = fields
            .peek("additional_kwargs")
            .and_then(|raw| raw.member_str("reasoning_content"))
            .filter(|text| !text.is_empty())
    {
        let mut reasoning = Reasoning::new(text);
        marks::set(&mut reasoning.extra, REPEATED, "");
        parts.push(Part::Reasoning(reasoning));
    }
    let (mut content, shape) = blocks::content(fields.take("content"), &mut found);
    parts.append(&mut content);
    parts.extend(found.into_iter().map(Part::ToolCall));
    let mut message = Message::new(role, parts).with_shape(shape);
    message.name = fields.take_str("name");
    message.extra = fields.into_fields();
    message
}

/// The calls of a list; a list with anything else in it stays where it is, unread.
fn calls(list: &'static str, fields: &mut Members<'_>) -> Vec<ToolCall> {
    let items = fields.peek(list).and_then(Raw::items).unwrap_or_default();
    let calls: Option<Vec<ToolCall>> = items.into_iter().map(|raw| call(list, raw)).collect();
    match calls {
        Some(calls) if !calls.is_empty() => {
            fields.take(list);
            calls
        }
        _ => Vec::new(),
    }
}

fn call(list: &'static str, raw: Raw<'_>) -> Option<ToolCall> {
    let mut members = raw.members()?;
    let name = members.take_str("name")?;
    let id = members.take_str("id").unwrap_or_default();
    let mut call = ToolCall::new(id, name, "");
    let args = members.take("args")?;
    call.arguments = match args.as_str() {
        Some(text) => Arguments::Text(text.into_owned()),
        None => Arguments::Value(args.to_json()),
    };
    call.extra = members.into_fields();
    if list == INVALID {
        marks::set(&mut call.extra, marks::FIELD, list);
    }
    Some(call)
}

fn result(kind: &str, mut fields: Members<'_>) -> Message {
    let (parts, shape) = blocks::content(fields.take("content"), &mut Vec::new());
    let mut extra = session_log::Fields::new();
    let call_id = fields.take_str("tool_call_id").unwrap_or_else(|| {
        marks::set(&mut extra, marks::ABSENT, "tool_call_id");
        String::new()
    });
    let mut result = ToolResult::new(call_id, parts);
    result.shape = shape;
    result.name = fields.take_str("name");
    result.extra = extra;
    if fields.peek_str("status").as_deref() == Some("error") {
        result.is_error = Some(true);
    }
    let mut message = Message::new(Role::Tool, vec![Part::ToolResult(result)]);
    message.extra = fields.into_fields();
    if kind == "function" {
        marks::set(&mut message.extra, marks::ROLE, kind);
    }
    message
}
