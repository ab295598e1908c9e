//! The conversations in a file, and files that grow.

use serde_json::json;
use session_log::{Event, Seq};
use session_transcript::{ReadOptions, SideConversations, read};

use super::{reply, text, user};
use crate::common::{fixture, jsonl, only, parse, shorts, values};

#[test]
fn side_conversations_are_their_own_or_left_out() {
    let mut side = [
        user("s1", "-", "Explore"),
        reply("s2", "s1", "m9", &text("Found")),
    ];
    for line in &mut side {
        line["isSidechain"] = json!(true);
        line["agentId"] = json!("a7");
    }
    let [first, second] = side;
    let lines = [
        user("u1", "-", "Go"),
        first,
        reply("a1", "u1", "m1", &text("Done")),
        second,
    ];
    let transcript = parse(&jsonl(&lines));
    let told: Vec<_> = transcript
        .conversations
        .iter()
        .map(|conversation| {
            (
                conversation.id.as_str(),
                conversation.parent.as_deref(),
                shorts(conversation),
            )
        })
        .collect();
    assert_eq!(
        told[0],
        (
            "s",
            None,
            vec!["user: Go".to_owned(), "assistant: Done".to_owned()]
        )
    );
    assert_eq!(
        told[1],
        (
            "s/agent-a7",
            Some("s"),
            vec!["user: Explore".to_owned(), "assistant: Found".to_owned()]
        )
    );
    assert_eq!(
        values(transcript.write_back().unwrap().text.as_bytes()),
        lines
    );

    let options = ReadOptions::default().with_side(SideConversations::LeaveOut);
    assert_eq!(
        read(&jsonl(&lines), &options).unwrap().conversations.len(),
        1
    );
}

#[test]
fn sessions_that_are_not_linked_are_conversations_of_their_own() {
    let transcript = parse(&fixture("claude-code/task_id_linking_cross_session.jsonl"));
    let ids: Vec<_> = transcript
        .conversations
        .iter()
        .map(|conversation| (conversation.id.as_str(), conversation.message_count()))
        .collect();
    assert_eq!(ids, [("sA", 5), ("sB", 5)]);

    let branches = parse(&fixture("claude-code/dag_fork.jsonl"));
    assert_eq!(branches.conversations.len(), 1);
    assert_eq!(branches.conversations[0].id, "s3");
}

#[test]
fn files_without_a_message_are_conversations_without_a_message() {
    let lines = [json!({"type": "summary", "summary": "A title", "leafUuid": "elsewhere"})];
    let conversation = only(&jsonl(&lines));
    assert_eq!(
        (
            conversation.message_count(),
            conversation.events.len(),
            conversation.title.as_deref()
        ),
        (0, 1, None)
    );
    assert_eq!(
        values(conversation.write_back().unwrap().text.as_bytes()),
        lines
    );
}

#[test]
fn reading_a_session_that_grew_adds_only_what_is_new() {
    let whole = fixture("claude-code/queued-and-parallel.jsonl");
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    let half: Vec<u8> = lines[..40].concat();
    let before = only(&half);
    let after = only(&whole);
    assert_eq!(before.id, after.id);
    for event in &before.events {
        let same = after
            .events
            .iter()
            .find(|later| later.id == event.id)
            .unwrap();
        let known: Event = same.clone().at(Seq::FIRST);
        assert!(known.says_the_same_as(event), "{}", event.id);
    }
}
