//! Sessions of opencode: exported, and put together from the files of its storage.

use serde_json::{Value, json};
use session_log::EventBody;
use session_transcript::Format;

use crate::common::{fixture, only, parse, shorts, told, view};

fn export() -> Value {
    serde_json::from_slice(&fixture("opencode/export.json")).unwrap()
}

fn message(id: &str, role: &str, text: &str) -> Value {
    json!({"info": {"id": id, "sessionID": "ses_1", "role": role, "time": {"created": 1}},
        "parts": [{"id": format!("{id}_p"), "type": "text", "text": text}]})
}

fn read(messages: &[Value], revert: &Value) -> session_transcript::Transcript {
    let file =
        json!({"info": {"id": "ses_1", "title": "t", "revert": revert}, "messages": messages});
    parse(file.to_string().as_bytes())
}

#[test]
fn calls_come_apart_from_their_results_step_by_step() {
    let transcript = parse(&fixture("opencode/export.json"));
    assert_eq!(transcript.format, Format::OpenCode);
    assert_eq!(told(&transcript), Vec::<String>::new());
    let conversation = &transcript.conversations[0];
    assert_eq!(
        shorts(conversation),
        [
            "user: Rename the module Called the Read tool [media]",
            r#"assistant: [reasoning] [call k1 read {"path": "a.rs"}] [call k2 bash {"command": "ls"}]"#,
            "tool: [result k1: mod a;]",
            "tool: [result k2: denied]",
            "assistant: It is small.",
            "user: Go on",
            r#"assistant: [call k3 edit {"path": "a.rs"}]"#,
        ]
    );
    assert_eq!(conversation.id, "ses_1");
    assert_eq!(conversation.title.as_deref(), Some("Rename a module"));
    assert_eq!(conversation.parent.as_deref(), Some("ses_0"));
    assert_eq!(conversation.model.as_deref(), Some("m-2"));
    assert_eq!(conversation.events[0].id.as_str(), "ses_1/msg_01");
    assert_eq!(
        conversation.events[0].timestamp.as_millis(),
        1_750_310_400_000
    );
}

#[test]
fn a_pruned_result_is_shown_as_a_short_line_and_stays_in_the_log() {
    let conversation = only(&fixture("opencode/export.json"));
    let boundary = conversation
        .events
        .iter()
        .find_map(|event| match &event.body {
            EventBody::Compaction(boundary) => Some(boundary),
            _ => None,
        });
    assert_eq!(boundary.unwrap().cleared.len(), 1);
    let shown = view(&conversation);
    assert_eq!(shown.len(), 7);
}

#[test]
fn the_view_behind_a_compaction_is_the_summary_and_the_tail_it_names() {
    let asked = json!({"info": {"id": "m5", "sessionID": "ses_1", "role": "user", "time": {"created": 5}},
        "parts": [{"id": "p5", "type": "compaction", "auto": true, "tail_start_id": "m3"}]});
    let mut summary = message("m6", "assistant", "One was said.");
    summary["info"]["summary"] = json!(true);
    let messages = [
        message("m1", "user", "One"),
        message("m2", "assistant", "First."),
        message("m3", "user", "Two"),
        message("m4", "assistant", "Second."),
        asked,
        summary,
        message("m7", "user", "Three"),
    ];
    let transcript = read(&messages, &Value::Null);
    let conversation = &transcript.conversations[0];
    assert_eq!(
        view(conversation),
        [
            "user: One was said.",
            "user: Two",
            "assistant: Second.",
            "user: Three"
        ]
    );
    assert_eq!(conversation.message_count(), 6);
}

#[test]
fn what_was_taken_back_stays_beside_the_conversation() {
    let messages = [
        message("m1", "user", "One"),
        message("m2", "assistant", "First."),
        message("m3", "user", "Two"),
        message("m4", "assistant", "Second."),
    ];
    let transcript = read(&messages, &json!({"messageID": "m3"}));
    assert_eq!(
        shorts(&transcript.conversations[0]),
        ["user: One", "assistant: First."]
    );
    assert_eq!(
        told(&transcript),
        ["2 message(s) that were taken back are kept beside the conversation"]
    );
    let transcript = read(&messages, &json!({"messageID": "m2", "partID": "m2_p"}));
    assert_eq!(shorts(&transcript.conversations[0]), ["user: One"]);
    assert_eq!(transcript.conversations[0].events.len(), 4);
}

#[test]
fn the_files_of_the_storage_are_put_together() {
    let export = export();
    let mut records = vec![export["info"].clone()];
    for message in export["messages"].as_array().unwrap() {
        records.push(message["info"].clone());
        records.extend(message["parts"].as_array().unwrap().iter().cloned());
    }
    records.reverse();
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    let stored = parse(lines.as_bytes());
    assert_eq!(stored.format, Format::OpenCode);
    let exported = only(&fixture("opencode/export.json"));
    let short = |shorts: Vec<String>| {
        shorts
            .into_iter()
            .map(|s| s.replace(": \"", ":\""))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        short(shorts(&stored.conversations[0])),
        short(shorts(&exported))
    );
    assert_eq!(stored.conversations[0].title, exported.title);

    let part =
        r#"{"id": "p", "sessionID": "s", "messageID": "m", "type": "text", "text": "alone"}"#;
    let alone = parse(part.as_bytes());
    assert_eq!(alone.conversations[0].message_count(), 0);
    assert_eq!(alone.conversations[0].events.len(), 1);
}

#[test]
fn strange_messages_and_parts_are_told() {
    let mut export = export();
    export["messages"][1]["info"] = json!({});
    export["messages"][2]["parts"][0]["type"] = json!("hologram");
    let transcript = parse(export.to_string().as_bytes());
    assert_eq!(
        told(&transcript),
        [
            "skipped line 1: a message without a role",
            "line 1: a part of an unknown type is kept beside the conversation"
        ]
    );
    assert_eq!(transcript.conversations[0].message_count(), 2);
}
