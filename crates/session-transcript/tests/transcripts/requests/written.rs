//! What a provider reads of messages of any format.

use serde_json::{Value, json};
use session_log::{Message, Part, Role, ToolCall, ToolResult};
use session_transcript::{
    Format, ReadOptions, WriteOptions, check_request, read, view_as_request, write,
};

use super::{REQUESTS, call, request};
use crate::common::{all, only, parsed, shorts};

#[test]
fn every_committed_transcript_can_be_sent_to_either_provider() {
    for path in all() {
        let Ok(transcript) = read(&std::fs::read(&path).unwrap(), &ReadOptions::default()) else {
            continue;
        };
        for conversation in &transcript.conversations {
            for format in REQUESTS {
                let request = view_as_request(&conversation.events, format).unwrap();
                assert_eq!(
                    check_request(format, &request.text),
                    [],
                    "{} as {format}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn content_of_a_call_is_null_and_of_a_result_never() {
    let mut silent = ToolResult::new("k1", Vec::new());
    silent.shape = session_log::Shape::Null;
    let talk = [
        Message::user("Go"),
        call("k1"),
        Message::new(Role::Tool, vec![Part::ToolResult(silent)]),
    ];
    let sent = request(&talk, Format::OpenAiChat);
    assert_eq!(sent[1]["content"], Value::Null);
    assert_eq!(
        sent[2],
        json!({"role": "tool", "tool_call_id": "k1", "content": ""})
    );
}

#[test]
fn anthropic_gets_merged_roles_with_results_first_and_the_user_at_the_front() {
    let talk = [
        Message::system("Be brief."),
        Message::assistant("Welcome."),
        Message::user("One"),
        Message::user("Two"),
        Message::tool_calls([
            ToolCall::new("a.b", "f", ""),
            ToolCall::new("c", "f", "[1]"),
            ToolCall::new("", "f", "{cut"),
        ]),
        Message::tool_result("a.b", "x"),
        Message::tool_result("c", "y"),
        Message::tool_result("", "z"),
        Message::user("Three"),
        Message::system("Later."),
        Message::assistant("  "),
        Message::assistant("Done."),
    ];
    let sent = request(&talk, Format::Anthropic);
    assert_eq!(check_request(Format::Anthropic, &sent.to_string()), []);
    assert_eq!(
        sent["system"],
        json!([{"type": "text", "text": "Be brief."}, {"type": "text", "text": "Later."}])
    );
    let messages = sent["messages"].as_array().unwrap();
    let roles: Vec<&str> = messages
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(
        roles,
        [
            "user",
            "assistant",
            "user",
            "assistant",
            "user",
            "assistant"
        ]
    );
    assert_eq!(
        messages[3]["content"][0],
        json!({"type": "tool_use", "id": "a_b", "name": "f", "input": {}})
    );
    assert_eq!(messages[3]["content"][1]["input"], json!({"input": [1]}));
    assert_eq!(
        messages[3]["content"][2],
        json!({"type": "tool_use", "id": "call", "name": "f", "input": {"input": "{cut"}})
    );
    let kinds: Vec<&str> = messages[4]["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["tool_result", "tool_result", "tool_result", "text"]);
}

#[test]
fn thinking_goes_back_byte_for_byte_or_not_at_all() {
    let thinking = r#"{"type":"thinking","thinking":"Hm.","signature":"sig=="}"#;
    let hidden = r#"{"type":"redacted_thinking","data":"AA=="}"#;
    let file = format!(
        r#"{{"messages":[{{"role":"user","content":"Hi"}},{{"role":"assistant","content":[{thinking},{hidden},{{"type":"text","text":"Hello"}}]}}]}}"#
    );
    let conversation = only(file.as_bytes());
    let same = view_as_request(&conversation.events, Format::Anthropic).unwrap();
    assert!(same.text.contains(thinking) && same.text.contains(hidden));
    let other = view_as_request(&conversation.events, Format::OpenAiChat).unwrap();
    assert_eq!(
        other.text,
        r#"[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]"#
    );
    assert_eq!(other.warnings.len(), 1);

    let file = r#"[{"role":"user","content":"Hi"},{"role":"assistant","reasoning_content":"Hm.","content":"Hello"}]"#;
    let conversation = only(file.as_bytes());
    assert_eq!(
        view_as_request(&conversation.events, Format::OpenAiChat)
            .unwrap()
            .text
            .matches("reasoning_content")
            .count(),
        1
    );
    assert!(
        !view_as_request(&conversation.events, Format::Anthropic)
            .unwrap()
            .text
            .contains("Hm.")
    );
}

#[test]
fn media_find_their_place_in_the_other_format() {
    let file = r#"[{"role":"user","content":[{"type":"text","text":"See"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}},{"type":"image_url","image_url":{"url":"https://a/b"}},{"type":"file","file":{"file_data":"data:application/pdf;base64,BB==","filename":"a.pdf"}}]}]"#;
    let sent: Value = serde_json::from_str(
        &view_as_request(&only(file.as_bytes()).events, Format::Anthropic)
            .unwrap()
            .text,
    )
    .unwrap();
    assert_eq!(
        sent["messages"][0]["content"],
        json!([
            {"type": "text", "text": "See"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}},
            {"type": "image", "source": {"type": "url", "url": "https://a/b"}},
            {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "BB=="}, "title": "a.pdf"},
        ])
    );

    let file = r#"{"messages":[{"role":"user","content":"Go"},{"role":"assistant","content":[{"type":"tool_use","id":"k","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"k","content":[{"type":"text","text":"seen"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]},{"type":"text","text":"And?"}]}]}"#;
    let sent: Value = serde_json::from_str(
        &view_as_request(&only(file.as_bytes()).events, Format::OpenAiChat)
            .unwrap()
            .text,
    )
    .unwrap();
    assert_eq!(
        sent[2],
        json!({"role": "tool", "tool_call_id": "k", "content": "seen"})
    );
    assert_eq!(
        sent[3],
        json!({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]})
    );
    assert_eq!(sent[4], json!({"role": "user", "content": "And?"}));
}

#[test]
fn fields_of_one_format_do_not_leak_into_the_other() {
    let file = r#"{"system":[{"type":"text","text":"S","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}],"ts":5}]}"#;
    let sent = view_as_request(&only(file.as_bytes()).events, Format::OpenAiChat).unwrap();
    assert_eq!(
        sent.text,
        r#"[{"role":"system","content":"S"},{"role":"user","content":"Hi"}]"#
    );
}

#[test]
fn what_is_added_to_a_response_makes_a_request_of_it() {
    let file = r#"{"request":{"model":"m","messages":[{"role":"user","content":"Hi"}]},"response":{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"Hello"}],"stop_reason":"end_turn"}}"#;
    let conversation = only(file.as_bytes());
    assert_eq!(shorts(&conversation), ["user: Hi", "assistant: Hello"]);
    let mut messages: Vec<session_transcript::Item<'_>> =
        conversation.events.iter().map(Into::into).collect();
    let more = Message::user("More");
    messages.push((&more).into());
    let written = write(
        messages,
        Some(&conversation.envelope),
        Format::Anthropic,
        &WriteOptions::default(),
    )
    .unwrap();
    let expected = json!([
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [{"type": "text", "text": "Hello"}]},
        {"role": "user", "content": "More"},
    ]);
    assert_eq!(
        serde_json::from_str::<Value>(&written.text).unwrap(),
        expected
    );
}

/// A session of Codex had a text of a reply in a message of the developer, and a request of Anthropic
/// tools in a system message: both went into requests, where the provider refuses them.
#[test]
fn parts_that_a_provider_takes_from_others_alone_stay_out_of_a_request() {
    let items = json!([
        {"type": "message", "role": "developer", "content": [{"type": "output_text", "text": "Be brief", "annotations": []}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "input_text", "text": "Hello"}]},
    ]);
    let conversation = only(items.to_string().as_bytes());
    assert_eq!(parsed(&conversation.write_back().unwrap().text), items);
    let sent = view_as_request(&conversation.events, Format::OpenAiResponses).unwrap();
    let sent = parsed(&sent.text);
    let part = |at: usize| &sent[at]["content"][0];
    assert_eq!(*part(0), json!({"type": "input_text", "text": "Be brief"}));
    assert_eq!(part(1)["type"], "input_text");
    assert_eq!(*part(2), json!({"type": "output_text", "text": "Hello"}));

    let tool = json!({"type": "tool_addition", "tool": {"type": "tool_reference", "name": "f"}});
    let body = json!({"model": "m", "system": "Be brief", "messages": [
        {"role": "user", "content": "Hi"},
        {"role": "system", "content": [tool, {"type": "text", "text": "Be kind"}]},
    ]});
    let conversation = only(body.to_string().as_bytes());
    assert_eq!(parsed(&conversation.write_back().unwrap().text), body);
    let sent = view_as_request(&conversation.events, Format::Anthropic).unwrap();
    assert_eq!(
        parsed(&sent.text)["system"],
        json!([{"type": "text", "text": "Be brief"}, {"type": "text", "text": "Be kind"}])
    );
    let warnings: Vec<String> = sent.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        ["1 part(s) this format has no place for were left out"]
    );
}

