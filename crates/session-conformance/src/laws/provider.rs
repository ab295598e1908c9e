//! What a provider takes.

use serde_json::Value;

use super::states;
use crate::export;
use crate::seen::Seen;

/// Looks at the request made of every view, and at what was exported.
pub(super) fn export_valid(seen: &Seen) -> Result<(), String> {
    for state in states(seen)? {
        let request = export::request(&state.view, "openai")?;
        valid_request(&request.messages)?;
    }
    for step in &seen.steps {
        if let Some(export) = &step.export
            && export.format == "openai-chat"
        {
            valid_request(&export.messages)?;
        }
    }
    match &seen.export {
        Some(export) if export.format == "openai-chat" => valid_request(&export.messages),
        _ => Ok(()),
    }
}

/// Each tool message answers a call of the assistant message right before it and its other
/// results, each call at most once.
pub(crate) fn valid_request(messages: &[Value]) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        let place = place.saturating_add(1);
        let role = message.get("role").and_then(Value::as_str);
        if role == Some("tool") {
            let id = message.get("tool_call_id").and_then(Value::as_str);
            let id = id.ok_or_else(|| format!("message {place} is a result without an id"))?;
            let Some(at) = open.iter().position(|call| *call == id) else {
                return Err(format!(
                    "message {place} answers {id}, which the assistant message before it does not call"
                ));
            };
            open.remove(at);
            continue;
        }
        if let Some(id) = open.first() {
            return Err(format!("message {place} comes while call {id} waits"));
        }
        let calls = message.get("tool_calls").and_then(Value::as_array);
        open = calls
            .into_iter()
            .flatten()
            .filter_map(|call| call.get("id").and_then(Value::as_str))
            .collect();
    }
    match open.first() {
        None => Ok(()),
        Some(id) => Err(format!("call {id} at the end has no result")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_is_valid_when_each_result_follows_its_call() {
        let call = |ids: &[&str]| {
            let calls: Vec<Value> = ids.iter().map(|id| json!({"id": id})).collect();
            json!({"role": "assistant", "tool_calls": calls})
        };
        let result = |id: &str| json!({"role": "tool", "tool_call_id": id});
        let user = json!({"role": "user"});
        let valid = [
            user.clone(),
            call(&["a", "b"]),
            result("b"),
            result("a"),
            user.clone(),
        ];
        valid_request(&valid).unwrap();
        valid_request(&[call(&["a"]), result("a"), call(&["a"]), result("a")]).unwrap();
        for invalid in [
            vec![result("a")],
            vec![call(&["a"]), user, result("a")],
            vec![call(&["a"]), result("a"), result("a")],
            vec![call(&["a"]), result("b")],
            vec![call(&["a"])],
        ] {
            valid_request(&invalid).unwrap_err();
        }
    }
}
