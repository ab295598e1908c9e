//! Reading and writing JSON values without a panic.

use serde_json::Value;
use session_summarizer::Usage;

static NULL: Value = Value::Null;

/// The value at a JSON pointer; null where there is none.
pub(crate) fn at<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    value.pointer(pointer).unwrap_or(&NULL)
}

/// The string at a JSON pointer; empty where there is none.
pub(crate) fn str_at<'a>(value: &'a Value, pointer: &str) -> &'a str {
    at(value, pointer).as_str().unwrap_or_default()
}

/// The string at a JSON pointer.
pub(crate) fn text_at(value: &Value, pointer: &str) -> Option<String> {
    Some(at(value, pointer).as_str()?.to_owned())
}

/// The count at a JSON pointer.
pub(crate) fn count_at(value: &Value, pointer: &str) -> Option<u64> {
    at(value, pointer).as_u64()
}

/// The tokens read, written, and read from a cache, each at a JSON pointer.
pub(crate) fn usage_at(value: &Value, [input, output, cached]: [&str; 3]) -> Usage {
    Usage::new(count_at(value, input), count_at(value, output))
        .with_cached_tokens(count_at(value, cached))
}

/// The items of the list at a JSON pointer; none where there is no list.
pub(crate) fn list_at<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    at(value, pointer).as_array().into_iter().flatten()
}

/// Arguments as the object that some providers want. What is none is put into one, so that nothing
/// of it is lost.
pub(crate) fn object(arguments: &str) -> Value {
    match serde_json::from_str(arguments) {
        Ok(object @ Value::Object(_)) => object,
        _ if arguments.trim().is_empty() => serde_json::json!({}),
        _ => serde_json::json!({ "arguments": arguments }),
    }
}

/// Puts a field into an object; into what is none, nothing.
pub(crate) fn put(object: &mut Value, field: &str, value: impl Into<Value>) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(field.to_owned(), value.into());
    }
}

/// Puts those fields of `from` into an object that are there.
pub(crate) fn put_from(object: &mut Value, from: &Value, fields: &[&str]) {
    for field in fields {
        match from.get(field) {
            None | Some(Value::Null) => {}
            Some(value) => put(object, field, value.clone()),
        }
    }
}
