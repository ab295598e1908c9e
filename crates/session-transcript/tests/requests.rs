//! What is written can be sent: providers take it, whatever the log holds.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::collections::BTreeSet;

use common::{all, only, parse, shorts};
use proptest::prelude::*;
use serde_json::{Value, json};
use session_log::{
    Arguments, Json, Media, MediaKind, MediaSource, Message, Opaque, Part, Reasoning, Role,
    ToolCall, ToolResult,
};
use session_transcript::{
    Format, ReadOptions, Repair, Rule, WriteOptions, check_request, read, view_as_request, write,
};

const REQUESTS: [Format; 2] = [Format::OpenAiChat, Format::Anthropic];

fn request(messages: &[Message], format: Format) -> Value {
    serde_json::from_str(&view_as_request(messages, format).unwrap().text).unwrap()
}

fn call(id: &str) -> Message {
    Message::tool_calls([ToolCall::new(id, "f", r#"{"n": 1}"#)])
}

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
fn a_call_that_was_given_up_and_a_result_without_a_call_are_left_out() {
    let talk = [
        Message::user("One"),
        call("k1"),
        Message::user("Never mind."),
        Message::tool_result("k9", "of nobody"),
        Message::assistant("Fine."),
    ];
    for format in REQUESTS {
        let written = view_as_request(&talk, format).unwrap();
        assert_eq!(check_request(format, &written.text), []);
        assert_eq!(written.warnings.len(), 2, "{format}");
        assert!(!written.text.contains("k1") && !written.text.contains("k9"));
    }
    let kept = write(
        &talk,
        None,
        Format::OpenAiChat,
        &WriteOptions::default().with_repair(Repair::Nothing),
    )
    .unwrap();
    let rules: BTreeSet<Rule> = check_request(Format::OpenAiChat, &kept.text)
        .into_iter()
        .map(|violation| violation.rule)
        .collect();
    assert_eq!(
        rules,
        BTreeSet::from([Rule::OrphanResult, Rule::UnansweredCall])
    );
}

#[test]
fn a_late_result_moves_up_behind_its_call() {
    let talk = [
        Message::user("Export"),
        call("k1"),
        Message::user("Any news?"),
        Message::assistant("Not yet."),
        Message::tool_result("k1", "12 rows"),
        Message::assistant("Here."),
    ];
    let sent = request(&talk, Format::OpenAiChat);
    let roles: Vec<&str> = sent
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(
        roles,
        [
            "user",
            "assistant",
            "tool",
            "user",
            "assistant",
            "assistant"
        ]
    );
    assert_eq!(
        check_request(
            Format::Anthropic,
            &request(&talk, Format::Anthropic).to_string()
        ),
        []
    );
}

#[test]
fn an_id_that_is_used_again_pairs_with_the_nearest_call() {
    let mut talk = vec![Message::user("Run")];
    for text in ["r1", "r2", "r3"] {
        talk.push(call("same"));
        talk.push(Message::tool_result("same", text));
    }
    let sent = request(&talk, Format::Anthropic);
    let mut pairs = Vec::new();
    for message in sent["messages"].as_array().unwrap() {
        for block in message["content"].as_array().into_iter().flatten() {
            pairs.extend(
                block
                    .get("id")
                    .or_else(|| block.get("tool_use_id"))
                    .map(|id| id.as_str().unwrap().to_owned()),
            );
        }
    }
    assert_eq!(
        pairs,
        ["same", "same", "same_2", "same_2", "same_3", "same_3"]
    );
    let sent = request(&talk, Format::OpenAiChat);
    assert_eq!(sent[5]["tool_calls"][0]["id"], "same");
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

#[test]
fn the_checker_names_the_rule_that_is_broken() {
    let rules = |format, request: Value| -> Vec<Rule> {
        check_request(format, &request.to_string())
            .into_iter()
            .map(|violation| violation.rule)
            .collect()
    };
    let chat = |request| rules(Format::OpenAiChat, request);
    assert_eq!(chat(json!({})), [Rule::NoRequest]);
    assert_eq!(chat(json!([{"content": "x"}])), [Rule::Role]);
    assert_eq!(
        chat(json!([{"role": "assistant", "content": null}])),
        [Rule::Content]
    );
    assert_eq!(
        chat(json!([{"role": "user", "content": "x", "name": "a b"}])),
        [Rule::SpeakerName]
    );
    assert_eq!(
        chat(json!([{"role": "assistant", "content": "x", "tool_calls": []}])),
        [Rule::EmptyCalls]
    );
    let call = |id: &str, arguments: Value| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}});
    let asks = |id, arguments| json!({"role": "assistant", "content": null, "tool_calls": [call(id, arguments)]});
    assert_eq!(
        chat(json!([asks("k", json!("{}"))])),
        [Rule::UnansweredCall]
    );
    assert_eq!(
        chat(json!([asks("k", json!({})), {"role": "tool", "tool_call_id": "k", "content": null}])),
        [Rule::Arguments, Rule::ResultContent]
    );
    assert_eq!(
        chat(
            json!([asks("k", json!("{}")), {"role": "user", "content": "x"}, {"role": "tool", "tool_call_id": "k", "content": "x"}])
        ),
        [Rule::UnansweredCall, Rule::OrphanResult]
    );

    let anthropic = |request| rules(Format::Anthropic, request);
    assert_eq!(
        anthropic(json!([{"role": "assistant", "content": "x"}])),
        [Rule::UserFirst]
    );
    assert_eq!(
        anthropic(json!([{"role": "user", "content": [{"type": "text", "text": " "}]}])),
        [Rule::BlankText]
    );
    let asks = |id| json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "f", "input": {}}]});
    let says = || json!({"role": "user", "content": "x"});
    let answer = |id| json!({"type": "tool_result", "tool_use_id": id, "content": "x"});
    assert_eq!(
        anthropic(json!([says(), asks("a.b"), {"role": "user", "content": [answer("a.b")]}])),
        [Rule::CallId]
    );
    assert_eq!(
        anthropic(
            json!([says(), asks("a"), {"role": "user", "content": [{"type": "text", "text": "x"}, answer("a")]}])
        ),
        [Rule::ResultsFirst]
    );
    assert_eq!(
        anthropic(
            json!([says(), asks("a"), {"role": "user", "content": [answer("a")]}, asks("a"), {"role": "user", "content": [answer("a")]}])
        ),
        [Rule::CallId]
    );
    assert_eq!(
        anthropic(json!([says(), asks("a")])),
        [Rule::UnansweredCall]
    );
    assert_eq!(
        anthropic(
            json!([says(), {"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}, {"type": "text", "text": "y"}]}])
        ),
        [Rule::Unsigned]
    );
}

fn id() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["k1", "k2", "k3", "a.b", "", "k 1"]).prop_map(Into::into)
}

