//! From parts to items.

use session_log::{Arguments, Fields, Part, Reasoning, Role, Shape, ToolCall, ToolResult};

use crate::call_ids::name;
use crate::formats::openai_responses::item::{ARGUMENTS, arguments_field};
use crate::formats::openai_responses::parts::{INPUT, usual_text};
use crate::formats::openai_responses::parts_out;
use crate::json::{Object, Raw, quote};
use crate::marks;

/// How items are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// The part came from this format: its extra fields are known here.
    pub(super) is_own: bool,
    /// Nothing is repaired.
    pub(super) is_exact: bool,
    /// The result is a request rather than a file.
    pub(super) is_request: bool,
}

/// A message of `role`; `None` when it says nothing.
pub(super) fn message(
    role: &Role,
    parts: &[&Part],
    shape: Shape,
    extra: &Fields,
    style: Style,
    lost: &mut usize,
) -> Option<String> {
    let content = parts_out::content(parts, shape, usual_text(role), style, lost);
    if content.is_none() && !style.is_exact {
        return None;
    }
    let mut object = Object::new();
    if !(style.is_own && marks::is(extra, marks::ABSENT, "type")) {
        object.str("type", "message");
    }
    object.str("role", role.as_str());
    if let Some(content) = content {
        object.raw("content", &content);
    }
    if style.is_own && style.is_request {
        let sent = |name: &str| matches!(name, "id" | "status" | "phase");
        object.members(extra.iter().filter(|(name, _)| sent(name)));
    } else if style.is_own {
        object.fields(extra);
    }
    Some(object.finish())
}

/// Reasoning goes back with what the provider knows it by, or not at all.
pub(super) fn reasoning(reasoning: &Reasoning, style: Style) -> Option<String> {
    let is_known = reasoning.encrypted.is_some()
        || ["id", "content"]
            .iter()
            .any(|name| reasoning.extra.contains_key(*name));
    if !style.is_own || !(style.is_exact || is_known) {
        return None;
    }
    let mut object = Object::new();
    object.str("type", "reasoning");
    if let Some(encrypted) = &reasoning.encrypted {
        object.str("encrypted_content", encrypted);
    }
    object.fields(&reasoning.extra);
    if !style.is_exact {
        object.raw("summary", "[]");
    }
    Some(object.finish())
}

/// The type of the item that a call is.
pub(super) fn kind(extra: &Fields, style: Style) -> String {
    let kind = extra
        .get("type")
        .and_then(|json| Raw::parse(json.as_str())?.as_str());
    match kind {
        Some(kind) if style.is_own => kind.into_owned(),
        Some(kind) if kind == "custom" => "custom_tool_call".into(),
        _ => "function_call".into(),
    }
}

/// A call, under the id `id`.
pub(super) fn call(call: &ToolCall, id: &str, style: Style) -> String {
    let kind = kind(&call.extra, style);
    let absent = marked(&call.extra, marks::ABSENT, style);
    let is_absent = |name: &str| absent.split(' ').any(|absent| absent == name);
    let mut object = Object::new();
    object.str("type", &kind);
    if !is_absent("call_id") || !style.is_exact {
        object.str("call_id", id);
    } else if marks::is(&call.extra, marks::FIELD, "id") {
        object.str("id", &call.id);
    }
    let is_named = matches!(&*kind, "function_call" | "custom_tool_call");
    if !is_absent("name") || (is_named && !style.is_exact) {
        object.str("name", name(&call.name, style.is_exact));
    }
    let field = match marked(&call.extra, ARGUMENTS, style) {
        field if field.is_empty() || (is_named && !style.is_exact) => {
            arguments_field(&kind).to_owned()
        }
        field => field,
    };
    let is_text = matches!(&*kind, "function_call" | "custom_tool_call");
    let arguments = match &call.arguments {
        Arguments::Value(json) if style.is_exact || !is_text => json.as_str().into(),
        Arguments::Text(text) if text.is_empty() && !style.is_own && kind == "function_call" => {
            quote("{}")
        }
        other => quote(other.as_str()),
    };
    if !is_absent("arguments") || (is_text && !style.is_exact) {
        object.raw(&field, &arguments);
    }
    if style.is_own {
        object.fields(&call.extra);
    }
    object.finish()
}

/// The result of the call with the id `id`, which was an item of type `call_kind`.
pub(super) fn result(
    result: &ToolResult,
    id: &str,
    call_kind: Option<&str>,
    style: Style,
    lost: &mut usize,
) -> String {
    let own_kind = result
        .extra
        .get("type")
        .filter(|_| style.is_own)
        .and_then(|json| Raw::parse(json.as_str())?.as_str());
    let kind = match (own_kind, call_kind) {
        (_, Some("tool_search_call")) if !style.is_exact => "tool_search_output".into(),
        (_, Some(call)) if !style.is_exact => format!("{call}_output"),
        (Some(kind), _) => kind.into_owned(),
        (None, Some("custom_tool_call")) if !style.is_own => "custom_tool_call_output".into(),
        _ => "function_call_output".into(),
    };
    let mut object = Object::new();
    object.str("type", &kind);
    if marks::is(&result.extra, marks::FIELD, "id") && style.is_own && style.is_exact {
        object.str("id", &result.call_id);
    } else if !(marks::has(&result.extra, marks::ABSENT) && style.is_exact) {
        object.str("call_id", id);
    }
    let parts: Vec<&Part> = result.parts.iter().collect();
    let field = match marked(&result.extra, ARGUMENTS, style) {
        field if field.is_empty() => "output".to_owned(),
        field => field,
    };
    match parts_out::content(&parts, result.shape, INPUT, style, lost) {
        Some(output) => {
            object.raw(&field, &output);
        }
        None if style.is_exact => {}
        None => {
            object.str(&field, "");
        }
    }
    if style.is_own {
        object.fields(&result.extra);
    }
    object.finish()
}

/// The text of a mark; empty when there is none, or it is another format's.
fn marked(extra: &Fields, mark: &str, style: Style) -> String {
    let text = extra
        .get(mark)
        .filter(|_| style.is_own)
        .and_then(|json| Raw::parse(json.as_str())?.as_str());
    text.map(|text| text.into_owned()).unwrap_or_default()
}
