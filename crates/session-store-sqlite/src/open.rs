//! Opening a database, and refusing what is none of ours.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};
use session_store::{BoxError, StoreError};

use crate::error::SqliteMessage;
use crate::options::{Durability, SqliteOptions};
use crate::schema;

/// The oldest SQLite that can delete from the search index (3.43).
const OLDEST_LIBRARY: i32 = 3_043_000;

/// How many prepared statements a connection keeps.
const STATEMENTS: usize = 64;

/// Why a database was not opened. Nothing was changed in the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file is no SQLite database, or it is damaged beyond reading. Choose another path, or
    /// restore the file.
    #[error("the file is not an SQLite database")]
    NotADatabase {
        /// What SQLite says.
        #[source]
        source: BoxError,
    },
    /// The file is the SQLite database of another program. Choose another path.
    #[error("the file is the database of another program")]
    Foreign,
    /// The file was written by a later release. Update the program.
    #[error("the database has schema {found}, this release reads up to schema {supported}")]
    NewerSchema {
        /// The schema of the file.
        found: i64,
        /// The newest schema that can be read.
        supported: i64,
    },
    /// The file or its folder may only be read. Correct the permissions.
    #[error("the database may only be read")]
    ReadOnly {
        /// What the system says.
        #[source]
        source: BoxError,
    },
    /// The SQLite library is too old. Update it, or use the feature `bundled`.
    #[error("the SQLite library has version {found}, at least 3.43 is needed")]
    OldLibrary {
        /// Its version.
        found: String,
    },
    /// Another process holds the database. Try again later.
    #[error("the database is not available")]
    Unavailable {
        /// What SQLite says.
        #[source]
        source: BoxError,
    },
    /// The file cannot be opened or made.
    #[error("the database cannot be opened")]
    Failed {
        /// What the system says.
        #[source]
        source: BoxError,
    },
}

impl OpenError {
    /// Whether the same call may succeed later without any change.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable { .. })
    }

    pub(crate) fn failed(source: impl Into<BoxError>) -> Self {
        Self::Failed {
            source: source.into(),
        }
    }

    /// What SQLite says when a file is opened, by what the caller can do about it.
    pub(crate) fn of(error: &rusqlite::Error) -> Self {
        let message = SqliteMessage::from(error);
        let is_busy = message.is_busy();
        let is_read_only = message.is_read_only();
        let is_not_a_database = message.is_not_a_database();
        let source = message.into();
        if is_busy {
            Self::Unavailable { source }
        } else if is_read_only {
            Self::ReadOnly { source }
        } else if is_not_a_database {
            Self::NotADatabase { source }
        } else {
            Self::Failed { source }
        }
    }
}

impl From<OpenError> for StoreError {
    fn from(error: OpenError) -> Self {
        if error.is_retryable() {
            Self::unavailable(error)
        } else {
            Self::failed(error)
        }
    }
}

/// Opens the connection that writes; makes the file and brings it to the current schema.
pub(crate) fn open_writer(path: &Path, options: &SqliteOptions) -> Result<Connection, OpenError> {
    if rusqlite::version_number() < OLDEST_LIBRARY {
        let found = rusqlite::version().into();
        return Err(OpenError::OldLibrary { found });
    }
    check_permissions(path)?;
    let connection = connect(path, options.busy_timeout, OpenFlags::SQLITE_OPEN_CREATE)
        .map_err(|error| OpenError::of(&error))?;
    check_schema(&connection)?;
    until_not_busy(options.busy_timeout, || {
        use_wal(&connection)?;
        let durability = match options.durability {
            Durability::Normal => "PRAGMA synchronous = NORMAL;",
            Durability::Full => "PRAGMA synchronous = FULL;",
        };
        connection.execute_batch(durability)?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        Ok(())
    })
    .map_err(|error| OpenError::of(&error))?;
    // Another process may have been faster.
    let migrated = check_schema(&connection).and_then(|found| {
        schema::migrate(&connection, found).map_err(|error| OpenError::of(&error))?;
        connection
            .execute_batch("COMMIT")
            .map_err(|error| OpenError::of(&error))
    });
    if let Err(error) = migrated {
        connection
            .execute_batch("ROLLBACK")
            .map_err(|error| OpenError::of(&error))?;
        return Err(error);
    }
    Ok(connection)
}

/// Opens a connection that only reads.
pub(crate) fn open_reader(path: &Path, options: &SqliteOptions) -> rusqlite::Result<Connection> {
    let connection = connect(path, options.busy_timeout, OpenFlags::empty())?;
    connection.execute_batch("PRAGMA query_only = ON;")?;
    Ok(connection)
}

fn connect(path: &Path, patience: Duration, more: OpenFlags) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(patience)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Rows are deleted in the right order anyway, and every append would look its session up again.
    connection.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA trusted_schema = OFF;")?;
    Ok(connection)
}

/// SQLite opens a write-protected file without a word and fails at the first write.
fn check_permissions(path: &Path) -> Result<(), OpenError> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(OpenError::failed("it is a folder")),
        Ok(metadata) if metadata.permissions().readonly() => Err(OpenError::ReadOnly {
            source: "the file is write-protected".into(),
        }),
        _ => Ok(()),
    }
}

/// The schema of the database, 0 for an empty one.
fn check_schema(connection: &Connection) -> Result<i64, OpenError> {
    // In one statement: another process may make the tables between two.
    let sql = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
        FROM pragma_application_id, pragma_user_version";
    let (application, found, tables): (i64, i64, i64) = connection
        .query_row(sql, [], |row| row.try_into())
        .map_err(|error| OpenError::of(&error))?;
    match application {
        schema::APPLICATION_ID if found > schema::VERSION => Err(OpenError::NewerSchema {
            found,
            supported: schema::VERSION,
        }),
        schema::APPLICATION_ID => Ok(found),
        0 if found == 0 && tables == 0 => Ok(0),
        _ => Err(OpenError::Foreign),
    }
}

fn use_wal(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))
}

/// Repeats what fails because another process is opening the same file. SQLite does not wait by
/// itself while a database changes to WAL.
fn until_not_busy(
    patience: Duration,
    mut attempt: impl FnMut() -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let begin = Instant::now();
    loop {
        match attempt() {
            Err(error) if SqliteMessage::from(&error).is_busy() && begin.elapsed() < patience => {
                std::thread::sleep(Duration::from_millis(5));
            }
            result => return result,
        }
    }
}
