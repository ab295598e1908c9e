//! A transcript that was read, and what was said about it on the way.

use std::path::Path;

use session_transcript::{
    Conversation, Format, Layout, ReadError, ReadOptions, Skipped, Transcript, Warning, read,
};

use crate::failure::Failure;
use crate::progress;
use crate::source::bytes;

/// Above this many bytes work is long enough to show progress.
const LONG: usize = 8 << 20;

/// A transcript file that was read.
#[derive(Debug)]
pub(crate) struct Input {
    /// The name people know it by.
    pub(crate) name: String,
    /// The format it was read as.
    pub(crate) format: Format,
    /// Why it was taken for that format.
    pub(crate) why: String,
    /// What was left out.
    pub(crate) skipped: Vec<Skipped>,
    /// What was mended or decided.
    pub(crate) warnings: Vec<Warning>,
    /// Whether the file is one JSON array.
    pub(crate) is_array: bool,
    /// Whether it is an array of conversations, be it of one.
    pub(crate) is_list: bool,
    /// Whether it takes a while to work on it.
    pub(crate) is_long: bool,
    /// What it holds.
    pub(crate) conversations: Vec<Conversation>,
}

impl Input {
    /// Reads a file.
    pub(crate) fn of_file(path: &Path, format: Option<Format>) -> Result<Self, Failure> {
        Self::of_bytes(&path.display().to_string(), &bytes::of_file(path)?, format)
    }

    /// Reads standard input.
    pub(crate) fn of_stdin(format: Option<Format>) -> Result<Self, Failure> {
        Self::of_bytes("standard input", &bytes::of_stdin()?, format)
    }

    /// Reads what is in a file.
    pub(crate) fn of_bytes(
        name: &str,
        bytes: &[u8],
        format: Option<Format>,
    ) -> Result<Self, Failure> {
        let read = Self::of_bytes_if_any(name, bytes, format)?;
        read.ok_or_else(|| unreadable(name, &ReadError::Empty))
    }

    /// Reads what is in a file; `None` when that is nothing.
    pub(crate) fn of_bytes_if_any(
        name: &str,
        bytes: &[u8],
        format: Option<Format>,
    ) -> Result<Option<Self>, Failure> {
        let is_long = bytes.len() > LONG;
        let mut options = ReadOptions::default();
        options.format = format;
        let spinner = progress::spinner("reading", is_long);
        let outcome = read(bytes, &options);
        spinner.finish_and_clear();
        let Transcript {
            format,
            why,
            conversations,
            skipped,
            warnings,
            ..
        } = match outcome {
            Ok(transcript) => transcript,
            Err(ReadError::Empty) => return Ok(None),
            Err(error) => return Err(unreadable(name, &error)),
        };
        let is_array = bytes::are_an_array(bytes);
        let are_messages =
            matches!(conversations.as_slice(), [one] if one.envelope.layout == Layout::Messages);
        Ok(Some(Self {
            name: name.into(),
            format,
            why,
            skipped,
            warnings,
            is_array,
            is_list: is_array && !are_messages,
            is_long,
            conversations,
        }))
    }

    /// Keeps only the conversation with this number, counted from 1, or this id.
    pub(crate) fn choose(&mut self, wanted: &str) -> Result<(), Failure> {
        let by_id = self
            .conversations
            .iter()
            .position(|conversation| conversation.id == wanted);
        let by_number = || wanted.parse::<usize>().ok()?.checked_sub(1);
        let count = self.conversations.len();
        match by_id.or_else(by_number).filter(|at| *at < count) {
            Some(at) => {
                self.conversations = vec![self.conversations.swap_remove(at)];
                self.is_list = false;
                Ok(())
            }
            None => {
                let some = self
                    .conversations
                    .iter()
                    .take(3)
                    .map(|conversation| conversation.id.as_str());
                let some: Vec<&str> = some.collect();
                let hint = match some.as_slice() {
                    [one] => format!("its only one is {one}"),
                    some if some.len() < count => {
                        format!("it has 1 to {count}: {}, …", some.join(", "))
                    }
                    some => format!("it has 1 to {count}: {}", some.join(", ")),
                };
                let failure =
                    Failure::usage(format!("{} has no conversation {wanted:?}", self.name));
                Err(failure.with_hint(hint))
            }
        }
    }
}

/// A file that cannot be read as a transcript.
fn unreadable(name: &str, error: &ReadError) -> Failure {
    let hint = match error {
        ReadError::UnknownFormat { .. } => error
            .hint()
            .replace("name the format", "name the format with --from"),
        ReadError::WrongFormat {
            looks_like: Some(format),
            ..
        } => format!("it looks like {format}: use --from {format}, or leave --from out"),
        ReadError::WrongFormat { .. } => "leave --from out to have the format found out".into(),
        _ => error.hint(),
    };
    Failure::usage(format!("{name}: {error}")).with_hint(hint)
}