fn part() -> impl Strategy<Value = Part> {
    let text = prop::sample::select(vec!["", " ", "Hi", "two\nlines", "ends in space "]);
    let arguments = prop_oneof![
        prop::sample::select(vec!["", "{}", "{\"a\": 1}", "[1]", "{cut", "plain"])
            .prop_map(|text| Arguments::Text(text.into())),
        Just(Arguments::Value(Json::new("{\"a\": [1e3]}").unwrap())),
    ];
    prop_oneof![
        4 => text.prop_map(Part::text),
        4 => (id(), arguments).prop_map(|(id, arguments)| {
            let mut call = ToolCall::new(id, "f", "");
            call.arguments = arguments;
            Part::ToolCall(call)
        }),
        4 => id().prop_map(|id| Part::ToolResult(ToolResult::text(id, "done"))),
        1 => id().prop_map(|id| Part::ToolResult(ToolResult::new(id, vec![image()]))),
        1 => Just(image()),
        1 => Just(Part::Reasoning(Reasoning::new("Hm"))),
        1 => Just(Part::Opaque(Opaque::new("elsewhere", Json::null()))),
    ]
}

fn image() -> Part {
    let mut image = Media::new(MediaKind::Image, MediaSource::Base64("AA==".into()));
    image.media_type = Some("image/png".into());
    Part::Media(image)
}

fn message() -> impl Strategy<Value = Message> {
    let role = prop_oneof![
        4 => Just(Role::User),
        4 => Just(Role::Assistant),
        4 => Just(Role::Tool),
        1 => Just(Role::System),
        1 => Just(Role::Developer),
        1 => Just(Role::Other("narrator".into())),
    ];
    (role, prop::collection::vec(part(), 0..4)).prop_map(|(role, parts)| Message::new(role, parts))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_conversation_becomes_a_request_that_is_taken(talk in prop::collection::vec(message(), 0..10)) {
        for format in REQUESTS {
            let written = view_as_request(&talk, format).unwrap();
            prop_assert_eq!(check_request(format, &written.text), [], "{}", written.text);
        }
    }

    #[test]
    fn a_request_read_and_written_again_is_the_same(talk in prop::collection::vec(message(), 1..10)) {
        for format in REQUESTS {
            let once = view_as_request(&talk, format).unwrap().text;
            if check_request(format, &once).is_empty() && once.contains("role") {
                let transcript = read(once.as_bytes(), &ReadOptions::default().with_format(format)).unwrap();
                let again = view_as_request(&transcript.conversations[0].events, format).unwrap().text;
                let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
                prop_assert_eq!(value(&once), value(&again));
            }
        }
    }

    #[test]
    fn a_session_file_of_any_conversation_reads_back(talk in prop::collection::vec(message(), 1..10)) {
        let options = WriteOptions::default().with_repair(Repair::Everything);
        let written = write(&talk, None, Format::ClaudeCode, &options).unwrap();
        if !written.text.is_empty() {
            let conversation = parse(written.text.as_bytes()).conversations.remove(0);
            prop_assert_eq!(conversation.message_count(), conversation.events.len());
            let again = write(&conversation.events, Some(&conversation.envelope), Format::ClaudeCode, &options).unwrap();
            prop_assert_eq!(again.text, written.text);
        }
    }
}
