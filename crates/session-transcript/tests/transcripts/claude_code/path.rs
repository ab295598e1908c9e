//! Which lines are the conversation, and which of them are one message.

use serde_json::{Value, json};

use super::{call, line, reply, result, text, told, user};
use crate::common::{fixture, jsonl, only, parse, shorts, values};

#[test]
fn lines_of_one_reply_are_one_message_and_results_come_behind_it() {
    let lines = [
        user("u1", "-", "Fix it"),
        reply("a1", "u1", "m1", &text("Looking.")),
        reply("a2", "a1", "m1", &call("k1")),
        result("r1", "a2", "k1"),
        reply("a3", "a2", "m1", &call("k2")),
        result("r2", "a3", "k2"),
        reply("a4", "r2", "m2", &text("Fixed.")),
    ];
    let expected = [
        "user: Fix it",
        "assistant: Looking. [call k1 f {}] [call k2 f {}]",
        "tool: [result k1: done]",
        "tool: [result k2: done]",
        "assistant: Fixed.",
    ];
    assert_eq!(told(&lines), expected);
    let written = parse(&jsonl(&lines)).write_back().unwrap();
    assert_eq!(values(written.text.as_bytes()), lines);
}

/// A line beside the path was added to every message with its id, so its text was there twice, and
/// twice in the line when the file was written back; many of both took time with their product.
#[test]
fn a_line_beside_the_path_joins_one_message_of_its_reply() {
    let lines = [
        user("u", "-", "Go"),
        reply("x", "u", "m", &text("Aside")),
        reply("a", "u", "m", &text("One")),
        reply("b", "a", "other", &text("Two")),
        reply("c", "b", "m", &text("Three")),
    ];
    let expected = [
        "user: Go",
        "assistant: Aside One",
        "assistant: Two",
        "assistant: Three",
    ];
    assert_eq!(told(&lines), expected);
    let written = parse(&jsonl(&lines)).write_back().unwrap();
    assert_eq!(values(written.text.as_bytes()), lines);
}

#[test]
fn links_that_are_no_messages_do_not_cut_the_chain() {
    let mut progress = line("p", "u1", "progress", &Value::Null);
    progress["data"] = json!({"type": "hook_progress"});
    let mut system = line("s", "p", "system", &Value::Null);
    system["subtype"] = json!("informational");
    let lines = [
        user("u1", "-", "One"),
        progress,
        system,
        reply("a1", "s", "m1", &text("Two")),
    ];
    assert_eq!(told(&lines), ["user: One", "assistant: Two"]);
}

#[test]
fn what_a_rewind_gave_up_is_kept_beside_the_conversation() {
    let lines = [
        user("u1", "-", "Start"),
        reply("a1", "u1", "m1", &text("Ready")),
        user("u2", "a1", "First attempt"),
        reply("a2", "u2", "m2", &text("First answer")),
        user("u3", "a1", "Second attempt"),
        reply("a3", "u3", "m3", &text("Second answer")),
    ];
    let transcript = parse(&jsonl(&lines));
    let conversation = &transcript.conversations[0];
    assert_eq!(
        shorts(conversation),
        [
            "user: Start",
            "assistant: Ready",
            "user: Second attempt",
            "assistant: Second answer"
        ]
    );
    assert_eq!(conversation.events.len(), 6);
    assert_eq!(
        transcript.warnings[0].what,
        "2 message line(s) of given-up or repeated branches are kept beside the conversation"
    );
    assert_eq!(
        values(transcript.write_back().unwrap().text.as_bytes()),
        lines
    );
}

#[test]
fn a_history_that_is_written_again_is_there_once() {
    let first = [
        user("u1", "-", "Start"),
        reply("a1", "u1", "m1", &call("k1")),
        result("r1", "a1", "k1"),
        reply("a2", "a1", "m1", &call("k2")),
        result("r2", "a2", "k2"),
        reply("a3", "r2", "m2", &text("Done")),
    ];
    // The copy leaves out the parallel call k1 and its result.
    let again = [
        user("v1", "-", "Start"),
        reply("b2", "v1", "m1", &call("k2")),
        result("s2", "b2", "k2"),
        reply("b3", "s2", "m2", &text("Done")),
        user("v2", "b3", "More"),
    ];
    let lines: Vec<Value> = first.into_iter().chain(again).collect();
    let conversation = only(&jsonl(&lines));
    let told = shorts(&conversation);
    assert_eq!(told.len(), 6, "{told:?}");
    assert_eq!(told[0], "user: Start");
    assert!(told[1].contains("k1") && told[1].contains("k2"));
    assert_eq!(told[4..], ["assistant: Done", "user: More"]);
}

