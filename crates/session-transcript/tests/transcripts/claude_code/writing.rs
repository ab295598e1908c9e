//! Files that the tool can resume.

use serde_json::{Value, json};
use session_log::{Message, Origin, Part, ToolCall};
use session_transcript::{Format, Item, Repair, WriteOptions, write};

use super::{call, line, reply, result, text, told, user};
use crate::common::{jsonl, only, parse, shorts, values};

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
        values(parse(&jsonl(&lines)).write_back().unwrap().text.as_bytes()),
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
    let conversation = only(&jsonl(&lines));
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
    let conversation = only(&jsonl(&lines));
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
    let conversation = only(&jsonl(&lines));
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
fn calls_at_the_end_stay_in_a_file_and_go_from_a_request() {
    let lines = [
        user("u1", "-", "Go"),
        reply("a1", "u1", "m1", &text("Wait")),
        reply("a2", "a1", "m1", &call("k1")),
    ];
    let conversation = only(&jsonl(&lines));
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

/// A conversation that was written by itself got other parents than it had: a second root was hung
/// under the line before it, and a line whose parent is in another conversation became a root.
#[test]
fn a_conversation_is_written_back_by_itself_as_its_lines_were() {
    let unlinked = [
        user("u1", "-", "One"),
        reply("a1", "-", "m1", &text("1")),
        user("u2", "-", "Two"),
    ];
    let mut side = user("x1", "a1", "Look into it");
    side["isSidechain"] = json!(true);
    let linked = [
        user("u1", "-", "One"),
        reply("a1", "u1", "m1", &text("1")),
        side,
    ];
    for lines in [unlinked, linked] {
        let transcript = parse(&jsonl(&lines));
        let mut written = Vec::new();
        for conversation in &transcript.conversations {
            written.extend(values(conversation.write_back().unwrap().text.as_bytes()));
        }
        assert_eq!(written, lines);
    }
}
