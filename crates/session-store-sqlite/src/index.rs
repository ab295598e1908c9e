//! The search index, which follows the log in batches.
//!
//! An append does not touch the index. The rows that are not in it yet, the tail, are looked
//! through by every search, so nothing is ever missed; the writer shortens the tail whenever it has
//! nothing better to do. What is indexed is folded text, three characters at a time, together with
//! the session and the owner as one such triple each, so that a search for a frequent word in a
//! small session does not visit every other session.
//!
//! Deleting a row only marks it in the index. What the index knows of its text, every three
//! characters and their places, is enough to read it again, and stays until the part of the index
//! that has it is written anew; so the writer sees to that after each erasure and deletion.

use rusqlite::{Connection, OptionalExtension as _, params};
use session_log::{EventBody, NewEvent, wire};
use session_store::search::{Reach, fold, pieces};

use crate::pen::rollback;

/// A tail so many times longer than the writer bears when idle makes appends wait.
const LONG: i64 = 16;

/// One transaction takes so many rows, or so many bytes of text, whichever comes first: appends
/// wait meanwhile.
const BATCH_ROWS: i64 = 256;
const BATCH_BYTES: usize = 256 << 10;

/// How far the index is behind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tail {
    indexed: i64,
    last: i64,
    /// From this length on it is worth a transaction.
    worth_it: i64,
}

impl Tail {
    /// A tail that has to be looked at, and is worth a transaction from `worth_it` rows on.
    pub(crate) fn unknown(worth_it: u32) -> Self {
        let worth_it = i64::from(worth_it.max(1));
        Self {
            indexed: 0,
            last: worth_it,
            worth_it,
        }
    }

    /// Looks how long it is after rows were written.
    pub(crate) fn look(&mut self, connection: &Connection) {
        // Should it fail, the next look will tell.
        if let Ok(last) = last_row(connection) {
            self.last = last;
        }
    }

    /// Whether there is enough to index when nothing else is to do.
    pub(crate) fn is_worth_it(self) -> bool {
        self.length() >= self.worth_it
    }

    /// Whether there is so much that appends should wait.
    pub(crate) fn is_long(self) -> bool {
        self.length() >= self.worth_it.saturating_mul(LONG)
    }

    fn length(self) -> i64 {
        self.last.saturating_sub(self.indexed)
    }

    /// Indexes one batch, in a transaction of its own, and looks how long the tail is then.
    pub(crate) fn advance(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        in_transaction(connection, |connection| {
            self.advance_in_transaction(connection)
        })
    }

    /// The same, inside the caller's transaction.
    pub(crate) fn advance_in_transaction(
        &mut self,
        connection: &Connection,
    ) -> rusqlite::Result<()> {
        self.indexed = indexed_row(connection)?;
        self.last = last_row(connection)?;
        if self.is_worth_it() {
            // It may write marked parts anew.
            if has_marks(connection)? {
                overwrite_deleted(connection)?;
            }
            self.indexed = index_batch(connection, self.indexed)?;
        }
        Ok(())
    }
}

/// The newest row of any session, 0 without any.
fn last_row(connection: &Connection) -> rusqlite::Result<i64> {
    let sql = "SELECT coalesce(max(row), 0) FROM event";
    connection
        .prepare_cached(sql)?
        .query_row([], |row| row.get(0))
}

/// The newest row that is in the index, or need not be.
pub(crate) fn indexed_row(connection: &Connection) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("SELECT row FROM search_progress")?
        .query_row([], |row| row.get(0))
}

/// Indexes rows behind `indexed` and gives the last one that is indexed then.
fn index_batch(connection: &Connection, mut indexed: i64) -> rusqlite::Result<i64> {
    let sql = "SELECT e.row, e.session, s.owner, e.record, e.type = 'MESSAGE' AND e.synthetic = 0
        FROM event e JOIN session s ON s.key = e.session
        WHERE e.row > ?1 ORDER BY e.row LIMIT ?2";
    let mut select = connection.prepare_cached(sql)?;
    let mut rows = select.query(params![indexed, BATCH_ROWS])?;
    let mut bytes = 0;
    while let Some(row) = rows.next()? {
        indexed = row.get(0)?;
        if !row.get::<_, bool>(4)? {
            continue;
        }
        // What cannot be read cannot be found; a search that meets the event says so.
        let record = row.get_ref(3)?.as_str().ok();
        let Some(Ok(event)) = record.map(wire::decode) else {
            continue;
        };
        let words = words(&event);
        bytes += words.len();
        insert(connection, indexed, row.get(1)?, row.get(2)?, &words)?;
        if bytes >= BATCH_BYTES {
            break;
        }
    }
    connection
        .prepare_cached("UPDATE search_progress SET row = ?1")?
        .execute([indexed])?;
    Ok(indexed)
}

