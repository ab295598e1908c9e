//! Training sets in the shape of ShareGPT.

use serde_json::json;
use session_transcript::{Format, WriteOptions, write};

use crate::common::{only, parse, parsed, shorts};

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
    let written = transcript.write_back().unwrap();
    assert_eq!(parsed(&written.text), file);
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
    assert_eq!(
        parsed(&format!("[{}]", conversation.write_back().unwrap().text)),
        file
    );
}

#[test]
fn names_of_speakers_texts_of_calls_and_lines_are_written_as_they_were() {
    let first = json!({"id": "a", "tools": [{"name": "f"}], "system": "", "conversations": [
        {"from": "user", "value": "Hi", "weight": 1},
        {"from": "tool_call", "value": "{\"name\":  \"f\"}"},
        {"from": "tool", "value": "1"},
        {"from": "function_call", "value": "no JSON"},
        {"from": "narrator", "value": "..."},
        {"from": "system", "value": "s"},
        {"from": "chatgpt", "value": "Bye"},
    ]});
    let second =
        json!({"id": "b", "conversations": [{"from": "human", "value": "x"}], "images": ["a.png"]});
    let lines = format!("{first}\n{second}\n");
    let transcript = parse(lines.as_bytes());
    assert_eq!(transcript.conversations.len(), 2);
    let written = transcript.write_back().unwrap();
    assert_eq!(
        crate::common::values(written.text.as_bytes()),
        [first, second]
    );
}

#[test]
fn a_chat_becomes_turns_with_results_in_the_order_of_their_calls() {
    let chat = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "https://a"}}]},
        {"role": "assistant", "content": "I look.", "tool_calls": [
            {"id": "k1", "type": "function", "function": {"name": "f", "arguments": "{\"n\": 1}"}},
            {"id": "k2", "type": "function", "function": {"name": "g", "arguments": "cut {"}}]},
        {"role": "tool", "tool_call_id": "k2", "content": "two"},
        {"role": "tool", "tool_call_id": "k1", "content": "one"},
        {"role": "assistant", "content": "Done."},
        {"role": "assistant", "tool_calls": [{"id": "k3", "type": "function", "function": {"name": "f", "arguments": ""}}]},
    ]);
    let conversation = only(chat.to_string().as_bytes());
    let written = write(
        &conversation.events,
        None,
        Format::ShareGpt,
        &WriteOptions::default(),
    )
    .unwrap();
    let expected = json!({"system": "Be brief.", "conversations": [
        {"from": "human", "value": "See"},
        {"from": "gpt", "value": "I look."},
        {"from": "function_call", "value": r#"[{"name":"f","arguments":{"n": 1}},{"name":"g","arguments":"cut {"}]"#},
        {"from": "observation", "value": "one"},
        {"from": "observation", "value": "two"},
        {"from": "gpt", "value": "Done."},
        {"from": "function_call", "value": r#"{"name":"f","arguments":{}}"#},
    ]});
    assert_eq!(parsed(&written.text), expected);
    let told: Vec<String> = written
        .warnings
        .iter()
        .map(|warning| warning.what.clone())
        .collect();
    assert_eq!(
        told,
        [
            "1 part(s) this format has no place for were left out",
            "ids of 3 call(s) were left out: results follow in the order of their calls"
        ]
    );

    let back = only(written.text.as_bytes());
    assert_eq!(
        shorts(&back)[4..6],
        ["tool: [result call_1: one]", "tool: [result call_2: two]"]
    );
}

#[test]
fn a_chosen_answer_that_something_follows_is_a_turn_like_others() {
    let file = json!({"conversations": [{"from": "human", "value": "Hi"}], "chosen": {"from": "gpt", "value": "Hello"}});
    let conversation = only(file.to_string().as_bytes());
    let turned = [&conversation.events[1], &conversation.events[0]];
    let envelope = Some(&conversation.envelope);
    let written = write(turned, envelope, Format::ShareGpt, &WriteOptions::default()).unwrap();
    let expected = json!({"conversations": [{"from": "gpt", "value": "Hello"}, {"from": "human", "value": "Hi"}]});
    assert_eq!(parsed(&written.text), expected);
}
