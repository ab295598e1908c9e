//! Looks for damage.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::Connection;
use session_log::{Event, Seq, SessionId, TokenCount, View};
use session_store::{
    BoundaryMark, Counters, Direction, Entry as _, EntryKind, Session, SessionMark, SessionQuery,
    StoreError,
};

use crate::error::OrFailed;
use crate::rows;
use crate::sessions;
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
    /// A record cannot be read.
    Record,
    /// The places of a log have a gap, or the version is not the last place.
    Places,
    /// A column disagrees with the record beside it.
    Column,
    /// The boundary of the head is not the newest live one.
    Boundary,
    /// The counters of the head are not the size of the view.
    Counters,
    /// The search index is broken.
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
    file(&snapshot, &mut findings)?;
    orphans(&snapshot, &mut findings)?;
    let mut query = SessionQuery::all().with_direction(Direction::Forward);
    loop {
        let page = sessions::list(&snapshot, &query)?;
        for session in &page.items {
            examine_session(&snapshot, session, &mut findings)?;
        }
        query.after = match page.items.last() {
            Some(last) if page.next.is_some() => Some(SessionMark::of(last)),
            _ => return Ok(findings),
        };
    }
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
    for (sql, what) in [
        (
            "SELECT count(*) FROM event WHERE session NOT IN (SELECT key FROM session)",
            "events without a session",
        ),
        (
            "SELECT count(*) FROM attribute WHERE session NOT IN (SELECT key FROM session)",
            "attributes without a session",
        ),
        (
            "SELECT count(*) FROM session WHERE owner IS NOT NULL
                AND owner NOT IN (SELECT key FROM owner)",
            "sessions with a lost owner",
        ),
        (
            "SELECT count(*) FROM search_index WHERE rowid NOT IN (SELECT row FROM event)",
            "index entries without an event",
        ),
    ] {
        let count: i64 = connection
            .query_row(sql, [], |row| row.get(0))
            .or_failed()?;
        if count > 0 {
            findings.push(finding(Fault::Orphan, format!("{count} {what}")));
        }
    }
    Ok(())
}

fn examine_session(
    connection: &Connection,
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
        FROM event e JOIN session s ON s.key = e.session WHERE s.id = ?1 ORDER BY e.seq",
        rows::EVENT
    );
    let mut statement = connection.prepare_cached(&sql).or_failed()?;
    let mut rows = statement.query([session.id.as_str()]).or_failed()?;
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
                for column in differing_columns(row, &event).or_failed()? {
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
    attributes(connection, session, findings)
}

fn differing_columns(
    row: &rusqlite::Row<'_>,
    event: &Event,
) -> rusqlite::Result<Vec<&'static str>> {
    let branch = event.branch.as_ref().map(session_log::Branch::as_str);
    let columns = [
        ("id", row.get::<_, String>(4)? == event.id.as_str()),
        ("at", row.get::<_, i64>(5)? == event.timestamp.as_millis()),
        (
            "type",
            row.get::<_, String>(6)? == event.event_type().as_str(),
        ),
        ("kind", row.get::<_, i64>(7)? == rows::kind(event)),
        (
            "role",
            row.get::<_, Option<String>>(8)? == rows::role(&event.body),
        ),
        (
            "synthetic",
            row.get::<_, bool>(9)? == event.origin.is_synthetic(),
        ),
        (
            "branch",
            row.get::<_, Option<String>>(10)?.as_deref() == branch,
        ),
    ];
    let differing = columns.into_iter().filter(|(_, is_same)| !is_same);
    Ok(differing.map(|(name, _)| name).collect())
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
                sum.0 = sum.0.saturating_add(count.tokens);
                if !is_superseded {
                    sum.1 = sum.1.saturating_add(count.tokens);
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

fn attributes(
    connection: &Connection,
    session: &Session,
    findings: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    let sql = "SELECT a.name, a.value FROM attribute a JOIN session s ON s.key = a.session
        WHERE s.id = ?1";
    let mut statement = connection.prepare_cached(sql).or_failed()?;
    let found = statement
        .query_map([session.id.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
        .or_failed()?;
    let found: session_store::Attributes = found.collect::<rusqlite::Result<_>>().or_failed()?;
    if found != session.attributes {
        let mut lost = finding(
            Fault::Column,
            "the attributes are indexed as something else",
        );
        lost.session = Some(session.id.clone());
        findings.push(lost);
    }
    Ok(())
}
