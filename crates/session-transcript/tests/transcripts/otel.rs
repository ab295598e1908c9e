//! Messages of the GenAI conventions of OpenTelemetry.

use serde_json::{Value, json};
use session_transcript::{Format, view_as_request};

use crate::common::{only, parse, shorts};

fn input() -> Value {
    json!([
        {"role": "system", "parts": [{"type": "text", "content": "Be brief."}]},
        {"role": "user", "parts": [{"type": "text", "content": "See"}, {"type": "blob", "mime_type": "image/png", "modality": "image", "content": "AA=="}, {"type": "new"}]},
        {"role": "assistant", "parts": [{"type": "reasoning", "content": "Hm"}, {"type": "tool_call", "id": "k1", "name": "f", "arguments": {"a": 1}}], "finish_reason": "tool_call"},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "k1", "response": {"b": 2}}]},
        {"role": "user", "parts": [{"type": "tool_call_response", "id": "k2", "result": "late"}, {"type": "text", "content": "And?"}]},
    ])
}

const READ: [&str; 6] = [
    "system: Be brief.",
    "user: See [media] [opaque]",
    r#"assistant: [reasoning] [call k1 f {"a":1}]"#,
    r#"tool: [result k1: {"b":2}]"#,
    "tool: [result k2: late]",
    "user: And?",
];

#[test]
fn messages_are_read_and_go_to_providers() {
    let conversation = only(input().to_string().as_bytes());
    assert_eq!(conversation.envelope.format, Format::OtelGenAi);
    assert_eq!(shorts(&conversation), READ);
    let request = view_as_request(&conversation.events, Format::OpenAiChat).unwrap();
    assert!(request.text.contains(r#""tool_call_id":"k1""#));
    let written = conversation.write_back().unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&written.text).unwrap(),
        input()
    );
}

#[test]
fn attributes_are_found_as_values_and_as_texts_in_spans_of_any_export() {
    let output = json!([{"role": "assistant", "parts": [{"type": "text", "content": "Done."}], "finish_reason": "stop"}]);
    let system = json!([{"type": "text", "content": "Instructions."}]);
    let map = json!({"name": "chat m", "attributes": {
        "gen_ai.request.model": "m", "gen_ai.conversation.id": "c1", "gen_ai.system_instructions": system,
        "gen_ai.input.messages": input(), "gen_ai.output.messages": output.to_string()}});
    let pair = |key: &str, value: &Value| json!({"key": key, "value": {"stringValue": value.as_str().map_or_else(|| value.to_string(), Into::into)}});
    let otlp = json!({"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "chat m", "attributes": [
        pair("gen_ai.response.model", &json!("m")), pair("gen_ai.conversation.id", &json!("c1")),
        pair("gen_ai.system_instructions", &system), pair("gen_ai.input.messages", &input()), pair("gen_ai.output.messages", &output)]}]}]}]});
    for file in [map, otlp] {
        let conversation = only(file.to_string().as_bytes());
        assert_eq!(
            (conversation.id.as_str(), conversation.model.as_deref()),
            ("c1", Some("m"))
        );
        let read = shorts(&conversation);
        assert_eq!(read[0], "system: Instructions.");
        assert_eq!(read[1..7], READ);
        assert_eq!(read[7], "assistant: Done.");
    }
}

#[test]
fn of_the_spans_of_a_conversation_the_last_one_is_read_and_what_is_cut_is_told() {
    let span = |id: &str, text: &str| {
        let message = json!([{"role": "user", "parts": [{"type": "text", "content": text}]}]);
        json!({"attributes": {"gen_ai.conversation.id": id, "gen_ai.input.messages": message.to_string()}})
    };
    let cut = json!({"attributes": {"gen_ai.input.messages": "[{\"role\":\"us", "gen_ai.output.messages": []}});
    let lines = format!(
        "{}\n{}\n{}\n{cut}\n{{\"name\":\"other\"}}\n",
        span("a", "1"),
        span("b", "2"),
        span("a", "3")
    );
    let transcript = parse(lines.as_bytes());
    let read: Vec<Vec<String>> = transcript.conversations.iter().map(shorts).collect();
    assert_eq!(read, [vec!["user: 2"], vec!["user: 3"], Vec::new()]);
    let told: Vec<String> = transcript.skipped.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(transcript.warnings[0].what.starts_with("1 span(s)"));
}

#[test]
fn every_form_of_a_part_is_written_as_it_was() {
    let file = json!([
        {"role": "assistant", "name": "Ada", "parts": [
            {"type": "thinking", "content": "Hm"},
            {"type": "tool_call", "name": "f"},
            {"type": "tool_call", "id": null, "name": "f", "arguments": "cut {"},
            {"type": "blob", "data": "AA=="}, {"type": "uri", "uri": "https://a", "modality": "video"}, {"type": "file", "file_id": "f", "mime_type": "text/plain"}]},
        {"role": "tool", "parts": [{"type": "tool_call_response"}, {"type": "tool_call_response", "id": null, "name": "f", "response": null}]},
        {"role": "user", "parts": [{"type": "tool_call_response", "id": "k", "result": "1"}]},
        {"role": "narrator", "parts": []},
        {"role": "user", "parts": [{"type": "text", "content": "x", "extra": 1}]},
    ]);
    let conversation = only(file.to_string().as_bytes());
    let written = conversation.write_back().unwrap();
    assert_eq!(serde_json::from_str::<Value>(&written.text).unwrap(), file);

    let lines: String = file
        .as_array()
        .unwrap()
        .iter()
        .map(|line| format!("{line}\n"))
        .collect();
    let transcript = parse(lines.as_bytes());
    let written = transcript.write_back().unwrap();
    assert_eq!(
        crate::common::values(written.text.as_bytes()),
        *file.as_array().unwrap()
    );
}

#[test]
fn a_chat_becomes_messages_of_the_conventions() {
    let chat = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "https://a"}}]},
        {"role": "assistant", "content": "I look.", "reasoning_content": "Hm", "tool_calls": [{"id": "k", "type": "function", "function": {"name": "f", "arguments": "{\"a\": 1}"}}]},
        {"role": "tool", "tool_call_id": "k", "content": "{}"},
    ]);
    let conversation = only(chat.to_string().as_bytes());
    let options = session_transcript::WriteOptions::default();
    let written =
        session_transcript::write(&conversation.events, None, Format::OtelGenAi, &options).unwrap();
    let expected = json!([
        {"role": "system", "parts": [{"type": "text", "content": "Be brief."}]},
        {"role": "user", "parts": [{"type": "text", "content": "See"}, {"type": "uri", "uri": "https://a", "modality": "image"}]},
        {"role": "assistant", "parts": [{"type": "reasoning", "content": "Hm"}, {"type": "text", "content": "I look."}, {"type": "tool_call", "id": "k", "name": "f", "arguments": {"a": 1}}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "k", "response": "{}"}]},
    ]);
    assert_eq!(
        serde_json::from_str::<Value>(&written.text).unwrap(),
        expected
    );
}
