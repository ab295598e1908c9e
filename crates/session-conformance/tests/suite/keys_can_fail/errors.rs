//! Keys about errors.

use serde_json::{Value, json};

use super::{Row, summary, talk};

pub(super) fn rows() -> Vec<Row> {
    let failing = json!({"op": "compact", "window": {"last_turns": 1},
                         "summarizer": {"fails": "the line went dead"}});
    let swept = json!({"op": "steps", "steps": [
        {"do": "create", "ttl_s": 1}, {"do": "advance", "seconds": 2}, {"do": "sweep"},
        {"do": "append", "ids": ["u1"]}]});
    vec![
        Row(
            talk(),
            failing.clone(),
            "error",
            json!("summarizer"),
            json!("invalid_window"),
        ),
        Row(talk(), failing.clone(), "errors", json!(1), json!(0)),
        Row(
            talk(),
            failing.clone(),
            "error_names",
            json!("went dead"),
            json!("u9"),
        ),
        Row(talk(), failing, "session_usable", json!(true), json!(false)),
        Row(
            talk(),
            swept.clone(),
            "last_append",
            json!("error_not_found_or_expired"),
            json!("ok"),
        ),
        Row(talk(), swept, "sessions", json!(0), json!(1)),
        Row(talk(), summary(), "error", Value::Null, json!("summarizer")),
    ]
}
