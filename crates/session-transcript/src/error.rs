//! What can go wrong with a whole file. Content never shows in an error.

use crate::format::Format;

/// A file cannot be read as a transcript. One bad record is no error: it is
/// [`Skipped`](crate::Skipped).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file has no bytes, or only white space and NUL.
    #[error("the file is empty")]
    Empty,
    /// The file is larger than the limit that was set.
    #[error("the file has more than {max_bytes} bytes unpacked")]
    TooLarge {
        /// The limit.
        max_bytes: u64,
    },
    /// The file is no text.
    #[error("the file is {what}, not text")]
    Binary {
        /// What it is.
        what: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// No line of the file is JSON.
    #[error("no JSON found: line {line} (byte {byte}) is the first that cannot be read")]
    NotJson {
        /// The first line that cannot be read, from 1.
        line: u64,
        /// The place of its first byte in the file, from 0.
        byte: u64,
    },
    /// The file is JSON, but of no format that is known.
    #[error("line {line} is JSON but no transcript: {why}")]
    UnknownFormat {
        /// The line that was looked at, from 1.
        line: u64,
        /// What it looks like instead.
        why: String,
    },
    /// A whole conversation stands in one string, where calls, results and speakers cannot be
    /// told apart any more.
    #[error("line {line} holds a whole conversation as one string")]
    Flattened {
        /// The line, from 1.
        line: u64,
    },
    /// The records do not have the format that was asked for.
    #[error("no record of format {format} found")]
    WrongFormat {
        /// The format that was asked for.
        format: Format,
        /// The format it looks like, if any.
        looks_like: Option<Format>,
    },
}

impl ReadError {
    /// What to do about it, as one sentence for people.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Empty => "give a file with a conversation in it".into(),
            Self::TooLarge { .. } => "split the file or raise the limit".into(),
            Self::Binary { hint, .. } => (*hint).into(),
            Self::NotJson { .. } => {
                "give JSON or JSONL as the other program wrote it, not a log of its screen".into()
            }
            Self::UnknownFormat { .. } => {
                let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
                format!("name the format if it is one of {}", names.join(", "))
            }
            Self::Flattened { .. } => "export the conversation as messages with roles".into(),
            Self::WrongFormat {
                looks_like: Some(format),
                ..
            } => format!("it looks like {format}"),
            Self::WrongFormat { .. } => "leave the format out to have it detected".into(),
        }
    }
}

/// A conversation cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The format can be read only.
    #[error("{format} can be read but not written")]
    ReadOnly {
        /// The format.
        format: Format,
    },
    /// The format is no request of a provider.
    #[error("{format} is no provider request")]
    NotARequest {
        /// The format.
        format: Format,
    },
    /// The format has no place for something that would be lost.
    #[error("{what} cannot be written as {format}")]
    Unrepresentable {
        /// The format.
        format: Format,
        /// What cannot be written.
        what: &'static str,
    },
}

impl WriteError {
    /// What to do about it, as one sentence for people.
    #[must_use]
    pub fn hint(&self) -> String {
        let named = |is_fit: fn(Format) -> bool| {
            let fit = Format::ALL.iter().filter(|format| is_fit(**format));
            let names: Vec<&str> = fit.map(|format| format.name()).collect();
            names.join(", ")
        };
        match self {
            Self::ReadOnly { .. } => format!("write it as {}", named(Format::can_write)),
            Self::NotARequest { .. } => format!("ask for {}", named(Format::is_request)),
            Self::Unrepresentable { .. } => {
                format!(
                    "write it as {}, which has a place for everything",
                    Format::Jsonl
                )
            }
        }
    }
}
