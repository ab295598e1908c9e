//! Events of the SDK, told apart by their `kind`.

use session_log::{Message, Origin, Part, Reasoning, Role, Shape, Text, ToolCall, ToolResult};

use crate::format::Format;
use crate::formats::anthropic::blocks_in;
use crate::formats::bodies::Dialect as _;
use crate::formats::openai_chat;
use crate::formats::openhands::entry::{self, Entry, What};
use crate::formats::parts::{arguments, content, fields_but, opaque};
use crate::json::{Members, Raw};

/// Kinds that say nothing to the model.
const SILENT: [&str; 8] = [
    "CondensationRequest",
    "CondensationSummaryEvent",
    "ConversationErrorEvent",
    "ConversationStateUpdateEvent",
    "InterruptEvent",
    "LLMCompletionLogEvent",
    "PauseEvent",
    "TokenEvent",
];

/// Kinds that are for the model.
const KINDS: [&str; 7] = [
    "SystemPromptEvent",
    "MessageEvent",
    "ActionEvent",
    "ObservationEvent",
    "AgentErrorEvent",
    "UserRejectObservation",
    "Condensation",
];

pub(super) fn is_event(raw: Raw<'_>) -> bool {
    let Some(kind) = raw.find_str("kind") else {
        return false;
    };
    let is_known = KINDS.contains(&&*kind) || SILENT.contains(&&*kind) || kind.ends_with("Event");
    is_known && raw.find("source").is_some() && raw.find("id").is_some()
}

pub(super) fn read(raw: Raw<'_>) -> Entry {
    let members = raw.members().unwrap_or_default();
    let kind = members.peek_str("kind").unwrap_or_default();
    let what = match &*kind {
        "SystemPromptEvent" => system(&members),
        "MessageEvent" => message(&members),
        "ActionEvent" => action(&members),
        "ObservationEvent" => observation(&members),
        "AgentErrorEvent" => failure(&members, "error"),
        "UserRejectObservation" => failure(&members, "rejection_reason"),
        "Condensation" => Some(What::Condensed(entry::condensed(raw))),
        kind if SILENT.contains(&kind) => Some(What::Silent),
        _ => None,
    };
    Entry {
        id: entry::id(members.peek("id")),
        what: what.unwrap_or(What::Unknown),
    }
}

/// The tools that the model is offered.
pub(super) fn tools<'a>(raw: Raw<'a>) -> Option<Raw<'a>> {
    (raw.find_str("kind").as_deref() == Some("SystemPromptEvent"))
        .then(|| raw.member("tools"))
        .flatten()
}

fn system(members: &Members<'_>) -> Option<What> {
    let prompt = members.peek("system_prompt")?;
    let text = prompt.as_str().or_else(|| prompt.member_str("text"))?;
    Some(What::Said(Box::new(Message::system(text)), Origin::Real))
}

/// A message in the shape of OpenAI chat, and what was put behind it.
fn message(members: &Members<'_>) -> Option<What> {
    let inner = members.peek("llm_message")?.members()?;
    let mut plain = inner.clone();
    plain.take("thinking_blocks");
    let mut message = openai_chat::Codec.read(plain)?.pop()?.message;
    let mut parts = thinking(&inner);
    parts.append(&mut message.parts);
    let (mut more, _) = content(members.peek("extended_content"), part);
    if !more.is_empty() {
        message.shape = Shape::Parts;
        parts.append(&mut more);
    }
    message.parts = parts;
    let origin = match (&message.role, members.peek_str("source").as_deref()) {
        (Role::User, Some("user")) | (Role::Assistant, _) => Origin::Real,
        (Role::User, _) => Origin::Injected,
        _ => Origin::Real,
    };
    Some(What::Said(Box::new(message), origin))
}

fn action(members: &Members<'_>) -> Option<What> {
    let (mut said, _) = content(members.peek("thought"), part);
    said.retain(|part| part.as_text() != Some(""));
    let mut thought = thinking(members);
    let reasoning = members.peek_str("reasoning_content");
    if let Some(text) = reasoning.filter(|text| thought.is_empty() && !text.is_empty()) {
        thought.push(Part::Reasoning(Reasoning::new(text)));
    }
    thought.append(&mut said);
    let call = members.peek("tool_call").and_then(Raw::members);
    let call = call.unwrap_or_default();
    let inner = call.peek("function").and_then(Raw::members);
    let inner = inner.unwrap_or_else(|| call.clone());
    let text = |name: &str| members.peek_str(name).map(|text| text.into_owned());
    let id = text("tool_call_id").or_else(|| call.peek_str("id").map(Into::into));
    let name = text("tool_name").or_else(|| inner.peek_str("name").map(Into::into))?;
    let mut tool_call = ToolCall::new(id.unwrap_or_default(), name, "");
    tool_call.arguments = match inner.peek("arguments") {
        Some(raw) => arguments(Some(raw)),
        None => arguments(members.peek("action").filter(|raw| !raw.is_null())),
    };
    Some(What::Acts {
        response: text("llm_response_id"),
        thought,
        call: Part::ToolCall(tool_call),
    })
}

fn thinking(members: &Members<'_>) -> Vec<Part> {
    blocks_in::content(members.peek("thinking_blocks")).0
}

fn observation(members: &Members<'_>) -> Option<What> {
    let seen = members.peek("observation")?.members()?;
    let (parts, shape) = match (seen.peek("content"), seen.peek("output")) {
        (Some(raw), _) | (None, Some(raw)) => content(Some(raw), part),
        (None, None) => {
            let text = members.peek("observation")?.text();
            (vec![Part::text(text)], Shape::Text)
        }
    };
    let mut result = ToolResult::new(members.peek_str("tool_call_id").unwrap_or_default(), parts);
    result.shape = shape;
    result.name = members.peek_str("tool_name").map(Into::into);
    result.is_error = seen.peek("is_error").and_then(Raw::as_bool);
    result.extra = fields_but(&seen, &["content", "is_error"]);
    Some(What::Brought(Box::new(result)))
}

fn failure(members: &Members<'_>, field: &str) -> Option<What> {
    let text = members.peek_str(field)?;
    let id = members.peek_str("tool_call_id").unwrap_or_default();
    let mut result = ToolResult::text(id, text);
    result.name = members.peek_str("tool_name").map(Into::into);
    result.is_error = Some(true);
    Some(What::Brought(Box::new(result)))
}

/// A part of a content: a text, or pictures.
pub(super) fn part(raw: Raw<'_>) -> Part {
    let Some(mut members) = raw.members() else {
        let text = raw.as_str();
        return text.map_or_else(|| opaque(Format::OpenHands, raw), Part::text);
    };
    match members.take_str("text") {
        Some(text) => {
            members.take("type");
            let mut text = Text::new(text);
            text.extra = members.into_fields();
            Part::Text(text)
        }
        None => opaque(Format::OpenHands, raw),
    }
}
