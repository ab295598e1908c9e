//! The connection that writes, which one thread holds at a time.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::Connection;
use session_store::StoreError;

use crate::error::SqliteMessage;

/// After so many short pieces of work the writer's thread gets the next ones: it looks after the
/// log file and the index.
const SHORT_RUN: u32 = 64;

/// So many pieces it gets then. The first may move the log file into the database, and the one
/// after that starts the file anew; both wait for the disk.
const THREAD_RUN: u32 = 2;

/// A commit moves a log file of so many pages, SQLite's own measure, into the database.
const MOVE_LOG: &str = "PRAGMA wal_autocheckpoint = 1000";
const LEAVE_LOG: &str = "PRAGMA wal_autocheckpoint = 0";

/// The connection, and who waits for it.
///
/// While nobody holds it, it waits for nothing: not for another process, and not for the disk.
#[derive(Debug)]
pub(crate) struct Pen {
    connection: Mutex<Connection>,
    /// How long a transaction of the writer's thread waits for another process.
    patience: Duration,
    /// Pieces of work that were handed over and are not done.
    waiting: AtomicUsize,
    /// How often somebody wanted to write here and now; goes round.
    asked: AtomicU32,
}

impl Pen {
    pub(crate) fn new(connection: Connection, patience: Duration) -> rusqlite::Result<Self> {
        wait_for(&connection, Duration::ZERO, LEAVE_LOG)?;
        Ok(Self {
            connection: Mutex::new(connection),
            patience,
            waiting: AtomicUsize::new(0),
            asked: AtomicU32::new(0),
        })
    }

    /// Does `work` in a transaction here and now, or gives it back where that would mean to wait:
    /// for others who write, for another process, or for the disk.
    pub(crate) fn write_now<T, W>(&self, work: W) -> Result<Result<T, StoreError>, W>
    where
        W: FnOnce(&Connection) -> Result<T, StoreError>,
    {
        // What was handed over goes first.
        if self.waiting.load(Ordering::Acquire) > 0 || self.is_turn_of_thread() {
            return Err(work);
        }
        let Ok(connection) = self.connection.try_lock() else {
            return Err(work);
        };
        if batch(&connection, "BEGIN IMMEDIATE").is_err() {
            return Err(work);
        }
        let mut result = work(&connection);
        if result.is_ok()
            && let Err(reason) = batch(&connection, "COMMIT")
        {
            result = Err(reason.into_store_error());
        }
        rollback(&connection);
        Ok(result)
    }

    fn is_turn_of_thread(&self) -> bool {
        let count = self.asked.fetch_add(1, Ordering::Relaxed);
        count % (SHORT_RUN + THREAD_RUN) >= SHORT_RUN
    }

    /// A number that is another one when somebody has wanted to write in the meantime.
    pub(crate) fn asked(&self) -> u32 {
        self.asked.load(Ordering::Relaxed)
    }

    /// One more piece of work waits for the writer's thread.
    pub(crate) fn hand_over(&self) {
        self.waiting.fetch_add(1, Ordering::Release);
    }

    /// So many pieces of work wait no longer.
    pub(crate) fn are_done(&self, count: usize) {
        self.waiting.fetch_sub(count, Ordering::Release);
    }

    /// Waits for the connection and gives it to the writer's thread, on which it waits for other
    /// processes and for the disk.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&Connection) -> T) -> T {
        let connection = self.lock();
        // Should one of these fail, the transaction after it will tell.
        let _ = wait_for(&connection, self.patience, MOVE_LOG);
        let result = work(&connection);
        let _ = wait_for(&connection, Duration::ZERO, LEAVE_LOG);
        result
    }

    /// A thread that panicked while it held the connection has left a transaction at worst.
    fn lock(&self) -> MutexGuard<'_, Connection> {
        let lock = self.connection.lock();
        lock.unwrap_or_else(PoisonError::into_inner)
    }
}

fn wait_for(connection: &Connection, patience: Duration, log: &str) -> rusqlite::Result<()> {
    connection.busy_timeout(patience)?;
    connection.prepare_cached(log)?.query_row([], |_| Ok(()))
}

pub(crate) fn batch(connection: &Connection, sql: &str) -> Result<(), SqliteMessage> {
    let run = || connection.prepare_cached(sql)?.execute([]);
    match run() {
        Ok(_) => Ok(()),
        Err(error) => Err(SqliteMessage::from(&error)),
    }
}

/// Undoes the transaction, if SQLite has not done so already.
pub(crate) fn rollback(connection: &Connection) {
    if !connection.is_autocommit() {
        // There is nothing else to try, and the error before this one is the one to tell.
        let _ = batch(connection, "ROLLBACK");
    }
}
