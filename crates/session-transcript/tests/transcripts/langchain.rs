//! Messages of LangChain, in the three ways it writes them.

use serde_json::{Value, json};
use session_log::{Json, Part};
use session_transcript::{Envelope, Format, WriteOptions, view_as_request, write};

use crate::common::{messages, only, parse, parsed, shorts, values};

/// The fields of messages, as each way wraps them.
fn fields() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        (
            "system",
            "SystemMessage",
            json!({"content": "Be brief.", "type": "system", "id": null}),
        ),
        (
            "human",
            "HumanMessage",
            json!({"content": [{"type": "text", "text": "See", "x": 1}, "bare", {"type": "image_url", "image_url": {"url": "https://a", "detail": "low"}}, {"type": "audio"}], "type": "human", "name": "Ada"}),
        ),
        (
            "ai",
            "AIMessage",
            json!({
            "content": [{"type": "thinking", "thinking": "Hm", "signature": "s=="}, {"type": "text", "text": "I look."}, {"type": "tool_use", "id": "k1", "name": "f", "input": {"a": 1.0}, "caller": {}}],
            "type": "ai", "id": "lc_run--1", "response_metadata": {"model_name": "m"}, "usage_metadata": null,
            "additional_kwargs": {"tool_calls": [{"id": "k1"}], "reasoning_content": "again"},
            "tool_calls": [{"name": "f", "args": {"a": 1.0}, "id": "k1", "type": "tool_call"}, {"name": "g", "args": {}, "id": "k2", "type": "tool_call"}],
            "invalid_tool_calls": [{"name": "h", "args": "cut {", "id": "k3", "error": "no JSON", "type": "invalid_tool_call"}]}),
        ),
        (
            "tool",
            "ToolMessage",
            json!({"content": "one", "type": "tool", "tool_call_id": "k1", "name": "f", "status": "success", "artifact": null}),
        ),
        (
            "tool",
            "ToolMessage",
            json!({"content": ["two", {"type": "text", "text": "parts"}], "type": "tool", "tool_call_id": "k2", "status": "error"}),
        ),
        (
            "function",
            "FunctionMessage",
            json!({"content": "old", "type": "function", "name": "f"}),
        ),
        (
            "ai",
            "AIMessage",
            json!({"content": "", "type": "ai", "tool_calls": [], "invalid_tool_calls": []}),
        ),
        (
            "chat",
            "ChatMessage",
            json!({"content": "odd", "type": "chat", "role": "narrator"}),
        ),
    ]
}

const READ: [&str; 8] = [
    "system: Be brief.",
    "user: See bare [media] [opaque]",
    r#"assistant: [reasoning] [reasoning] I look. [call k1 f {"a":1.0}] [call k2 g {}] [call k3 h cut {]"#,
    "tool: [result k1: one]",
    "tool: [result k2: two parts]",
    "tool: [result : old]",
    "assistant: ",
    "narrator: odd",
];

