//! What a compaction of the tool shows, keeps and covers.

use serde_json::json;
use session_log::{EventBody, View};
use session_transcript::{Conversation, Format, Item, WriteOptions, write};

use super::{reply, text, user};
use crate::common::{
    boundaries, fixture, jsonl, left_with_boundaries, log, only, parse, shorts, values,
};

fn view(conversation: &Conversation) -> View {
    View::fold(log(conversation))
}

fn shown(view: &View) -> Vec<String> {
    view.messages()
        .map(|message| message.text().into_owned())
        .collect()
}

#[test]
fn the_view_is_what_the_tool_shows_after_its_own_compaction() {
    let bytes = fixture("claude-code/dag_compact_after_rewind_preserved.jsonl");
    let conversation = only(&bytes);
    let before = view(&conversation);
    let shown_after: Vec<String> = shown(&before).into_iter().skip(1).collect();
    assert_eq!(
        shown_after,
        [
            "Second answer",
            "Keep going",
            "Kept going",
            "After compaction",
            "Final answer"
        ]
    );
    assert!(
        before
            .messages()
            .next()
            .unwrap()
            .text()
            .starts_with("This session is being continued")
    );
    // Nothing is gone: what the boundary hides is in the log.
    assert!(shorts(&conversation).contains(&"user: Second attempt".to_owned()));
    assert_eq!(
        before
            .boundary()
            .unwrap()
            .as_boundary()
            .unwrap()
            .receipt
            .before
            .tokens,
        150_000
    );

    // The view as a session of its own reads back as the same view.
    let items = before.events().iter().map(|event| Item::from(&**event));
    let written = write(
        items,
        Some(&conversation.envelope),
        Format::ClaudeCode,
        &WriteOptions::default(),
    )
    .unwrap();
    assert_eq!(shown(&view(&only(written.text.as_bytes()))), shown(&before));
}

#[test]
fn a_summary_without_a_boundary_line_hides_what_was_before_it() {
    let mut summary = user(
        "u2",
        "-",
        "This session is being continued from a previous conversation. It went well.",
    );
    summary["isCompactSummary"] = json!(true);
    let lines = [
        user("u1", "-", "Old"),
        reply("a1", "u1", "m1", &text("Older")),
        summary,
        user("u3", "u2", "New"),
    ];
    let conversation = only(&jsonl(&lines));
    assert_eq!(shown(&view(&conversation)).len(), 2);
    assert_eq!(shown(&view(&conversation))[1], "New");
    assert_eq!(
        values(conversation.write_back().unwrap().text.as_bytes()),
        lines
    );
}

#[test]
fn boundaries_are_no_messages() {
    let conversation = only(&fixture(
        "claude-code/dag_compact_after_rewind_preserved.jsonl",
    ));
    let boundaries = conversation
        .events
        .iter()
        .filter(|event| matches!(event.body, EventBody::Compaction(_)));
    assert_eq!(boundaries.count(), 1);
}

#[test]
fn each_of_many_compactions_covers_what_left_the_view_with_it() {
    let mut lines = Vec::new();
    let mut last = String::from("-");
    for number in 0..300 {
        let [asked, said, edge, summary] =
            ["u", "a", "b", "s"].map(|name| format!("{name}{number}"));
        lines.push(user(&asked, &last, "Next"));
        lines.push(reply(&said, &asked, &format!("m{number}"), &text("Done")));
        let mut kept = json!({"trigger": "auto"});
        if number % 3 > 0 {
            let head = if number % 3 == 1 { &asked } else { &said };
            kept["preservedSegment"] =
                json!({"headUuid": head, "anchorUuid": summary, "tailUuid": said});
        }
        if number % 4 > 0 {
            lines.push(
                json!({"type": "system", "subtype": "compact_boundary", "uuid": edge,
                "parentUuid": null, "logicalParentUuid": said, "sessionId": "s",
                "compactMetadata": kept}),
            );
        }
        let parent = if number % 4 > 0 { &edge } else { &said };
        let mut line = user(&summary, parent, "So far");
        line["isCompactSummary"] = json!(true);
        lines.push(line);
        last = summary;
    }
    let conversation = only(&jsonl(&lines));
    let boundaries = boundaries(&conversation);
    let left = left_with_boundaries(&conversation);
    let mut counts = Vec::new();
    for ((_, boundary), left) in boundaries.iter().zip(&left) {
        assert_eq!(boundary.receipt.covered, *left);
        counts.push(left.count);
    }
    assert_eq!(counts.len(), 300);
    // Question and answer but what is kept, which goes with the next one, and the summary before;
    // without a line of its own a boundary keeps nothing.
    assert_eq!(counts[..12], [2, 1, 4, 4, 3, 2, 4, 1, 5, 3, 1, 4]);
    assert_eq!(shown(&view(&conversation)), ["So far", "Done"]);
}

/// Each boundary names what is not shown behind the first message that is. A file whose boundaries
/// all kept its first line and no other made a log as large as the square of its length.
#[test]
fn boundaries_name_no_more_places_than_a_file_of_their_size_should() {
    let mut lines = vec![user("u0", "-", "First")];
    let mut last = String::from("u0");
    let count = 2500;
    for number in 1..=count {
        let [asked, edge] = ["u", "b"].map(|name| format!("{name}{number}"));
        lines.push(user(&asked, &last, "Next"));
        lines.push(
            json!({"type": "system", "subtype": "compact_boundary", "uuid": edge,
            "parentUuid": null, "logicalParentUuid": asked, "sessionId": "s",
            "compactMetadata": {"preservedMessages": {"uuids": ["u0"]}}}),
        );
        last = edge;
    }
    lines.push(user("end", &last, "End"));
    let transcript = parse(&jsonl(&lines));
    let conversation = &transcript.conversations[0];
    let boundaries = boundaries(conversation);
    let named = boundaries
        .iter()
        .map(|(_, boundary)| boundary.superseded.len());
    let named: usize = named.sum();
    assert_eq!(boundaries.len(), count);
    assert!(named < 1_000_000, "{named} places");
    assert!(
        transcript
            .warnings
            .iter()
            .any(|warning| { warning.what.ends_with("are read as if they kept nothing") })
    );
    assert_eq!(shown(&view(conversation)), ["End"]);
}
