//! Appending, counting again, erasing: what the writer does to a log.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension as _, params};
use session_log::{Event, EventBody, EventId, Fields, Seq, SessionId, TokenCount, Version};
use session_store::{
    Appended, Batch, BoundaryMark, Expected, Head, Place, Recount, Settled, StoreError,
    check_tombstone,
};

use crate::error::{OrFailed, unknown};
use crate::index;
use crate::rows::{self, int};

/// So many events can be in a short batch: every one costs some microseconds, however small.
const FEW: usize = 16;

/// A batch with the record of each of its events, in the same order.
#[derive(Debug)]
pub(crate) struct Encoded {
    batch: Batch,
    records: Vec<(EventId, String)>,
}

impl Encoded {
    /// Writes the records, on the caller's thread.
    pub(crate) fn new(mut batch: Batch) -> Result<Self, StoreError> {
        let mut records = Vec::with_capacity(batch.events.len());
        for event in &mut batch.events {
            records.push((event.id.clone(), rows::record(event)?));
        }
        Ok(Self { batch, records })
    }

    /// Whether it is written in no time: so many bytes at most, and no more than a few events.
    pub(crate) fn is_at_most(&self, bytes: usize) -> bool {
        let lengths = self.records.iter().map(|(_, record)| record.len());
        self.records.len() <= FEW && lengths.sum::<usize>() <= bytes
    }
}

pub(crate) fn append(
    connection: &Connection,
    id: &SessionId,
    expected: Expected,
    encoded: Encoded,
) -> Result<Appended, StoreError> {
    let (key, head) = rows::head(connection, id)?.ok_or_else(|| unknown(id))?;
    let find = |event: &EventId| place(connection, id, key, event);
    let (fresh, mut written) = match encoded.batch.settle(&head, expected, find)? {
        Settled::Conflict { actual } => return Ok(Appended::Conflict { actual }),
        Settled::Write { fresh, written } => (fresh, written),
    };
    // Each new event is the first of its id in the batch.
    let mut records = encoded.records.iter();
    for event in &fresh {
        if let Some((_, record)) = records.find(|(id, _)| *id == event.id) {
            insert(connection, key, event, record)?;
        }
    }
    if fresh.is_empty() {
        return Ok(Appended::Done(written));
    }
    if Head::needs_refold(&fresh) {
        written.head.boundary = newest_boundary(connection, id, key)?;
    }
    write_head(connection, key, &written.head)?;
    Ok(Appended::Done(written))
}

/// Where an event id is taken.
fn place(
    connection: &Connection,
    id: &SessionId,
    key: i64,
    event: &EventId,
) -> Result<Place, StoreError> {
    let sql = "SELECT e.seq, e.tokens, e.estimator, e.record, e.session
        FROM event e WHERE e.id = ?1";
    let mut statement = connection.prepare_cached(sql).or_failed()?;
    let mut rows = statement.query([event.as_str()]).or_failed()?;
    let Some(row) = rows.next().or_failed()? else {
        return Ok(Place::Free);
    };
    if row.get::<_, i64>(4).or_failed()? != key {
        return Ok(Place::Elsewhere);
    }
    let found = rows::event(row, 0)?;
    match found.event {
        Ok(event) => Ok(Place::Here(Arc::new(event))),
        Err(source) => Err(StoreError::corrupt_event(id.clone(), found.seq, source)),
    }
}

fn insert(
    connection: &Connection,
    key: i64,
    event: &Event,
    record: &str,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO event (session, seq, id, at, type, kind, role, synthetic, branch,
        tokens, estimator, record) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    let tokens = event.tokens.as_ref();
    connection
        .prepare_cached(sql)
        .or_failed()?
        .execute(params![
            key,
            int(event.seq.as_u64()),
            event.id.as_str(),
            event.timestamp.as_millis(),
            rows::type_name(&event.event_type()),
            rows::kind(event),
            rows::role(&event.body),
            event.origin.is_synthetic(),
            event.branch.as_ref().map(session_log::Branch::as_str),
            tokens.map(|tokens| int(tokens.tokens)),
            tokens.map(|tokens| tokens.estimator.as_str()),
            record,
        ])
        .or_failed()?;
    Ok(())
}

