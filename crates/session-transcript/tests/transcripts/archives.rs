//! ZIP archives are read like the files inside.

use std::io::{Cursor, Write as _};

use session_transcript::{Format, ReadError, ReadOptions, read};
use zip::write::SimpleFileOptions;

use crate::common::{fixture, parse, shorts, told};

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let options = SimpleFileOptions::default();
        archive.start_file(*name, options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

const MESSAGES: &[u8] = br#"[{"role": "user", "content": "Hi"}]"#;

#[test]
fn the_conversations_of_an_export_are_found() {
    let transcript = parse(&fixture("archives/claude-ai.zip"));
    assert_eq!(transcript.format, Format::ClaudeAi);
    assert_eq!(
        shorts(&transcript.conversations[0]),
        ["user: Hi", "assistant: One"]
    );
    assert_eq!(told(&transcript), Vec::<String>::new());
}

#[test]
fn numbered_files_of_a_large_export_are_one_list() {
    let transcript = parse(&fixture("archives/chatgpt.zip"));
    assert_eq!(transcript.format, Format::ChatGpt);
    let names: Vec<&str> = transcript
        .conversations
        .iter()
        .map(|c| c.id.as_str())
        .collect();
    assert_eq!(names, ["first", "second"]);
    assert_eq!(
        told(&transcript),
        ["2 files of the archive were read as one: lines and bytes count through all of them"]
    );
}

#[test]
fn a_log_of_an_evaluation_is_read_with_its_samples() {
    let transcript = parse(&fixture("archives/log.eval"));
    assert_eq!(transcript.format, Format::Inspect);
    let names: Vec<&str> = transcript
        .conversations
        .iter()
        .map(|c| c.id.as_str())
        .collect();
    assert_eq!(names, ["t1-1-1", "t1-b-2"]);
}

#[test]
fn the_only_transcript_among_other_files_is_read() {
    let bytes = archive(&[("a.png", b"\x89PNG"), ("x/session.json", MESSAGES)]);
    assert_eq!(parse(&bytes).format, Format::OpenAiChat);
    let stored = zip::CompressionMethod::Stored;
    let mut plain = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(stored);
    plain.start_file("a.json", options).unwrap();
    plain.write_all(MESSAGES).unwrap();
    let bytes = plain.finish().unwrap().into_inner();
    assert_eq!(parse(&bytes).format, Format::OpenAiChat);
}

#[test]
fn what_cannot_be_chosen_is_refused_with_what_to_do() {
    for (files, what) in [
        (
            vec![("a.json", MESSAGES), ("b.json", MESSAGES)],
            "several files",
        ),
        (vec![("a.png", MESSAGES)], "without a transcript"),
        (vec![], "without a transcript"),
    ] {
        let error = read(&archive(&files), &ReadOptions::default()).unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
        assert!(matches!(error, ReadError::Binary { .. }));
    }
}

#[test]
fn a_bomb_ends_at_the_limit() {
    let zeros = vec![b' '; 4 << 20];
    let bytes = archive(&[
        ("conversations-1.json", &zeros),
        ("conversations-2.json", &zeros),
    ]);
    assert!(bytes.len() < 20_000);
    let mut options = ReadOptions::default();
    for limit in [1_000, 5 << 20] {
        options.max_bytes = limit;
        let error = read(&bytes, &options).unwrap_err();
        assert_eq!(error, ReadError::TooLarge { max_bytes: limit });
    }
    options.max_bytes = 9 << 20;
    assert_eq!(read(&bytes, &options).unwrap_err(), ReadError::Empty);
}

#[test]
fn damage_is_refused_or_told() {
    let noise: Vec<u8> = (0..30_000_u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8 % 26 + b'a')
        .collect();
    let noise = String::from_utf8(noise).unwrap();
    let file = format!(
        "[{{\"role\": \"user\", \"content\": \"Hi\"}}, {{\"role\": \"user\", \"content\": \"{noise}\"}}]"
    );
    let mut bytes = archive(&[("a.json", file.as_bytes())]);
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    match read(&bytes, &ReadOptions::default()) {
        Ok(transcript) => assert!(
            told(&transcript)
                .contains(&"the ZIP archive is damaged: what could be unpacked was read".into())
        ),
        Err(error) => assert!(matches!(error, ReadError::Binary { .. })),
    }
    // The list of files stands at the end.
    let error = read(&bytes[..middle], &ReadOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the file is a damaged ZIP archive, not text"
    );
}
