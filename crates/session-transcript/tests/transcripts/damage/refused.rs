//! Files that are no transcript, and what is said of them.

use session_transcript::{Format, ReadError, ReadOptions, read};

use crate::common::{fixture, only, shorts};

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
