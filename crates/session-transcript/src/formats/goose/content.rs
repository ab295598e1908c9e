//! What the parts of a message say.

use session_log::{Part, ToolCall, ToolResult};

use crate::format::Format;
use crate::formats::parts::{self, arguments, content, opaque};
use crate::json::{Kind, Members, Raw};

/// What a part is to the conversation.
#[derive(Debug)]
pub(super) enum What {
    /// Said by the one whose message it is.
    Said(Part),
    /// What a call brought.
    Result(ToolResult),
    /// Nothing the model reads.
    Silent,
}

pub(super) fn read(raw: Raw<'_>) -> What {
    let members = raw.members().unwrap_or_default();
    let kind = members.peek_str("type").unwrap_or_default();
    match &*kind {
        "toolConfirmationRequest"
        | "actionRequired"
        | "systemNotification"
        | "conversationCompacted"
        | "summarizationRequested"
        | "contextLengthExceeded" => What::Silent,
        "toolResponse" => What::Result(result(members)),
        _ => What::Said(said(raw)),
    }
}

fn said(raw: Raw<'_>) -> Part {
    known(raw).unwrap_or_else(|| opaque(Format::Goose, raw))
}

fn known(raw: Raw<'_>) -> Option<Part> {
    let mut members = raw.members()?;
    let kind = members.take_str("type")?;
    match kind.as_str() {
        "text" => parts::text(members, "text"),
        "thinking" => {
            let mut reasoning = parts::reasoning(members, "thinking", "signature")?;
            reasoning
                .signature
                .take_if(|signature| signature.is_empty());
            Some(Part::Reasoning(reasoning))
        }
        "redactedThinking" => parts::encrypted(members, "data"),
        "image" => parts::image(members),
        "toolRequest" | "frontendToolRequest" => call(members),
        _ => None,
    }
}

/// A call that could be read; one that could not is kept as it is.
fn call(mut members: Members<'_>) -> Option<Part> {
    let outcome = members.take("toolCall")?.members()?;
    // Older versions have no status around the call.
    let value = match outcome.peek("value") {
        Some(value) => value.members()?,
        None => outcome,
    };
    let id = members.take_str("id").unwrap_or_default();
    let mut call = ToolCall::new(id, value.peek_str("name")?, "");
    call.arguments = arguments(value.peek("arguments").filter(|raw| !raw.is_null()));
    call.extra = members.into_fields();
    Some(Part::ToolCall(call))
}

fn result(mut members: Members<'_>) -> ToolResult {
    let id = members.take_str("id").unwrap_or_default();
    let outcome = members.take("toolResult");
    let outcome = outcome.and_then(Raw::members).unwrap_or_default();
    let value = outcome.peek("value");
    let inner = value.and_then(|value| match value.kind() {
        Kind::Object => value.member("content"),
        _ => Some(value),
    });
    let failed = outcome.peek_str("status").as_deref() == Some("error");
    let error = outcome.peek("error").filter(|_| failed);
    let (parts, shape) = content(error.or(inner), said);
    let mut result = ToolResult::new(id, parts);
    result.shape = shape;
    let says_error = value.and_then(|value| value.member("isError")?.as_bool());
    result.is_error = match failed {
        true => Some(true),
        false => says_error,
    };
    result.extra = members.into_fields();
    result
}
