//! What the checker refuses, and that nothing written is refused.

use proptest::prelude::*;
use serde_json::{Value, json};
use session_log::{
    Arguments, Json, Media, MediaKind, MediaSource, Message, Opaque, Part, Reasoning, Role,
    ToolCall, ToolResult,
};
use session_transcript::{
    Format, ReadOptions, Repair, Rule, WriteOptions, check_request, read, view_as_request, write,
};

use super::REQUESTS;
use crate::common::parse;

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
