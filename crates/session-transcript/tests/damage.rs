//! One bad record never costs a file, and every one is reported.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{fixture, only, parse, shorts};
use session_transcript::{
    Format, ReadError, ReadOptions, SkipReason, Transcript, read, view_as_request,
};

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
fn what_can_be_read_of_a_broken_document_is_read() {
    let whole = r#"{
 "model": "m",
 "messages": [
  {
   "role": "user",
   "content": "one"
  },
  {
   "role": "assistant",
   "content": "two" oops
  },
  {
   "role": "user",
   "content": "three"
  }
 ]
}"#;
    let transcript = parse(whole.as_bytes());
    assert_eq!(
        shorts(&transcript.conversations[0]),
        ["user: one", "user: three"]
    );
    assert_eq!(transcript.skipped.len(), 1);
    assert_eq!(transcript.skipped[0].line, 8);

    let cut = whole.split("oops").next().unwrap();
    assert_eq!(
        shorts(&parse(cut.as_bytes()).conversations[0]),
        ["user: one"]
    );

    let array = r#"[{"role":"user","content":"one"},{"role":"user","content":"two"},{"role":"us"#;
    let transcript = parse(array.as_bytes());
    assert_eq!(
        shorts(&transcript.conversations[0]),
        ["user: one", "user: two"]
    );
    assert_eq!(transcript.skipped[0].reason, SkipReason::Cut);
}

