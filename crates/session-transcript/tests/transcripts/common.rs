//! Files and JSON for the tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use session_log::{Boundary, Covered, Event, EventBody, Message, NewEvent, Part, Role, Seq, View};
use session_transcript::{Conversation, Format, ReadOptions, Transcript, read};

/// A file below `tests/fixtures`.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A file of `docs/examples`.
pub(crate) fn example(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/examples")
        .join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All committed transcripts.
pub(crate) fn all() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["tests/fixtures", "../../docs/examples"] {
        collect(&root.join(folder), &mut files);
    }
    files.retain(|file| file.file_name().is_some_and(|name| name != "README.md"));
    files.sort();
    assert!(files.len() > 40, "found only {} files", files.len());
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// Reads with the default options.
pub(crate) fn parse(bytes: &[u8]) -> Transcript {
    read(bytes, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// The only conversation of a file.
pub(crate) fn only(bytes: &[u8]) -> Conversation {
    let mut transcript = parse(bytes);
    assert_eq!(transcript.conversations.len(), 1);
    transcript.conversations.remove(0)
}

/// The JSON value in a text.
pub(crate) fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Values one a line.
pub(crate) fn jsonl(lines: &[Value]) -> Vec<u8> {
    let lines = lines.iter().map(|line| format!("{line}\n"));
    lines.collect::<String>().into_bytes()
}

/// Reads, looks at the format and the messages, and writes back to the same values.
#[track_caller]
pub(crate) fn check(file: &Value, format: Format, expected: &[&str]) {
    let conversation = only(file.to_string().as_bytes());
    assert_eq!(conversation.envelope.format, format);
    assert_eq!(shorts(&conversation), expected);
    assert_eq!(parsed(&conversation.write_back().unwrap().text), *file);
}

/// The messages of a conversation with their events.
pub(crate) fn messages(conversation: &Conversation) -> Vec<(&NewEvent, &Message)> {
    conversation
        .events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Message(message) => Some((event, message)),
            _ => None,
        })
        .collect()
}

/// The JSON values of a file: one, or one a line. What is none is passed over.
pub(crate) fn values(bytes: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    if let Ok(value) = serde_json::from_str(text) {
        return vec![value];
    }
    let of_line = |line: &str| {
        let stream = serde_json::Deserializer::from_str(line).into_iter::<Value>();
        stream.map_while(Result::ok).collect::<Vec<_>>()
    };
    text.lines().flat_map(of_line).collect()
}

/// A message as a short text: `user: Hi`, `assistant: [call k1 f {}]`, `tool: [result k1: 2 rooms]`.
pub(crate) fn short(message: &Message) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => text.text.clone(),
        Part::ToolCall(call) => format!(
            "[call {} {} {}]",
            call.id,
            call.name,
            call.arguments.as_str()
        ),
        Part::ToolResult(result) => {
            let texts: Vec<String> = result
                .parts
                .iter()
                .map(|part| {
                    part.as_text()
                        .map_or_else(|| format!("[{}]", part.kind_name()), Into::into)
                })
                .collect();
            format!("[result {}: {}]", result.call_id, texts.join(" "))
        }
        other => format!("[{}]", other.kind_name()),
    };
    let parts: Vec<String> = message.parts.iter().map(part).collect();
    let role: &Role = &message.role;
    format!("{role}: {}", parts.join(" "))
}

/// All messages of a conversation as short texts; `(injected)` and `(summary)` are said.
pub(crate) fn shorts(conversation: &Conversation) -> Vec<String> {
    messages(conversation)
        .into_iter()
        .map(|(event, message)| {
            let origin = match event.origin {
                session_log::Origin::Injected => "(injected) ",
                session_log::Origin::Summary { .. } => "(summary) ",
                _ => "",
            };
            format!("{origin}{}", short(message))
        })
        .collect()
}

/// What a model sees of a conversation, as short texts.
pub(crate) fn view(conversation: &Conversation) -> Vec<String> {
    let view = View::fold(log(conversation));
    assert_eq!(view.missing(), []);
    let events = view.events().iter().filter_map(|event| event.as_message());
    events.map(short).collect()
}

/// The events of a conversation as a log.
pub(crate) fn log(conversation: &Conversation) -> Vec<Arc<Event>> {
    let seqs = std::iter::successors(Some(Seq::FIRST), |seq| Some(seq.plus(1)));
    let events = conversation.events.iter().cloned().zip(seqs);
    events.map(|(event, seq)| Arc::new(event.at(seq))).collect()
}

/// The boundaries of a conversation, and how many events are in front of each.
pub(crate) fn boundaries(conversation: &Conversation) -> Vec<(usize, &Boundary)> {
    let events = conversation.events.iter().enumerate();
    let boundaries = events.filter_map(|(at, event)| match &event.body {
        EventBody::Compaction(boundary) => Some((at, &**boundary)),
        _ => None,
    });
    boundaries.collect()
}

/// What left the view with each boundary and its summary, found by comparing views.
pub(crate) fn left_with_boundaries(conversation: &Conversation) -> Vec<Covered> {
    let log = log(conversation);
    let left = boundaries(conversation).into_iter().map(|(at, boundary)| {
        let before = View::fold(log[..at].iter().cloned());
        let after = View::fold(log[..=at + boundary.summary.len()].iter().cloned());
        let after: BTreeSet<Seq> = after.events().iter().map(|event| event.seq).collect();
        let left = before.events().iter().filter(|it| !after.contains(&it.seq));
        let mut left: Vec<_> = left.map(|event| (event.seq, &event.id)).collect();
        left.sort_unstable();
        Covered::of(left)
    });
    left.collect()
}

/// What was skipped and warned of, a line each.
pub(crate) fn told(transcript: &Transcript) -> Vec<String> {
    let skipped = transcript
        .skipped
        .iter()
        .map(|skipped| format!("skipped line {}: {}", skipped.line, skipped.reason));
    let warnings = transcript.warnings.iter().map(ToString::to_string);
    skipped.chain(warnings).collect()
}

/// The file with its line `number`, from 1, cut in the middle.
pub(crate) fn with_half_a_line(file: &[u8], number: usize) -> Vec<u8> {
    let text = String::from_utf8_lossy(file);
    let lines = text.lines().enumerate().map(|(at, line)| {
        let end = match at + 1 == number {
            true => line.len() / 2,
            false => line.len(),
        };
        format!("{}\n", &line[..end])
    });
    lines.collect::<String>().into_bytes()
}
