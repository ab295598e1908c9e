//! Looks for damage.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::Connection;
use session_log::{Event, Seq, SessionId, TokenCount, View};
use session_store::{BoundaryMark, Counters, Entry as _, EntryKind, Session, StoreError};

use crate::error::OrFailed;
use crate::rows;
use crate::snapshot::Snapshot;

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What sort of thing.
    pub fault: Fault,
    /// The session it is in, where it is in one.
    pub session: Option<SessionId>,
    /// The event it is about, where it is about one.
    pub seq: Option<Seq>,
    /// What is wrong, in a clause. It shows no text of a message.
    pub what: String,
}

/// Sorts of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// The file itself is broken: restore it from a copy.
    File,
    /// A row belongs to nothing.
    Orphan,
    /// A record, or the row of a session, cannot be read.
    Record,
    /// The places of a log have a gap, or the version is not the last place.
    Places,
    /// A column disagrees with the record beside it.
    Column,
    /// The boundary of the head is not the newest live one.
    Boundary,
    /// The counters of the head are not the size of the view.
    Counters,
    /// The search index is broken, or does not have what it should.
    Index,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(session) = &self.session {
            write!(f, "session {session}: ")?;
        }
        if let Some(seq) = self.seq {
            write!(f, "event {seq}: ")?;
        }
        f.write_str(&self.what)
    }
}

pub(crate) fn examine(connection: &Connection) -> Result<Vec<Finding>, StoreError> {
    let snapshot = Snapshot::begin(connection)?;
    let mut findings = Vec::new();
    // What cannot be looked at for damage is damaged, and the rest is looked at all the same.
    for part in [file, orphans, sessions] {
        if let Err(error) = part(&snapshot, &mut findings) {
            if error.is_retryable() {
                return Err(error);
            }
            findings.push(finding(Fault::File, reason(&error)));
        }
    }
    Ok(findings)
}

fn sessions(connection: &Connection, findings: &mut Vec<Finding>) -> Result<(), StoreError> {
    let mut keys = connection
        .prepare_cached("SELECT key FROM session")
        .or_failed()?;
    let keys = keys.query_map([], |row| row.get(0)).or_failed()?;
    let keys: Vec<i64> = keys.collect::<rusqlite::Result<_>>().or_failed()?;
    for key in keys {
        let session = match find(connection, key) {
            Ok(session) => session,
            Err(error) if error.is_retryable() => return Err(error),
            Err(error) => {
                let what = format!("the row cannot be read: {}", reason(&error));
                let mut unreadable = finding(Fault::Record, what);
                if let StoreError::Corrupt { session, .. } = error {
                    unreadable.session = Some(session);
                }
                findings.push(unreadable);
                continue;
            }
        };
        if let Err(error) = examine_session(connection, key, &session, findings) {
            if error.is_retryable() {
                return Err(error);
            }
            let mut unreadable = finding(Fault::File, reason(&error));
            unreadable.session = Some(session.id);
            findings.push(unreadable);
        }
    }
    Ok(())
}

fn find(connection: &Connection, key: i64) -> Result<Session, StoreError> {
    let sql = format!(
        "SELECT {} FROM {} WHERE s.key = ?1",
        rows::SESSION,
        rows::SESSION_FROM
    );
    let mut statement = connection.prepare_cached(&sql).or_failed()?;
    let mut rows = statement.query([key]).or_failed()?;
    match rows.next().or_failed()? {
        Some(row) => Ok(rows::session(row)?.1),
        None => Err(StoreError::failed("it comes and goes")),
    }
}

/// What is behind an error, in a clause.
fn reason(error: &StoreError) -> String {
    use std::error::Error as _;

    error
        .source()
        .map_or_else(|| error.to_string(), ToString::to_string)
}

fn finding(fault: Fault, what: impl Into<String>) -> Finding {
    Finding {
        fault,
        session: None,
        seq: None,
        what: what.into(),
    }
}

