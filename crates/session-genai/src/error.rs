//! What can be said on one side only.

/// A message, or a part of one, that the other side has no word for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TypedError {
    /// The messages of genai have nothing like it. Leave it out, or use
    /// [`history`](crate::history), which does and tells.
    #[error("genai has no counterpart for {what}")]
    NoCounterpart {
        /// What could not be said.
        what: String,
    },
    /// A message of genai cannot be written down.
    #[error("a message of genai cannot be written down: {reason}")]
    Unknown {
        /// What genai says.
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
