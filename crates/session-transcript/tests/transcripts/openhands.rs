//! Events of OpenHands, of its SDK and of its first version.

use serde_json::{Value, json};
use session_transcript::{Format, ReadError, ReadOptions, read};

use crate::common::{fixture, parse, shorts, told, view, with_half_a_line};

#[test]
fn actions_of_one_response_are_one_message() {
    let transcript = parse(&fixture("openhands/sdk.jsonl"));
    assert_eq!(transcript.format, Format::OpenHands);
    let conversation = &transcript.conversations[0];
    assert_eq!(
        shorts(conversation),
        [
            "system: You are an agent.",
            "user: Make a file <EXTRA>use tabs</EXTRA>",
            r#"assistant: [reasoning] Two at once. [call k1 terminal {"command": "ls"}] [call k2 edit {}]"#,
            "tool: [result k1: a.py]",
            "tool: [result k2: no such tool]",
            "assistant: [reasoning] It is made.",
            "user: Now another",
            "(summary) user: A file was made.",
            "assistant: Which one?",
        ]
    );
    assert_eq!(
        conversation.tools.as_ref().unwrap().as_str(),
        r#"[{"name":"terminal"}]"#
    );
    assert_eq!(
        told(&transcript),
        ["line 12: an event of an unknown kind is kept beside the conversation"]
    );
}

#[test]
fn a_condensation_puts_its_summary_where_it_says() {
    let transcript = parse(&fixture("openhands/sdk.jsonl"));
    assert_eq!(
        view(&transcript.conversations[0]),
        [
            "system: You are an agent.",
            "user: Make a file <EXTRA>use tabs</EXTRA>",
            "user: A file was made.",
            "user: Now another",
            "assistant: Which one?",
        ]
    );
    let without = String::from_utf8(fixture("openhands/sdk.jsonl")).unwrap();
    let without = without.replace("\"summary\":\"A file was made.\"", "\"summary\":null");
    let transcript = parse(without.as_bytes());
    assert_eq!(view(&transcript.conversations[0]).len(), 4);
}

#[test]
fn the_first_version_is_read_with_its_causes() {
    let transcript = parse(&fixture("openhands/first-version.json"));
    assert_eq!(transcript.format, Format::OpenHands);
    assert_eq!(told(&transcript), Vec::<String>::new());
    let conversation = &transcript.conversations[0];
    assert_eq!(
        shorts(conversation),
        [
            "system: You are an agent.",
            "user: Fix it",
            r#"assistant: Look. [call k1 execute_bash {"command":"ls"}] [call k2 execute_bash {"command":"pwd"}]"#,
            "tool: [result k1: a.py]",
            "tool: [result k2: /app]",
            "(summary) user: It was looked at.",
            r#"assistant: [call event-9 read {"path": "a.py", "thought": ""}]"#,
            "tool: [result event-9: No such file]",
        ]
    );
    assert_eq!(
        view(conversation),
        [
            "system: You are an agent.",
            "user: Fix it",
            "user: It was looked at.",
            r#"assistant: [call event-9 read {"path": "a.py", "thought": ""}]"#,
            "tool: [result event-9: No such file]",
        ]
    );
}

#[test]
fn runs_of_a_benchmark_are_conversations() {
    let events: Value = serde_json::from_slice(&fixture("openhands/first-version.json")).unwrap();
    let run = json!({"instance_id": "a__a-1", "test_result": {"git_patch": ""}, "history": events});
    let pairs =
        json!({"instance_id": "b", "history": [[events[1], events[3]], [events[4], events[5]]]});
    let transcript = parse(format!("{run}\n{pairs}\n{{}}\n").as_bytes());
    let names: Vec<&str> = transcript
        .conversations
        .iter()
        .map(|c| c.id.as_str())
        .collect();
    assert_eq!(names, ["a__a-1", "b"]);
    assert_eq!(transcript.conversations[0].message_count(), 8);
    assert_eq!(transcript.conversations[1].message_count(), 3);
    assert_eq!(told(&transcript), ["skipped line 3: no event"]);
}

#[test]
fn a_broken_event_costs_only_itself() {
    let transcript = parse(&with_half_a_line(&fixture("openhands/sdk.jsonl"), 4));
    assert_eq!(told(&transcript)[0], "skipped line 4: malformed JSON");
    assert_eq!(transcript.conversations[0].message_count(), 9);
}

#[test]
fn the_state_of_an_agent_is_no_transcript() {
    let state = br#"{"id": "1", "agent": {"llm": {"model": "m"}, "kind": "Agent"}, "workspace": {"kind": "LocalWorkspace"}}"#;
    let error = read(state, &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, ReadError::UnknownFormat { .. }));
}