fn write_head(connection: &Connection, key: i64, head: &Head) -> Result<(), StoreError> {
    let sql = "UPDATE session SET version = ?2, boundary_seq = ?3, boundary_kept_from = ?4,
        boundary_pinned = ?5, view_events = ?6, view_turns = ?7, view_tokens = ?8,
        view_estimator = ?9, erasures = ?10 WHERE key = ?1";
    let boundary = head.boundary.as_ref();
    let counters = head.counters.as_ref();
    let tokens = counters.and_then(|counters| counters.tokens.as_ref());
    connection
        .prepare_cached(sql)
        .or_failed()?
        .execute(params![
            key,
            int(head.version.as_u64()),
            boundary.map(|mark| int(mark.seq.as_u64())),
            boundary.map(|mark| int(mark.kept_from.as_u64())),
            boundary.map(|mark| rows::write_places(&mark.pinned)),
            counters.map(|counters| int(counters.events)),
            counters.map(|counters| int(counters.turns)),
            tokens.map(|tokens| int(tokens.tokens)),
            tokens.map(|tokens| tokens.estimator.as_str()),
            int(head.erasures),
        ])
        .or_failed()?;
    Ok(())
}

/// The newest live boundary, by the boundaries and reverts of the log.
pub(crate) fn newest_boundary(
    connection: &Connection,
    id: &SessionId,
    key: i64,
) -> Result<Option<BoundaryMark>, StoreError> {
    let sql = format!(
        "SELECT {} FROM event e
        WHERE e.session = ?1 AND e.type IN ('COMPACTION', 'REVERT') ORDER BY e.seq",
        rows::EVENT
    );
    let mut statement = connection.prepare_cached(&sql).or_failed()?;
    let mut rows = statement.query([key]).or_failed()?;
    let mut events = Vec::new();
    while let Some(row) = rows.next().or_failed()? {
        let found = rows::event(row, 0)?;
        let corrupt = |source| StoreError::corrupt_event(id.clone(), found.seq, source);
        events.push(found.event.map_err(corrupt)?);
    }
    Ok(BoundaryMark::newest_live(events.iter()))
}

pub(crate) fn recount(
    connection: &Connection,
    id: &SessionId,
    at: Version,
    recount: Recount,
) -> Result<bool, StoreError> {
    let (key, mut head) = rows::head(connection, id)?.ok_or_else(|| unknown(id))?;
    for (seq, count) in &recount.counts {
        write_count(connection, key, *seq, Some(count))?;
    }
    if recount.counters.is_none() || head.version != at {
        return Ok(false);
    }
    head.counters = recount.counters;
    write_head(connection, key, &head)?;
    Ok(true)
}

fn write_count(
    connection: &Connection,
    key: i64,
    seq: Seq,
    count: Option<&TokenCount>,
) -> Result<(), StoreError> {
    let sql = "UPDATE event SET tokens = ?3, estimator = ?4 WHERE session = ?1 AND seq = ?2";
    let (tokens, estimator) = match count {
        Some(count) => (Some(int(count.tokens)), Some(count.estimator.as_str())),
        None => (None, None),
    };
    let place = int(seq.as_u64());
    connection
        .prepare_cached(sql)
        .or_failed()?
        .execute(params![key, place, tokens, estimator])
        .or_failed()?;
    Ok(())
}

pub(crate) fn erase(
    connection: &Connection,
    id: &SessionId,
    seq: Seq,
    tombstone: EventBody,
) -> Result<Head, StoreError> {
    let (key, mut head) = rows::head(connection, id)?.ok_or_else(|| unknown(id))?;
    let sql = format!(
        "SELECT {}, e.row FROM event e WHERE e.session = ?1 AND e.seq = ?2",
        rows::EVENT
    );
    let found = connection
        .prepare_cached(&sql)
        .or_failed()?
        .query_row(params![key, int(seq.as_u64())], |row| {
            Ok((rows::event(row, 0), row.get::<_, i64>(4)?))
        })
        .optional()
        .or_failed()?;
    let Some((found, row)) = found.filter(|_| i64::try_from(seq.as_u64()).is_ok()) else {
        let session = id.clone();
        return Err(StoreError::UnknownEvent { session, seq });
    };
    let corrupt = |source| StoreError::corrupt_event(id.clone(), seq, source);
    let mut event = found?.event.map_err(corrupt)?;
    check_tombstone(&event, &tombstone)?;
    event.body = tombstone;
    event.metadata = Fields::new();
    event.tokens = None;
    let role = rows::role(&event.body);
    let mut erased = event.into_new();
    let record = rows::record(&mut erased)?;
    index::overwrite_deleted(connection).or_failed()?;
    connection
        .prepare_cached(
            "UPDATE event SET record = ?2, role = ?3, tokens = NULL, estimator = NULL
            WHERE row = ?1",
        )
        .or_failed()?
        .execute(params![row, record, role])
        .or_failed()?;
    index::replace(connection, row, &erased).or_failed()?;
    head.counters = None;
    head.erasures = head.erasures.saturating_add(1);
    write_head(connection, key, &head)?;
    Ok(head)
}