#[test]
fn documents_one_after_the_other_are_read_each() {
    let file = "{\n \"role\": \"user\",\n \"content\": \"one\"\n}\n{\n \"role\": \"assistant\",\n \"content\": \"two\"\n}\n";
    assert_eq!(
        shorts(&only(file.as_bytes())),
        ["user: one", "assistant: two"]
    );
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

#[test]
fn files_that_are_no_transcript_are_refused_with_a_reason_and_a_hint() {
    let check = |bytes: &[u8], expected: &str| {
        let error = read(bytes, &ReadOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(!error.hint().is_empty());
    };
    check(b"", "the file is empty");
    check(b" \n\t\0\0\n", "the file is empty");
    check(
        b"Hello there",
        "no JSON found: line 1 (byte 0) is the first that cannot be read",
    );
    check(
        b"# notes\nHello there",
        "no JSON found: line 2 (byte 8) is the first that cannot be read",
    );
    check(
        b"{\"error\":{\"message\":\"secret\"}}",
        "line 1 is JSON but no transcript: an error reply of a server",
    );
    check(
        b"Notes\n\n655 files were read.\n",
        "no JSON found: line 1 (byte 0) is the first that cannot be read",
    );
    check(b"[]", "line 1 is JSON but no transcript: an empty array");
    check(
        b"[[[]]]",
        "line 1 is JSON but no transcript: an array of arrays",
    );
    check(b"17", "line 1 is JSON but no transcript: a number");
    check(
        b"{\"a\":1}\n{\"b\":2}",
        "line 1 is JSON but no transcript: an object without messages, role or type that is known",
    );
    check(
        &fixture("malformed/flattened.jsonl"),
        "line 1 holds a whole conversation as one string",
    );
    check(
        b"\"User: hi\\nAssistant: hello\"",
        "line 1 holds a whole conversation as one string",
    );
    check(
        b"PK\x03\x04zip",
        "the file is a damaged ZIP archive, not text",
    );
}

#[test]
fn a_wrong_format_is_told_with_what_it_looks_like() {
    let options = ReadOptions::default().with_format(Format::ClaudeCode);
    let error = read(b"[{\"role\":\"user\",\"content\":\"Hi\"}]", &options).unwrap_err();
    let looks_like = Some(Format::OpenAiChat);
    assert_eq!(
        error,
        ReadError::WrongFormat {
            format: Format::ClaudeCode,
            looks_like
        }
    );
    assert_eq!(error.hint(), "it looks like openai-chat");
}

#[test]
fn windows_files_are_read() {
    let text = "{\"role\":\"user\",\"content\":\"größer 😀\"}\r\n{\"role\":\"assistant\",\"content\":\"ja\"}\r\n";
    let utf_16: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain(text.encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    for bytes in [text.as_bytes(), &utf_16] {
        assert_eq!(shorts(&only(bytes)), ["user: größer 😀", "assistant: ja"]);
    }
}

#[test]
fn neither_errors_nor_findings_hold_content() {
    let files: [&[u8]; 4] = [
        b"{\"role\":\"user\",\"content\":\"SECRET\"}\n{\"role\":\"SECRET\", SECRET\n\"SECRET\"\n{\"SECRET\":1}",
        b"{\"SECRET\":\"SECRET\"}",
        b"SECRET",
        b"[{\"role\":\"user\",\"content\":\"SECRET\"},{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"k\",\"name\":\"SECRET\",\"input\":\"SECRET\"}]}]",
    ];
    for file in files {
        let text = format!("{:?}", read(file, &ReadOptions::default()));
        assert!(!text.contains("SECRET"), "{text}");
    }
}

#[test]
fn large_files_of_odd_shape_are_read_all_the_same() {
    const MANY: usize = 4_000;
    let lines = |line: &dyn Fn(usize) -> String| (0..MANY).map(line).collect::<String>();
    let side = lines(&|n| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"u{n}\",\"parentUuid\":\"gone{n}\",\"isSidechain\":true,\"message\":{{\"role\":\"user\",\"content\":\"x\"}}}}\n"
        )
    });
    let sessions = lines(&|n| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"u{n}\",\"parentUuid\":null,\"sessionId\":\"s{n}\",\"message\":{{\"role\":\"user\",\"content\":\"x\"}}}}\n"
        )
    });
    let orphans = lines(&|n| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"u{n}\",\"parentUuid\":\"gone\",\"message\":{{\"role\":\"user\",\"content\":\"x\"}}}}\n"
        )
    });
    let members = lines(&|n| format!("\"k{n}\":{n},"));
    let wide = format!("{{{members}\"role\":\"user\",\"content\":\"x\"}}");
    let open = "[\n{\"a\":[".to_owned() + &"\n{\"a\":[".repeat(MANY);
    let calls = lines(&|n| {
        format!(
            "{{\"id\":\"k{n}\",\"type\":\"function\",\"function\":{{\"name\":\"f\",\"arguments\":\"\"}}}},"
        )
    });
    let results = lines(&|n| format!(",{{\"type\":\"tool_result\",\"tool_use_id\":\"k{n}\"}}"));
    let late = format!(
        "[{{\"role\":\"assistant\",\"tool_calls\":[{}]}},{{\"role\":\"user\",\"content\":\"wait\"}},{{\"role\":\"user\",\"content\":[{}]}}]",
        calls.trim_end_matches(','),
        results.trim_start_matches(','),
    );
    for (file, conversations, messages) in [
        (side, MANY, MANY),
        (sessions, MANY, MANY),
        (orphans, 1, MANY),
        (wide, 1, 1),
    ] {
        let transcript = parse(file.as_bytes());
        assert_eq!(transcript.conversations.len(), conversations);
        let count: usize = transcript
            .conversations
            .iter()
            .map(|conversation| conversation.message_count())
            .sum();
        assert_eq!(count, messages);
        transcript.write_back().unwrap();
    }
    assert!(read(open.as_bytes(), &ReadOptions::default()).is_err());
    for format in [Format::OpenAiChat, Format::Anthropic] {
        let options = ReadOptions::default().with_format(format);
        let transcript = read(late.as_bytes(), &options).unwrap();
        view_as_request(&transcript.conversations[0].events, format).unwrap();
    }
}

#[test]
fn what_can_be_read_of_a_broken_request_of_other_providers_is_read() {
    for (format, file) in [
        (
            Format::Gemini,
            "{\n \"generationConfig\": {},\n \"contents\": [\n  {\"role\": \"user\", \"parts\": [{\"text\": \"one\"}]},\n  {\"role\": \"model\", \"parts\": [{\"text\" oops}]},\n  {\"role\": \"user\", \"parts\": [{\"text\": \"three\"}]}\n ]\n}",
        ),
        (
            Format::OpenAiResponses,
            "{\n \"model\": \"m\",\n \"input\": [\n  {\"type\": \"message\", \"role\": \"user\", \"content\": [{\"type\": \"input_text\", \"text\": \"one\"}]},\n  {\"type\": \"message\" oops},\n  {\"role\": \"user\", \"content\": \"three\"}\n ]\n}",
        ),
    ] {
        let transcript = parse(file.as_bytes());
        assert_eq!(transcript.format, format);
        assert_eq!(
            shorts(&transcript.conversations[0]),
            ["user: one", "user: three"]
        );
        assert_eq!(transcript.skipped.len(), 1);
    }
}
