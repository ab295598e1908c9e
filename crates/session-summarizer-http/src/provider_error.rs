//! What a provider said when it refused, kept as the cause of an error.

use core::error::Error;
use core::fmt;

/// An error as the provider put it: the cause of a
/// [`SummarizerError`](session_summarizer::SummarizerError) that answers with one.
///
/// `Display` and `Debug` show the status and words from a fixed list. What the provider wrote may
/// repeat what was sent to it, so it is only to be had by asking for it.
///
/// ```
/// use std::error::Error as _;
///
/// use session_summarizer::SummarizerError;
/// use session_summarizer_http::ProviderError;
///
/// fn details(error: &SummarizerError) -> Option<&str> {
///     error.source()?.downcast_ref::<ProviderError>().map(ProviderError::message)
/// }
/// # assert_eq!(details(&SummarizerError::unauthorized()), None);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderError {
    status: Option<u16>,
    kind: Option<&'static str>,
    message: String,
}

/// The longest message that is kept, in characters.
const LONGEST: usize = 2_000;

impl ProviderError {
    pub(crate) fn new(status: Option<u16>, kind: Option<&'static str>, message: &str) -> Self {
        Self {
            status,
            kind,
            message: message.chars().take(LONGEST).collect(),
        }
    }

    /// The HTTP status; `None` for an error inside an answer that began well.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// What the provider wrote, at most 2,000 characters of it. It may repeat parts of what was
    /// sent, but neither the key nor what headers and the query of the base URL hold, from eight
    /// characters on.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for ProviderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            Some(status) => write!(f, "the provider answered with HTTP status {status}")?,
            None => f.write_str("the provider answered with an error")?,
        }
        match self.kind {
            Some(kind) => write!(f, " ({kind})"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for ProviderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderError")
            .field("status", &self.status)
            .field("kind", &self.kind)
            .field("message_bytes", &self.message.len())
            .finish()
    }
}

impl Error for ProviderError {}
