//! Exports of Claude.ai: the branch that is shown, and calls apart from their results.

use serde_json::{Value, json};
use session_log::{MediaSource, Part};
use session_transcript::{Format, Repair, WriteOptions, write};

use crate::common::{fixture, messages, parse, shorts, told};

fn export() -> Value {
    serde_json::from_slice(&fixture("claude-ai/conversations.json")).unwrap()
}

#[test]
fn the_current_branch_is_read_with_calls_apart_from_results() {
    let transcript = parse(&fixture("claude-ai/conversations.json"));
    assert_eq!(transcript.format, Format::ClaudeAi);
    let conversation = &transcript.conversations[0];
    assert_eq!(conversation.id, "c1");
    assert_eq!(conversation.title.as_deref(), Some("A page"));
    assert_eq!(conversation.model.as_deref(), Some("m-1"));
    assert_eq!(
        shorts(conversation),
        [
            "user: [media] [media] Make a page",
            r#"assistant: [reasoning] [call toolu_0 view {"path": "/a"}]"#,
            "tool: [result toolu_0: (nothing)]",
            r#"assistant: [call u3-call-2 create_file {"path": "/b"}] [call u3-call-3 check {}]"#,
            "tool: [result u3-call-3: bad]",
            "tool: [result u3-call-2: made]",
            "assistant: It is there.",
            "user: Thanks",
        ]
    );
    assert_eq!(
        told(&transcript),
        [
            "skipped line 30: a message without a sender",
            "line 2: 1 message(s) of given-up branches are kept beside the conversation",
        ]
    );
}

#[test]
fn older_exports_are_linear_and_have_only_a_text() {
    let transcript = parse(&fixture("claude-ai/conversations.json"));
    let conversation = &transcript.conversations[1];
    assert_eq!(shorts(conversation), ["user: Hi", "assistant: Hello"]);
    assert_eq!(conversation.title, None);
    assert_eq!(
        conversation.events[0].timestamp.as_millis(),
        1_704_067_201_000
    );
}

#[test]
fn attachments_keep_their_text_and_thoughts_their_summary() {
    let transcript = parse(&fixture("claude-ai/conversations.json"));
    let messages = messages(&transcript.conversations[0]);
    let Part::Media(media) = &messages[0].1.parts[0] else {
        panic!("no media");
    };
    assert_eq!(media.source, MediaSource::Text("hello".into()));
    assert_eq!(media.name.as_deref(), Some("notes.txt"));
    let Part::Reasoning(reasoning) = &messages[1].1.parts[0] else {
        panic!("no reasoning");
    };
    assert_eq!(reasoning.text.as_deref(), Some("Preparing."));
}

#[test]
fn a_leaf_that_is_missing_and_parents_that_are_missing_are_told() {
    let mut export = export();
    export[0]["current_leaf_message_uuid"] = json!("nobody");
    export[0]["chat_messages"][2]["parent_message_uuid"] = json!("lost");
    let transcript = parse(export.to_string().as_bytes());
    assert_eq!(
        told(&transcript)[1..],
        [
            "line 1: the current leaf is not there: the branch with the last message is taken",
            "line 1: missing parent: joined to the record before",
        ]
    );
    assert_eq!(transcript.conversations[0].message_count(), 9);
}

#[test]
fn a_block_of_an_unknown_type_stays_in_the_log() {
    let mut export = export();
    export[0]["chat_messages"][2]["content"][0]["type"] = json!("hologram");
    let transcript = parse(export.to_string().as_bytes());
    assert!(
        told(&transcript)
            .contains(&"line 1: a block of an unknown type is kept beside the conversation".into())
    );
    // The other branch, the token budget, and the block.
    let conversation = &transcript.conversations[0];
    let asides = conversation.events.len() - conversation.message_count();
    assert_eq!(asides, 3);
}

#[test]
fn what_is_read_can_be_sent_on() {
    let transcript = parse(&fixture("claude-ai/conversations.json"));
    let conversation = &transcript.conversations[0];
    let options = WriteOptions::default().with_repair(Repair::Everything);
    let written = write(&conversation.events, None, Format::Anthropic, &options).unwrap();
    let written: Value = serde_json::from_str(&written.text).unwrap();
    let roles: Vec<&str> = written
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    let expected = [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ];
    assert_eq!(roles, expected);
}
