//! The types of `async-openai`, for those who have its client already. Feature `async-openai`.
//!
//! ```
//! use session_log::Message;
//! use session_transcript::async_openai::{message_of, messages};
//!
//! let talk = [Message::system("Be brief."), Message::user("Is it warm?")];
//! let request = async_openai::types::chat::CreateChatCompletionRequest {
//!     model: "m".into(),
//!     messages: messages(&talk)?,
//!     ..Default::default()
//! };
//! assert_eq!(request.messages.len(), 2);
//!
//! // And the reply, to be recorded.
//! let reply = serde_json::from_str(r#"{"role":"assistant","content":"It is."}"#)?;
//! assert_eq!(message_of(&reply)?.text(), "It is.");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use async_openai::types::chat::{ChatCompletionRequestMessage, ChatCompletionResponseMessage};
use session_log::{EventBody, Message};

use crate::format::Format;
use crate::item::Item;
use crate::read::{ReadOptions, read};
use crate::write::view_as_request;

/// A message that has no counterpart among the types of `async-openai`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TypedError {
    /// The conversation cannot be written as a chat.
    #[error("the conversation cannot be written as a chat")]
    Write(#[from] crate::WriteError),
    /// The types know no such message.
    #[error("async-openai knows no such message: {reason}")]
    Unknown {
        /// What they say.
        reason: String,
    },
}

impl From<serde_json::Error> for TypedError {
    fn from(error: serde_json::Error) -> Self {
        Self::Unknown {
            reason: error.to_string(),
        }
    }
}

/// A conversation as the messages of a request: repaired as
/// [`view_as_request`] repairs it, so that every call has its result.
///
/// # Errors
///
/// [`TypedError`] for what the types cannot hold.
pub fn messages<'a, I>(items: I) -> Result<Vec<ChatCompletionRequestMessage>, TypedError>
where
    I: IntoIterator,
    I::Item: Into<Item<'a>>,
{
    let written = view_as_request(items, Format::OpenAiChat)?;
    Ok(serde_json::from_str(&written.text)?)
}

/// The reply of a model, to be appended or recorded.
///
/// # Errors
///
/// [`TypedError::Unknown`] when it is no message.
pub fn message_of(reply: &ChatCompletionResponseMessage) -> Result<Message, TypedError> {
    let unknown = |reason: String| TypedError::Unknown { reason };
    let text = serde_json::to_string(&[reply])?;
    let options = ReadOptions::default().with_format(Format::OpenAiChat);
    let read = read(text.as_bytes(), &options).map_err(|error| unknown(error.to_string()))?;
    let events = read.conversations.into_iter().flat_map(|one| one.events);
    let mut messages = events.filter_map(|event| match event.body {
        EventBody::Message(message) => Some(message),
        _ => None,
    });
    messages.next().ok_or_else(|| unknown("it is empty".into()))
}
