//! Reads every file below a folder and prints what came of it: `survey DIR [FORMAT]`.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use session_transcript::{Format, ReadOptions, Transcript, check_request, read, view_as_request};

#[derive(Default)]
struct Row {
    files: usize,
    conversations: usize,
    messages: usize,
    equal: usize,
    mended: usize,
    unequal: Vec<PathBuf>,
    skipped: BTreeMap<String, usize>,
    warnings: BTreeMap<String, usize>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(root) = arguments.next() else {
        eprintln!("usage: survey DIR [FORMAT]");
        return;
    };
    let format: Option<Format> = arguments.next().and_then(|name| name.parse().ok());
    let mut files = Vec::new();
    collect(Path::new(&root), &mut files);
    files.sort();
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let mut refused: Vec<(PathBuf, String)> = Vec::new();
    for file in files {
        let Ok(bytes) = std::fs::read(&file) else {
            continue;
        };
        let mut options = ReadOptions::default();
        options.format = format;
        match read(&bytes, &options) {
            Ok(transcript) => rows.entry(transcript.format.to_string()).or_default().add(
                &file,
                &bytes,
                &transcript,
            ),
            Err(error) => refused.push((file, error.to_string())),
        }
    }
    println!(
        "{:<12} {:>6} {:>6} {:>9} {:>6} {:>7} {:>8}",
        "format", "files", "conv.", "messages", "equal", "mended", "unequal"
    );
    for (name, row) in &rows {
        println!(
            "{name:<12} {:>6} {:>6} {:>9} {:>6} {:>7} {:>8}",
            row.files,
            row.conversations,
            row.messages,
            row.equal,
            row.mended,
            row.unequal.len()
        );
    }
    for (name, row) in &rows {
        for file in &row.unequal {
            println!("{name}: unequal: {}", file.display());
        }
        for (what, count) in row.skipped.iter().chain(&row.warnings) {
            println!("{name}: {count} x {what}");
        }
    }
    for (file, error) in &refused {
        println!("refused: {}: {error}", file.display());
    }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(path) else {
        files.push(path.into());
        return;
    };
    for entry in entries.flatten() {
        collect(&entry.path(), files);
    }
}

impl Row {
    fn add(&mut self, file: &Path, bytes: &[u8], transcript: &Transcript) {
        self.files += 1;
        self.conversations += transcript.conversations.len();
        self.messages += transcript
            .conversations
            .iter()
            .map(|conversation| conversation.message_count())
            .sum::<usize>();
        for skipped in &transcript.skipped {
            *self
                .skipped
                .entry(format!("skipped: {}", skipped.reason))
                .or_default() += 1;
        }
        for warning in &transcript.warnings {
            let what: String = warning
                .what
                .chars()
                .map(|c| if c.is_ascii_digit() { '#' } else { c })
                .collect();
            *self.warnings.entry(format!("warning: {what}")).or_default() += 1;
        }
        for conversation in &transcript.conversations {
            for format in Format::ALL
                .iter()
                .copied()
                .filter(|format| format.is_request())
            {
                let Ok(request) = view_as_request(&conversation.events, format) else {
                    continue;
                };
                for violation in check_request(format, &request.text) {
                    let what = format!(
                        "violation as {format}: {} in {}",
                        violation.rule,
                        file.display()
                    );
                    *self.warnings.entry(what).or_default() += 1;
                }
            }
        }
        if !transcript.format.can_write() {
            return;
        }
        let written = transcript
            .write_back()
            .map(|written| written.text)
            .unwrap_or_default();
        if values(&unpacked(bytes)) == values(written.as_bytes()) {
            self.equal += 1;
        } else if is_mended(transcript) {
            self.mended += 1;
        } else {
            self.unequal.push(file.into());
        }
    }
}

/// Whether the file cannot be written as it was: it is no clean JSON, or a stream.
fn is_mended(transcript: &Transcript) -> bool {
    const SIGNS: [&str; 4] = [
        "became U+FFFD",
        "was read as null",
        "streamed response",
        "UTF-16",
    ];
    let mut warnings = transcript.warnings.iter();
    transcript
        .skipped
        .iter()
        .any(|skipped| skipped.reason.is_loss())
        || warnings.any(|warning| SIGNS.iter().any(|sign| warning.what.contains(sign)))
}

fn unpacked(bytes: &[u8]) -> Vec<u8> {
    use std::io::Read as _;
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        return bytes.into();
    }
    let mut unpacked = Vec::new();
    let _ = flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut unpacked);
    unpacked
}

/// The JSON values in a file; lines that are none are passed over.
fn values(bytes: &[u8]) -> Vec<serde_json::Value> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    if let Ok(value) = serde_json::from_str(text) {
        return vec![value];
    }
    let of_line = |line: &str| {
        let stream = serde_json::Deserializer::from_str(line).into_iter::<serde_json::Value>();
        stream.map_while(Result::ok).collect::<Vec<_>>()
    };
    text.lines().flat_map(of_line).collect()
}
