//! Training sets in the shape of ShareGPT.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{only, parse, shorts};
use serde_json::json;
use session_transcript::{Format, WriteError};

#[test]
fn calls_get_numbers_and_results_answer_them_in_order() {
    let calls = r#"[{"name": "a", "arguments": {"x": 1}}, {"name": "b", "arguments": "{}"}]"#;
    let file = json!([{"system": "Be brief.", "tools": "[{\"name\": \"a\"}]", "conversations": [
        {"from": "human", "value": "Look"},
        {"from": "function_call", "value": calls},
        {"from": "observation", "value": "one"},
        {"from": "observation", "value": "two"},
        {"from": "gpt", "value": "Done.", "loss": 0},
    ]}]);
    let transcript = parse(file.to_string().as_bytes());
    assert_eq!(transcript.format, Format::ShareGpt);
    let conversation = &transcript.conversations[0];
    assert_eq!(
        shorts(conversation),
        [
            "system: Be brief.",
            "user: Look",
            r#"assistant: [call call_1 a {"x": 1}] [call call_2 b {}]"#,
            "tool: [result call_1: one]",
            "tool: [result call_2: two]",
            "assistant: Done.",
        ]
    );
    let tools = conversation.tools.as_ref().unwrap();
    assert_eq!(tools.as_str(), r#"[{"name": "a"}]"#);
    assert_eq!(
        transcript.write_back(),
        Err(WriteError::ReadOnly {
            format: Format::ShareGpt
        })
    );
}

#[test]
fn what_is_no_message_or_no_call_is_told() {
    let file = json!({"conversations": [
        {"from": "human", "value": "Hi"},
        {"from": "human"},
        {"from": "function_call", "value": "not JSON"},
    ]});
    let lines = format!("{file}\n{{\"text\": \"x\"}}\n");
    let transcript = parse(lines.as_bytes());
    assert_eq!(
        shorts(&transcript.conversations[0]),
        ["user: Hi", "assistant: not JSON"]
    );
    assert_eq!(transcript.skipped.len(), 2);
    assert_eq!(transcript.warnings.len(), 1);
}

#[test]
fn the_chosen_answer_is_the_end_and_the_other_stays_in_the_envelope() {
    let file = json!([{"conversations": [{"from": "human", "value": "Hi"}],
        "chosen": {"from": "gpt", "value": "Hello"},
        "rejected": {"from": "gpt", "value": "What?"}}]);
    let conversation = only(file.to_string().as_bytes());
    assert_eq!(shorts(&conversation), ["user: Hi", "assistant: Hello"]);
    let fields: Vec<&String> = conversation.envelope.fields.keys().collect();
    assert_eq!(fields, ["rejected"]);
}
