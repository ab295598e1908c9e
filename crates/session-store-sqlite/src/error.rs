//! From SQLite's errors to what the caller can do.

use std::fmt;

use rusqlite::ErrorCode;
use session_log::SessionId;
use session_store::StoreError;

/// What SQLite said, without its type: messages can be copied to every append of a group.
#[derive(Clone, Debug)]
pub(crate) struct SqliteMessage {
    text: String,
    code: Option<ErrorCode>,
}

impl fmt::Display for SqliteMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for SqliteMessage {}

impl From<&rusqlite::Error> for SqliteMessage {
    fn from(error: &rusqlite::Error) -> Self {
        Self {
            text: error.to_string(),
            code: error.sqlite_error_code(),
        }
    }
}

impl SqliteMessage {
    /// A message of our own.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            code: None,
        }
    }

    pub(crate) fn is_busy(&self) -> bool {
        matches!(
            self.code,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
        )
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.code == Some(ErrorCode::ReadOnly)
    }

    pub(crate) fn is_not_a_database(&self) -> bool {
        matches!(
            self.code,
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt)
        )
    }

    /// Only waiting helps against a busy database; nothing the caller does helps against the rest.
    pub(crate) fn into_store_error(self) -> StoreError {
        if self.is_busy() || self.code == Some(ErrorCode::FileLockingProtocolFailed) {
            StoreError::unavailable(self)
        } else {
            StoreError::failed(self)
        }
    }
}

/// The store failed because of `error`.
pub(crate) fn failed(error: &rusqlite::Error) -> StoreError {
    SqliteMessage::from(error).into_store_error()
}

/// Lets `?` turn SQLite's results into the port's.
pub(crate) trait OrFailed<T> {
    fn or_failed(self) -> Result<T, StoreError>;
}

impl<T> OrFailed<T> for rusqlite::Result<T> {
    fn or_failed(self) -> Result<T, StoreError> {
        self.map_err(|error| failed(&error))
    }
}

pub(crate) fn closed() -> StoreError {
    StoreError::failed("the store's thread has ended")
}

pub(crate) fn unknown(session: &SessionId) -> StoreError {
    StoreError::UnknownSession {
        session: session.clone(),
    }
}
