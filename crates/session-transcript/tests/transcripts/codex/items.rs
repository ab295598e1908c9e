//! Items, texts of the screen, and what was taken back.

use serde_json::{Value, json};
use session_transcript::{Format, WriteError};

use super::{call, event, item, line, meta, output, said};
use crate::common::{fixture, jsonl, only, parse, shorts};

fn told(lines: &[Value]) -> Vec<String> {
    shorts(&only(&jsonl(lines)))
}

#[test]
fn texts_of_the_screen_are_the_items_and_what_was_said_twice_counts_twice() {
    let items = [
        said("user", "yes"),
        said("assistant", "Sure?"),
        said("user", "yes"),
    ];
    let wanted = ["user: yes", "assistant: Sure?", "user: yes"];
    assert_eq!(told(&items), wanted);
    let both = [
        event("user_message", "message", "yes"),
        items[0].clone(),
        items[1].clone(),
        event("agent_message", "message", "Sure?"),
        event("user_message", "message", "yes"),
        items[2].clone(),
    ];
    assert_eq!(told(&both), wanted);
    let events: Vec<Value> = [0, 3, 4].map(|at| both[at].clone()).into();
    assert_eq!(told(&events), wanted);
    let transcript = parse(&jsonl(&both));
    assert_eq!(transcript.format, Format::Codex);
    assert_eq!(
        transcript.warnings[0].what,
        "3 text(s) of the screen repeat items and are left out"
    );
}

#[test]
fn items_of_one_reply_are_one_message() {
    let lines = [
        said("user", "Look"),
        line(
            "response_item",
            &json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}], "encrypted_content": "x"}),
        ),
        event("agent_reasoning", "text", "Hm."),
        said("assistant", "Looking."),
        call("k1"),
        line("event_msg", &json!({"type": "exec_command_begin"})),
        line(
            "response_item",
            &json!({"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin", "call_id": "k2"}),
        ),
        output("k1"),
        output("k2"),
        said("assistant", "Done."),
    ];
    assert_eq!(
        told(&lines),
        [
            "user: Look",
            "assistant: [reasoning] Looking. [call k1 shell {}] [call k2 apply_patch *** Begin]",
            "tool: [result k1: done]",
            "tool: [result k2: done]",
            "assistant: Done.",
        ]
    );
}

#[test]
fn what_codex_puts_in_opens_no_turn() {
    let lines = [
        meta(),
        said(
            "developer",
            "<permissions instructions>ask</permissions instructions>",
        ),
        said(
            "user",
            "<environment_context><cwd>/app</cwd></environment_context>",
        ),
        said("user", "# AGENTS.md instructions for /app\n\nUse tabs."),
        said("user", "Fix it"),
        said("user", "<turn_aborted>by the person</turn_aborted>"),
    ];
    assert_eq!(
        told(&lines),
        [
            "system: Be brief.",
            "(injected) developer: <permissions instructions>ask</permissions instructions>",
            "(injected) user: <environment_context><cwd>/app</cwd></environment_context>",
            "(injected) user: # AGENTS.md instructions for /app\n\nUse tabs.",
            "user: Fix it",
            "(injected) user: <turn_aborted>by the person</turn_aborted>",
        ]
    );
}

#[test]
fn turns_that_were_taken_back_are_beside_the_conversation() {
    let lines = [
        said("user", "One"),
        said("assistant", "First."),
        said("user", "Two"),
        said("assistant", "Second."),
        said("user", "Three"),
        line(
            "event_msg",
            &json!({"type": "thread_rolled_back", "num_turns": 2}),
        ),
        said("user", "Four"),
    ];
    let transcript = parse(&jsonl(&lines));
    let conversation = &transcript.conversations[0];
    assert_eq!(
        shorts(conversation),
        ["user: One", "assistant: First.", "user: Four"]
    );
    assert_eq!(conversation.events.len(), 7);
    assert_eq!(
        transcript.warnings[0].what,
        "3 line(s) of turns that were taken back are kept beside the conversation"
    );
}

#[test]
fn a_session_that_grew_keeps_its_ids() {
    let lines = [
        meta(),
        said("user", "One"),
        said("assistant", "First."),
        said("user", "Two"),
    ];
    let before = only(&jsonl(&lines[..3]));
    let after = only(&jsonl(&lines));
    assert_eq!(before.id, "s1");
    assert_eq!(before.events, after.events[..3]);
}

#[test]
fn the_first_versions_had_no_payload() {
    let lines = [
        json!({"id": "s0", "timestamp": "2025-05-01T00:00:00Z", "instructions": null, "git": {}}),
        item("user", "input_text", "Hi"),
        json!({"record_type": "state"}),
        json!({"type": "local_shell_call", "call_id": "k1", "status": "completed", "action": {"type": "exec"}}),
        json!({"type": "function_call_output", "call_id": "k1", "output": {"content": "no", "success": false}}),
    ];
    let conversation = only(&jsonl(&lines));
    assert_eq!(conversation.id, "s0");
    assert_eq!(
        shorts(&conversation),
        [
            "user: Hi",
            r#"assistant: [call k1 local_shell {"type":"exec"}]"#,
            "tool: [result k1: no]",
        ]
    );
}

#[test]
fn what_is_unknown_is_kept_and_told() {
    let lines = [
        said("user", "Hi"),
        line("something_new", &json!({"x": 1})),
        line("response_item", &json!({"type": "telepathy"})),
        json!(7),
        line("response_item", &json!({"type": "ghost_snapshot"})),
    ];
    let transcript = parse(&jsonl(&lines));
    let conversation = &transcript.conversations[0];
    assert_eq!(conversation.events.len(), 4);
    assert_eq!(conversation.message_count(), 1);
    assert_eq!(transcript.skipped[0].line, 4);
    let told: Vec<Option<u64>> = transcript
        .warnings
        .iter()
        .map(|warning| warning.line)
        .collect();
    assert_eq!(told, [Some(2), Some(3)]);
}

#[test]
fn recorded_families_of_lines_are_all_there() {
    let conversation = only(&fixture("codex/record-families.jsonl"));
    assert_eq!(conversation.id, "33333333-3333-4333-8333-333333333333");
    assert_eq!(
        conversation.parent.as_deref(),
        Some("22222222-2222-4222-8222-222222222222")
    );
    assert_eq!(conversation.model.as_deref(), Some("synthetic-model"));
    let told = shorts(&conversation);
    let calls = told.iter().filter(|text| text.contains("[call ")).count();
    let results = told.iter().filter(|text| text.contains("[result ")).count();
    assert_eq!((calls, results), (6, 6));
    assert_eq!(
        told.iter().filter(|text| text.starts_with("user:")).count(),
        1
    );

    let transcript = parse(&fixture("codex/sample-session.jsonl"));
    let conversation = &transcript.conversations[0];
    assert_eq!(
        shorts(conversation)[0],
        "developer: You are a helpful coding assistant."
    );
    assert_eq!(
        transcript.write_back(),
        Err(WriteError::ReadOnly {
            format: Format::Codex
        })
    );
}
