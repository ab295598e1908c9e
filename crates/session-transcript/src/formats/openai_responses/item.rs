//! From an item to what it says.

use session_log::{Arguments, Fields, Json, Message, Part, Reasoning, Role, ToolCall, ToolResult};

use crate::formats::openai_responses::parts;
use crate::json::{Members, Raw};

/// The name under which unknown items and parts are kept.
pub(crate) const FORMAT: &str = "openai-responses";

/// What an item says.
#[derive(Debug)]
pub(crate) enum Item {
    /// A message by somebody.
    Message(Message),
    /// A part of a reply: reasoning, or a call.
    Reply(Part),
    /// What a tool brought.
    Result(Message),
    /// What the provider made of everything before.
    Compaction(Part),
    /// An item of a type that is not known.
    Unknown,
}

/// Types that stand for everything before them.
const COMPACTIONS: [&str; 3] = ["compaction", "compaction_summary", "context_compaction"];

/// Calls whose result is in the same item.
const WHOLE: [&str; 7] = [
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_call",
    "mcp_list_tools",
    "mcp_approval_request",
];

/// Reads an item; one without a type but with a role is a message.
pub(crate) fn read(raw: Raw<'_>) -> Item {
    let Some(mut members) = raw.members() else {
        return Item::Unknown;
    };
    let kind = members.take_str("type");
    match kind.as_deref() {
        Some("message") | None => match message(members) {
            Some(message) => Item::Message(message),
            None => Item::Unknown,
        },
        Some("reasoning") => Item::Reply(reasoning(members)),
        Some(kind) if COMPACTIONS.contains(&kind) => Item::Compaction(parts::opaque(raw)),
        Some(kind) if WHOLE.contains(&kind) => Item::Reply(parts::opaque(raw)),
        Some(kind) => match (
            kind.strip_suffix("_call_output"),
            kind.strip_suffix("_call"),
        ) {
            (Some(_), _) => result(kind, members),
            (None, Some(name)) => call(kind, name, members),
            (None, None) => Item::Unknown,
        },
    }
}

/// Whether the type of an item is one that [`read`] knows.
pub(crate) fn is_known(kind: &str) -> bool {
    matches!(kind, "message" | "reasoning")
        || kind.ends_with("_call")
        || kind.ends_with("_call_output")
        || COMPACTIONS.contains(&kind)
}

fn message(mut members: Members<'_>) -> Option<Message> {
    let role = Role::from_name(&members.take_str("role")?);
    let (parts, shape) = parts::content(members.take("content"));
    let mut message = Message::new(role, parts).with_shape(shape);
    message.extra = members.into_fields();
    Some(message)
}

/// The readable text is the summary, or the content where a server shows it. Both stay as they
/// were too, since they go back as they came or not at all.
fn reasoning(mut members: Members<'_>) -> Part {
    let texts = |raw: Option<Raw<'_>>| {
        let (parts, _) = parts::content(raw.filter(|raw| !raw.is_null()));
        let texts: Vec<&str> = parts.iter().filter_map(Part::as_text).collect();
        (!texts.is_empty()).then(|| texts.join("\n\n"))
    };
    let mut reasoning = Reasoning::default();
    reasoning.text = texts(members.peek("summary")).or_else(|| texts(members.peek("content")));
    reasoning.encrypted = members.take_str("encrypted_content");
    reasoning.extra = members.into_fields();
    Part::Reasoning(reasoning)
}

/// A call; its arguments are JSON text, free text, or an object that says what to do.
fn call(kind: &str, name: &str, mut members: Members<'_>) -> Item {
    let id = ["call_id", "id"]
        .iter()
        .find_map(|name| members.take_str(name));
    let name = members.take_str("name").unwrap_or_else(|| name.into());
    let mut call = ToolCall::new(id.unwrap_or_default(), name, "");
    let arguments = ["arguments", "input", "action", "operation"];
    if let Some(raw) = arguments.iter().find_map(|name| members.take(name)) {
        call.arguments = match raw.as_str() {
            Some(text) => Arguments::Text(text.into_owned()),
            None => Arguments::Value(raw.to_json()),
        };
    }
    call.extra = with_kind(kind, "function_call", members);
    Item::Reply(Part::ToolCall(call))
}

fn result(kind: &str, mut members: Members<'_>) -> Item {
    let call_id = members.take_str("call_id").unwrap_or_default();
    let output = ["output", "tools"]
        .iter()
        .find_map(|name| members.take(name));
    let mut is_error = None;
    let (parts, shape) = match output.and_then(Raw::members) {
        // As the first versions of Codex wrote it.
        Some(output) if output.peek_str("content").is_some() => {
            is_error = output
                .peek("success")
                .and_then(Raw::as_bool)
                .map(|is_success| !is_success);
            parts::content(output.peek("content"))
        }
        _ => parts::content(output),
    };
    let mut result = ToolResult::new(call_id, parts);
    result.shape = shape;
    result.is_error = is_error;
    result.extra = with_kind(kind, "function_call_output", members);
    Item::Result(Message::new(Role::Tool, vec![Part::ToolResult(result)]))
}

/// The other fields, and the type where it is not the usual one.
fn with_kind(kind: &str, usual: &str, members: Members<'_>) -> Fields {
    let mut fields = members.into_fields();
    if kind != usual {
        fields.insert("type".into(), Json::string(kind));
    }
    fields
}
