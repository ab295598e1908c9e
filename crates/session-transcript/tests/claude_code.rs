//! Sessions of Claude Code are rebuilt as that tool shows them, and written so that it can go on.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::sync::Arc;

use common::{boundaries, fixture, left_with_boundaries, only, parse, shorts, values};
use serde_json::{Value, json};
use session_log::{Event, EventBody, Message, Origin, Part, Seq, ToolCall, View};
use session_transcript::{
    Conversation, Format, Item, ReadOptions, Repair, SideConversations, WriteOptions, read, write,
};

/// A line: `uuid<parent kind content`, where parent is `-` for none.
fn line(uuid: &str, parent: &str, kind: &str, content: &Value) -> Value {
    let parent = if parent == "-" {
        Value::Null
    } else {
        json!(parent)
    };
    json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "isSidechain": false,
        "message": {"role": kind, "content": content}})
}

fn user(uuid: &str, parent: &str, text: &str) -> Value {
    line(uuid, parent, "user", &json!(text))
}

/// One block of the reply `id`.
fn reply(uuid: &str, parent: &str, id: &str, block: &Value) -> Value {
    let mut line = line(uuid, parent, "assistant", &json!([block]));
    line["message"]["id"] = json!(id);
    line
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn call(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "f", "input": {}})
}

fn result(uuid: &str, parent: &str, id: &str) -> Value {
    let mut line = line(
        uuid,
        parent,
        "user",
        &json!([{"type": "tool_result", "tool_use_id": id, "content": "done"}]),
    );
    line["toolUseResult"] = json!({"stdout": "done"});
    line
}

fn file(lines: &[Value]) -> Vec<u8> {
    lines
        .iter()
        .map(|line| format!("{line}\n"))
        .collect::<String>()
        .into_bytes()
}

fn told(lines: &[Value]) -> Vec<String> {
    shorts(&only(&file(lines)))
}

fn view(conversation: &Conversation) -> View {
    let seqs = (1..).map(|number| Seq::new(number).unwrap());
    View::fold(
        conversation
            .events
            .iter()
            .cloned()
            .zip(seqs)
            .map(|(event, seq)| Arc::new(event.at(seq))),
    )
}

fn shown(view: &View) -> Vec<String> {
    view.messages()
        .map(|message| message.text().into_owned())
        .collect()
}

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
    let written = parse(&file(&lines)).write_back().unwrap();
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
    let transcript = parse(&file(&lines));
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
    let conversation = only(&file(&lines));
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
    let transcript = parse(&file(&lines));
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
    let transcript = parse(&file(&lines));
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
    let conversation = only(&file(&lines));
    assert_eq!(shown(&view(&conversation)).len(), 2);
    assert_eq!(shown(&view(&conversation))[1], "New");
    assert_eq!(
        values(conversation.write_back().unwrap().text.as_bytes()),
        lines
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
        values(parse(&file(&lines)).write_back().unwrap().text.as_bytes()),
        lines
    );
}

#[test]
fn text_beside_results_is_an_event_of_its_own_and_joined_again() {
    let mixed = json!([text("before"), {"type": "tool_result", "tool_use_id": "k1", "content": "x"}, text("after")]);
    let lines = [
        user("u1", "-", "Go"),
        reply("a1", "u1", "m1", &call("k1")),
        line("u2", "a1", "user", &mixed),
    ];
    assert_eq!(
        told(&lines)[2..],
        ["tool: [result k1: x]", "user: before after"]
    );
    assert_eq!(
        values(parse(&file(&lines)).write_back().unwrap().text.as_bytes()),
        lines
    );
}

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
    let transcript = parse(&file(&lines));
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
        read(&file(&lines), &options).unwrap().conversations.len(),
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