fn file(connection: &Connection, findings: &mut Vec<Finding>) -> Result<(), StoreError> {
    // The check itself does not notice that another connection has moved the index on since this
    // one looked at it last, and would take that for damage; a look does.
    let look = "SELECT count(*) FROM search_index WHERE rowid = 0";
    connection.query_row(look, [], |_| Ok(())).or_failed()?;
    let mut check = connection.prepare("PRAGMA integrity_check").or_failed()?;
    let mut rows = check.query([]).or_failed()?;
    while let Some(row) = rows.next().or_failed()? {
        let line: String = row.get(0).or_failed()?;
        if line != "ok" {
            let fault = if line.contains("search_index") {
                Fault::Index
            } else {
                Fault::File
            };
            findings.push(finding(fault, line));
        }
    }
    Ok(())
}

fn orphans(connection: &Connection, findings: &mut Vec<Finding>) -> Result<(), StoreError> {
    for (sql, fault, what) in [
        (
            "SELECT count(*) FROM event WHERE session NOT IN (SELECT key FROM session)",
            Fault::Orphan,
            "events without a session",
        ),
        (
            "SELECT count(*) FROM attribute WHERE session NOT IN (SELECT key FROM session)",
            Fault::Orphan,
            "attributes without a session",
        ),
        (
            "SELECT count(*) FROM session WHERE owner IS NOT NULL
                AND owner NOT IN (SELECT key FROM owner)",
            Fault::Orphan,
            "sessions with a lost owner",
        ),
        (
            "SELECT count(*) FROM search_index WHERE rowid NOT IN (SELECT row FROM event)",
            Fault::Orphan,
            "index entries without an event",
        ),
        (
            "SELECT count(*) FROM event WHERE row <= (SELECT row FROM search_progress)
                AND type = 'MESSAGE' AND synthetic = 0
                AND row NOT IN (SELECT rowid FROM search_index)",
            Fault::Index,
            "messages that no search by words of three letters finds",
        ),
        (
            "SELECT count(*) FROM search_progress
                WHERE row > (SELECT coalesce(max(row), 0) FROM event)",
            Fault::Index,
            "note of events in the search index that are not there yet",
        ),
    ] {
        let count: i64 = connection
            .query_row(sql, [], |row| row.get(0))
            .or_failed()?;
        if count > 0 {
            findings.push(finding(fault, format!("{count} {what}")));
        }
    }
    Ok(())
}

fn examine_session(
    connection: &Connection,
    key: i64,
    session: &Session,
    findings: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    let mut note = |fault, seq, what: String| {
        findings.push(Finding {
            fault,
            session: Some(session.id.clone()),
            seq,
            what,
        });
    };
    let sql = format!(
        "SELECT {}, e.id, e.at, e.type, e.kind, e.role, e.synthetic, e.branch
        FROM event e WHERE e.session = ?1 ORDER BY e.seq",
        rows::EVENT
    );
    let mut statement = connection.prepare_cached(&sql).or_failed()?;
    let mut rows = statement.query([key]).or_failed()?;
    let mut log = Vec::new();
    let mut next = Seq::FIRST;
    let mut is_readable = true;
    while let Some(row) = rows.next().or_failed()? {
        let found = rows::event(row, 0)?;
        if found.seq != next {
            note(
                Fault::Places,
                Some(found.seq),
                format!("place {next} is empty"),
            );
        }
        next = found.seq.plus(1);
        match found.event {
            Ok(event) => {
                for column in differing_columns(row, &event) {
                    let what = format!("the column {column} says something else than the record");
                    note(Fault::Column, Some(event.seq), what);
                }
                log.push(Arc::new(event));
            }
            Err(error) => {
                is_readable = false;
                note(Fault::Record, Some(found.seq), error.to_string());
            }
        }
    }
    let version = session.head.version;
    if version.next_seq() != next {
        let what = format!("the version is {version}, the next place is {next}");
        note(Fault::Places, None, what);
    }
    if !is_readable {
        return Ok(());
    }
    let live = BoundaryMark::newest_live(log.iter().map(Arc::as_ref));
    if live != session.head.boundary {
        note(Fault::Boundary, None, "the boundary is another".into());
    }
    if let Some(counters) = &session.head.counters
        && !are_plausible(counters, log)
    {
        note(
            Fault::Counters,
            None,
            "the counters are not the view's".into(),
        );
    }
    attributes(connection, key, session, findings)
}

