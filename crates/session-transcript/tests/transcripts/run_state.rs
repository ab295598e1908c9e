//! States of runs of the OpenAI Agents SDK.

use serde_json::{Value, json};
use session_transcript::{Format, ReadOptions, WriteOptions, read, view_as_request, write};

use crate::common::{only, shorts};

fn state() -> Value {
    json!({"$schemaVersion": "1.17", "current_agent": {"name": "a"}, "original_input": [
            {"role": "user", "content": "Look"},
            {"type": "message", "role": "assistant", "id": "m0", "content": [{"type": "output_text", "text": "before"}]}],
        "generated_items": [
            {"type": "message_output_item", "agent": {"name": "a"}, "raw_item": {"type": "message", "role": "assistant", "id": "m0", "content": [{"type": "output_text", "text": "before"}]}},
            {"type": "reasoning_item", "agent": {"name": "a"}, "raw_item": {"type": "reasoning", "id": "rs", "summary": []}},
            {"type": "tool_call_item", "agent": {"name": "a"}, "title": "F", "raw_item": {"type": "function_call", "call_id": "k", "name": "f", "arguments": "{}"}},
            {"type": "tool_call_output_item", "agent": {"name": "a"}, "output": 2, "raw_item": {"type": "function_call_output", "call_id": "k", "output": "2"}},
            {"type": "handoff_output_item", "raw_item": null}],
        "model_responses": [], "previous_response_id": null})
}

#[test]
fn the_items_of_a_run_are_read_once_and_the_state_is_written_as_it_was() {
    let text = json!({"$schemaVersion": "1.0", "original_input": "Hi", "generated_items": []});
    for (file, expected) in [
        (
            state(),
            vec![
                "user: Look",
                "assistant: before",
                "assistant: [reasoning] [call k f {}]",
                "tool: [result k: 2]",
            ],
        ),
        (text, vec!["user: Hi"]),
    ] {
        let conversation = only(file.to_string().as_bytes());
        assert_eq!(conversation.envelope.format, Format::OpenAiResponses);
        assert_eq!(shorts(&conversation), expected);
        let written = conversation.write_back().unwrap();
        assert_eq!(serde_json::from_str::<Value>(&written.text).unwrap(), file);
        view_as_request(&conversation.events, Format::OpenAiChat).unwrap();
    }
}

#[test]
fn a_shorter_state_has_only_the_items_that_are_left() {
    let conversation = only(state().to_string().as_bytes());
    let view = [&conversation.events[0], &conversation.events[1]];
    let envelope = Some(&conversation.envelope);
    let written = write(
        view,
        envelope,
        Format::OpenAiResponses,
        &WriteOptions::default(),
    )
    .unwrap();
    let written: Value = serde_json::from_str(&written.text).unwrap();
    assert_eq!(written["original_input"], state()["original_input"]);
    let kept: Vec<&Value> = written["generated_items"]
        .as_array()
        .unwrap()
        .iter()
        .collect();
    assert_eq!(
        kept,
        [
            &state()["generated_items"][0],
            &state()["generated_items"][4]
        ]
    );
}

#[test]
fn a_version_that_is_not_known_is_refused() {
    for version in ["1.18", "2.0", "999", "x"] {
        let mut file = state();
        file["$schemaVersion"] = json!(version);
        assert!(
            read(file.to_string().as_bytes(), &ReadOptions::default()).is_err(),
            "{version}"
        );
    }
    let file = json!({"$schemaVersion": "1.15", "current_agent": "x"});
    assert!(read(file.to_string().as_bytes(), &ReadOptions::default()).is_err());
}
