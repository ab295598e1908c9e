//! What can go wrong, by what the caller can do about it.

use session_log::{EventId, InvalidId, SessionId};
use session_store::StoreError;
use session_summarizer::SummarizerError;

use crate::settings::InvalidSettings;

/// Why the service did not do what it was asked. Whenever this is returned, nothing was written,
/// or so much as the store could say: see
/// [`StoreError::Unavailable`](session_store::StoreError::Unavailable).
///
/// That a pass changed nothing is no error but an [`Outcome`](crate::Outcome).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The settings can never do what they are for. Change them as the message says.
    #[error(transparent)]
    Settings(#[from] InvalidSettings),
    /// There is a session with this id. Use [`find_or_create`](crate::Sessions::find_or_create),
    /// or another id.
    #[error("session {session} exists already, find it or choose another id")]
    SessionExists {
        /// The id that is taken.
        session: SessionId,
    },
    /// There is no session with this id, or it belongs to somebody else. Create it first.
    #[error("session {session} does not exist")]
    UnknownSession {
        /// The session that was asked for.
        session: SessionId,
    },
    /// There is no such event in the session, or not one that can be meant.
    #[error("session {session} has no {what}")]
    UnknownEvent {
        /// The session that was asked for.
        session: SessionId,
        /// What was looked for.
        what: String,
    },
    /// System messages belong to the request of each turn. Pass them there, or allow storing them
    /// with [`SystemMessages::Allowed`](crate::SystemMessages::Allowed).
    #[error(
        "event {event} is a system message, which this service does not store: send it with each request"
    )]
    SystemMessageRefused {
        /// The event that was refused.
        event: EventId,
    },
    /// The view names events that the log does not have: the log is damaged, and a pass over it
    /// would lose more. Look at it with the store's checks.
    #[error(
        "the view of session {session} names {missing} events that are not in its log: check the store"
    )]
    DamagedView {
        /// The session.
        session: SessionId,
        /// How many are missing.
        missing: usize,
    },
    /// A text cannot be an id, for the reason given.
    #[error(transparent)]
    InvalidId(#[from] InvalidId),
    /// A stored plan is not one, or not for this session.
    #[error("this is no plan: {reason}")]
    InvalidPlan {
        /// What is wrong with it.
        reason: String,
    },
    /// The summarizer failed. The view is as it was; the pass can be tried again.
    #[error("the summarizer failed")]
    Summarizer(#[source] SummarizerError),
    /// The store did not do its part.
    #[error("the store failed")]
    Store(#[source] StoreError),
}

impl Error {
    /// Whether the same call may succeed later without any change.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Store(error) => error.is_retryable(),
            Self::Summarizer(error) => error.is_retryable(),
            _ => false,
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::UnknownSession { session } => Self::UnknownSession { session },
            other => Self::Store(other),
        }
    }
}
