//! ATIF trajectories, in and out.

use serde_json::{Value, json};
use session_log::{Message, ToolCall};
use session_transcript::{
    Format, ReadOptions, Repair, SideConversations, WriteOptions, read, write,
};

use crate::common::{example, fixture, only, parse, shorts, told, values, view};

#[test]
fn each_step_is_a_message_and_what_was_observed() {
    let transcript = parse(&fixture("atif/trajectory.json"));
    assert_eq!(transcript.format, Format::Atif);
    assert_eq!(told(&transcript), Vec::<String>::new());
    let conversation = &transcript.conversations[0];
    assert_eq!(conversation.id, "a1");
    assert_eq!(conversation.model.as_deref(), Some("m-1"));
    assert!(conversation.tools.is_some());
    assert_eq!(
        shorts(conversation),
        [
            "system: Be brief.",
            "user: Look [opaque]",
            r#"assistant: [reasoning] [call k1 ls {"path": "."}] [call k2 ls {}]"#,
            "tool: [result k2: b]",
            "tool: [result k1: a]",
            r#"assistant: Sent keys. [call k3 keys {"keys": "ls\n"}]"#,
            "tool: [result k3: a b]",
            "assistant: Wait.",
            "(injected) user: still running",
            "system: Context is full.",
            "(summary) user: It was looked at.",
            "user: Go on",
            "assistant: From the side.",
        ]
    );
    let branches: Vec<&str> = conversation
        .events
        .iter()
        .filter_map(|event| Some(event.branch.as_ref()?.as_str()))
        .collect();
    assert_eq!(branches, ["agent_x1"]);
}

#[test]
fn copied_steps_are_the_view_behind_a_compaction() {
    let transcript = parse(&fixture("atif/trajectory.json"));
    assert_eq!(
        view(&transcript.conversations[0])[..3],
        [
            "system: Be brief.",
            "user: It was looked at.",
            "assistant: Wait."
        ]
    );
}

#[test]
fn a_file_that_goes_on_from_another_begins_with_its_copies() {
    let file = json!({"schema_version": "ATIF-v1.7", "agent": {"name": "a", "version": "1"}, "steps": [
        {"step_id": 1, "source": "user", "message": "Before", "is_copied_context": true},
        {"step_id": 2, "source": "user", "message": "Now"},
    ]});
    let conversation = only(file.to_string().as_bytes());
    assert_eq!(shorts(&conversation), ["user: Before", "user: Now"]);
}

#[test]
fn trajectories_of_sub_agents_are_conversations_of_their_own() {
    let file = fixture("atif/trajectory.json");
    let transcript = parse(&file);
    let side = &transcript.conversations[1];
    assert_eq!(side.parent.as_deref(), Some("a1"));
    assert_eq!(shorts(side), ["user: Search"]);
    let options = ReadOptions::default().with_side(SideConversations::LeaveOut);
    assert_eq!(read(&file, &options).unwrap().conversations.len(), 1);
}

#[test]
fn a_trajectory_is_written_as_it_was() {
    let file = fixture("atif/trajectory.json");
    let written = parse(&file).write_back().unwrap();
    assert_eq!(values(written.text.as_bytes()), values(&file));
    assert!(written.warnings.is_empty());
}

/// What a validator asks for: steps numbered from 1, results of calls of their own step, agent
/// fields on agents only, arguments that are objects.
fn check(trajectory: &Value) {
    assert!(
        trajectory["schema_version"]
            .as_str()
            .unwrap()
            .starts_with("ATIF-v1.")
    );
    assert!(trajectory["session_id"].is_string());
    assert!(trajectory["agent"]["name"].is_string() && trajectory["agent"]["version"].is_string());
    for (at, step) in trajectory["steps"].as_array().unwrap().iter().enumerate() {
        assert_eq!(step["step_id"], json!(at + 1));
        let is_agent = step["source"] == "agent";
        assert!(is_agent || step["source"] == "user" || step["source"] == "system");
        assert!(step["message"].is_string());
        assert!(is_agent || step.get("tool_calls").is_none_or(Value::is_null));
        let calls = step["tool_calls"].as_array().cloned().unwrap_or_default();
        assert!(calls.iter().all(|call| call["arguments"].is_object()));
        let results = step["observation"]["results"].as_array().cloned();
        for result in results.unwrap_or_default() {
            let id = &result["source_call_id"];
            assert!(calls.iter().any(|call| call["tool_call_id"] == *id), "{id}");
        }
    }
}

#[test]
fn sessions_of_other_formats_become_valid_trajectories() {
    for name in [
        "agentic-session.anthropic.json",
        "agentic-session.claude-code.jsonl",
        "airline-support.openai-chat.json",
        "parallel-tools.openai-chat.json",
    ] {
        let conversation = only(&example(name));
        let options = WriteOptions::default().with_repair(Repair::Everything);
        let envelope = Some(&conversation.envelope);
        let written = write(&conversation.events, envelope, Format::Atif, &options).unwrap();
        let trajectory: Value = serde_json::from_str(&written.text).unwrap();
        check(&trajectory);
        let again = only(written.text.as_bytes());
        let calls = |conversation: &session_transcript::Conversation| {
            let shorts = shorts(conversation);
            shorts
                .iter()
                .map(|text| text.matches("[call ").count())
                .sum::<usize>()
        };
        assert_eq!(calls(&again), calls(&conversation), "{name}");
        let back = again.write_back().unwrap().text;
        let is_same = values(written.text.as_bytes()) == values(back.as_bytes());
        assert!(is_same, "{name}");
    }
}

#[test]
fn what_has_no_place_is_told() {
    let view = [
        Message::user("Book it"),
        Message::tool_calls([ToolCall::new("k1", "book", "[9]")]),
        Message::tool_result("k1", "done"),
    ];
    let written = write(&view, None, Format::Atif, &WriteOptions::default()).unwrap();
    assert_eq!(
        written.text,
        r#"{"schema_version":"ATIF-v1.6","session_id":"session","agent":{"name":"session-transcript","version":"unknown"},"steps":[{"step_id":1,"source":"user","message":"Book it"},{"step_id":2,"source":"agent","message":"","tool_calls":[{"tool_call_id":"k1","function_name":"book","arguments":{"input":[9]}}],"observation":{"results":[{"source_call_id":"k1","content":"done"}]}}]}"#
    );
    assert_eq!(
        written.warnings[0].what,
        "1 call(s) had arguments that are no object: they were wrapped into one"
    );
}

#[test]
fn a_step_without_a_source_costs_only_itself() {
    let mut file: Value = serde_json::from_slice(&fixture("atif/trajectory.json")).unwrap();
    file["steps"][3] = json!({"step_id": 4});
    let transcript = parse(file.to_string().as_bytes());
    assert_eq!(
        told(&transcript),
        ["skipped line 1: a step without a source"]
    );
    assert_eq!(transcript.conversations[0].message_count(), 11);
}