#[test]
fn each_way_is_read_and_written_as_it_was() {
    let data = fields()
        .into_iter()
        .map(|(kind, _, fields)| json!({"type": kind, "data": fields}))
        .collect();
    let constructors = fields().into_iter().map(|(_, class, fields)| {
        json!({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", class], "kwargs": fields})
    }).collect();
    let flat = fields().into_iter().map(|(_, _, fields)| fields).collect();
    for list in [
        Value::Array(data),
        Value::Array(constructors),
        Value::Array(flat),
    ] {
        for file in [
            list.clone(),
            json!({"messages": list}),
            json!({"values": {"messages": list, "files": {}}, "next": []}),
            json!({"id": "run", "inputs": {"messages": [list]}, "outputs": {"generations": [[{"text": "", "message": list[6]}]]}}),
        ] {
            let conversation = only(file.to_string().as_bytes());
            assert_eq!(conversation.envelope.format, Format::LangChain);
            assert_eq!(shorts(&conversation)[..8], READ);
            assert_eq!(conversation.model.as_deref(), Some("m"));
            assert_eq!(parsed(&conversation.write_back().unwrap().text), file);
        }
    }
}

#[test]
fn an_error_is_told_and_a_signature_stays() {
    let flat: Vec<Value> = fields().into_iter().map(|(_, _, fields)| fields).collect();
    let conversation = only(json!(flat).to_string().as_bytes());
    let all = messages(&conversation);
    assert_eq!(all[4].1.results().next().unwrap().is_error, Some(true));
    let Part::Reasoning(reasoning) = &all[2].1.parts[1] else {
        panic!("the thinking block");
    };
    assert_eq!(reasoning.signature.as_deref(), Some("s=="));
}

#[test]
fn a_call_that_was_given_up_is_left_out_wherever_it_was_said() {
    let flat: Vec<Value> = fields().into_iter().map(|(_, _, fields)| fields).collect();
    let list = json!([flat[1], flat[2], flat[4], flat[1]]);
    let conversation = only(list.to_string().as_bytes());
    let written = write(
        &conversation.events,
        Some(&conversation.envelope),
        Format::LangChain,
        &WriteOptions::default(),
    )
    .unwrap();
    let reply = &parsed(&written.text)[1];
    assert_eq!(reply["tool_calls"], json!([flat[2]["tool_calls"][1]]));
    assert_eq!(reply["content"].as_array().unwrap().len(), 2);
    assert_eq!(
        reply["additional_kwargs"],
        json!({"reasoning_content": "again"})
    );
}

#[test]
fn a_chat_becomes_messages_and_messages_become_a_chat() {
    let chat = json!([
        {"role": "user", "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "https://a/b.png"}}]},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "k1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}},
            {"id": "k2", "type": "function", "function": {"name": "g", "arguments": "cut {"}}]},
        {"role": "tool", "tool_call_id": "k1", "content": "one"},
        {"role": "tool", "tool_call_id": "k2", "content": "two"},
        {"role": "assistant", "content": "Done."},
    ]);
    let conversation = only(chat.to_string().as_bytes());
    let options = WriteOptions::default();
    let written = write(&conversation.events, None, Format::LangChain, &options).unwrap();
    let list = parsed(&written.text);
    assert_eq!(
        list[1],
        json!({"type": "ai", "data": {"content": "", "type": "ai", "additional_kwargs": {}, "response_metadata": {}, "invalid_tool_calls": [], "tool_calls": [
            {"name": "f", "args": {"a": 1}, "id": "k1", "type": "tool_call"},
            {"name": "g", "args": {"input": "cut {"}, "id": "k2", "type": "tool_call"}]}})
    );
    assert_eq!(list[2]["data"]["status"], "success");
    assert_eq!(list.as_array().unwrap().len(), 5);

    let back = only(written.text.as_bytes());
    assert_eq!(back.envelope.format, Format::LangChain);
    let request = view_as_request(&back.events, Format::OpenAiChat).unwrap();
    let messages = parsed(&request.text);
    assert_eq!(messages[1]["tool_calls"][0], chat[1]["tool_calls"][0]);
    assert_eq!(messages[3]["content"], "two");
}

#[test]
fn lines_are_kept_and_damage_costs_only_its_record() {
    let message = json!({"type": "human", "data": {"content": "Hi"}});
    let lines = format!("{message}\n{{broken\n{{\"type\":\"human\"}}\n{message}\n{{\"type\":");
    let transcript = parse(lines.as_bytes());
    assert_eq!(transcript.format, Format::LangChain);
    assert_eq!(transcript.events().count(), 2);
    assert_eq!(transcript.skipped.len(), 3);
    let written = transcript.write_back().unwrap();
    assert_eq!(
        values(written.text.as_bytes()),
        [message.clone(), message.clone()]
    );

    let inside = json!([message, 7, {"type": "from-tomorrow", "data": {}}]);
    let transcript = parse(inside.to_string().as_bytes());
    assert_eq!(transcript.events().count(), 1);
    assert_eq!(transcript.skipped.len(), 2);
}

#[test]
fn the_envelope_says_how_messages_of_other_formats_are_wrapped() {
    let chat = only(br#"[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]"#);
    for (encoding, place) in [
        ("data", "/0/data/content"),
        ("constructor", "/0/kwargs/content"),
        ("flat", "/0/content"),
    ] {
        let mut envelope = Envelope::new(Format::LangChain);
        envelope
            .fields
            .insert("encoding".into(), Json::string(encoding));
        let options = WriteOptions::default();
        let written = write(&chat.events, Some(&envelope), Format::LangChain, &options).unwrap();
        assert_eq!(
            parsed(&written.text).pointer(place),
            Some(&json!("Hi")),
            "{encoding}"
        );
        assert_eq!(
            shorts(&only(written.text.as_bytes())),
            ["user: Hi", "assistant: Hello"]
        );
    }
}
