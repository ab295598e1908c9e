//! What can go wrong, sorted by what the caller can do.

use core::error::Error;
use core::fmt;
use core::time::Duration;
use std::sync::Arc;

use crate::fault::Fault;
use crate::summary::Blank;

/// Why there is no summary.
///
/// Each variant is a decision of the caller. The cause, where there is one, is only in
/// [`source`](Error::source).
///
/// ```
/// use session_summarizer::SummarizerError;
///
/// let busy = SummarizerError::unavailable(None);
/// assert!(busy.is_retryable());
/// assert!(!SummarizerError::InputTooLong { limit: Some(8_000) }.is_retryable());
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SummarizerError {
    /// The model cannot be reached or is busy: ask again later.
    Unavailable {
        /// How long the provider asks to wait, if it says so.
        retry_after: Option<Duration>,
        /// What happened.
        cause: Option<Cause>,
    },
    /// The answer did not come in time: ask again, or allow more time.
    Timeout {
        /// How long was waited.
        limit: Duration,
    },
    /// An answer came and is no valid summary: ask again, ask another model, or leave the view as
    /// it is. A driver makes an outcome of it that names the fault.
    Invalid {
        /// What is wrong with it.
        fault: Fault,
    },
    /// The input does not fit the model: fold it in chunks, never send it again as it is.
    InputTooLong {
        /// The largest input in tokens, where it is known.
        limit: Option<u64>,
    },
    /// The model refuses the request as it is: change the settings or the model.
    Rejected {
        /// What it says, one clause, without what users wrote.
        reason: String,
        /// What happened.
        cause: Option<Cause>,
    },
    /// The key is missing, wrong, or out of money: only a person can help.
    Unauthorized {
        /// What happened.
        cause: Option<Cause>,
    },
    /// Somebody cancelled the work.
    Cancelled,
}

/// The cause of an error, shared so that errors can be cloned.
pub type Cause = Arc<dyn Error + Send + Sync>;

impl SummarizerError {
    /// The model is busy or away.
    #[must_use]
    pub fn unavailable(retry_after: Option<Duration>) -> Self {
        Self::Unavailable {
            retry_after,
            cause: None,
        }
    }

    /// The model refuses the request, and `reason` says why in one clause.
    #[must_use]
    pub fn rejected(reason: impl Into<String>) -> Self {
        Self::Rejected {
            reason: reason.into(),
            cause: None,
        }
    }

    /// The credentials are not accepted.
    #[must_use]
    pub fn unauthorized() -> Self {
        Self::Unauthorized { cause: None }
    }

    /// An answer came and is no summary.
    #[must_use]
    pub fn invalid(fault: Fault) -> Self {
        Self::Invalid { fault }
    }

    /// The same error with its cause, for the variants that have one.
    #[must_use]
    pub fn with_cause(mut self, error: impl Error + Send + Sync + 'static) -> Self {
        if let Self::Unavailable { cause, .. }
        | Self::Rejected { cause, .. }
        | Self::Unauthorized { cause } = &mut self
        {
            *cause = Some(Arc::new(error));
        }
        self
    }

    /// The name in lower case, for reports and statistics; of an invalid summary that of its fault.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Unavailable { .. } => "unavailable",
            Self::Timeout { .. } => "timeout",
            Self::Invalid { fault } => fault.name(),
            Self::InputTooLong { .. } => "input_too_long",
            Self::Rejected { .. } => "rejected",
            Self::Unauthorized { .. } => "unauthorized",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether the same request may succeed when it is made again.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Unavailable { .. } | Self::Timeout { .. } => true,
            Self::Invalid { fault } => fault.is_retryable(),
            Self::InputTooLong { .. }
            | Self::Rejected { .. }
            | Self::Unauthorized { .. }
            | Self::Cancelled => false,
        }
    }

    /// How long the provider asks to wait.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Unavailable { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// What is wrong with the answer, when there was one.
    #[must_use]
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Invalid { fault } => Some(fault),
            _ => None,
        }
    }
}

impl fmt::Display for SummarizerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable { .. } => {
                f.write_str("the summarizer is not available, try again later")
            }
            Self::Timeout { limit } => {
                let limit = limit.as_millis();
                write!(f, "the summarizer did not answer within {limit} ms")
            }
            Self::Invalid { fault } => write!(f, "the summary is not valid: {fault}"),
            Self::InputTooLong { limit } => {
                f.write_str("the input is too long for the summarizer, fold it in chunks")?;
                limit.map_or(Ok(()), |limit| write!(f, " of at most {limit} tokens"))
            }
            Self::Rejected { reason, .. } => write!(
                f,
                "the summarizer rejects the request, change its settings: {reason}"
            ),
            Self::Unauthorized { .. } => f.write_str(
                "the summarizer does not accept the credentials, check the key and the account",
            ),
            Self::Cancelled => f.write_str("summarizing was cancelled"),
        }
    }
}

/// Derived, the source would be the pointer that shares the cause, and no `downcast_ref` would find
/// what it points to.
impl Error for SummarizerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let cause = match self {
            Self::Unavailable { cause, .. }
            | Self::Rejected { cause, .. }
            | Self::Unauthorized { cause } => cause.as_ref()?,
            Self::Timeout { .. }
            | Self::Invalid { .. }
            | Self::InputTooLong { .. }
            | Self::Cancelled => return None,
        };
        Some(&**cause)
    }
}

impl From<Blank> for SummarizerError {
    fn from(_: Blank) -> Self {
        Self::invalid(Fault::Blank)
    }
}

impl From<Fault> for SummarizerError {
    fn from(fault: Fault) -> Self {
        Self::invalid(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The source was the pointer that shares the cause, so nobody found what it points to.
    #[test]
    fn a_cause_is_found_by_its_type() {
        for error in [
            SummarizerError::unavailable(None),
            SummarizerError::rejected("no such model"),
            SummarizerError::unauthorized(),
        ] {
            assert!(error.source().is_none());
            let error = error.with_cause(fmt::Error);
            assert!(error.source().unwrap().is::<fmt::Error>(), "{error}");
        }
        let without = SummarizerError::Cancelled.with_cause(fmt::Error);
        assert!(without.source().is_none());
    }
}