fn differing_columns(row: &rusqlite::Row<'_>, event: &Event) -> Vec<&'static str> {
    let branch = event.branch.as_ref().map(session_log::Branch::as_str);
    let role = rows::role(&event.body);
    // A column that cannot be read says something else, too.
    let text = |at, expected: Option<&str>| {
        let found = row.get::<_, Option<String>>(at);
        found.is_ok_and(|found| found.as_deref() == expected)
    };
    let number = |at, expected| row.get::<_, i64>(at).is_ok_and(|found| found == expected);
    let columns = [
        ("id", text(4, Some(event.id.as_str()))),
        ("at", number(5, event.timestamp.as_millis())),
        ("type", text(6, Some(event.event_type().as_str()))),
        ("kind", number(7, rows::kind(event))),
        ("role", text(8, role.as_deref())),
        ("synthetic", number(9, event.origin.is_synthetic().into())),
        ("branch", text(10, branch)),
    ];
    let differing = columns.into_iter().filter(|(_, is_same)| !is_same);
    differing.map(|(name, _)| name).collect()
}

/// Whether the counters can be those of the view. Who hands counters in may leave superseded
/// system messages out of the tokens, so both sums are right.
fn are_plausible(counters: &Counters, log: Vec<Arc<Event>>) -> bool {
    let view = View::fold(log);
    let latest = session_log::latest_system(view.events().iter().map(Arc::as_ref));
    let latest = latest.map(|event| event.seq);
    let mut events = 0_u64;
    let mut turns = 0_u64;
    let mut sums: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    let mut uncounted = 0_u64;
    for event in view.events() {
        events += 1;
        turns += u64::from(event.kind() == EntryKind::TurnStart);
        let is_superseded = event.kind() == EntryKind::System && Some(event.seq) != latest;
        match &event.tokens {
            None => uncounted += 1,
            Some(count) => {
                let sum = sums.entry(&count.estimator).or_default();
                sum.0 = plus(sum.0, count.tokens);
                if !is_superseded {
                    sum.1 = plus(sum.1, count.tokens);
                }
            }
        }
    }
    let is_sum = |tokens: &TokenCount| {
        let sum = sums
            .get(tokens.estimator.as_str())
            .copied()
            .unwrap_or_default();
        uncounted > 0 || sums.len() != 1 || [sum.0, sum.1].contains(&tokens.tokens)
    };
    counters.events == events
        && counters.turns == turns
        && counters.tokens.as_ref().is_none_or(is_sum)
}

/// The sum as the counters have it.
fn plus(sum: u64, count: u64) -> u64 {
    sum.saturating_add(count).min(i64::MAX.unsigned_abs())
}

fn attributes(
    connection: &Connection,
    key: i64,
    session: &Session,
    findings: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    let sql = "SELECT name, value FROM attribute WHERE session = ?1";
    let mut statement = connection.prepare_cached(sql).or_failed()?;
    let found = statement
        .query_map([key], |row| Ok((row.get(0)?, row.get(1)?)))
        .or_failed()?;
    let found: rusqlite::Result<session_store::Attributes> = found.collect();
    if !found.is_ok_and(|found| found == session.attributes) {
        let mut lost = finding(
            Fault::Column,
            "the attributes are indexed as something else",
        );
        lost.session = Some(session.id.clone());
        findings.push(lost);
    }
    Ok(())
}
