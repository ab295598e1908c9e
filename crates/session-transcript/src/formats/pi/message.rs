//! What a message of pi says, and who says it.

use session_log::{Message, Origin, Part, Role, ToolCall, ToolResult};

use crate::format::Format;
use crate::formats::parts::{self, arguments, content, fields_but, opaque};
use crate::json::{Members, Raw};

/// A message for the model, and who wrote it.
pub(super) type Said = (Message, Origin);

/// The message in an entry; `None` when it is not for the model.
pub(super) fn read(members: &Members<'_>) -> Option<Said> {
    let role = members.peek_str("role")?;
    match &*role {
        "toolResult" => Some((result(members), Origin::Real)),
        "bashExecution" => command(members),
        "compactionSummary" | "branchSummary" => {
            let text = members.peek_str("summary")?;
            Some((Message::user(text), Origin::Summary { boundary: None }))
        }
        "custom" | "hookMessage" => {
            let (parts, shape) = content(members.peek("content"), part);
            let mut message = Message::new(Role::User, parts).with_shape(shape);
            message.extra = fields_but(members, &["content", "timestamp"]);
            Some((message, Origin::Injected))
        }
        name => {
            let (parts, shape) = content(members.peek("content"), part);
            let mut message = Message::new(Role::from_name(name), parts).with_shape(shape);
            message.extra = fields_but(members, &["role", "content", "timestamp"]);
            let says_nothing = message.role == Role::Assistant && message.is_empty();
            (!says_nothing).then_some((message, Origin::Real))
        }
    }
}

/// A text that an extension puts in front of the model.
pub(super) fn custom(members: &Members<'_>) -> Said {
    let (parts, shape) = content(members.peek("content"), part);
    let mut message = Message::new(Role::User, parts).with_shape(shape);
    message.extra = fields_but(members, &["content", "timestamp", "id", "parentId", "type"]);
    (message, Origin::Injected)
}

fn result(members: &Members<'_>) -> Message {
    let (parts, shape) = content(members.peek("content"), part);
    let id = members.peek_str("toolCallId").unwrap_or_default();
    let mut result = ToolResult::new(id, parts);
    result.shape = shape;
    result.name = members.peek_str("toolName").map(Into::into);
    result.is_error = members.peek("isError").and_then(Raw::as_bool);
    let known = [
        "role",
        "content",
        "toolCallId",
        "toolName",
        "isError",
        "timestamp",
    ];
    result.extra = fields_but(members, &known);
    Message::new(Role::Tool, vec![Part::ToolResult(result)])
}

/// A command that the person ran, told to the model in the person's name.
fn command(members: &Members<'_>) -> Option<Said> {
    if members.peek("excludeFromContext").and_then(Raw::as_bool) == Some(true) {
        return None;
    }
    let command = members.peek_str("command").unwrap_or_default();
    let output = members.peek_str("output").unwrap_or_default();
    let mut text = format!("Ran `{command}`\n```\n{}\n```", output.trim_end());
    match members.peek("exitCode").filter(|code| !code.is_null()) {
        Some(code) if code.text() != "0" => {
            text.push_str("\nexit code ");
            text.push_str(code.text());
        }
        _ => {}
    }
    if members.peek("cancelled").and_then(Raw::as_bool) == Some(true) {
        text.push_str("\n(cancelled)");
    }
    let mut message = Message::user(text);
    message.extra = fields_but(members, &["output", "timestamp"]);
    Some((message, Origin::Injected))
}

fn part(raw: Raw<'_>) -> Part {
    known(raw).unwrap_or_else(|| opaque(Format::Pi, raw))
}

fn known(raw: Raw<'_>) -> Option<Part> {
    let mut members = raw.members()?;
    let kind = members.take_str("type")?;
    match kind.as_str() {
        "text" => parts::text(members, "text"),
        "thinking" => {
            let mut reasoning = parts::reasoning(members, "thinking", "thinkingSignature")?;
            reasoning
                .signature
                .take_if(|signature| signature.is_empty());
            Some(Part::Reasoning(reasoning))
        }
        "toolCall" => {
            let id = members.take_str("id").unwrap_or_default();
            let mut call = ToolCall::new(id, members.take_str("name")?, "");
            call.arguments = arguments(members.take("arguments"));
            call.extra = members.into_fields();
            Some(Part::ToolCall(call))
        }
        "image" => parts::image(members),
        _ => None,
    }
}
