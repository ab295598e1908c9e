//! Messages, which keep everything they came with.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::json::Fields;
use crate::part::{Part, Text, ToolCall, ToolResult};

/// Who speaks in a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// The system prompt.
    System,
    /// The newer name of the system prompt at some providers; counts as [`Role::System`].
    Developer,
    /// The person, or the program in the person's place.
    User,
    /// The model.
    Assistant,
    /// A tool, with the results of calls.
    Tool,
    /// A role we do not know, kept by name. It opens no turn, rides along with the turn it stands
    /// in, and is left out of provider requests that do not know it.
    Other(String),
}

impl Role {
    /// The lower-case name, as providers write it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::Other(name) => name,
        }
    }

    /// The role with this name; a name that is not known is kept.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        match name {
            "system" => Self::System,
            "developer" => Self::Developer,
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "tool" => Self::Tool,
            other => Self::Other(other.into()),
        }
    }

    /// Whether messages of this role are system prompts.
    #[must_use]
    pub fn is_system(&self) -> bool {
        matches!(self, Self::System | Self::Developer)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How content was written in the record it came from. An exporter to the same format writes it
/// in the same way again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shape {
    /// A list of parts.
    #[default]
    Parts,
    /// A plain string.
    Text,
    /// The word `null`.
    Null,
    /// No content field at all.
    Absent,
}

/// One message: a role and its parts, in order, with every field it came with.
///
/// ```
/// use session_log::{Message, Role};
///
/// let message = Message::user("Book room 9.");
/// assert_eq!(message.role, Role::User);
/// assert_eq!(message.text(), "Book room 9.");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub parts: Vec<Part>,
    /// The name of the speaker, where one was given.
    pub name: Option<String>,
    /// How the content was written.
    pub shape: Shape,
    /// Fields of the record that have no place of their own, by their own names.
    pub extra: Fields,
}

impl Message {
    /// A message of `role` with `parts`.
    #[must_use]
    pub fn new(role: Role, parts: Vec<Part>) -> Self {
        Self {
            role,
            parts,
            name: None,
            shape: Shape::Parts,
            extra: Fields::new(),
        }
    }

    fn plain(role: Role, text: impl Into<String>) -> Self {
        let mut message = Self::new(role, vec![Part::Text(Text::new(text))]);
        message.shape = Shape::Text;
        message
    }

    /// A user message of one text.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::plain(Role::User, text)
    }

    /// An assistant message of one text.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::plain(Role::Assistant, text)
    }

    /// An assistant message that makes tool calls and says nothing.
    #[must_use]
    pub fn tool_calls(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        let mut message = Self::new(
            Role::Assistant,
            calls.into_iter().map(Part::ToolCall).collect(),
        );
        message.shape = Shape::Null;
        message
    }

    /// A system message of one text.
    #[must_use]
    pub fn system(text: impl Into<String>) -> Self {
        Self::plain(Role::System, text)
    }

    /// The result of one tool call, as a message of role tool.
    #[must_use]
    pub fn tool_result(call_id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(
            Role::Tool,
            vec![Part::ToolResult(ToolResult::text(call_id, text))],
        )
    }

    /// The same message with the speaker's name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The same message with the content written in another way.
    #[must_use]
    pub fn with_shape(mut self, shape: Shape) -> Self {
        self.shape = shape;
        self
    }

    /// The text parts, joined by line breaks; empty when there are none. Reasoning, tool calls
    /// and results are not text.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        let mut texts = self.parts.iter().filter_map(Part::as_text);
        let Some(first) = texts.next() else {
            return Cow::Borrowed("");
        };
        let Some(second) = texts.next() else {
            return Cow::Borrowed(first);
        };
        let mut joined = String::from(first);
        for text in core::iter::once(second).chain(texts) {
            joined.push('\n');
            joined.push_str(text);
        }
        Cow::Owned(joined)
    }

    /// The tool calls the message makes, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| match part {
            Part::ToolCall(call) => Some(call),
            _ => None,
        })
    }

    /// The tool results the message brings, in order.
    pub fn results(&self) -> impl Iterator<Item = &ToolResult> {
        self.parts.iter().filter_map(|part| match part {
            Part::ToolResult(result) => Some(result),
            _ => None,
        })
    }

    /// Whether the message has parts and all of them are tool results.
    #[must_use]
    pub fn is_only_results(&self) -> bool {
        !self.parts.is_empty()
            && self
                .parts
                .iter()
                .all(|part| matches!(part, Part::ToolResult(_)))
    }

    /// Whether the message says nothing at all: no text but blanks, no call, result, reasoning,
    /// media or unknown part.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| match part {
            Part::Text(text) => text.text.trim().is_empty(),
            _ => false,
        })
    }
}

impl fmt::Debug for Message {
    /// Shows role and kinds of parts, never what was said.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("role", &self.role)
            .field("parts", &self.parts)
            .finish_non_exhaustive()
    }
}