fn insert(
    connection: &Connection,
    row: i64,
    session: i64,
    owner: Option<i64>,
    words: &str,
) -> rusqlite::Result<()> {
    let owner = owner.map(triple).unwrap_or_default();
    connection
        .prepare_cached(
            "INSERT INTO search_index (rowid, session, owner, words) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![row, triple(session), owner, words])?;
    Ok(())
}

/// Takes the events of a session out of the index, before they are deleted.
pub(crate) fn forget_session(connection: &Connection, session: i64) -> rusqlite::Result<()> {
    let sql = "DELETE FROM search_index WHERE rowid IN
        (SELECT row FROM event WHERE session = ?1 AND row <= (SELECT row FROM search_progress))";
    connection.prepare_cached(sql)?.execute([session])?;
    Ok(())
}

/// After rows were deleted: new rows may get their numbers, and must not count as indexed.
pub(crate) fn step_back(connection: &Connection) -> rusqlite::Result<()> {
    let sql = "UPDATE search_progress SET row =
        min(row, (SELECT coalesce(max(row), 0) FROM event))";
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

/// So many pages of the index are written anew in one transaction.
const ANEW_PAGES: i64 = 64;

/// Writes a part of the index anew without what was deleted, in a transaction of its own, and tells
/// whether there is more to do; `None` when there was nothing.
pub(crate) fn forget_marked(connection: &Connection) -> rusqlite::Result<Option<bool>> {
    if !has_marks(connection)? {
        return Ok(None);
    }
    in_transaction(connection, merge).map(Some)
}

fn in_transaction<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let result = work(connection).and_then(|value| {
        connection.execute_batch("COMMIT")?;
        Ok(value)
    });
    if result.is_err() {
        rollback(connection);
    }
    result
}

fn merge(connection: &Connection) -> rusqlite::Result<bool> {
    let changes = || -> rusqlite::Result<i64> {
        connection
            .prepare_cached("SELECT total_changes()")?
            .query_row([], |row| row.get(0))
    };
    overwrite_deleted(connection)?;
    let before = changes()?;
    // A negative number takes all parts together, not only those of a size.
    connection
        .prepare_cached("INSERT INTO search_index (search_index, rank) VALUES ('merge', ?1)")?
        .execute([-ANEW_PAGES])?;
    // The statement itself counts as one change.
    let is_at_work = changes()?.saturating_sub(before) > 1;
    Ok(is_at_work && has_marks(connection)?)
}

/// Whether something deleted is still known to the index. FTS5 keeps the marks of its parts in
/// rows behind all others.
fn has_marks(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM search_index_data WHERE id >= 1 << 53)";
    connection
        .prepare_cached(sql)?
        .query_row([], |row| row.get(0))
}

/// From here on this connection overwrites what it deletes, so that erased text is not found in
/// the file.
pub(crate) fn overwrite_deleted(connection: &Connection) -> rusqlite::Result<()> {
    connection
        .prepare_cached("PRAGMA secure_delete = ON")?
        .query_row([], |_| Ok(()))
}

/// Replaces the text of an event whose content was erased.
pub(crate) fn replace(connection: &Connection, row: i64, event: &NewEvent) -> rusqlite::Result<()> {
    if row > indexed_row(connection)? {
        return Ok(());
    }
    let sql = "DELETE FROM search_index WHERE rowid = ?1";
    connection.prepare_cached(sql)?.execute([row])?;
    if !matches!(event.body, EventBody::Message(_)) || event.origin.is_synthetic() {
        return Ok(());
    }
    let sql = "SELECT e.session, s.owner FROM event e JOIN session s ON s.key = e.session
        WHERE e.row = ?1";
    let keys = connection
        .prepare_cached(sql)?
        .query_row([row], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match keys {
        Some((session, owner)) => insert(connection, row, session, owner, &words(event)),
        None => Ok(()),
    }
}

/// Everything that can be searched in an event, folded. Whether the caller asks for tools is
/// decided when a candidate is looked at.
fn words(event: &NewEvent) -> String {
    let EventBody::Message(message) = &event.body else {
        return String::new();
    };
    let mut words = String::new();
    for piece in pieces(message, Reach::TextAndTools) {
        words.push_str(&visible(&fold(piece.text)));
        words.push('\n');
    }
    words
}

/// The index reads a text up to the first NUL; with something else in its place it reads on.
pub(crate) fn visible(text: &str) -> String {
    text.replace('\0', "\u{FFFD}")
}

/// A key as three characters that stand for nothing else, which is one entry of the index.
pub(crate) fn triple(key: i64) -> String {
    const FIRST: u32 = 0xE000;
    const COUNT: u64 = 6400;
    let mut rest = key.unsigned_abs();
    let mut text = String::new();
    for _ in 0..3 {
        let digit = u32::try_from(rest % COUNT).unwrap_or_default();
        text.extend(char::from_u32(FIRST + digit));
        rest /= COUNT;
    }
    text
}