#[test]
fn missing_parents_and_cycles_are_told_and_lose_nothing_that_is_linked() {
    let lines = [
        user("1", "-", "day one"),
        reply("2", "1", "m1", &text("reply one")),
        json!({"type": "system", "subtype": "compact_boundary", "uuid": "3", "parentUuid": null, "logicalParentUuid": "gone"}),
        json!({"type": "user", "uuid": "4", "parentUuid": "3", "isCompactSummary": true, "message": {"role": "user", "content": "Summary: day one was fine."}}),
        user("5", "also-gone", "day two"),
        reply("6", "5", "m2", &text("reply two")),
    ];
    let transcript = parse(&jsonl(&lines));
    let expected = [
        "user: day one",
        "assistant: reply one",
        "(summary) user: Summary: day one was fine.",
        "user: day two",
        "assistant: reply two",
    ];
    assert_eq!(shorts(&transcript.conversations[0]), expected);
    let warnings: Vec<String> = transcript
        .warnings
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        warnings,
        [
            "line 3: missing parent: joined to the line before",
            "line 5: missing parent: joined to the line before"
        ]
    );

    let lines = [
        user("1", "3", "a"),
        reply("2", "1", "m1", &text("b")),
        user("3", "2", "c"),
    ];
    let transcript = parse(&jsonl(&lines));
    assert_eq!(
        shorts(&transcript.conversations[0]),
        ["user: a", "assistant: b", "user: c"]
    );
    assert_eq!(
        transcript.warnings[0].to_string(),
        "line 3: the lines form a cycle: cut here"
    );
}

#[test]
fn only_what_the_person_said_opens_a_turn() {
    let mut meta = user("u4", "u3", "A skill's text");
    meta["isMeta"] = json!(true);
    let mut queued = line("q", "a1", "attachment", &Value::Null);
    queued["attachment"] = json!({"type": "queued_command", "prompt": "Also this"});
    queued.as_object_mut().unwrap().remove("message");
    let mut failed = reply("a2", "q", "m2", &text("API Error: 529"));
    failed["isApiErrorMessage"] = json!(true);
    let lines = [
        user(
            "u1",
            "-",
            "<command-name>/clear</command-name>\n<command-args></command-args>",
        ),
        user(
            "u2",
            "u1",
            "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>7</command-args>",
        ),
        user(
            "u3",
            "u2",
            "<local-command-stdout>ok</local-command-stdout>",
        ),
        meta,
        reply("a1", "u4", "m1", &text("Hm")),
        queued.clone(),
        failed,
        line(
            "u5",
            "a2",
            "user",
            &json!([text("<ide_opened_file>a</ide_opened_file>"), text("Real")]),
        ),
        line(
            "u6",
            "u5",
            "user",
            &json!([text("[Request interrupted by user]")]),
        ),
    ];
    let told = told(&lines);
    let injected: Vec<bool> = told
        .iter()
        .map(|text| text.starts_with("(injected)"))
        .collect();
    assert_eq!(
        injected,
        [true, false, true, true, false, false, true, false, true]
    );
    assert_eq!(told[5], "user: Also this");
    assert_eq!(
        values(parse(&jsonl(&lines)).write_back().unwrap().text.as_bytes()),
        lines
    );
}

#[test]
fn lines_without_any_link_are_read_in_file_order() {
    let conversation = only(&fixture("claude-code/representative_messages.jsonl"));
    assert_eq!(conversation.message_count(), 11);
    assert!(conversation.title.is_some());
}

#[test]
fn a_branch_of_local_commands_alone_does_not_hide_the_conversation() {
    let lines = [
        user(
            "u1",
            "-",
            "<local-command-caveat>Caveat</local-command-caveat>",
        ),
        user("u2", "u1", "Real"),
        reply("a1", "u2", "m1", &text("Answer")),
        user("u3", "u1", "<bash-input>ls</bash-input>"),
        user("u4", "u3", "<bash-stdout>x</bash-stdout>"),
    ];
    assert_eq!(told(&lines)[1..], ["user: Real", "assistant: Answer"]);
}
