//! Streams of LangChain: chunks of one id are one message.

use serde_json::{Value, json};
use session_log::Message;
use session_transcript::{Conversation, Format, WriteOptions, write};

use crate::common::{check as check_file, messages, only, parse, parsed, shorts, told, view};

/// The chunks, with the fields that all of them have, as each way wraps them.
fn ways(chunks: &[Value]) -> [Value; 3] {
    let all = chunks.iter().map(|chunk| {
        let mut fields = json!({"type": "AIMessageChunk", "content": "", "tool_calls": [],
            "invalid_tool_calls": [], "tool_call_chunks": [], "additional_kwargs": {}, "response_metadata": {}});
        for (name, value) in chunk.as_object().unwrap() {
            fields[name] = value.clone();
        }
        fields
    });
    let flat: Vec<Value> = all.collect();
    let data = flat
        .iter()
        .map(|fields| json!({"type": fields["type"], "data": fields}));
    let constructors = flat.iter().map(|fields| {
        let class = match fields["type"].as_str() {
            Some("ai") => "AIMessage",
            Some("tool") => "ToolMessage",
            _ => "AIMessageChunk",
        };
        json!({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", class], "kwargs": fields})
    });
    [data.collect(), constructors.collect(), Value::Array(flat)]
}

/// Reads the chunks in each way, looks at what was told and at the messages, and writes them again.
#[track_caller]
fn check(chunks: &[Value], warnings: &[&str], expected: &[&str]) -> Conversation {
    let mut last = None;
    for file in ways(chunks) {
        let transcript = parse(file.to_string().as_bytes());
        assert_eq!(told(&transcript), warnings);
        check_file(&file, Format::LangChain, expected);
        last = transcript.conversations.into_iter().next();
    }
    last.unwrap()
}

fn first(conversation: &Conversation) -> &Message {
    messages(conversation)[0].1
}

/// Each chunk was a message of its own: a reply of a thousand tokens was a thousand replies.
#[test]
fn the_chunks_of_one_id_are_one_message() {
    let conversation = check(
        &[
            json!({"id": "r1", "content": "Two ", "usage_metadata": {"input_tokens": 7, "output_tokens": 1, "input_token_details": {"cache_read": 3}}}),
            json!({"id": "r1", "content": "two ", "name": null, "response_metadata": {"model_name": "m"}, "additional_kwargs": {"reasoning_content": "H"}}),
            json!({"id": "r1", "content": "two ", "additional_kwargs": {"reasoning_content": "m"}}),
            json!({"id": "r1", "content": "rooms.", "chunk_position": "last", "response_metadata": {"model_name": "m", "finish_reason": "stop"},
                "usage_metadata": {"input_tokens": 0, "output_tokens": 1, "input_token_details": {"cache_read": 3}}}),
        ],
        &[],
        &["assistant: [reasoning] Two two two rooms."],
    );
    assert_eq!(conversation.model.as_deref(), Some("m"));
    let message = first(&conversation);
    for (name, expected) in [
        (
            "usage_metadata",
            json!({"input_tokens": 7, "output_tokens": 2, "input_token_details": {"cache_read": 6}}),
        ),
        (
            "response_metadata",
            json!({"model_name": "m", "finish_reason": "stop"}),
        ),
        ("additional_kwargs", json!({"reasoning_content": "Hm"})),
        ("id", json!("r1")),
    ] {
        assert_eq!(parsed(message.extra[name].as_str()), expected, "{name}");
    }
}

#[test]
fn pieces_of_calls_are_put_together_by_their_index() {
    let piece = |index: u64, id: Value, name: Value, args: &str| json!({"index": index, "id": id, "name": name, "args": args, "type": "tool_call_chunk"});
    let pieces = [
        piece(0, json!("k1"), json!("f"), ""),
        piece(0, Value::Null, Value::Null, "{\"a\": "),
        piece(1, json!("k2"), json!("g"), ""),
        piece(0, Value::Null, Value::Null, "1.0}"),
        piece(2, json!("k3"), json!("h"), "cut {"),
        // Another call under an index that is there already.
        piece(2, json!("k4"), json!("i"), "{}"),
    ];
    let chunks: Vec<Value> = pieces
        .iter()
        .map(|piece| {
            json!({"id": "r1", "tool_call_chunks": [piece],
            // What each chunk makes of its own piece.
            "tool_calls": [{"name": "", "args": {}, "id": null, "type": "tool_call"}]})
        })
        .collect();
    let expected =
        r#"assistant:  [call k1 f {"a": 1.0}] [call k2 g {}] [call k4 i {}] [call k3 h cut {]"#;
    check(&chunks, &[], &[expected]);
}

#[test]
fn blocks_are_joined_by_their_index_and_stay_in_their_order() {
    let block = |block: Value| json!({"id": "r1", "content": [block]});
    let conversation = check(
        &[
            json!({"id": "r1", "content": []}),
            block(json!({"type": "thinking", "thinking": "H", "index": 0})),
            block(json!({"type": "thinking", "thinking": "m", "index": 0})),
            block(json!({"type": "thinking", "signature": "s==", "index": 0})),
            block(json!({"type": "text", "text": "I ", "index": 1})),
            block(json!({"type": "text", "text": "look.", "index": 1})),
            json!({"id": "r1", "content": [{"type": "tool_use", "id": "k1", "name": "f", "input": {}, "index": 2}],
                "tool_call_chunks": [{"index": 2, "id": "k1", "name": "f", "args": ""}]}),
            json!({"id": "r1", "content": [{"type": "input_json_delta", "partial_json": "{\"a\":1}", "index": 2}],
                "tool_call_chunks": [{"index": 2, "id": null, "name": null, "args": "{\"a\":1}"}]}),
            json!({"id": "r1", "content": ""}),
        ],
        &[],
        &[r#"assistant: [reasoning] I look. [call k1 f {"a":1}]"#],
    );
    let session_log::Part::Reasoning(reasoning) = &first(&conversation).parts[0] else {
        panic!("the thinking block");
    };
    assert_eq!(reasoning.text.as_deref(), Some("Hm"));
    assert_eq!(reasoning.signature.as_deref(), Some("s=="));
}

#[test]
fn texts_and_lists_are_one_content() {
    let chunk = |content: Value| json!({"id": "r1", "content": content});
    check(
        &[
            chunk(json!("")),
            chunk(Value::Null),
            chunk(json!([{"type": "text", "text": "a"}])),
            chunk(json!("b")),
            chunk(json!("c")),
        ],
        &[],
        &["assistant: a bc"],
    );
}

#[test]
fn replies_whose_chunks_are_mixed_are_told_apart() {
    let chunk = |id: &str, content: &str| json!({"id": id, "content": content});
    check(
        &[
            chunk("r1", "on"),
            chunk("r2", "alone"),
            chunk("r3", "th"),
            chunk("r1", "e"),
            chunk("r3", "ree"),
        ],
        &[],
        &["assistant: one", "assistant: alone", "assistant: three"],
    );
    // Without an id nothing says what belongs together.
    check(
        &[json!({"id": null, "content": "a"}), json!({"content": "b"})],
        &[],
        &["assistant: a", "assistant: b"],
    );
}

#[test]
fn what_cannot_be_added_up_is_told_and_kept() {
    let told = "line 1: 2 value(s) of the chunks of a reply could not be added up";
    let nameless = json!([{"index": null, "id": null, "name": null, "args": "{}"}]);
    let conversation = check(
        &[
            json!({"id": "r1", "content": "a", "example": true, "tool_call_chunks": nameless}),
            json!({"id": "r1", "content": "b", "example": false}),
        ],
        &[told],
        &["assistant: ab"],
    );
    let pieces = &first(&conversation).extra["tool_call_chunks"];
    assert_eq!(parsed(pieces.as_str()), nameless);
    check(
        &[
            json!({"id": "r1", "content": "a", "tool_call_chunks": 7}),
            json!({"id": "r1", "content": {"text": "b"}}),
        ],
        &[told],
        &["assistant: a"],
    );
}

#[test]
fn a_finished_reply_has_the_place_of_its_chunks_and_late_chunks_are_told() {
    let replaced = "1 message(s) gave their place to a later one of the same id: the log has both";
    let conversation = check(
        &[
            json!({"id": "r1", "content": "a"}),
            json!({"id": "r1", "content": "b"}),
            json!({"id": "r1", "type": "ai", "content": "ab"}),
        ],
        &[replaced],
        &["assistant: ab", "assistant: ab"],
    );
    assert_eq!(view(&conversation), ["assistant: ab"]);
    let late = "line 1: chunks of a reply that is there already are a message of their own";
    let conversation = check(
        &[
            json!({"id": "r1", "content": "a"}),
            json!({"id": "t", "type": "tool", "content": "x", "tool_call_id": "k"}),
            json!({"id": "r1", "content": "b"}),
        ],
        &[late],
        &["assistant: a", "tool: [result k: x]", "assistant: b"],
    );
    assert_eq!(view(&conversation).len(), 3);
}

#[test]
fn a_changed_reply_is_written_as_one_message() {
    let chunks = [
        json!({"id": "r1", "content": "I ", "tool_call_chunks": [{"index": 0, "id": "k1", "name": "f", "args": "{"}]}),
        json!({"id": "r1", "content": "look.", "tool_call_chunks": [{"index": 0, "id": null, "name": null, "args": "}"}]}),
        json!({"id": "r2", "type": "ai", "content": "Never mind."}),
    ];
    for (file, place, kind) in ways(&chunks)
        .iter()
        .zip(["/0/data", "/0/kwargs", "/0"])
        .zip(["/0/type", "/0/id/3", "/0/type"])
        .map(|((file, place), kind)| (file, place, kind))
    {
        let conversation = only(file.to_string().as_bytes());
        // Its call was given up.
        let written = write(
            &conversation.events,
            Some(&conversation.envelope),
            Format::LangChain,
            &WriteOptions::default(),
        );
        let written = parsed(&written.unwrap().text);
        assert_eq!(written.as_array().unwrap().len(), 2);
        let reply = written.pointer(place).unwrap();
        assert_eq!(reply["content"], "I look.");
        assert_eq!(reply["type"], "ai");
        let kind = written.pointer(kind).unwrap();
        assert!(kind == "ai" || kind == "AIMessage", "{kind}");
        let again = only(written.to_string().as_bytes());
        assert_eq!(
            shorts(&again),
            ["assistant: I look.", "assistant: Never mind."]
        );
    }
}

/// What is added up is followed member by member, which a deep value must not turn into a deep stack.
#[test]
fn a_deep_value_is_not_followed_to_its_end() {
    let deep = |inner: &str| "{\"a\":".repeat(10_000) + inner + &"}".repeat(10_000);
    let chunk = |inner: &str| {
        let fields = deep(inner);
        format!(
            r#"{{"type":"AIMessageChunk","id":"r1","content":"x","additional_kwargs":{fields}}}"#
        )
    };
    let file = format!("[{},{},{}]", chunk("1"), chunk("1"), chunk("2"));
    let transcript = parse(file.as_bytes());
    assert_eq!(shorts(&transcript.conversations[0]), ["assistant: xxx"]);
    assert_eq!(
        told(&transcript).last().unwrap(),
        "line 1: 1 value(s) of the chunks of a reply could not be added up"
    );
    assert_eq!(transcript.write_back().unwrap().text, file);
}
