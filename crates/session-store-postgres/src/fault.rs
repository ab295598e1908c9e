//! What can go wrong between the store and its database, by what the store does about it.

use std::error::Error as StdError;
use std::fmt;
use std::io;

use session_store::StoreError;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

/// Why one attempt at a call came to nothing.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Somebody else was at it at the same time. The transaction is rolled back; trying again
    /// helps.
    Again(StoreError),
    /// The connection is of no use any more, and nothing was committed over it. Trying again over
    /// another one helps. The error is what to say if it does not.
    Lost(StoreError),
    /// Trying again does not help.
    Final(StoreError),
}

impl Fault {
    /// What the caller is told.
    pub(crate) fn into_error(self) -> StoreError {
        match self {
            Self::Again(error) | Self::Lost(error) | Self::Final(error) => error,
        }
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Final(error)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let Some(code) = error.code().cloned() else {
            return without_code(error);
        };
        let cause = Complaint::of(&error);
        match code {
            SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED => {
                Self::Again(StoreError::unavailable(cause))
            }
            // After a failover a connection may still lead to what was the primary.
            SqlState::READ_ONLY_SQL_TRANSACTION => Self::Lost(StoreError::failed(cause)),
            SqlState::ADMIN_SHUTDOWN
            | SqlState::CRASH_SHUTDOWN
            | SqlState::CANNOT_CONNECT_NOW
            | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => {
                Self::Lost(StoreError::unavailable(cause))
            }
            code if is_class(&code, "08") => Self::Lost(StoreError::unavailable(cause)),
            code if is_passing(&code) => Self::Final(StoreError::unavailable(cause)),
            _ => Self::Final(StoreError::failed(cause)),
        }
    }
}

/// An error of the client: over a broken connection, or in how it was used.
fn without_code(error: Error) -> Fault {
    match error.source() {
        None => Fault::Lost(StoreError::unavailable(error)),
        Some(source) if is_passing_io(source) => Fault::Lost(StoreError::unavailable(error)),
        Some(_) => Fault::Final(StoreError::failed(error)),
    }
}

/// Whether the network is to blame, and not what was said over it.
fn is_passing_io(source: &(dyn StdError + 'static)) -> bool {
    let Some(error) = source.downcast_ref::<io::Error>() else {
        return false;
    };
    // A certificate that is not trusted comes in the clothes of a network error.
    !matches!(
        error.kind(),
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput
    )
}

/// Whether the database may do it later: it is out of memory or connections, was told to stop, or
/// waited too long.
fn is_passing(code: &SqlState) -> bool {
    let is_short = is_class(code, "53") && *code != SqlState::DISK_FULL;
    is_short
        || is_class(code, "57")
        || is_class(code, "40")
        || *code == SqlState::LOCK_NOT_AVAILABLE
}

fn is_class(code: &SqlState, class: &str) -> bool {
    code.code().starts_with(class)
}

/// What the database said, without the values it said it about: those may be what people wrote.
#[derive(Debug)]
struct Complaint {
    code: String,
    message: String,
}

impl Complaint {
    fn of(error: &Error) -> Self {
        let complaint = error.as_db_error();
        Self {
            code: complaint.map_or_else(String::new, |it| it.code().code().to_owned()),
            message: complaint.map_or_else(|| error.to_string(), |it| it.message().to_owned()),
        }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (SQLSTATE {})", self.message, self.code)
    }
}

impl StdError for Complaint {}

/// What is wrong beyond what the database says.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    #[error("the connection string is none, or names no host; write postgres://user@host/database")]
    ConnectionString,
    #[cfg(feature = "tls")]
    #[error("the connection string turns encryption off and the options turn it on")]
    Encryption,
    #[error(
        "the connection string asks for encryption: name whom to trust with `PostgresOptions::with_tls`"
    )]
    NoEncryption,
    #[error("the store must be opened inside a tokio runtime")]
    NoRuntime,
    #[error("the store was closed")]
    Closed,
    #[error("all connections are busy; allow more of them, or more patience")]
    Busy,
    #[error("the database took too long to answer a new connection")]
    Silent,
    #[error("others write to the session all the time")]
    Contended,
    #[error(
        "the connection broke while a commit was under way: all of it is stored or nothing; the \
         same call again finds out"
    )]
    Uncertain(#[source] Error),
    #[error(
        "the tables have version {found}, this release needs {needed}; open the store once with \
         `Migrate::Run`, or run the migrations by hand"
    )]
    TablesMissing { found: i64, needed: i64 },
    #[error("the tables have version {found}, this release knows up to {known}; use a newer one")]
    TablesNewer { found: i64, known: i64 },
    #[error("the database is encoded in {encoding}; make one with the encoding UTF8")]
    Encoding { encoding: String },
    #[error("somebody else has been at the tables for too long")]
    MigrationHeld,
    #[error("this database cannot notify; look at the version of the session from time to time")]
    NoNotifications,
    #[error("a column holds what is never written there")]
    Column,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_is_told_from_what_stays() {
        for code in ["53300", "53200", "57014", "55P03", "40003"] {
            assert!(is_passing(&SqlState::from_code(code)), "{code}");
        }
        for code in ["53100", "42501", "23505", "42P01", "22021"] {
            assert!(!is_passing(&SqlState::from_code(code)), "{code}");
        }
    }
}
