//! Reading and writing JSON values without a panic.

use std::borrow::Cow;

use serde_json::Value;
use session_summarizer::Usage;

static NULL: Value = Value::Null;

/// The value that `bytes` are. What is no Unicode in it (other bytes, half of a surrogate pair, as
/// servers write that cut a text by their own units) is U+FFFD; the rest is worth reading.
///
/// # Errors
///
/// The error of what is no JSON all the same.
pub(crate) fn read(bytes: &[u8]) -> serde_json::Result<Value> {
    match serde_json::from_slice(bytes) {
        Err(error) if !error.is_eof() => {
            let text = String::from_utf8_lossy(bytes);
            serde_json::from_str(&without_half_pairs(&text)).map_err(|_| error)
        }
        result => result,
    }
}

/// The text of a JSON value with each escape of half a surrogate pair replaced.
fn without_half_pairs(text: &str) -> Cow<'_, str> {
    let mut mended = String::new();
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        mended.push_str(before);
        let after = escape.strip_prefix('u');
        let unit = after.and_then(unit);
        let next = || after?.get(4..)?.strip_prefix("\\u").and_then(self::unit);
        let length = match unit {
            Some(0xd800..=0xdbff) if matches!(next(), Some(0xdc00..=0xdfff)) => 11,
            Some(0xd800..=0xdfff) => {
                mended.push('\u{fffd}');
                rest = escape.get(5..).unwrap_or_default();
                continue;
            }
            _ => escape.chars().next().map_or(0, char::len_utf8),
        };
        mended.push('\\');
        let (kept, behind) = escape.split_at_checked(length).unwrap_or((escape, ""));
        mended.push_str(kept);
        rest = behind;
    }
    if mended.is_empty() {
        return Cow::Borrowed(text);
    }
    mended.push_str(rest);
    Cow::Owned(mended)
}

/// The unit of UTF-16 that four digits at the beginning name.
fn unit(text: &str) -> Option<u16> {
    let digits = text.get(..4)?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_number.then(|| u16::from_str_radix(digits, 16).ok())?
}

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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn half_a_surrogate_pair_and_bytes_that_are_no_text_cost_only_themselves() {
        let cases: [(&[u8], &str); 9] = [
            (br#""plain""#, "plain"),
            (br#""\ud83d\ude00""#, "\u{1f600}"),
            (br#""a\ud83d""#, "a\u{fffd}"),
            (br#""\ude00b""#, "\u{fffd}b"),
            (br#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
            (br#""\\ud83d \ud83d""#, "\\ud83d \u{fffd}"),
            (br#""\u00e9\n\ud83d\"""#, "\u{e9}\n\u{fffd}\""),
            (b"\"caf\xe9\"", "caf\u{fffd}"),
            (b"\"\xf0\x9f\x98 \\ud83d\"", "\u{fffd} \u{fffd}"),
        ];
        for (bytes, expected) in cases {
            let text = String::from_utf8_lossy(bytes);
            assert_eq!(read(bytes).unwrap(), json!(expected), "{text}");
        }
        for bytes in ["", "{", "\"\\u12\"", "\"\\", "\"\\ud83d\\u", "\"\\q\""] {
            assert!(read(bytes.as_bytes()).is_err(), "{bytes}");
        }
    }
}
