//! Damage in lines and values.

use session_transcript::{SkipReason, Transcript};

use crate::common::{fixture, only, parse, shorts};

/// What a reading gave, in a line a finding.
fn told(transcript: &Transcript) -> Vec<String> {
    let messages: usize = transcript
        .conversations
        .iter()
        .map(|conversation| conversation.message_count())
        .sum();
    let mut told = vec![format!("{} {messages}", transcript.format)];
    told.extend(
        transcript
            .skipped
            .iter()
            .map(|skipped| format!("skipped line {}: {}", skipped.line, skipped.reason)),
    );
    told.extend(
        transcript
            .warnings
            .iter()
            .map(|warning| format!("warning {warning}")),
    );
    told
}

#[test]
fn every_defect_is_told_with_its_line_and_the_rest_is_read() {
    for (name, expected) in [
        ("arguments-not-json.json", vec!["openai-chat 5"]),
        (
            "blank-and-comment-lines.jsonl",
            vec!["claude-code 2", "skipped line 1: a comment"],
        ),
        ("bom.jsonl", vec!["claude-code 2"]),
        ("chat-ends-with-open-call.json", vec!["openai-chat 11"]),
        ("chat-missing-tool-result.json", vec!["openai-chat 61"]),
        ("chat-no-user-message.json", vec!["openai-chat 12"]),
        ("chat-orphan-tool-result.json", vec!["openai-chat 61"]),
        ("chat-same-id-for-every-call.json", vec!["openai-chat 62"]),
        ("crlf.jsonl", vec!["claude-code 2"]),
        (
            "cut-in-last-line.jsonl",
            vec!["claude-code 1", "skipped line 4: the record is cut off"],
        ),
        (
            "deep-nesting.json",
            vec![
                "openai-chat 1",
                "warning line 1: nested 401 levels deep: kept as it is, but many readers refuse more than 128",
            ],
        ),
        (
            "duplicate-keys.json",
            vec![
                "openai-chat 1",
                "warning line 1: 1 member(s) are there twice: the last one counts",
            ],
        ),
        (
            "invalid-utf8.jsonl",
            vec![
                "claude-code 3",
                "warning line 1: bytes that are not UTF-8 became U+FFFD",
                "warning line 5: bytes that are not UTF-8 became U+FFFD",
                "warning line 5: missing parent: joined to the line before",
            ],
        ),
        (
            "lone-surrogate.json",
            vec![
                "openai-chat 2",
                "warning line 1: 1 lone surrogate(s) became U+FFFD",
            ],
        ),
        (
            "nan-number.jsonl",
            vec![
                "openai-chat 2",
                "warning line 1: NaN or Infinity, which JSON does not have, was read as null",
                "warning line 2: a number beyond a 64-bit float is kept as text",
            ],
        ),
        (
            "nul-tail.jsonl",
            vec!["claude-code 2", "skipped line 5: NUL bytes"],
        ),
        (
            "two-objects-one-line.jsonl",
            vec![
                "claude-code 2",
                "warning line 1: 2 records stand on one line",
            ],
        ),
    ] {
        assert_eq!(
            told(&parse(&fixture(&format!("malformed/{name}")))),
            expected,
            "{name}"
        );
    }
}

#[test]
fn a_lone_surrogate_becomes_the_replacement_character_and_nul_is_kept() {
    let conversation = only(&fixture("malformed/lone-surrogate.json"));
    assert_eq!(
        shorts(&conversation),
        [
            "user: half an emoji: \u{FFFD} end",
            "assistant: ok \u{0} nul"
        ]
    );
}

#[test]
fn arguments_stay_as_they_were_written() {
    let conversation = only(&fixture("malformed/arguments-not-json.json"));
    assert_eq!(
        shorts(&conversation)[1],
        r#"assistant: [call c1 f {"a": 1] [call c2 f ] [call c3 f {"a":1}]"#
    );
}

#[test]
fn a_torn_tail_and_damage_in_the_middle_cost_only_their_line() {
    let file = b"{\"role\":\"user\",\"content\":\"one\"}\n\0\0\0\0\n{\"role\":\"assistant\",\"content\":\"two\"}\n{not json\n{\"role\":\"user\",\"content\":\"three\"}\n{\"role\":\"assis";
    let transcript = parse(file);
    assert_eq!(
        shorts(&transcript.conversations[0]),
        ["user: one", "assistant: two", "user: three"]
    );
    let skipped: Vec<_> = transcript
        .skipped
        .iter()
        .map(|skipped| (skipped.line, &skipped.reason))
        .collect();
    assert_eq!(
        skipped,
        [
            (2, &SkipReason::Nul),
            (4, &SkipReason::Broken),
            (6, &SkipReason::Cut)
        ]
    );
    for skipped in &transcript.skipped {
        let range = usize::try_from(skipped.bytes.start).unwrap()
            ..usize::try_from(skipped.bytes.end).unwrap();
        assert!(file.get(range).is_some(), "{skipped}");
    }
}

#[test]
fn records_that_are_no_messages_are_skipped_and_told() {
    let file = "[{\"role\":\"user\",\"content\":\"a\"},42,{\"no\":\"role\"},{\"role\":null},{\"role\":\"user\",\"content\":\"b\"}]";
    let transcript = parse(file.as_bytes());
    assert_eq!(shorts(&transcript.conversations[0]), ["user: a", "user: b"]);
    assert_eq!(transcript.skipped.len(), 3);
}

#[test]
fn strings_of_a_megabyte_and_deep_arguments_are_kept() {
    let long = "x".repeat(1 << 20);
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let file = format!(
        r#"[{{"role":"user","content":"{long}"}},{{"role":"assistant","content":[{{"type":"tool_use","id":"k","name":"f","input":{deep}}}]}}]"#
    );
    let conversation = only(file.as_bytes());
    assert_eq!(shorts(&conversation)[0].len(), long.len() + "user: ".len());
    assert_eq!(conversation.write_back().unwrap().text, file);
}
