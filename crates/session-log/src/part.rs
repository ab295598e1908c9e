//! The parts a message is made of.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::json::{Fields, Json};
use crate::message::Shape;

/// One part of a message. What we do not know is kept as [`Part::Opaque`].
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// Text to read.
    Text(Text),
    /// Reasoning of the model, signed or encrypted as the provider sent it.
    Reasoning(Reasoning),
    /// A call of a tool.
    ToolCall(ToolCall),
    /// The result of a tool call.
    ToolResult(ToolResult),
    /// An image, a sound, a video or a file.
    Media(Media),
    /// The model's words when it refuses.
    Refusal(Text),
    /// A part we do not know, as it was written.
    Opaque(Opaque),
}

impl Part {
    /// A text part.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Text::new(text))
    }

    /// The text, if this is a text part.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.text),
            _ => None,
        }
    }

    /// A word for the kind of part, such as `tool_call`.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Reasoning(_) => "reasoning",
            Self::ToolCall(_) => "tool_call",
            Self::ToolResult(_) => "tool_result",
            Self::Media(_) => "media",
            Self::Refusal(_) => "refusal",
            Self::Opaque(_) => "opaque",
        }
    }
}

impl fmt::Debug for Part {
    /// Shows the kind of the part, never what it says.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind_name())
    }
}

macro_rules! quiet_debug {
    ($($name:ident),*) => {$(
        impl fmt::Debug for $name {
            /// Shows the kind, never the content.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )*};
}

quiet_debug!(Text, Reasoning, ToolCall, ToolResult, Media, Opaque);

/// Text, with the fields its record had beside it.
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Text {
    /// The text, any Unicode, NUL included.
    pub text: String,
    /// Other fields of the part (`cache_control`, `citations`, `annotations` …).
    pub extra: Fields,
}

impl Text {
    /// Text without further fields.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            extra: Fields::new(),
        }
    }
}

/// Reasoning. The signature and the encrypted form are opaque: they are sent back as they are, in
/// place, or the whole part is left out.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Reasoning {
    /// The readable text or summary, if there is one.
    pub text: Option<String>,
    /// The provider's signature over the text.
    pub signature: Option<String>,
    /// The encrypted form, where the provider hides the text.
    pub encrypted: Option<String>,
    /// Other fields of the part.
    pub extra: Fields,
}

impl Reasoning {
    /// Reasoning with readable text only.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: Some(text.into()),
            ..Self::default()
        }
    }
}

/// What a tool is called with, as the model wrote it.
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Arguments {
    /// Text that usually, but not always, is JSON (the OpenAI family; free text of custom tools).
    Text(String),
    /// A JSON value (Anthropic, Gemini, Ollama …).
    Value(Json),
}

impl Arguments {
    /// The text as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Value(json) => json.as_str(),
        }
    }
}

impl fmt::Debug for Arguments {
    /// Says how long the text is, not what it says.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Arguments({} bytes)", self.as_str().len())
    }
}

/// A call of a tool.
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ToolCall {
    /// The id its result names. May be empty or used again later: some servers do so.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// What it is called with.
    pub arguments: Arguments,
    /// Other fields of the call.
    pub extra: Fields,
}

impl ToolCall {
    /// A call with arguments as JSON text.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: Arguments::Text(arguments.into()),
            extra: Fields::new(),
        }
    }
}

/// The result of a tool call.
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ToolResult {
    /// The id of the call it answers.
    pub call_id: String,
    /// The tool's name, where the record has it.
    pub name: Option<String>,
    /// What came back: text, images, anything a message can hold.
    pub parts: Vec<Part>,
    /// Whether the tool failed; `None` where the record does not say.
    pub is_error: Option<bool>,
    /// How the content was written.
    pub shape: Shape,
    /// Other fields of the result.
    pub extra: Fields,
}

impl ToolResult {
    /// A result with `parts`.
    #[must_use]
    pub fn new(call_id: impl Into<String>, parts: Vec<Part>) -> Self {
        Self {
            call_id: call_id.into(),
            name: None,
            parts,
            is_error: None,
            shape: Shape::Parts,
            extra: Fields::new(),
        }
    }

    /// A result of one text.
    #[must_use]
    pub fn text(call_id: impl Into<String>, text: impl Into<String>) -> Self {
        let mut result = Self::new(call_id, vec![Part::text(text)]);
        result.shape = Shape::Text;
        result
    }
}

/// What sort of thing a [`Media`] part holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MediaKind {
    /// A picture.
    Image,
    /// A sound.
    Audio,
    /// A moving picture.
    Video,
    /// A document or any other file.
    File,
}

impl MediaKind {
    /// The lower-case name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Video => "video",
            Self::File => "file",
        }
    }
}

/// Where the bytes of a [`Media`] part are.
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MediaSource {
    /// In the record, as the base64 text it was written in (standard or URL-safe, padded or not).
    Base64(String),
    /// At an address; a `data:` URL is kept as it is.
    Url(String),
    /// At the provider, under this id.
    FileId(String),
    /// In the record, as plain text.
    Text(String),
}

impl fmt::Debug for MediaSource {
    /// Shows the kind of source, never the content.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Base64(_) => "Base64",
            Self::Url(_) => "Url",
            Self::FileId(_) => "FileId",
            Self::Text(_) => "Text",
        })
    }
}

/// An image, a sound, a video or a file.
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Media {
    /// What it is.
    pub kind: MediaKind,
    /// The media type (`image/png`) or the format word the record used (`wav`).
    pub media_type: Option<String>,
    /// Where its bytes are.
    pub source: MediaSource,
    /// The file name or title, where given.
    pub name: Option<String>,
    /// Other fields of the part.
    pub extra: Fields,
}

impl Media {
    /// Media of `kind` from `source`.
    #[must_use]
    pub fn new(kind: MediaKind, source: MediaSource) -> Self {
        Self {
            kind,
            media_type: None,
            source,
            name: None,
            extra: Fields::new(),
        }
    }
}

/// A part we do not know, kept as it was written.
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Opaque {
    /// The format it came in, such as `anthropic`. Only an exporter of that format writes it.
    pub format: String,
    /// The whole part.
    pub json: Json,
}

impl Opaque {
    /// A part of `format` as it was written.
    #[must_use]
    pub fn new(format: impl Into<String>, json: Json) -> Self {
        Self {
            format: format.into(),
            json,
        }
    }
}
