//! Reading: bytes in, conversations out.

use std::borrow::Cow;

use session_log::Timestamp;

use crate::envelope::Layout;
use crate::error::ReadError;
use crate::format::Format;
use crate::formats::{self, Codec, Head};
use crate::ids::Names;
use crate::json::{Kind, Members};
use crate::source::{self, Form, Placed, Scan};
use crate::transcript::{Report, SkipReason, Skipped, Transcript, Warning};

/// How a file is to be read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The format; `None` (the default) has it detected by content.
    pub format: Option<Format>,
    /// What becomes of side conversations (sub-agents). Default: conversations of their own.
    pub side: SideConversations,
    /// The moment of events whose records name none. Default: the epoch, so that reading the same
    /// file again gives the same events.
    pub default_time: Timestamp,
    /// The most bytes a compressed file may unpack to. Default: 2 GiB.
    pub max_bytes: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            side: SideConversations::default(),
            default_time: Timestamp::from_millis(0),
            max_bytes: 2 << 30,
        }
    }
}

impl ReadOptions {
    /// The same options for a file of this format.
    #[must_use]
    pub fn with_format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// The same options with another treatment of side conversations.
    #[must_use]
    pub fn with_side(mut self, side: SideConversations) -> Self {
        self.side = side;
        self
    }

    /// The same options with this moment for records that name none.
    #[must_use]
    pub fn with_default_time(mut self, moment: Timestamp) -> Self {
        self.default_time = moment;
        self
    }
}

/// What becomes of side conversations that stand in the file of their parent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SideConversations {
    /// Each becomes a conversation with its `parent` set.
    #[default]
    Own,
    /// They are left out.
    LeaveOut,
}

/// Reads a transcript from the bytes of a file, gzip included.
///
/// One bad record never fails a file: it is listed in [`Transcript::skipped`].
///
/// ```
/// use session_transcript::{Format, ReadOptions, read};
///
/// let file = br#"[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]"#;
/// let transcript = read(file, &ReadOptions::default()).unwrap();
/// assert_eq!(transcript.format, Format::OpenAiChat);
/// assert_eq!(transcript.conversations[0].events.len(), 2);
///
/// let error = read(b"Hi there", &ReadOptions::default()).unwrap_err();
/// assert_eq!(error.to_string(), "no JSON found: line 1 (byte 0) is the first that cannot be read");
/// ```
///
/// # Errors
///
/// [`ReadError`] when nothing of the file can be read as a transcript.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Transcript, ReadError> {
    let mut report = Report::default();
    let text = source::decode(bytes, options.max_bytes, &mut report)?;
    if text.chars().all(|c| c == '\0' || c.is_whitespace()) {
        return Err(ReadError::Empty);
    }
    let text = as_json(text, &mut report);
    let scan = source::scan(&text, &mut report);
    let Some(first) = scan.records.first() else {
        return Err(no_json(&report.skipped));
    };
    let has_structure = |record: &source::Record<'_>| {
        matches!(
            record.raw().kind(),
            Kind::Object | Kind::Array | Kind::String
        )
    };
    if !report.skipped.is_empty() && !scan.records.iter().any(has_structure) {
        // Prose with a number in it.
        return Err(no_json(&report.skipped));
    }
    let head = Head::of(&scan);
    let (codec, why) = choose(&head, options.format).map_err(|error| match error {
        ReadError::UnknownFormat { .. } if is_flattened(&scan) => {
            ReadError::Flattened { line: first.line }
        }
        other => other,
    })?;
    let mut context = Context {
        options,
        report,
        names: Names::default(),
    };
    let conversations = codec.read(&scan, &mut context);
    if conversations.is_empty() {
        let format = codec.format();
        let looks_like = detect(&head)
            .map(|(codec, _)| codec.format())
            .filter(|found| *found != format);
        return Err(ReadError::WrongFormat { format, looks_like });
    }
    let Report {
        mut skipped,
        mut warnings,
    } = context.report;
    skipped.sort_by_key(|skipped| skipped.bytes.start);
    warnings.sort_by_key(|warning| warning.line);
    let is_list = scan.form == Form::Document
        && first.raw().kind() == Kind::Array
        && !matches!(conversations.as_slice(), [one] if one.envelope.layout == Layout::Messages);
    Ok(Transcript {
        format: codec.format(),
        why,
        conversations,
        skipped,
        warnings,
        is_list,
    })
}

