//! Sessions of Claude Code are rebuilt as that tool shows them, and written so that it can go on.

mod compaction;
mod path;
mod sessions;
mod writing;

use serde_json::{Value, json};

use crate::common::{jsonl, only, shorts};

/// A line: `uuid<parent kind content`, where parent is `-` for none.
fn line(uuid: &str, parent: &str, kind: &str, content: &Value) -> Value {
    let parent = if parent == "-" {
        Value::Null
    } else {
        json!(parent)
    };
    json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "isSidechain": false,
        "message": {"role": kind, "content": content}})
}

fn user(uuid: &str, parent: &str, text: &str) -> Value {
    line(uuid, parent, "user", &json!(text))
}

/// One block of the reply `id`.
fn reply(uuid: &str, parent: &str, id: &str, block: &Value) -> Value {
    let mut line = line(uuid, parent, "assistant", &json!([block]));
    line["message"]["id"] = json!(id);
    line
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn call(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "f", "input": {}})
}

fn result(uuid: &str, parent: &str, id: &str) -> Value {
    let mut line = line(
        uuid,
        parent,
        "user",
        &json!([{"type": "tool_result", "tool_use_id": id, "content": "done"}]),
    );
    line["toolUseResult"] = json!({"stdout": "done"});
    line
}

fn told(lines: &[Value]) -> Vec<String> {
    shorts(&only(&jsonl(lines)))
}
