//! Event logs of Copilot CLI.

use serde_json::json;
use session_log::{Boundary, EventBody, Part};
use session_transcript::Format;

use crate::common::{fixture, messages, only, parse, shorts, told, view, with_half_a_line};

#[test]
fn events_become_messages_calls_and_results() {
    let transcript = parse(&fixture("copilot-cli/events.jsonl"));
    assert_eq!(transcript.format, Format::CopilotCli);
    let conversation = &transcript.conversations[0];
    assert_eq!(conversation.id, "c1");
    assert_eq!(conversation.model.as_deref(), Some("m-2"));
    assert_eq!(
        shorts(conversation),
        [
            "user: Rename the module",
            r#"assistant: [reasoning] [call k1 view {"path":"a.rs"}] [call k2 task {}]"#,
            "tool: [result k1: mod a;]",
            "assistant: From the side.",
            "tool: [result k2: denied]",
            "(summary) user: A module is being renamed.",
            "user: Go on",
            "assistant: Done.",
        ]
    );
    let messages = messages(conversation);
    let Part::Reasoning(reasoning) = &messages[1].1.parts[0] else {
        panic!("no reasoning");
    };
    assert_eq!(reasoning.encrypted.as_deref(), Some("b3BhcXVl"));
    assert_eq!(messages[4].1.results().next().unwrap().is_error, Some(true));
    let branches: Vec<Option<&str>> = messages
        .iter()
        .map(|(event, _)| event.branch.as_ref().map(|branch| branch.as_str()))
        .collect();
    assert_eq!(branches[3], Some("agent_k2"));
    assert_eq!(branches.iter().flatten().count(), 1);
    assert_eq!(conversation.events[0].id.as_str(), "c1/e1/record");
}

#[test]
fn the_view_behind_a_compaction_begins_with_its_summary() {
    let transcript = parse(&fixture("copilot-cli/events.jsonl"));
    assert_eq!(
        view(&transcript.conversations[0]),
        [
            "user: A module is being renamed.",
            "user: Go on",
            "assistant: Done."
        ]
    );
    let text = String::from_utf8(fixture("copilot-cli/events.jsonl")).unwrap();
    let failed = text.replace("\"success\":true,\"pre", "\"success\":false,\"pre");
    assert_eq!(view(&parse(failed.as_bytes()).conversations[0]).len(), 7);
}

#[test]
fn what_is_unknown_or_lost_is_told() {
    let file = fixture("copilot-cli/events.jsonl");
    assert_eq!(
        told(&parse(&file)),
        [
            "1 truncation(s) do not say what left: the view still shows it",
            "line 15: an event of an unknown type is kept beside the conversation",
        ]
    );
    let transcript = parse(&with_half_a_line(&file, 1));
    assert_eq!(transcript.format, Format::CopilotCli);
    assert_eq!(told(&transcript)[0], "skipped line 1: malformed JSON");
    assert_eq!(transcript.conversations[0].message_count(), 8);
}

#[test]
fn each_of_many_compactions_shows_the_prompts_so_far_and_its_summary() {
    let mut events = vec![json!({"type": "session.start", "id": "e", "data": {"sessionId": "s"}})];
    let said = |kind: &str, id: String| json!({"type": kind, "id": id, "data": {"content": id}});
    for number in 0..300 {
        if number % 100 == 0 {
            events.push(said("system.message", format!("p{number}")));
        }
        events.push(said("user.message", format!("u{number}")));
        events.push(
            json!({"type": "session.compaction_complete", "id": format!("c{number}"),
            "data": {"success": true, "summaryContent": format!("s{number}")}}),
        );
    }
    let file: String = events.iter().map(|event| format!("{event}\n")).collect();
    let conversation = only(file.as_bytes());
    assert_eq!(
        view(&conversation),
        ["system: p0", "system: p100", "system: p200", "user: s299"]
    );
    let boundaries: Vec<&Boundary> = conversation
        .events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Compaction(boundary) => Some(&**boundary),
            _ => None,
        })
        .collect();
    let pinned = |number: usize| boundaries[number].pinned.len();
    assert_eq!(boundaries.len(), 300);
    assert_eq!([0, 99, 100, 299].map(pinned), [1, 1, 2, 3]);
    // The summary of the one before, and what was said since.
    let covered = |boundary: &&Boundary| boundary.receipt.covered.count;
    let covered: Vec<u64> = boundaries.iter().map(covered).collect();
    assert_eq!(covered[0], 1);
    assert!(covered[1..].iter().all(|count| *count == 2));
}
