//! The chat history of aider.

use session_log::Json;
use session_transcript::{Format, ReadError, ReadOptions, read};

use crate::common::{fixture, parse, shorts, told};

#[test]
fn each_run_with_something_said_is_a_conversation() {
    let transcript = parse(&fixture("aider/history.md"));
    assert_eq!(transcript.format, Format::Aider);
    let names: Vec<&str> = transcript
        .conversations
        .iter()
        .map(|c| c.id.as_str())
        .collect();
    assert_eq!(
        names,
        ["aider-2026-06-09 14:01:00", "aider-2026-06-09 16:00:00"]
    );
    assert_eq!(
        shorts(&transcript.conversations[0]),
        [
            "user: add a retry to the webhook\nwith a limit of three",
            "assistant: I'll add a backoff.\n\n```python\nretry(3)\n```",
            "user: thanks",
            "assistant: You're welcome.",
        ]
    );
    // Commands and what the program shows are beside the conversation.
    assert_eq!(transcript.conversations[0].events.len(), 8);
    assert_eq!(
        shorts(&transcript.conversations[1]),
        ["user: make the timeout configurable", "assistant: Done."]
    );
    assert_eq!(
        told(&transcript),
        [
            "a heading in a reply may have been read as the person's words, a quotation as the program's: the format has no difference"
        ]
    );
}

#[test]
fn events_say_where_they_stood_in_the_markdown() {
    let transcript = parse(&fixture("aider/history.md"));
    let event = &transcript.conversations[0].events[3];
    let text = String::from_utf8(fixture("aider/history.md")).unwrap();
    let source: &Json = &event.metadata["source"];
    let start = text.find("#### add a retry").unwrap();
    let end = text.find("I'll add").unwrap();
    assert_eq!(
        source.as_str(),
        format!(
            r#"{{"format":"aider","line":10,"bytes":[{start},{end}],"record":5,"time":"2026-06-09 14:01:00"}}"#
        )
    );
    assert_eq!(event.timestamp.as_millis(), 1_781_013_660_000);
}

#[test]
fn text_in_front_of_the_first_run_is_told() {
    let file = "---\ntitle: x\n---\n# aider chat started at soon\n#### Hi\nHello\n";
    let transcript = parse(file.as_bytes());
    assert_eq!(
        told(&transcript)[0],
        "skipped line 1: text in front of the first run"
    );
    assert_eq!(
        shorts(&transcript.conversations[0]),
        ["user: Hi", "assistant: Hello"]
    );
}

#[test]
fn other_markdown_and_a_history_without_words_are_refused() {
    for file in [
        "# Notes\n\n#### Hi\n",
        "# aider chat started at 2026-06-09 14:01:00\n",
    ] {
        let error = read(file.as_bytes(), &ReadOptions::default()).unwrap_err();
        assert!(
            matches!(
                error,
                ReadError::NotJson { .. } | ReadError::Empty | ReadError::WrongFormat { .. }
            ),
            "{error}"
        );
    }
}
