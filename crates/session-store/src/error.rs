//! What can go wrong in a store, by what the caller can do about it.

use std::boxed::Box;
use std::error::Error;
use std::string::String;

use session_log::{EventId, Seq, SessionId};

/// A cause of any type, so that no store shows the error type of its database.
pub type BoxError = Box<dyn Error + Send + Sync + 'static>;

/// Why a store did not do what it was asked. Whenever this is returned, nothing was written; of
/// [`Unavailable`](Self::Unavailable) alone that is not certain.
///
/// That somebody else wrote in between is no error but an outcome:
/// [`Appended::Conflict`](crate::Appended::Conflict). That a session exists already is one too:
/// [`Created::Exists`](crate::Created::Exists).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The session was never created, was deleted or was swept. Create it, or tell the user.
    #[error("session {session} does not exist")]
    UnknownSession {
        /// The session that was asked for.
        session: SessionId,
    },
    /// There is no event at this place.
    #[error("session {session} has no event {seq}")]
    UnknownEvent {
        /// The session that was asked for.
        session: SessionId,
        /// The place that was asked for.
        seq: Seq,
    },
    /// The session has an event with this id that says something else. Ids must come from what
    /// is said, or be fresh.
    #[error("event {event} is in the session already and says something else")]
    EventDiffers {
        /// The id that is taken.
        event: EventId,
    },
    /// Another session has an event with this id. Choose another id.
    #[error("event id {event} is used by another session")]
    EventElsewhere {
        /// The id that is taken.
        event: EventId,
    },
    /// The event can be stored nowhere, whatever the session. Correct the event.
    #[error("event {event} cannot be stored: {reason}")]
    InvalidEvent {
        /// The event that was handed in.
        event: EventId,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The question makes no sense. Correct the query.
    #[error("{reason}")]
    InvalidQuery {
        /// What is wrong with it and which values are right.
        reason: String,
    },
    /// What is stored cannot be read. The rest of the session can be read leniently, see
    /// [`OnDamage`](crate::OnDamage).
    #[error("{what} of session {session} is damaged")]
    Corrupt {
        /// The session with the damage.
        session: SessionId,
        /// What is damaged, such as `event 7`.
        what: String,
        /// What the reader says.
        #[source]
        source: BoxError,
    },
    /// The store cannot be reached or is too busy right now. Try again later.
    ///
    /// When the connection broke while a server was about to answer, the work may be done all the
    /// same, whole. Calling again with the same ids is safe: what is there is not written twice, a
    /// session that was created is found, one that was deleted is not, and an erasure counts again.
    #[error("the store is not available")]
    Unavailable {
        /// What the database says.
        #[source]
        source: BoxError,
    },
    /// The store cannot do it, and trying again will not help: a full disk, a file that may only
    /// be read, a store that was closed.
    #[error("the store failed")]
    Failed {
        /// What the database says.
        #[source]
        source: BoxError,
    },
}

impl StoreError {
    /// Whether the same call may succeed later without any change.
    ///
    /// ```
    /// use session_store::StoreError;
    ///
    /// let busy = StoreError::unavailable("connection refused");
    /// assert!(busy.is_retryable());
    /// assert_eq!(busy.to_string(), "the store is not available"); // the cause is in `source`
    /// ```
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable { .. })
    }

    /// The store cannot be reached right now, because of `source`.
    #[must_use]
    pub fn unavailable(source: impl Into<BoxError>) -> Self {
        Self::Unavailable {
            source: source.into(),
        }
    }

    /// The store cannot do it, because of `source`.
    #[must_use]
    pub fn failed(source: impl Into<BoxError>) -> Self {
        Self::Failed {
            source: source.into(),
        }
    }

    /// The question makes no sense, for this reason.
    #[must_use]
    pub fn invalid_query(reason: impl Into<String>) -> Self {
        Self::InvalidQuery {
            reason: reason.into(),
        }
    }

    /// The event at `seq` cannot be read, because of `source`.
    #[must_use]
    pub fn corrupt_event(session: SessionId, seq: Seq, source: impl Into<BoxError>) -> Self {
        Self::Corrupt {
            session,
            what: std::format!("event {seq}"),
            source: source.into(),
        }
    }
}
