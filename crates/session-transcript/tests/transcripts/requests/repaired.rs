//! Calls and results in the order that providers want.

use std::collections::BTreeSet;

use session_log::Message;
use session_transcript::{
    Format, Repair, Rule, WriteOptions, check_request, view_as_request, write,
};

use super::{REQUESTS, call, request};

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
