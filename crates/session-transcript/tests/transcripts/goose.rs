//! Sessions of goose: who sees which message.

use session_transcript::Format;

use crate::common::{fixture, messages, parse, shorts, told, view, with_half_a_line};

#[test]
fn calls_and_results_are_read() {
    let transcript = parse(&fixture("goose/export.json"));
    assert_eq!(transcript.format, Format::Goose);
    let conversation = &transcript.conversations[0];
    assert_eq!(conversation.id, "20251101_1");
    assert_eq!(conversation.title.as_deref(), Some("Rename a module"));
    assert_eq!(conversation.model.as_deref(), Some("m-1"));
    assert_eq!(
        shorts(conversation),
        [
            "user: Rename the module [media]",
            r#"assistant: [reasoning] [call k1 developer__shell {"command": "ls"}] [call k2 developer__view {}]"#,
            "tool: [result k1: a.rs] [result k2: denied]",
            "(summary) user: A module is being renamed.",
            "(injected) assistant: I go on from the summary.",
            "user: Go on",
            "assistant: [opaque]",
        ]
    );
    let errors = messages(conversation)[2]
        .1
        .results()
        .map(|result| result.is_error);
    assert_eq!(errors.collect::<Vec<_>>(), [None, Some(true)]);
    assert_eq!(
        told(&transcript),
        ["skipped line 12: a message without a role"]
    );
}

#[test]
fn the_view_is_what_the_model_may_see() {
    let transcript = parse(&fixture("goose/export.json"));
    assert_eq!(
        view(&transcript.conversations[0]),
        [
            "user: A module is being renamed.",
            "assistant: I go on from the summary.",
            "user: Go on",
            "assistant: [opaque]",
        ]
    );
}

#[test]
fn messages_that_are_hidden_without_a_summary_leave_the_view_too() {
    let text = String::from_utf8(fixture("goose/export.json")).unwrap();
    let text = text.replace(
        "\"userVisible\": false, \"agentVisible\": true",
        "\"userVisible\": true",
    );
    let transcript = parse(text.as_bytes());
    let shown = view(&transcript.conversations[0]);
    assert_eq!(shown.len(), 4);
    assert_eq!(shown[0], "user: A module is being renamed.");
    assert_eq!(transcript.conversations[0].message_count(), 7);
}

#[test]
fn files_of_older_versions_begin_with_their_head() {
    let transcript = parse(&fixture("goose/older.jsonl"));
    assert_eq!(transcript.format, Format::Goose);
    let conversation = &transcript.conversations[0];
    assert_eq!(conversation.title.as_deref(), Some("Older"));
    assert_eq!(
        shorts(conversation),
        [
            "user: Hi",
            r#"assistant: [call k1 shell {"command":"ls"}]"#,
            "tool: [result k1: a.rs]"
        ]
    );
    let broken = parse(&with_half_a_line(&fixture("goose/older.jsonl"), 1));
    assert_eq!(broken.format, Format::Goose);
    assert_eq!(told(&broken), ["skipped line 1: malformed JSON"]);
    assert_eq!(broken.conversations[0].message_count(), 3);
}
