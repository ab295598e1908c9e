//! Conversations as the types of `async-openai`: what the types write is what we wrote.

use serde_json::Value;
use session_log::{Message, ToolCall};
use session_transcript::async_openai::{message_of, messages};
use session_transcript::{Format, ReadOptions, read, view_as_request};

/// What the types add or leave out: absent fields that they write as null.
fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(without_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(without_nulls),
        _ => {}
    }
}

#[test]
fn real_conversations_are_the_same_in_the_types() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples");
    for name in [
        "agentic-session.anthropic.json",
        "agentic-session.claude-code.jsonl",
        "airline-support.openai-chat.json",
    ] {
        let bytes = std::fs::read(format!("{folder}/{name}")).unwrap();
        let transcript = read(&bytes, &ReadOptions::default()).unwrap();
        let conversation = transcript.conversations.first().unwrap();
        let typed = messages(&conversation.events).unwrap();
        assert!(typed.len() > 50, "{name}");

        let written = view_as_request(&conversation.events, Format::OpenAiChat).unwrap();
        let mut ours: Value = serde_json::from_str(&written.text).unwrap();
        let mut theirs = serde_json::to_value(&typed).unwrap();
        without_nulls(&mut ours);
        // A tool's message has a name in some dialects and none in the types.
        for message in ours.as_array_mut().unwrap().iter_mut() {
            let fields = message.as_object_mut().unwrap();
            if fields["role"] == "tool" {
                fields.remove("name");
            }
        }
        without_nulls(&mut theirs);
        assert_eq!(ours, theirs, "{name}");
    }
}

#[test]
fn a_reply_with_calls_comes_back_as_it_was_said() {
    let reply = r#"{"role":"assistant","content":null,"tool_calls":[
        {"id":"k1","type":"function","function":{"name":"weather","arguments":"{\"city\": \"Oslo\"}"}}]}"#;
    let reply = message_of(&serde_json::from_str(reply).unwrap()).unwrap();
    let call = reply.calls().next().unwrap();
    assert_eq!(call.name, "weather");
    assert_eq!(call.arguments.as_str(), r#"{"city": "Oslo"}"#);
    let expected = Message::tool_calls([ToolCall::new("k1", "weather", r#"{"city": "Oslo"}"#)]);
    assert!(reply.calls().eq(expected.calls()));
}
