//! Messages of Pydantic AI.

use serde_json::Value;
use session_transcript::Format;

use crate::common::{fixture, messages, parse, shorts, told};

#[test]
fn requests_and_responses_become_messages_by_speaker() {
    let transcript = parse(&fixture("pydantic-ai/messages.json"));
    assert_eq!(transcript.format, Format::PydanticAi);
    assert_eq!(told(&transcript), Vec::<String>::new());
    let conversation = &transcript.conversations[0];
    assert_eq!(conversation.id, "p1");
    assert_eq!(conversation.model.as_deref(), Some("m-2"));
    assert_eq!(
        shorts(conversation),
        [
            "system: Be brief.",
            "user: Look [media] [media]",
            r#"assistant: [reasoning] [call k1 look {"at":1}] [call k2 look {"at": 2}] [opaque]"#,
            r#"tool: [result k1: {"seen": "a tower"}] [result k2: out of range]"#,
            "user: And now?",
            "(injected) user: Answer in JSON.",
            "assistant: A tower.",
        ]
    );
    let errors = messages(conversation)[3]
        .1
        .results()
        .map(|result| result.is_error);
    assert_eq!(errors.collect::<Vec<_>>(), [None, Some(true)]);
}

#[test]
fn lists_one_a_line_are_a_conversation_each_and_strangers_are_told() {
    let file: Value = serde_json::from_slice(&fixture("pydantic-ai/messages.json")).unwrap();
    let lines = format!("{file}\n[{}, {{\"kind\": \"x\"}}]\n{{}}\n", file[0]);
    let transcript = parse(lines.as_bytes());
    let counts: Vec<usize> = transcript
        .conversations
        .iter()
        .map(|conversation| conversation.message_count())
        .collect();
    assert_eq!(counts, [7, 2]);
    assert_eq!(
        told(&transcript),
        [
            "skipped line 2: neither a request nor a response",
            "skipped line 3: neither a request nor a response"
        ]
    );
}
