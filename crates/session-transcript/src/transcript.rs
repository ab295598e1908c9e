//! What reading a file gives.

use std::fmt;
use std::ops::Range;

use session_log::{Json, NewEvent};

use crate::envelope::Envelope;
use crate::format::Format;

/// A file that was read: its conversations, and everything that was not taken over.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transcript {
    /// The format it was read as.
    pub format: Format,
    /// Why it was taken for that format.
    pub why: String,
    /// The conversations, in the order of the file.
    pub conversations: Vec<Conversation>,
    /// Lines and records that were left out, each with its reason.
    pub skipped: Vec<Skipped>,
    /// What was mended or decided on the way.
    pub warnings: Vec<Warning>,
    /// Whether the file is an array of conversations.
    pub(crate) is_list: bool,
}

/// One conversation of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conversation {
    /// A name that is the same each time the same conversation is read: the other tool's id where
    /// there is one, else a digest of the content. It is a valid session id.
    pub id: String,
    /// The title, where the other tool keeps one.
    pub title: Option<String>,
    /// The model that answered, or was asked.
    pub model: Option<String>,
    /// The id of the conversation that started this one, for side conversations.
    pub parent: Option<String>,
    /// The tools that were offered, as they were written.
    pub tools: Option<Json>,
    /// What stood around the messages, so that it can be written again.
    pub envelope: Envelope,
    /// The events, in order, for an empty log: sequence numbers inside of boundaries count the
    /// first event as 1.
    pub events: Vec<NewEvent>,
}

impl Conversation {
    /// How many of the events carry a message.
    #[must_use]
    pub fn message_count(&self) -> usize {
        self.events
            .iter()
            .filter(|event| matches!(event.body, session_log::EventBody::Message(_)))
            .count()
    }
}

/// A line, or part of one, that was not taken over.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// The line, from 1.
    pub line: u64,
    /// The bytes, from 0, in the unpacked file without a byte order mark.
    pub bytes: Range<u64>,
    /// Why.
    pub reason: SkipReason,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { start, end } = self.bytes;
        write!(
            f,
            "line {} (bytes {start}..{end}): {}",
            self.line, self.reason
        )
    }
}

/// Why a line was not taken over.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipReason {
    /// A comment.
    Comment,
    /// NUL bytes, as a power cut leaves them.
    Nul,
    /// The file ends inside a record.
    Cut,
    /// The line is no JSON.
    Broken,
    /// The record is JSON but says nothing the format knows.
    NotARecord(&'static str),
}

impl SkipReason {
    /// Whether something of the conversation may have been lost.
    #[must_use]
    pub fn is_loss(&self) -> bool {
        !matches!(self, Self::Comment)
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Comment => "a comment",
            Self::Nul => "NUL bytes",
            Self::Cut => "the record is cut off",
            Self::Broken => "malformed JSON",
            Self::NotARecord(what) => what,
        })
    }
}

/// Something that was mended or decided while reading or writing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// The line it is about, where it is about one.
    pub line: Option<u64>,
    /// What happened, as a clause.
    pub what: String,
}

impl Warning {
    pub(crate) fn file(what: impl Into<String>) -> Self {
        Self {
            line: None,
            what: what.into(),
        }
    }

    pub(crate) fn line(line: u64, what: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            what: what.into(),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

/// What reading finds besides conversations.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) warnings: Vec<Warning>,
}

impl Report {
    pub(crate) fn skip(&mut self, skipped: Skipped) {
        self.skipped.push(skipped);
    }

    pub(crate) fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }
}
