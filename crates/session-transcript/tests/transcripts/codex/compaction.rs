//! What a compaction of the tool shows and covers.

use serde_json::{Value, json};
use session_log::{Boundary, EventBody, Origin, Role, Seq};

use super::{call, item, line, meta, output, said};
use crate::common::{jsonl, left_with_boundaries, only, shorts, view};

#[test]
fn a_compaction_hides_what_it_replaced_and_the_log_keeps_it() {
    let lines = [
        meta(),
        said("user", "One"),
        said("assistant", "First."),
        call("k1"),
        output("k1"),
        line("compacted", &json!({"message": "So far: one."})),
        said("user", "Two"),
    ];
    let conversation = only(&jsonl(&lines));
    assert_eq!(
        shorts(&conversation),
        [
            "system: Be brief.",
            "user: One",
            "assistant: First. [call k1 shell {}]",
            "tool: [result k1: done]",
            "(summary) user: So far: one.",
            "user: Two",
        ]
    );
    assert_eq!(
        view(&conversation),
        [
            "system: Be brief.",
            "user: One",
            "user: So far: one.",
            "user: Two"
        ]
    );
}

#[test]
fn a_history_that_is_given_is_the_view_from_then_on() {
    let opaque = json!({"type": "compaction", "encrypted_content": "x"});
    let history = [item("user", "input_text", "One"), opaque];
    let lines = [
        meta(),
        said("user", "One"),
        said("assistant", "First."),
        line(
            "compacted",
            &json!({"message": "", "replacement_history": history, "window": 2}),
        ),
        said("user", "Two"),
        line(
            "compacted",
            &json!({"message": "", "replacement_history": [item("user", "input_text", "New")]}),
        ),
        said("user", "Three"),
    ];
    let two: Vec<Value> = lines[..5].to_vec();
    let conversation = only(&jsonl(&two));
    assert_eq!(
        view(&conversation),
        [
            "system: Be brief.",
            "user: One",
            "assistant: [opaque]",
            "user: Two"
        ]
    );
    let conversation = only(&jsonl(&lines));
    assert_eq!(
        view(&conversation),
        ["system: Be brief.", "user: New", "user: Three"]
    );
    let boundaries = conversation
        .events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Compaction(boundary) => Some(boundary.summary.len()),
            _ => None,
        });
    assert_eq!(boundaries.collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn each_of_many_compactions_covers_what_left_the_view_with_it() {
    let mut lines = vec![meta()];
    for number in 0..300 {
        let long = "x".repeat(3000);
        lines.push(said("user", &format!("Question {} {long}", number / 2)));
        lines.push(said("assistant", "Answer."));
        let summary = item("user", "input_text", &format!("So far {number}."));
        let last = item(
            "user",
            "input_text",
            &format!("Question {} {long}", number / 2),
        );
        let history = match number % 3 {
            0 => json!({"message": format!("So far {number}.")}),
            1 => json!({"message": "", "replacement_history": [last, last, summary, last]}),
            _ => json!({"message": "", "replacement_history": [summary]}),
        };
        lines.push(line("compacted", &history));
    }
    let conversation = only(&jsonl(&lines));
    let left = left_with_boundaries(&conversation);
    let mut boundaries: Vec<&Boundary> = Vec::new();
    let mut persons: Vec<Seq> = Vec::new();
    for (at, event) in conversation.events.iter().enumerate() {
        let seq = Seq::FIRST.plus(at as u64);
        let EventBody::Compaction(boundary) = &event.body else {
            let is_persons = event.origin == Origin::Real
                && matches!(&event.body, EventBody::Message(said) if said.role == Role::User);
            persons.extend(Some(seq).filter(|_| is_persons));
            continue;
        };
        let left = &left[boundaries.len()];
        assert_eq!(boundary.receipt.covered, *left, "{}", event.id);
        // Of the person's about 3010 bytes each, 26 have room; a question that was asked once
        // is found once.
        let newest = match boundaries.len() % 6 {
            0 | 3 => persons.len().min(26),
            1 => 2,
            4 => 1,
            _ => 0,
        };
        let mut pinned = vec![Seq::FIRST];
        pinned.extend(&persons[persons.len() - newest..]);
        assert_eq!(boundary.pinned, pinned, "{}", event.id);
        boundaries.push(boundary);
    }
    assert_eq!(boundaries.len(), 300);
    // The answer and the summary before always leave; questions leave and come back.
    let counts: Vec<u64> = left.iter().map(|covered| covered.count).collect();
    assert_eq!(counts[..6], [1, 2, 6, 2, 6, 6]);
    assert_eq!(counts[294..], [2, 27, 6, 2, 28, 6]);
    assert_eq!(
        view(&conversation),
        ["system: Be brief.", "user: So far 299."]
    );
}
