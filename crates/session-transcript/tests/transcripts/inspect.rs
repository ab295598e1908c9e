//! Logs of evaluations: each sample is a conversation.

use serde_json::Value;
use session_transcript::Format;

use crate::common::{fixture, messages, parse, shorts, told};

#[test]
fn each_sample_is_a_conversation_with_its_long_texts_put_in() {
    let transcript = parse(&fixture("inspect/log.json"));
    assert_eq!(transcript.format, Format::Inspect);
    let conversation = &transcript.conversations[0];
    assert_eq!(conversation.id, "t1-1-1");
    assert_eq!(conversation.title.as_deref(), Some("popularity"));
    assert_eq!(conversation.model.as_deref(), Some("openai/m-1"));
    assert_eq!(
        shorts(conversation),
        [
            "system: A long \"text\".",
            "user: Guess [media]",
            r#"assistant: [reasoning] [call k1 bash {"cmd": "ls"}] [call k2 bash {}]"#,
            "tool: [result k1: a.py]",
            "tool: [result k2: no JSON]",
            "assistant: attachment://gone",
        ]
    );
    assert_eq!(conversation.events[0].id.as_str(), "t1-1-1/m1");
    let fields: Vec<&String> = conversation.envelope.fields.keys().collect();
    assert_eq!(fields, ["epoch", "eval", "id", "input", "scores", "target"]);
    let messages = messages(conversation);
    assert_eq!(messages[4].1.results().next().unwrap().is_error, Some(true));
    assert_eq!(shorts(&transcript.conversations[1]), ["user: Hi"]);
}

#[test]
fn what_is_missing_is_told() {
    assert_eq!(
        told(&parse(&fixture("inspect/log.json"))),
        [
            "skipped line 15: a message without a role",
            "skipped line 18: no sample of an evaluation",
            "line 5: 1 attachment(s) are not there, or more than may be unpacked",
        ]
    );
}

#[test]
fn a_head_and_its_samples_may_stand_one_after_the_other() {
    let mut log: Value = serde_json::from_slice(&fixture("inspect/log.json")).unwrap();
    let samples = log["samples"].take();
    let lines = format!("{log}\n{}\n{}\n", samples[0], samples[1]);
    let transcript = parse(lines.as_bytes());
    assert_eq!(transcript.format, Format::Inspect);
    let names: Vec<&str> = transcript
        .conversations
        .iter()
        .map(|c| c.id.as_str())
        .collect();
    assert_eq!(names, ["t1-1-1", "t1-b-2"]);

    let alone = parse(samples[0].to_string().as_bytes());
    assert_eq!(alone.format, Format::Inspect);
    assert_eq!(alone.conversations[0].message_count(), 6);
}
