//! Sessions of pi: linear and as trees, with the compactions it made.

use serde_json::json;
use session_log::{EventBody, Part};
use session_transcript::{Format, WriteError};

use crate::common::{fixture, messages, only, parse, shorts, told, view, with_half_a_line};

#[test]
fn a_linear_session_is_read_with_its_glued_records_and_comments() {
    let transcript = parse(&fixture("pi/linear.jsonl"));
    assert_eq!(transcript.format, Format::Pi);
    assert_eq!(transcript.why, "a session head with a working directory");
    assert_eq!(
        told(&transcript),
        [
            "skipped line 1: a comment",
            "line 5: 2 records stand on one line"
        ]
    );
    let conversation = &transcript.conversations[0];
    assert_eq!(conversation.id, "pi-linear");
    assert_eq!(conversation.model.as_deref(), Some("m-2"));
    assert_eq!(
        shorts(conversation),
        [
            "user: Rename the module [media]",
            r#"assistant: [reasoning] [call k1 read {"path":"a.rs"}] [call k2 bash {"command":"ls"}]"#,
            "tool: [result k2: a.rs]",
            "tool: [result k1: mod a;]",
            "assistant: It is small.",
            "user: Go on",
            "(injected) user: Ran `cargo check`\n```\nerror: no module\n```\nexit code 101",
            "user: It fails",
            r#"assistant: [call k3 edit {"path":"a.rs"}]"#,
            "(summary) user: The module a.rs is being renamed.",
            "tool: [result k3: not found]",
            "assistant: There is no such file.",
        ]
    );
    assert_eq!(
        transcript.write_back(),
        Err(WriteError::ReadOnly { format: Format::Pi })
    );
}

#[test]
fn a_compaction_inside_of_a_turn_keeps_what_stands_behind_the_record_it_names() {
    let conversation = only(&fixture("pi/linear.jsonl"));
    assert_eq!(
        view(&conversation),
        [
            "user: The module a.rs is being renamed.",
            "user: It fails",
            r#"assistant: [call k3 edit {"path":"a.rs"}]"#,
            "tool: [result k3: not found]",
            "assistant: There is no such file.",
        ]
    );
    let boundaries = conversation
        .events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Compaction(boundary) => Some(boundary),
            _ => None,
        });
    let boundaries: Vec<_> = boundaries.collect();
    assert_eq!(boundaries.len(), 1);
    assert_eq!(boundaries[0].receipt.before.tokens, 186_045);
    assert_eq!(boundaries[0].receipt.covered.count, 7);
}

#[test]
fn a_compaction_that_names_itself_keeps_nothing() {
    let text = String::from_utf8(fixture("pi/linear.jsonl")).unwrap();
    let text = text.replace("\"firstKeptEntryIndex\":11", "\"firstKeptEntryIndex\":13");
    let shown = view(&only(text.as_bytes()));
    assert_eq!(shown[0], "user: The module a.rs is being renamed.");
    assert_eq!(shown.len(), 3);
}

#[test]
fn signatures_errors_and_fields_come_along() {
    let conversation = only(&fixture("pi/linear.jsonl"));
    let messages = messages(&conversation);
    let Part::Reasoning(reasoning) = &messages[1].1.parts[0] else {
        panic!("no reasoning");
    };
    assert_eq!(reasoning.signature.as_deref(), Some("c2ln"));
    assert_eq!(messages[1].1.extra["stopReason"].as_str(), "\"toolUse\"");
    assert_eq!(
        messages[10].1.results().next().unwrap().is_error,
        Some(true)
    );
    assert_eq!(
        messages[10].1.results().next().unwrap().name.as_deref(),
        Some("edit")
    );
    let moment = messages[0].0.timestamp.as_millis();
    assert_eq!(moment, 1_766_000_362_000);
}

#[test]
fn the_path_from_the_last_entry_is_the_conversation() {
    let transcript = parse(&fixture("pi/tree.jsonl"));
    let conversation = &transcript.conversations[0];
    assert_eq!(conversation.title.as_deref(), Some("Counting"));
    assert_eq!(
        shorts(conversation),
        [
            "user: One",
            "assistant: First.",
            "(summary) user: A wrong way was tried.",
            "(injected) user: Mind the style guide.",
            "user: Two",
            "assistant: Second.",
            "(summary) user: One and a half.",
            "user: Three",
        ]
    );
    assert_eq!(
        view(conversation),
        [
            "user: One and a half.",
            "user: Two",
            "assistant: Second.",
            "user: Three"
        ]
    );
    assert_eq!(
        told(&transcript),
        [
            "2 entries of given-up branches are kept beside the conversation",
            "line 13: an entry of an unknown type is kept beside the conversation"
        ]
    );
    let ids: Vec<&str> = conversation
        .events
        .iter()
        .map(|event| event.id.as_str())
        .collect();
    assert_eq!(ids[1], "pi-tree/a0000001");
    // All 14 lines are there, and the summary of the compaction.
    assert_eq!(ids.len(), 15);
}

#[test]
fn a_broken_entry_costs_only_itself() {
    let file = with_half_a_line(&fixture("pi/tree.jsonl"), 3);
    let transcript = parse(&file);
    assert_eq!(
        told(&transcript),
        [
            "skipped line 3: malformed JSON",
            "line 4: missing parent: joined to the record before",
            "line 6: missing parent: joined to the record before",
            "line 13: an entry of an unknown type is kept beside the conversation",
        ]
    );
    assert_eq!(transcript.conversations[0].message_count(), 9);

    let circle = String::from_utf8(fixture("pi/tree.jsonl")).unwrap();
    let circle = circle.replacen("\"parentId\":null", "\"parentId\":\"a0000008\"", 1);
    let told = told(&parse(circle.as_bytes()));
    assert_eq!(told[1], "line 9: the records form a cycle: cut here");
}

#[test]
fn a_file_without_its_head_is_still_known() {
    let text = String::from_utf8(fixture("pi/tree.jsonl")).unwrap();
    let headless: String = text
        .lines()
        .skip(1)
        .map(|line| format!("{line}\n"))
        .collect();
    let transcript = parse(headless.as_bytes());
    assert_eq!(transcript.format, Format::Pi);
    assert_eq!(transcript.conversations[0].message_count(), 8);
}

#[test]
fn a_second_compaction_covers_what_was_shown_and_may_bring_back_what_was_not() {
    let mut text = String::from_utf8(fixture("pi/tree.jsonl")).unwrap();
    for (id, parent, kept) in [("b1", "a000000d", "a000000d"), ("b2", "b1", "a0000002")] {
        let entry = json!({"type": "compaction", "id": id, "parentId": parent,
            "summary": format!("Summary {id}."), "firstKeptEntryId": kept});
        text.push_str(&format!("{entry}\n"));
    }
    let conversation = only(text.as_bytes());
    let covered: Vec<u64> = conversation
        .events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Compaction(boundary) => Some(boundary.receipt.covered.count),
            _ => None,
        })
        .collect();
    // One, First, the branch and the note; then the summary, Two and Second; then the summary.
    assert_eq!(covered, [4, 3, 1]);
    assert_eq!(
        view(&conversation),
        [
            "user: Summary b2.",
            "assistant: First.",
            "user: A wrong way was tried.",
            "user: Mind the style guide.",
            "user: Two",
            "assistant: Second.",
            "user: Three",
        ]
    );
}
