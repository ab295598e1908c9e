//! From an item to what it says.

use session_log::{Arguments, Fields, Json, Message, Part, Reasoning, Role, ToolCall, ToolResult};

use crate::formats::openai_responses::parts;
use crate::formats::parts::unread;
use crate::json::{Members, Raw};
use crate::marks;

/// The name under which unknown items are kept.
pub(crate) const FORMAT: &str = "openai-responses";

/// The field that holds the arguments of a call, when it is not the usual one.
pub(super) const ARGUMENTS: &str = "@arguments";

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
    let is_at_server = members.peek_str("execution").as_deref() == Some("server");
    match kind.as_deref() {
        Some("message") | None => match message(members, kind.is_none()) {
            Some(message) => Item::Message(message),
            None => Item::Unknown,
        },
        Some("reasoning") => Item::Reply(reasoning(members)),
        Some(kind) if COMPACTIONS.contains(&kind) => Item::Compaction(whole(raw)),
        Some(kind) if WHOLE.contains(&kind) => Item::Reply(whole(raw)),
        Some("tool_search_call" | "tool_search_output") if is_at_server => Item::Reply(whole(raw)),
        Some(kind @ "tool_search_output") => result(kind, members),
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

/// The item as it is, in a part of its own.
pub(super) fn whole(raw: Raw<'_>) -> Part {
    unread(FORMAT, raw)
}

/// Whether the type of an item is one that [`read`] knows.
pub(crate) fn is_known(kind: &str) -> bool {
    matches!(kind, "message" | "reasoning")
        || kind.ends_with("_call")
        || kind.ends_with("_call_output")
        || is_sign(kind)
}

/// Whether no other format has items of this type.
pub(super) fn is_sign(kind: &str) -> bool {
    const CALLS: [&str; 12] = [
        "function_call",
        "custom_tool_call",
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "computer_call",
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
        "mcp_call",
        "tool_search_call",
    ];
    const OTHERS: [&str; 5] = [
        "item_reference",
        "tool_search_output",
        "mcp_list_tools",
        "mcp_approval_request",
        "mcp_approval_response",
    ];
    let call = kind.strip_suffix("_output").unwrap_or(kind);
    CALLS.contains(&call) || COMPACTIONS.contains(&kind) || OTHERS.contains(&kind)
}

/// The field in which items of a type have their arguments.
pub(super) fn arguments_field(kind: &str) -> &'static str {
    match kind {
        "custom_tool_call" => "input",
        "local_shell_call" | "shell_call" | "computer_call" => "action",
        "apply_patch_call" => "operation",
        _ => "arguments",
    }
}

fn message(mut members: Members<'_>, has_no_type: bool) -> Option<Message> {
    let role = Role::from_name(&members.take_str("role")?);
    let usual = parts::usual_text(&role);
    let (parts, shape) = parts::content(members.take("content"), usual);
    let mut message = Message::new(role, parts).with_shape(shape);
    message.extra = members.into_fields();
    if has_no_type {
        marks::set(&mut message.extra, marks::ABSENT, "type");
    }
    Some(message)
}

/// The readable text is the summary, or the content where a server shows it. Both stay as they
/// were too, since they go back as they came or not at all.
fn reasoning(mut members: Members<'_>) -> Part {
    let texts = |raw: Option<Raw<'_>>| {
        let (parts, _) = parts::content(raw.filter(|raw| !raw.is_null()), parts::INPUT);
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
    let mut absent = Vec::new();
    let mut marked = Fields::new();
    let id = members.take_str("call_id").or_else(|| {
        absent.push("call_id");
        let id = members.take_str("id")?;
        marks::set(&mut marked, marks::FIELD, "id");
        Some(id)
    });
    let name = members.take_str("name").unwrap_or_else(|| {
        absent.push("name");
        name.into()
    });
    let mut call = ToolCall::new(id.unwrap_or_default(), name, "");
    let usual = arguments_field(kind);
    let fields = [usual, "arguments", "input", "action", "operation"];
    match fields.into_iter().find(|field| members.has(field)) {
        Some(field) => {
            if let Some(raw) = members.take(field) {
                call.arguments = arguments(raw);
            }
            if field != usual {
                marks::set(&mut marked, ARGUMENTS, field);
            }
        }
        None => absent.push("arguments"),
    }
    if !absent.is_empty() {
        marks::set(&mut marked, marks::ABSENT, &absent.join(" "));
    }
    call.extra = with_kind(kind, "function_call", members);
    call.extra.append(&mut marked);
    Item::Reply(Part::ToolCall(call))
}

fn arguments(raw: Raw<'_>) -> Arguments {
    match raw.as_str() {
        Some(text) => Arguments::Text(text.into_owned()),
        None => Arguments::Value(raw.to_json()),
    }
}

fn result(kind: &str, mut members: Members<'_>) -> Item {
    let mut marked = Fields::new();
    let call_id = members.take_str("call_id").or_else(|| {
        let of_shell = kind == "local_shell_call_output";
        let id = of_shell.then(|| members.take_str("id")).flatten();
        match &id {
            Some(_) => marks::set(&mut marked, marks::FIELD, "id"),
            None => marks::set(&mut marked, marks::ABSENT, "call_id"),
        }
        id
    });
    let field = ["output", "tools"]
        .into_iter()
        .find(|name| members.has(name));
    if field == Some("tools") {
        marks::set(&mut marked, ARGUMENTS, "tools");
    }
    let output = field.and_then(|name| members.take(name));
    let mut is_error = None;
    let (parts, shape) = match output.and_then(Raw::members) {
        // As the first versions of Codex wrote it.
        Some(output) if output.peek_str("content").is_some() => {
            is_error = output
                .peek("success")
                .and_then(Raw::as_bool)
                .map(|is_success| !is_success);
            parts::content(output.peek("content"), parts::INPUT)
        }
        _ => parts::content(output, parts::INPUT),
    };
    let mut result = ToolResult::new(call_id.unwrap_or_default(), parts);
    result.shape = shape;
    result.is_error = is_error;
    result.extra = with_kind(kind, "function_call_output", members);
    result.extra.append(&mut marked);
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