/// A stream of events as the response it stands for, and Markdown as the records in it.
fn as_json<'t>(text: Cow<'t, str>, report: &mut Report) -> Cow<'t, str> {
    let Some((response, unread)) = source::assemble(&text) else {
        return source::of_markdown(&text).map_or(text, Cow::Owned);
    };
    let what = "a streamed response was put together from its events";
    report.warn(Warning::file(what));
    if unread > 0 {
        let what = format!("{unread} event(s) of the stream cannot be read");
        report.warn(Warning::file(what));
    }
    Cow::Owned(response)
}

/// What a format's reader needs besides the records.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) options: &'a ReadOptions,
    pub(crate) report: Report,
    pub(crate) names: Names,
}

impl Context<'_> {
    pub(crate) fn skip(&mut self, line: u64, bytes: std::ops::Range<u64>, what: &'static str) {
        self.report.skip(Skipped {
            line,
            bytes,
            reason: SkipReason::NotARecord(what),
        });
    }

    pub(crate) fn skip_all(&mut self, values: Vec<Placed<'_>>, what: &'static str) {
        for value in values {
            self.skip(value.line, value.bytes, what);
        }
    }

    /// Tells of members of an object on `line` that are there again.
    pub(crate) fn warn_of_repeated(&mut self, line: u64, members: &Members<'_>) {
        let repeated = members.repeated();
        if repeated > 0 {
            let what = format!("{repeated} member(s) are there twice: the last one counts");
            self.report.warn(Warning::line(line, what));
        }
    }
}

type Choice = (&'static dyn Codec, String);

fn choose(head: &Head<'_>, format: Option<Format>) -> Result<Choice, ReadError> {
    if let Some(codec) = format.and_then(formats::codec) {
        return Ok((codec, "asked for".into()));
    }
    if let Some(choice) = detect(head) {
        return Ok(choice);
    }
    Err(ReadError::UnknownFormat {
        line: head.first_line(),
        why: head.describe(),
    })
}

fn detect(head: &Head<'_>) -> Option<Choice> {
    formats::CODECS
        .iter()
        .find_map(|codec| Some((*codec, codec.recognise(head)?)))
}

fn no_json(skipped: &[Skipped]) -> ReadError {
    let first = skipped.iter().find(|skipped| skipped.reason.is_loss());
    match first {
        Some(skipped) if skipped.reason == SkipReason::Nul => ReadError::Empty,
        Some(skipped) => ReadError::NotJson {
            line: skipped.line,
            byte: skipped.bytes.start,
        },
        None => ReadError::Empty,
    }
}

/// Whether the first record is text, or has a member, with the turns of a conversation in it.
fn is_flattened(scan: &Scan<'_>) -> bool {
    let Some(raw) = scan.records.first().map(source::Record::raw) else {
        return false;
    };
    let speaks = |text: &str| {
        let starts = |name: &str| {
            text.lines()
                .any(|line| line.to_lowercase().starts_with(name))
        };
        (starts("user:") || starts("human:")) && (starts("assistant:") || starts("ai:"))
    };
    match raw.kind() {
        Kind::String => raw.as_str().is_some_and(|text| speaks(&text)),
        Kind::Object => raw.members().is_some_and(|members| {
            members
                .iter()
                .any(|(_, value)| value.as_str().is_some_and(|text| speaks(&text)))
        }),
        _ => {
            scan.form == Form::Document
                && raw.items().is_some_and(|items| {
                    items
                        .iter()
                        .any(|item| item.as_str().is_some_and(|text| speaks(&text)))
                })
        }
    }
}
