//! Rollouts of Codex are read item by item, each thing once.

mod compaction;
mod items;

use serde_json::{Value, json};

fn line(kind: &str, payload: &Value) -> Value {
    json!({"timestamp": "2025-07-20T00:18:06.993Z", "type": kind, "payload": payload})
}

fn meta() -> Value {
    line(
        "session_meta",
        &json!({"id": "s1", "cwd": "/app", "base_instructions": {"text": "Be brief."}}),
    )
}

fn said(role: &str, text: &str) -> Value {
    let kind = if role == "assistant" {
        "output_text"
    } else {
        "input_text"
    };
    line("response_item", &item(role, kind, text))
}

fn item(role: &str, kind: &str, text: &str) -> Value {
    json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
}

fn call(id: &str) -> Value {
    line(
        "response_item",
        &json!({"type": "function_call", "name": "shell", "arguments": "{}", "call_id": id}),
    )
}

fn output(id: &str) -> Value {
    line(
        "response_item",
        &json!({"type": "function_call_output", "call_id": id, "output": "done"}),
    )
}

fn event(kind: &str, field: &str, text: &str) -> Value {
    line("event_msg", &json!({"type": kind, field: text}))
}
