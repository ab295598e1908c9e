//! An unmodified conversation in its own format is written as it was read.

use serde_json::{Value, json};
use session_transcript::{Format, ReadOptions, Repair, WriteOptions, read, view_as_request, write};

use crate::common::{all, example, only, parse, values};

/// Files whose records are mended while they are read, or that stand for something else.
const MENDED: [&str; 7] = [
    "edge_cases.jsonl",
    "flattened.jsonl",
    "function-call.stream.txt",
    "invalid-utf8.jsonl",
    "lone-surrogate.json",
    "nan-number.jsonl",
    "two-calls.stream.txt",
];

#[test]
fn every_committed_transcript_is_written_back_as_the_same_json() {
    let mut count = 0;
    for path in all() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if MENDED.contains(&name.as_str()) {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let transcript = parse(&bytes);
        if !transcript.format.can_write() {
            continue;
        }
        let written = transcript.write_back().unwrap();
        assert_eq!(values(written.text.as_bytes()), values(&bytes), "{name}");
        assert_eq!(written.warnings, [], "{name}");
        count += 1;
    }
    assert!(count > 35);
}

#[test]
fn what_was_mended_stays_as_it_is_from_then_on() {
    for path in all() {
        let bytes = std::fs::read(&path).unwrap();
        let Ok(transcript) = read(&bytes, &ReadOptions::default()) else {
            continue;
        };
        if !transcript.format.can_write() {
            continue;
        }
        let once = transcript.write_back().unwrap().text;
        let again = parse(once.as_bytes()).write_back().unwrap().text;
        assert_eq!(
            values(once.as_bytes()),
            values(again.as_bytes()),
            "{}",
            path.display()
        );
    }
}

#[test]
fn a_valid_conversation_needs_no_repair_to_be_the_same() {
    for name in [
        "agentic-session.anthropic.json",
        "agentic-session.claude-code.jsonl",
        "airline-support.openai-chat.json",
        "parallel-tools.openai-chat.json",
    ] {
        let bytes = example(name);
        let conversation = only(&bytes);
        let format = conversation.envelope.format;
        let written = write(
            &conversation.events,
            Some(&conversation.envelope),
            format,
            &WriteOptions::default(),
        )
        .unwrap();
        assert_eq!(values(written.text.as_bytes()), values(&bytes), "{name}");
        assert_eq!(written.warnings, [], "{name}");
    }
}

#[test]
fn a_session_as_a_request_is_the_request_that_was_made_of_it_elsewhere() {
    let session = only(&example("agentic-session.claude-code.jsonl"));
    let request = view_as_request(&session.events, Format::Anthropic).unwrap();
    let request: Value = serde_json::from_str(&request.text).unwrap();
    let expected: Value =
        serde_json::from_slice(&example("agentic-session.anthropic.json")).unwrap();
    let blocks = |message: &Value| match &message["content"] {
        Value::String(text) => json!([{"type": "text", "text": text}]),
        blocks => blocks.clone(),
    };
    let messages = |body: &Value| -> Vec<(Value, Value)> {
        let messages = body["messages"].as_array().unwrap();
        messages
            .iter()
            .map(|message| (message["role"].clone(), blocks(message)))
            .collect()
    };
    assert_eq!(messages(&request), messages(&expected));
}

