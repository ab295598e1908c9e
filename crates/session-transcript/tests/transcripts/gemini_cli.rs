//! Sessions of Gemini CLI in both of its layouts, and of Qwen Code.

use session_log::Part;
use session_transcript::Format;

use crate::common::{fixture, messages, parse, shorts, told, view, with_half_a_line};

#[test]
fn a_whole_session_has_its_calls_and_results_apart() {
    let transcript = parse(&fixture("gemini-cli/session.json"));
    assert_eq!(transcript.format, Format::GeminiCli);
    assert_eq!(told(&transcript), Vec::<String>::new());
    let conversation = &transcript.conversations[0];
    assert_eq!(conversation.id, "g1");
    assert_eq!(conversation.title.as_deref(), Some("Facts of Paris"));
    assert_eq!(conversation.model.as_deref(), Some("gemini-pro"));
    assert_eq!(
        shorts(conversation),
        [
            "(injected) user: <session_context>\nToday is Friday.",
            "user: What is in the picture? [media]",
            r#"assistant: [reasoning] I look. [call k1 look {"at": 1}] [call k2 look {"at": 2}] [call k3 ask {}] [call k4 old {}]"#,
            "tool: [result k1: a tower]",
            "tool: [result k2: out of range]",
            "tool: [result k3: stopped]",
            "tool: [result k4: a text]",
            "assistant: A tower.",
        ]
    );
    let messages = messages(conversation);
    let errors: Vec<Option<bool>> = messages
        .iter()
        .flat_map(|(_, message)| message.results().map(|result| result.is_error))
        .collect();
    assert_eq!(errors, [None, Some(true), Some(true), None]);
    let Part::Text(text) = &messages[7].1.parts[0] else {
        panic!("no text");
    };
    assert_eq!(text.extra["thoughtSignature"].as_str(), "\"c2ln\"");
    // What is said to the program only is beside the conversation.
    assert_eq!(conversation.events.len(), 10);
}

#[test]
fn records_change_and_take_back_earlier_ones() {
    let transcript = parse(&fixture("gemini-cli/records.jsonl"));
    let conversation = &transcript.conversations[0];
    assert_eq!(
        shorts(conversation),
        [
            "user: One",
            "assistant: First.",
            "user: Two",
            "assistant: Second.",
            "(summary) user: <state_snapshot>One was counted.</state_snapshot>",
            "(summary) assistant: Got it.",
            "user: Three",
        ]
    );
    assert_eq!(
        told(&transcript),
        [
            "1 earlier state(s) of records are left out",
            "2 record(s) that were taken back are kept beside the conversation",
        ]
    );
}

#[test]
fn a_history_that_is_replaced_is_the_view_from_then_on() {
    let transcript = parse(&fixture("gemini-cli/records.jsonl"));
    assert_eq!(
        view(&transcript.conversations[0]),
        [
            "user: <state_snapshot>One was counted.</state_snapshot>",
            "assistant: Got it.",
            "user: Two",
            "assistant: Second.",
            "user: Three",
        ]
    );
}

#[test]
fn a_rewind_to_nothing_known_takes_everything_back() {
    let text = String::from_utf8(fixture("gemini-cli/records.jsonl")).unwrap();
    let text = text.replace("\"$rewindTo\":\"r3\"", "\"$rewindTo\":\"nobody\"");
    let transcript = parse(text.as_bytes());
    assert_eq!(shorts(&transcript.conversations[0])[0], "user: Two");
    assert_eq!(
        told(&transcript)[1],
        "4 record(s) that were taken back are kept beside the conversation"
    );
}

#[test]
fn a_session_of_qwen_is_a_path_of_lines() {
    let transcript = parse(&fixture("gemini-cli/qwen.jsonl"));
    assert_eq!(transcript.format, Format::GeminiCli);
    let conversation = &transcript.conversations[0];
    assert_eq!(conversation.id, "q");
    assert_eq!(conversation.model.as_deref(), Some("qwen-3"));
    assert_eq!(
        shorts(conversation),
        [
            "user: One",
            r#"assistant: [reasoning] [call k1 look {"at":1}]"#,
            "tool: [result k1: a tower]",
            "assistant: A tower.",
            "(summary) user: <state_snapshot>A tower.</state_snapshot>",
            "(summary) assistant: Got it.",
            "user: Two",
        ]
    );
    assert_eq!(view(conversation).len(), 3);
    assert_eq!(
        told(&transcript),
        ["1 line(s) of given-up branches are kept beside the conversation"]
    );
}

#[test]
fn a_broken_line_costs_only_itself() {
    let transcript = parse(&with_half_a_line(&fixture("gemini-cli/records.jsonl"), 1));
    assert_eq!(transcript.format, Format::GeminiCli);
    assert_eq!(told(&transcript)[0], "skipped line 1: malformed JSON");
    assert_eq!(transcript.conversations[0].message_count(), 7);

    let transcript = parse(&with_half_a_line(&fixture("gemini-cli/qwen.jsonl"), 3));
    assert_eq!(
        told(&transcript),
        [
            "skipped line 3: malformed JSON",
            "line 4: missing parent: joined to the record before",
            "line 5: missing parent: joined to the record before",
        ]
    );
}

#[test]
fn a_summary_that_a_later_history_names_again_is_still_shown() {
    let mut text = String::from_utf8(fixture("gemini-cli/records.jsonl")).unwrap();
    text.push_str(r#"{"$set":{"messages":[{"id":"s1","type":"user","content":"x"},{"id":"r7","type":"user","content":"Three"}]}}"#);
    text.push('\n');
    let transcript = parse(text.as_bytes());
    assert_eq!(
        view(&transcript.conversations[0]),
        [
            "user: <state_snapshot>One was counted.</state_snapshot>",
            "user: Three",
        ]
    );
}
