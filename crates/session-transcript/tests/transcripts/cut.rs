//! Of a document that is cut, what stands in front of the cut is read.

use session_transcript::Format;

use crate::common::{fixture, parse, shorts, told};

#[test]
fn of_a_document_that_is_cut_the_messages_in_front_of_the_cut_are_read() {
    for (name, percent, format, least) in [
        ("atif/trajectory.json", 67, Format::Atif, 5),
        ("claude-ai/conversations.json", 85, Format::ClaudeAi, 7),
        ("gemini-cli/session.json", 67, Format::GeminiCli, 2),
        ("goose/export.json", 67, Format::Goose, 2),
        ("opencode/export.json", 67, Format::OpenCode, 1),
        ("openhands/first-version.json", 67, Format::OpenHands, 4),
        ("swe-agent/calls.traj", 67, Format::SweAgent, 3),
    ] {
        let mut file = fixture(name);
        file.truncate(file.len() * percent / 100);
        let transcript = parse(&file);
        assert_eq!(transcript.format, format, "{name}");
        let told = told(&transcript);
        let count = transcript.conversations[0].message_count();
        assert!(count >= least, "{name}: {told:?}");
        let is_cut = |what: &String| what.ends_with("the record is cut off");
        assert!(told.iter().any(is_cut), "{name}: {told:?}");
    }
}

#[test]
fn of_one_conversation_that_is_cut_the_messages_are_read_without_what_stands_beside_them() {
    let file = fixture("claude-ai/conversations.json");
    let file: serde_json::Value = serde_json::from_slice(&file).unwrap();
    let mut file = serde_json::to_string_pretty(&file[0]).unwrap();
    file.truncate(file.len() * 85 / 100);
    let transcript = parse(file.as_bytes());
    assert_eq!(transcript.format, Format::ClaudeAi);
    assert_eq!(
        shorts(&transcript.conversations[0]),
        [
            "user: [media] [media] Make a page",
            "assistant: An older answer"
        ]
    );
}
