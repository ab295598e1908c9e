//! How a database is opened.

use std::time::Duration;

/// What is certain when an append has been answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "SQLite has these two in WAL mode")]
pub enum Durability {
    /// It survives the end of the process, killed or not. A power cut may lose the last appends,
    /// never the order or the wholeness of what is left. About ten times faster than
    /// [`Full`](Self::Full) for a single writer.
    #[default]
    Normal,
    /// It survives a power cut too: every group of appends waits for the disk. Appends that wait
    /// at the same time share one wait.
    Full,
}

/// How a database is opened. The defaults are right for an agent on a laptop and for a server
/// with one database on a local disk.
///
/// ```
/// use session_store_sqlite::{Durability, SqliteOptions};
///
/// let options = SqliteOptions::default().with_durability(Durability::Full);
/// assert_eq!(options.readers, 4);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SqliteOptions {
    /// What is certain when an append has been answered. Default: [`Durability::Normal`].
    pub durability: Durability,
    /// How long to wait for another process that holds the database. Default: 30 seconds, because
    /// a turn of a conversation is worth the wait.
    pub busy_timeout: Duration,
    /// How many reads run at the same time, each on its own connection and thread; at least 1.
    /// Default: 4. Threads start with the first read that needs them.
    pub readers: usize,
    /// How many events may be outside the search index before it catches up. It does so when
    /// nothing was written for a tenth of a second, or when it is 16 times as many. Every search
    /// looks through these one by one. Default: 2,048, some milliseconds of a search.
    pub index_after: u32,
    /// An append of at most 16 events and so many bytes of records is short: it is written on the
    /// thread that polls it, some tens of microseconds, unless it would have to wait for another
    /// writer or for the disk. All else is handed to the store's own thread, which costs more than
    /// a short append itself. 0: everything is handed over. Default: 32 KiB. Without effect under
    /// [`Durability::Full`], where every append waits for the disk.
    pub short_append: usize,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            durability: Durability::Normal,
            busy_timeout: Duration::from_secs(30),
            readers: 4,
            index_after: 2_048,
            short_append: 32 << 10,
        }
    }
}

impl SqliteOptions {
    /// The same options with this durability.
    #[must_use]
    pub fn with_durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// The same options with this patience.
    #[must_use]
    pub fn with_busy_timeout(mut self, busy_timeout: Duration) -> Self {
        self.busy_timeout = busy_timeout;
        self
    }

    /// The same options with so many readers.
    #[must_use]
    pub fn with_readers(mut self, readers: usize) -> Self {
        self.readers = readers;
        self
    }

    /// The same options with so many events outside the index at most.
    #[must_use]
    pub fn with_index_after(mut self, events: u32) -> Self {
        self.index_after = events;
        self
    }

    /// The same options with appends of so many bytes written where they are polled.
    #[must_use]
    pub fn with_short_append(mut self, bytes: usize) -> Self {
        self.short_append = bytes;
        self
    }
}
