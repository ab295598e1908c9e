//! Tool calls as chat has them.

use session_log::{Arguments, ToolCall};

use crate::call_ids::name;
use crate::formats::style::Style;
use crate::json::{Object, Raw, quote};
use crate::marks;

/// Whether the call stood in the field that came before `tool_calls`.
pub(super) fn is_old(call: &ToolCall) -> bool {
    marks::is(&call.extra, marks::FIELD, "function_call")
}

/// An element of `tool_calls`, under the id `id`.
pub(super) fn call(call: &ToolCall, id: &str, style: Style) -> String {
    let is_custom = style.is_own && marks::is(&call.extra, "type", "custom");
    let (place, field) = if is_custom {
        ("custom", "input")
    } else {
        ("function", "arguments")
    };
    let absent = call
        .extra
        .get(marks::ABSENT)
        .and_then(|json| Raw::parse(json.as_str())?.as_str());
    let absent = absent
        .filter(|_| style.is_own && style.is_exact)
        .unwrap_or_default();
    let is_absent = |name: &str| absent.split(' ').any(|absent| absent == name);

    let mut inner = Object::new();
    inner.str("name", name(&call.name, style.is_exact));
    if !is_absent(field) {
        inner.raw(field, &arguments(&call.arguments, style));
    }
    style.add_rest(&mut inner, place, &call.extra);
    let keeps = |name: &str| style.is_own && style.is_exact && call.extra.contains_key(name);
    let mut object = Object::new();
    if !is_absent("id") && !keeps("id") {
        object.str("id", id);
    }
    if is_custom {
        object.str("type", "custom");
    } else if !is_absent("type") && !keeps("type") {
        object.str("type", "function");
    }
    object.raw(place, &inner.finish());
    if style.is_own {
        object.fields(&call.extra);
    }
    object.finish()
}

/// The value of `function_call`.
pub(super) fn function_call(call: &ToolCall, style: Style) -> String {
    let mut inner = Object::new();
    inner
        .str("name", name(&call.name, style.is_exact))
        .raw("arguments", &arguments(&call.arguments, style));
    inner.fields(&call.extra);
    inner.finish()
}

/// Arguments are text in chat; a value that came in a chat message stays one when nothing is to
/// be repaired.
fn arguments(arguments: &Arguments, style: Style) -> String {
    match arguments {
        Arguments::Value(json) if style.is_exact => json.as_str().into(),
        other => quote(other.as_str()),
    }
}