#[test]
fn files_without_a_message_are_conversations_without_a_message() {
    let lines = [json!({"type": "summary", "summary": "A title", "leafUuid": "elsewhere"})];
    let conversation = only(&file(&lines));
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
fn a_view_is_written_as_lines_that_follow_each_other() {
    let lines = [
        user("u1", "-", "One"),
        reply("a1", "u1", "m1", &text("1")),
        user("u2", "a1", "Two"),
        reply("a2", "u2", "m2", &call("k1")),
        reply("a3", "a2", "m2", &call("k2")),
        result("r1", "a2", "k1"),
        result("r2", "a3", "k2"),
        reply("a4", "r2", "m3", &text("2")),
    ];
    let conversation = only(&file(&lines));
    let left: Vec<_> = conversation.events.iter().skip(2).collect();
    let written = write(
        left,
        Some(&conversation.envelope),
        Format::ClaudeCode,
        &WriteOptions::default(),
    )
    .unwrap();
    let written = values(written.text.as_bytes());
    let mut expected = lines[2..].to_vec();
    expected[0]["parentUuid"] = Value::Null;
    assert_eq!(written, expected);
}

#[test]
fn a_result_that_was_shortened_does_not_come_back_beside_itself() {
    let lines = [
        user("u1", "-", "Go"),
        reply("a1", "u1", "m1", &call("k1")),
        result("r1", "a1", "k1"),
    ];
    let conversation = only(&file(&lines));
    let items = conversation.events.iter().map(|event| {
        let item = Item::from(event);
        match item.message() {
            Some(message) if message.is_only_results() => {
                let mut shorter = message.clone();
                if let [Part::ToolResult(result)] = shorter.parts.as_mut_slice() {
                    result.parts = vec![Part::text("[cleared]")];
                }
                Item::from(event).with_message(std::borrow::Cow::Owned(shorter))
            }
            _ => item,
        }
    });
    let written = write(
        items,
        Some(&conversation.envelope),
        Format::ClaudeCode,
        &WriteOptions::default(),
    )
    .unwrap();
    let last = values(written.text.as_bytes()).pop().unwrap();
    assert_eq!(last["message"]["content"][0]["content"], "[cleared]");
    assert_eq!(last.get("toolUseResult"), None);
    assert_eq!(last["uuid"], "r1");
}

#[test]
fn a_conversation_from_elsewhere_becomes_a_session_that_reads_back() {
    let talk = [
        Message::system("Be brief."),
        Message::user("Book rooms."),
        Message::tool_calls([
            ToolCall::new("k1", "book", r#"{"room": 9}"#),
            ToolCall::new("k2", "book", ""),
        ]),
        Message::tool_result("k1", "ok"),
        Message::tool_result("k2", "full"),
        Message::assistant("Room 9 is yours."),
    ];
    let written = write(&talk, None, Format::ClaudeCode, &WriteOptions::default()).unwrap();
    assert_eq!(written.warnings.len(), 1, "the system prompt has no place");
    let lines = values(written.text.as_bytes());
    let uuids: Vec<&str> = lines
        .iter()
        .map(|line| line["uuid"].as_str().unwrap())
        .collect();
    assert!(
        uuids
            .iter()
            .all(|uuid| uuid.len() == 36 && uuid.as_bytes()[14] == b'4')
    );
    assert_eq!(lines[0]["parentUuid"], Value::Null);
    for (line, before) in lines.iter().skip(1).zip(&uuids) {
        assert_eq!(line["parentUuid"], *before);
    }
    let expected = [
        "user: Book rooms.",
        r#"assistant: [call k1 book {"room": 9}] [call k2 book {}]"#,
        "tool: [result k1: ok]",
        "tool: [result k2: full]",
        "assistant: Room 9 is yours.",
    ];
    assert_eq!(shorts(&only(written.text.as_bytes())), expected);
    assert_eq!(
        written,
        write(&talk, None, Format::ClaudeCode, &WriteOptions::default()).unwrap()
    );
}

#[test]
fn a_summary_turn_of_ours_is_a_summary_again() {
    let lines = [user("u1", "-", "One"), reply("a1", "u1", "m1", &text("1"))];
    let conversation = only(&file(&lines));
    let question = Message::user("Summarize the conversation we had so far.");
    let answer = Message::assistant("They said one.");
    let mut events = conversation.events.clone();
    for (place, message) in [question, answer].into_iter().enumerate() {
        let id = format!("summary/{place}").parse().unwrap();
        let event =
            session_log::NewEvent::message(id, session_log::Timestamp::from_millis(5), message);
        events.insert(place, event.with_origin(Origin::Summary { boundary: None }));
    }
    let written = write(
        &events,
        Some(&conversation.envelope),
        Format::ClaudeCode,
        &WriteOptions::default(),
    )
    .unwrap();
    let again = only(written.text.as_bytes());
    let expected = [
        "(summary) user: Summarize the conversation we had so far.",
        "(summary) assistant: They said one.",
        "user: One",
        "assistant: 1",
    ];
    assert_eq!(shorts(&again), expected);
    assert_eq!(again.id, "s");
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

#[test]
fn calls_at_the_end_stay_in_a_file_and_go_from_a_request() {
    let lines = [
        user("u1", "-", "Go"),
        reply("a1", "u1", "m1", &text("Wait")),
        reply("a2", "a1", "m1", &call("k1")),
    ];
    let conversation = only(&file(&lines));
    let write = |repair| {
        let options = WriteOptions::default().with_repair(repair);
        values(
            write(
                &conversation.events,
                Some(&conversation.envelope),
                Format::ClaudeCode,
                &options,
            )
            .unwrap()
            .text
            .as_bytes(),
        )
    };
    assert_eq!(write(Repair::Nothing), lines);
    assert_eq!(write(Repair::Abandoned), lines);
    assert_eq!(write(Repair::Everything), lines[..2]);
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
    let conversation = only(&file(&lines));
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