#[test]
fn every_form_of_an_openai_message_is_kept() {
    let messages = json!([
        {"role": "developer", "content": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}, "bare"]},
        {"role": "user", "content": [
            {"type": "image_url", "image_url": {"url": "https://a/b.png", "detail": "low"}},
            {"type": "image_url", "image_url": "https://a/bare.png"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}, "text": null},
            {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}},
            {"type": "file", "file": {"file_id": "f1"}},
            {"type": "file", "file": {"file_data": "data:application/pdf;base64,AA==", "filename": "a.pdf"}},
            {"type": "file", "file": {"file_data": "AA=="}},
            {"type": "file", "file": {"file_id": "f1", "file_data": "both"}},
            {"type": "document_url", "document_url": "https://a"},
            {"type": "hologram", "depth": 1.50},
            17,
        ], "name": "ann", "weight": 1},
        {"role": "assistant", "content": "", "tool_calls": [], "refusal": null, "audio": {"id": "a"}},
        {"role": "assistant", "reasoning_content": "hm", "content": null, "tool_calls": [
            {"id": "k1", "type": "function", "function": {"name": "f", "arguments": "{\"a\" : 1.0}", "strict": true}, "index": 0},
            {"id": "k2", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}},
            {"function": {"name": "g", "arguments": {"already": "an object"}}},
            {"id": null, "type": "function", "function": {"name": "h"}},
            {"id": "k5", "type": null, "function": {"name": "i", "arguments": ""}},
        ]},
        {"role": "tool", "tool_call_id": "k1", "content": "", "name": "f"},
        {"role": "tool", "tool_call_id": "k2", "content": null},
        {"role": "tool", "tool_call_id": null, "content": [{"type": "text", "text": "x"}]},
        {"role": "tool", "content": "no id"},
        {"role": "tool", "tool_call_id": "k5"},
        {"role": "assistant", "tool_calls": [{"id": "k6", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "assistant", "content": null, "tool_calls": ["not a call"]},
        {"role": "assistant", "content": null, "function_call": {"name": "old", "arguments": "{}"}},
        {"role": "function", "name": "old", "content": "1"},
        {"role": "assistant", "content": "no", "refusal": "I will not.", "function_call": null},
        {"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "refusal", "refusal": "b"}], "name": 7},
        {"role": "assistant", "reasoning": "x", "reasoning_details": [{"type": "reasoning.encrypted", "data": "AA"}], "content": "y"},
        {"role": "narrator", "content": 5},
        {"role": "user", "content": []},
        {"role": "user"},
        {"role": "tool", "tool_call_id": "k6", "content": {"an": "object"}},
    ]);
    let conversation = only(messages.to_string().as_bytes());
    let written = conversation.write_back().unwrap();
    let written: Value = serde_json::from_str(&written.text).unwrap();
    for (written, message) in written
        .as_array()
        .unwrap()
        .iter()
        .zip(messages.as_array().unwrap())
    {
        assert_eq!(written, message);
    }
    assert_eq!(written, messages);
}

#[test]
fn every_form_of_an_anthropic_message_is_kept() {
    let body = json!({
        "model": "m", "max_tokens": 5, "tools": [{"name": "f", "input_schema": {}}], "metadata": {"user_id": "u"},
        "system": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}, {"type": "text", "text": "b"}],
        "messages": [
            {"role": "user", "content": "plain"},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "", "signature": "sig=="},
                {"type": "thinking", "thinking": "unsigned"},
                {"type": "redacted_thinking", "data": "openrouter.reasoning:AA"},
                {"type": "text", "text": "t", "citations": [{"type": "char_location"}]},
                {"type": "tool_use", "id": "t1", "name": "f", "input": {"b": 1.0, "a": [1e2]}, "caller": {"type": "direct"}},
                {"type": "tool_use", "id": "t2", "name": "f", "input": "odd"},
                {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
                {"type": "web_search_tool_result", "tool_use_id": "s1", "content": {"type": "web_search_tool_result_error"}},
                {"type": "compaction", "content": null},
            ], "id": "msg_1", "stop_reason": "tool_use"},
            {"role": "user", "content": [
                {"type": "text", "text": "before"},
                {"type": "tool_result", "tool_use_id": "t1"},
                {"type": "image", "source": {"type": "url", "url": "https://a"}, "cache_control": null},
                {"type": "tool_result", "tool_use_id": "t2", "content": [
                    {"type": "text", "text": "x"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}},
                    {"type": "tool_reference", "tool_name": "f"},
                ], "is_error": true, "cache_control": {"type": "ephemeral"}},
                {"type": "document", "source": {"type": "content", "content": "nested"}, "title": "T"},
                {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "d"}, "title": "T", "context": "c"},
                {"type": "document", "source": {"type": "file", "file_id": "f"}, "title": null},
            ], "ts": 1700000000000_i64},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t3", "content": null, "is_error": null}]},
            {"role": "assistant", "content": null},
            {"role": "user"},
            {"role": "system", "content": [{"type": "tool_addition", "tool": {}}, {"type": "text", "text": "mid"}]},
            {"role": "user", "content": [{"type": "container_upload", "file_id": "f"}, "bare"]},
        ],
    });
    let conversation = only(body.to_string().as_bytes());
    assert_eq!(conversation.envelope.format, Format::Anthropic);
    assert_eq!(conversation.model.as_deref(), Some("m"));
    let written = conversation.write_back().unwrap();
    let written: Value = serde_json::from_str(&written.text).unwrap();
    let messages = |body: &Value| body["messages"].as_array().unwrap().clone();
    for (written, message) in messages(&written).iter().zip(messages(&body)) {
        assert_eq!(*written, message);
    }
    assert_eq!(written, body);
}

