//! Writing: events in, a file or a request out.

use session_log::NewEvent;

use crate::envelope::Envelope;
use crate::error::WriteError;
use crate::format::Format;
use crate::formats;
use crate::item::Item;
use crate::json;
use crate::transcript::{Conversation, Transcript, Warning};

/// How a conversation is to be written.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct WriteOptions {
    /// What is done about calls and results that do not fit together.
    pub repair: Repair,
}

impl WriteOptions {
    /// The same options with another degree of repair.
    #[must_use]
    pub fn with_repair(mut self, repair: Repair) -> Self {
        self.repair = repair;
        self
    }
}

/// What is done about calls and results that do not fit together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repair {
    /// Nothing: everything is written as it is, also what a provider refuses.
    Nothing,
    /// Results come right after their calls; calls that were given up and results without a call
    /// are left out. Calls at the very end stay: their results may be on the way.
    #[default]
    Abandoned,
    /// As [`Abandoned`](Self::Abandoned), and calls at the very end are left out too: what is
    /// written can be sent.
    Everything,
}

/// What was written, and what was done to it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// The file or request.
    pub text: String,
    /// What was left out or changed, and why.
    pub warnings: Vec<Warning>,
}

impl Written {
    pub(crate) fn new(text: String) -> Self {
        Self {
            text,
            warnings: Vec::new(),
        }
    }
}

/// What a format's writer gets.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    pub(crate) items: Vec<Item<'a>>,
    /// The envelope the conversation was read with, whatever its format.
    pub(crate) envelope: Option<&'a Envelope>,
    pub(crate) repair: Repair,
    /// Whether the result is a request rather than a file.
    pub(crate) is_request: bool,
    /// Whether the items are a whole file as it was read.
    pub(crate) is_file: bool,
}

/// Writes one conversation, or a view of one, as a file of `format`.
///
/// With the envelope it was read with, an unmodified conversation in its own format is written as
/// it was read, compared as JSON values.
///
/// ```
/// use session_transcript::{Format, ReadOptions, WriteOptions, read, write};
///
/// let file = br#"{"model":"m","messages":[{"role":"user","content":"Hi"}]}"#;
/// let transcript = read(file, &ReadOptions::default()).unwrap();
/// let conversation = &transcript.conversations[0];
/// let written = write(&conversation.events, Some(&conversation.envelope), Format::OpenAiChat,
///     &WriteOptions::default()).unwrap();
/// assert_eq!(written.text.as_bytes(), file);
/// ```
///
/// # Errors
///
/// [`WriteError`] when the format cannot be written or has no place for the conversation.
pub fn write<'a, I>(
    items: I,
    envelope: Option<&'a Envelope>,
    format: Format,
    options: &WriteOptions,
) -> Result<Written, WriteError>
where
    I: IntoIterator,
    I::Item: Into<Item<'a>>,
{
    let items = items.into_iter().map(Into::into).collect();
    run(
        format,
        &Draft {
            items,
            envelope,
            repair: options.repair,
            is_request: false,
            is_file: false,
        },
    )
}

/// Writes a view as what a provider of `format` takes: the `messages` array for OpenAI chat, the
/// `input` array for OpenAI Responses, an object with `system` and `messages` for Anthropic, one
/// with `systemInstruction` and `contents` for Gemini, one with `system` and `messages` for Bedrock.
///
/// Results stand right after their calls; calls without a result and results without a call are
/// left out with a warning, so that the request is not refused. The log keeps them.
///
/// ```
/// use session_log::{Message, ToolCall};
/// use session_transcript::{Format, view_as_request};
///
/// let view = [
///     Message::user("Book room 9."),
///     Message::tool_calls([ToolCall::new("k1", "book", r#"{"room": 9}"#)]),
///     Message::user("Never mind."),
/// ];
/// let request = view_as_request(&view, Format::OpenAiChat).unwrap();
/// assert_eq!(
///     request.text,
///     r#"[{"role":"user","content":"Book room 9."},{"role":"user","content":"Never mind."}]"#,
/// );
/// assert_eq!(request.warnings.len(), 1);
/// ```
///
/// # Errors
///
/// [`WriteError::NotARequest`] when no provider takes the format.
pub fn view_as_request<'a, I>(items: I, format: Format) -> Result<Written, WriteError>
where
    I: IntoIterator,
    I::Item: Into<Item<'a>>,
{
    if !format.is_request() {
        return Err(WriteError::NotARequest { format });
    }
    let items = items.into_iter().map(Into::into).collect();
    run(
        format,
        &Draft {
            items,
            envelope: None,
            repair: Repair::Everything,
            is_request: true,
            is_file: false,
        },
    )
}

fn run(format: Format, draft: &Draft<'_>) -> Result<Written, WriteError> {
    match formats::codec(format) {
        Some(codec) if codec.can_write() => codec.write(draft),
        _ => Err(WriteError::ReadOnly { format }),
    }
}

impl Conversation {
    /// Writes the conversation in its own format, as it was read.
    ///
    /// # Errors
    ///
    /// [`WriteError`] when the format can only be read.
    pub fn write_back(&self) -> Result<Written, WriteError> {
        let options = WriteOptions::default().with_repair(Repair::Nothing);
        write(
            &self.events,
            Some(&self.envelope),
            self.envelope.format,
            &options,
        )
    }
}

impl Transcript {
    /// Writes all conversations back into one file of their own format, as they were read.
    /// Skipped lines are not in it.
    ///
    /// # Errors
    ///
    /// [`WriteError`] when the format can only be read.
    pub fn write_back(&self) -> Result<Written, WriteError> {
        if self.format == Format::ClaudeCode {
            let items = self.events().map(Item::from).collect();
            let envelope = self
                .conversations
                .first()
                .map(|conversation| &conversation.envelope);
            let draft = Draft {
                items,
                envelope,
                repair: Repair::Nothing,
                is_request: false,
                is_file: true,
            };
            return run(self.format, &draft);
        }
        let mut parts = Vec::with_capacity(self.conversations.len());
        let mut warnings = Vec::new();
        let is_whole = |conversation: &&Conversation| {
            // The trajectories of sub-agents stand in the one of their parent.
            self.format != Format::Atif || conversation.parent.is_none()
        };
        for conversation in self.conversations.iter().filter(is_whole) {
            let mut written = conversation.write_back()?;
            warnings.append(&mut written.warnings);
            parts.push(written.text);
        }
        let text = match (self.is_list, parts.as_mut_slice()) {
            (true, _) => json::array(parts),
            (false, [one]) => std::mem::take(one),
            (false, _) => parts
                .iter()
                .map(|part| part.trim_end().to_owned() + "\n")
                .collect(),
        };
        Ok(Written { text, warnings })
    }

    /// The events of all conversations of the file.
    pub fn events(&self) -> impl Iterator<Item = &NewEvent> {
        self.conversations
            .iter()
            .flat_map(|conversation| &conversation.events)
    }
}