/// A reply of a model that thinks in a list of parts was taken for one of Anthropic, where its calls
/// are in another place: they and their results were no calls and results any more.
#[test]
fn calls_beside_thoughts_in_a_list_are_calls() {
    let call =
        json!({"id": "k1", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let thought = json!({"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]});
    let talk = json!([
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [thought, {"type": "text", "text": "Wait"}], "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "k1", "content": "done"},
    ]);
    let conversation = only(talk.to_string().as_bytes());
    assert_eq!(conversation.envelope.format, Format::OpenAiChat);
    assert_eq!(parsed(&conversation.write_back().unwrap().text), talk);
    let told = shorts(&conversation);
    assert!(told[1].ends_with("Wait [call k1 f {}]"), "{told:?}");
    assert_eq!(told[2], "tool: [result k1: done]");
}

/// A conversation of another format that begins with the model was written for Gemini and Bedrock as
/// it is, though their providers want the person first, as Anthropic does.
#[test]
fn a_file_begins_with_the_person_unless_it_never_did() {
    let talk = [Message::assistant("Hello"), Message::user("Hi")];
    for format in [Format::Anthropic, Format::Gemini, Format::Bedrock] {
        let options = WriteOptions::default();
        let written = write(&talk, None, format, &options).unwrap();
        assert_eq!(written.warnings.len(), 1, "{format}");
        let conversation = {
            let options = ReadOptions::default().with_format(format);
            read(written.text.as_bytes(), &options)
                .unwrap()
                .conversations
                .remove(0)
        };
        let told = shorts(&conversation);
        assert_eq!(told[0], "user: (The conversation continues.)", "{format}");
        assert_eq!(told.len(), 3, "{format}: {}", written.text);

        let kept = &conversation.events[1..];
        let again = write(kept, Some(&conversation.envelope), format, &options).unwrap();
        assert_eq!(again.text, written.text, "{format}");
        let exact = options.with_repair(session_transcript::Repair::Nothing);
        let exact = write(&talk, None, format, &exact).unwrap();
        let options = ReadOptions::default().with_format(format);
        let late = &read(exact.text.as_bytes(), &options).unwrap().conversations[0];
        let as_it_was = write(
            &late.events,
            Some(&late.envelope),
            format,
            &WriteOptions::default(),
        );
        assert_eq!(as_it_was.unwrap().text, exact.text, "{format}");
    }
}