#[test]
fn every_container_is_kept() {
    let message = json!({"role": "user", "content": "Hi"});
    let reply = json!({"role": "assistant", "content": "Hello"});
    for (file, conversations, count) in [
        (json!([message, reply]), 1, 2),
        (
            json!({"model": "m", "messages": [message], "temperature": 0.10}),
            1,
            1,
        ),
        (json!({"model": "m", "messages": []}), 1, 0),
        (
            json!({"id": "c", "choices": [{"index": 0, "message": reply, "finish_reason": "stop"}]}),
            1,
            1,
        ),
        (
            json!({"id": "c", "choices": [{"message": reply}, {"message": {"role": "assistant", "content": "2"}}]}),
            1,
            1,
        ),
        (
            json!({"request": {"messages": [message]}, "response": {"choices": [{"message": reply}]}, "ms": 3}),
            1,
            2,
        ),
        (
            json!({"kwargs": {"messages": [message]}, "response": {"choices": [{"message": reply}]}}),
            1,
            2,
        ),
        (
            json!({"custom_id": "r1", "method": "POST", "body": {"messages": [message]}}),
            1,
            1,
        ),
        (
            json!([{"task_id": 1, "traj": [message, reply]}, {"task_id": 2, "traj": [message]}]),
            2,
            3,
        ),
        (json!([{"task_id": 1, "traj": [message, reply]}]), 1, 2),
        (json!([[message, reply], [message]]), 2, 3),
        (
            json!({"model": "m", "message": reply, "done": true, "done_reason": "stop"}),
            1,
            1,
        ),
        (
            json!({"id": "c", "message": reply, "finish_reason": "COMPLETE"}),
            1,
            1,
        ),
        (message.clone(), 1, 1),
    ] {
        let transcript = parse(file.to_string().as_bytes());
        assert_eq!(transcript.conversations.len(), conversations, "{file}");
        assert_eq!(transcript.events().count(), count, "{file}");
        let written: Value = serde_json::from_str(&transcript.write_back().unwrap().text).unwrap();
        assert_eq!(written, file);
    }
    for (lines, conversations) in [
        (vec![message.clone(), reply.clone()], 1),
        (
            vec![
                json!({"messages": [message, reply], "tools": []}),
                json!({"messages": [message]}),
            ],
            2,
        ),
        (vec![json!([message, reply]), json!([message])], 2),
    ] {
        let file: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let transcript = parse(file.as_bytes());
        assert_eq!(transcript.conversations.len(), conversations, "{file}");
        assert_eq!(
            values(transcript.write_back().unwrap().text.as_bytes()),
            lines
        );
    }
}

#[test]
fn own_lines_lose_nothing_whatever_format_they_came_from() {
    for path in all() {
        let bytes = std::fs::read(&path).unwrap();
        let Ok(transcript) = read(&bytes, &ReadOptions::default()) else {
            continue;
        };
        for conversation in &transcript.conversations {
            let options = WriteOptions::default().with_repair(Repair::Nothing);
            let written = write(
                &conversation.events,
                Some(&conversation.envelope),
                Format::Jsonl,
                &options,
            )
            .unwrap();
            if conversation.events.is_empty() {
                continue;
            }
            let read_back = only(written.text.as_bytes());
            assert_eq!(read_back.events, conversation.events, "{}", path.display());
            assert_eq!(
                read_back.envelope,
                conversation.envelope,
                "{}",
                path.display()
            );
            assert_eq!(
                read_back.write_back().map(|written| written.text),
                conversation.write_back().map(|written| written.text),
                "{}",
                path.display()
            );
        }
    }
}
