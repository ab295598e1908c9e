//! Settings in words.

use serde_json::Value;
use session_log::Json;

use crate::output::text::number;

/// Settings as people say them: `window: tokens 20,000`.
pub(crate) fn plainly(json: &Json) -> String {
    match json.to_value() {
        Ok(value) => words(&value),
        Err(_) => json.as_str().into(),
    }
}

fn words(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(it) => it.as_u64().map_or_else(|| it.to_string(), number),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::Array(all) => all.iter().map(words).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            let name = fields.get("name").and_then(Value::as_str);
            let rest = fields
                .iter()
                .filter(|(key, value)| *key != "name" && !value.is_null());
            let rest: Vec<String> = rest
                .map(|(key, value)| match name {
                    Some(name) if name == key => words(value),
                    _ => format!("{} {}", key.replace('_', " "), words(value)),
                })
                .collect();
            match (name, rest.is_empty()) {
                (Some(name), true) => name.into(),
                (Some(name), false) => format!("{name}: {}", rest.join(", ")),
                (None, _) => rest.join(", "),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_read_as_words() {
        for (json, words) in [
            (
                r#"{"name":"window","window":{"tokens":20000}}"#,
                "window: tokens 20,000",
            ),
            (
                r#"{"name":"fixed","max_tokens":8000}"#,
                "fixed: max tokens 8,000",
            ),
            (r#"{"turn_count":20}"#, "turn count 20"),
            (r#""always""#, "always"),
            ("{}", ""),
            ("null", ""),
        ] {
            assert_eq!(plainly(&Json::new(json).unwrap()), words);
        }
    }
}
