//! What is written in one format from another is found to be of that format, and is read and
//! written again without a change.

use serde_json::{Value, json};
use session_transcript::{Format, ReadOptions, Repair, Transcript, WriteOptions, read, write};

use crate::common::{all, only, values};

fn writable() -> impl Iterator<Item = Format> {
    Format::ALL
        .iter()
        .copied()
        .filter(|format| format.can_write())
}

/// A talk with everything that most formats have a place for.
fn talk() -> Transcript {
    let chat = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Which rooms are free?"},
        {"role": "assistant", "content": "I look.", "tool_calls": [
            {"id": "k1", "type": "function", "function": {"name": "list_rooms", "arguments": "{\"floor\":1}"}},
            {"id": "k2", "type": "function", "function": {"name": "list_rooms", "arguments": "{\"floor\":2}"}}]},
        {"role": "tool", "tool_call_id": "k1", "content": "4 and 9"},
        {"role": "tool", "tool_call_id": "k2", "content": "none"},
        {"role": "assistant", "content": "4 and 9."},
        {"role": "user", "content": "Book 9."},
    ]);
    read(chat.to_string().as_bytes(), &ReadOptions::default()).unwrap()
}

#[track_caller]
fn write_as(transcript: &Transcript, format: Format) -> String {
    let conversation = &transcript.conversations[0];
    let options = WriteOptions::default();
    write(&conversation.events, None, format, &options)
        .unwrap()
        .text
}

#[test]
fn each_format_is_found_in_what_is_written_and_says_the_same_to_a_model() {
    let talk = talk();
    let expected: Value = serde_json::from_str(&write_as(&talk, Format::OpenAiChat)).unwrap();
    for format in writable() {
        let text = write_as(&talk, format);
        let transcript = read(text.as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!(transcript.format, format, "{text}");
        assert!(transcript.skipped.is_empty(), "{format}");
        let again: Value =
            serde_json::from_str(&write_as(&transcript, Format::OpenAiChat)).unwrap();
        let (again, expected) = (again.as_array().unwrap(), expected.as_array().unwrap());
        // Claude Code has no place for the system prompt, and ShareGPT none for a text and calls in
        // one message.
        let start = usize::from(format == Format::ClaudeCode);
        let said = |messages: &[Value]| -> String {
            let calls = |message: &Value| {
                let calls = message["tool_calls"]
                    .as_array()
                    .cloned()
                    .unwrap_or_default();
                let texts = calls
                    .iter()
                    .map(|call| call["function"]["arguments"].to_string());
                texts.collect::<String>().replace(' ', "")
            };
            let texts = messages.iter().map(|message| {
                let content = message["content"].as_str().unwrap_or_default();
                format!("{content}{}\n", calls(message))
            });
            texts.collect::<String>().replace('\n', "")
        };
        assert_eq!(said(again), said(&expected[start..]), "{format}");
    }
}

#[test]
fn a_text_alone_is_enough_to_be_found() {
    let chat = br#"[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]"#;
    let transcript = read(chat, &ReadOptions::default()).unwrap();
    for format in writable() {
        let text = write_as(&transcript, format);
        let found = read(text.as_bytes(), &ReadOptions::default())
            .unwrap()
            .format;
        // Messages of these are the same when they hold nothing but text.
        let is_plain = matches!(format, Format::Anthropic | Format::AiSdk);
        let expected = if is_plain { Format::OpenAiChat } else { format };
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn what_is_written_from_recorded_files_is_read_and_written_without_a_change() {
    let exact = WriteOptions::default().with_repair(Repair::Nothing);
    let mut compared = 0;
    let mut silent = 0;
    for path in all() {
        let bytes = std::fs::read(&path).unwrap();
        let Ok(transcript) = read(&bytes, &ReadOptions::default()) else {
            continue;
        };
        for conversation in transcript.conversations.iter().take(3) {
            for format in
                writable().filter(|format| !matches!(format, Format::Jsonl | Format::ClaudeCode))
            {
                let first =
                    write(&conversation.events, None, format, &WriteOptions::default()).unwrap();
                let named = ReadOptions::default().with_format(format);
                let Ok(back) = read(first.text.as_bytes(), &named) else {
                    // Nothing was left to say.
                    silent += 1;
                    continue;
                };
                let back = only_or(&back, &first.text);
                let second = write(&back.events, Some(&back.envelope), format, &exact).unwrap();
                assert_eq!(
                    values(second.text.as_bytes()),
                    values(first.text.as_bytes()),
                    "{format} from {}",
                    path.display()
                );
                compared += 1;
            }
        }
    }
    assert!(
        compared > 500 && silent * 10 < compared,
        "{compared} and {silent}"
    );
}

fn only_or<'t>(transcript: &'t Transcript, text: &str) -> &'t session_transcript::Conversation {
    match transcript.conversations.as_slice() {
        [one] => one,
        many => panic!("{} conversations in {text}", many.len()),
    }
}

#[test]
fn the_talk_is_one_conversation() {
    assert_eq!(
        only(write_as(&talk(), Format::OpenAiResponses).as_bytes())
            .events
            .len(),
        7
    );
}
