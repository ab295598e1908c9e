//! One module a format, behind one small trait. A new format is a module here and a line in
//! [`CODECS`].

pub(crate) mod ai_sdk;
pub(crate) mod aider;
pub(crate) mod anthropic;
pub(crate) mod atif;
pub(crate) mod bedrock;
pub(crate) mod bodies;
pub(crate) mod chatgpt;
pub(crate) mod claude_ai;
pub(crate) mod claude_code;
pub(crate) mod codex;
pub(crate) mod copilot_cli;
pub(crate) mod effort;
pub(crate) mod gemini;
pub(crate) mod gemini_cli;
pub(crate) mod goose;
pub(crate) mod inspect;
pub(crate) mod jsonl;
pub(crate) mod langchain;
pub(crate) mod lists;
pub(crate) mod log;
pub(crate) mod openai_chat;
pub(crate) mod openai_responses;
pub(crate) mod opencode;
pub(crate) mod openhands;
pub(crate) mod otel;
pub(crate) mod parts;
pub(crate) mod pi;
pub(crate) mod pydantic_ai;
pub(crate) mod sharegpt;
pub(crate) mod shown;
pub(crate) mod style;
pub(crate) mod swe_agent;
pub(crate) mod tree;

use std::fmt::Debug;

use crate::error::WriteError;
use crate::format::Format;
use crate::json::{Kind, Raw};
use crate::read::Context;
use crate::source::{Form, Record, Scan};
use crate::transcript::Conversation;
use crate::write::{Draft, Written};

/// What a format can do.
pub(crate) trait Codec: Debug + Sync {
    /// The format.
    fn format(&self) -> Format;

    /// Why the first records look like this format, if they do.
    fn recognise(&self, head: &Head<'_>) -> Option<String>;

    /// The conversations in the records; none when no record is of this format.
    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation>;

    /// Whether [`write`](Self::write) makes something.
    fn can_write(&self) -> bool {
        true
    }

    /// The conversation in this format.
    ///
    /// # Errors
    ///
    /// [`WriteError`] when the format has no place for it.
    fn write(&self, draft: &Draft<'_>) -> Result<Written, WriteError> {
        let _ = draft;
        Err(WriteError::ReadOnly {
            format: self.format(),
        })
    }
}

/// All formats, in the order in which they are tried on a file: the surest signs first.
pub(crate) static CODECS: &[&dyn Codec] = &[
    &jsonl::Codec,
    &chatgpt::Codec,
    &claude_ai::Codec,
    &codex::Codec,
    &pi::Codec,
    &pydantic_ai::Codec,
    &copilot_cli::Codec,
    &aider::Codec,
    &goose::Codec,
    &atif::Codec,
    &inspect::Codec,
    &openhands::Codec,
    &swe_agent::Codec,
    &gemini_cli::Codec,
    &opencode::Codec,
    &sharegpt::Codec,
    &claude_code::Codec,
    &gemini::Codec,
    &bedrock::Codec,
    &otel::Codec,
    &ai_sdk::Codec,
    &langchain::Codec,
    &openai_responses::Codec,
    &anthropic::Codec,
    &openai_chat::Codec,
];

/// The codec of a format.
pub(crate) fn codec(format: Format) -> Option<&'static dyn Codec> {
    CODECS
        .iter()
        .copied()
        .find(|codec| codec.format() == format)
}

/// The first records of a file, for a look at what they are.
#[derive(Debug)]
pub(crate) struct Head<'a> {
    pub(crate) scan: &'a Scan<'a>,
    /// The records, or the elements of a document that is an array.
    pub(crate) values: Vec<Raw<'a>>,
}

impl<'a> Head<'a> {
    /// Claude Code files begin with other lines than messages; further than this nobody looks.
    const MAX: usize = 300;

    pub(crate) fn of(scan: &'a Scan<'a>) -> Self {
        let records = scan.records.iter().take(Self::MAX).map(Record::raw);
        let values = match scan.form {
            Form::Document => records
                .flat_map(|raw| raw.items().unwrap_or_else(|| vec![raw]))
                .take(Self::MAX)
                .collect(),
            Form::Lines | Form::BrokenArray => records.collect(),
        };
        Self { scan, values }
    }

    pub(crate) fn first_line(&self) -> u64 {
        self.scan.records.first().map_or(1, |record| record.line)
    }

    /// What the first value is, in words that hold no content.
    pub(crate) fn describe(&self) -> String {
        let Some(first) = self.values.first() else {
            return "an empty array".into();
        };
        match first.kind() {
            Kind::Object if first.member("error").is_some() => "an error reply of a server".into(),
            Kind::Object => "an object without messages, role or type that is known".into(),
            Kind::Array => "an array of arrays".into(),
            Kind::String => "a text".into(),
            Kind::Number => "a number".into(),
            Kind::Bool | Kind::Null => "a single word".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_listed_has_one_codec_and_goes_by_its_name() {
        assert_eq!(CODECS.len(), Format::ALL.len());
        for format in Format::ALL.iter().copied() {
            assert!(codec(format).is_some(), "{format}");
            assert_eq!(format.name().parse(), Ok(format));
        }
    }
}
