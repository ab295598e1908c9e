//! Search: candidates from the index and the tail, each looked at before it is a hit.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, params_from_iter};
use session_log::{Seq, SessionId, Timestamp};
use session_store::search::Matcher;
use session_store::{Damage, Hit, HitMark, Keywords, Order, Page, Scope, SearchQuery, StoreError};

use crate::error::OrFailed;
use crate::index::{indexed_row, triple, visible};
use crate::rows::{self, EventRow, int};
use crate::snapshot::Snapshot;

/// The index knows no shorter words.
const SHORTEST: usize = 3;

/// Without the index a page looks at so many messages and then ends, hits or not.
const SCANNED: usize = 20_000;

pub(crate) fn search(
    connection: &Connection,
    scope: &Scope,
    query: &SearchQuery,
) -> Result<Page<Hit, HitMark>, StoreError> {
    // One snapshot, so that index, tail and progress belong together.
    let snapshot = Snapshot::begin(connection)?;
    let Some(place) = Place::of(&snapshot, scope)? else {
        return Ok(Page::empty());
    };
    let matcher = Matcher::new(query);
    let expression = expression(matcher.words(), query.keywords, &place);
    let mut looking = Looking {
        scope,
        query,
        matcher,
        hits: Vec::new(),
        damaged: Vec::new(),
        last: None,
        is_ended: false,
    };
    let candidates = Candidates {
        connection: &snapshot,
        scope: place,
        expression,
        since: query.since,
    };
    match (query.order, scope) {
        (Order::OldestFirst, Scope::Session(_)) => in_log_order(&candidates, &mut looking)?,
        (Order::OldestFirst, _) => by_time(&candidates, &mut looking)?,
        (Order::Relevance, _) => everything(&candidates, &mut looking)?,
    }
    Ok(looking.into_page())
}

/// Where to search, by keys.
#[derive(Clone, Copy, Debug)]
enum Place {
    Session(i64),
    Owner(i64),
}

impl Place {
    fn of(connection: &Connection, scope: &Scope) -> Result<Option<Self>, StoreError> {
        let owner = match scope {
            Scope::Session(id) => return Ok(rows::key(connection, id)?.map(Self::Session)),
            Scope::Owner(owner) => owner,
            _ => return Ok(None),
        };
        let sql = "SELECT key FROM owner WHERE name = ?1";
        let mut statement = connection.prepare_cached(sql).or_failed()?;
        let mut rows = statement.query([owner]).or_failed()?;
        match rows.next().or_failed()? {
            Some(row) => Ok(Some(Self::Owner(row.get(0).or_failed()?))),
            None => Ok(None),
        }
    }
}

/// What the index is asked for; `None` when it does not know some word that it would need.
fn expression(words: &[String], keywords: Keywords, place: &Place) -> Option<String> {
    let known: Vec<String> = words
        .iter()
        .filter(|word| word.chars().nth(SHORTEST - 1).is_some())
        .map(|word| format!("\"{}\"", visible(word).replace('"', "\"\"")))
        .collect();
    let words = match keywords {
        Keywords::Any if known.len() == words.len() => known.join(" OR "),
        Keywords::All if !known.is_empty() => known.join(" AND "),
        _ => return None,
    };
    let (column, key) = match place {
        Place::Session(key) => ("session", *key),
        Place::Owner(key) => ("owner", *key),
    };
    let key = triple(key);
    Some(format!(
        "{{{column}}} : \"{key}\" AND {{words}} : ({words})"
    ))
}

/// What is known of a candidate before it is decoded.
struct Light {
    row: i64,
    at: Timestamp,
    session: SessionId,
    seq: Seq,
}

struct Candidates<'a> {
    connection: &'a Connection,
    scope: Place,
    expression: Option<String>,
    since: Option<Timestamp>,
}

/// A statement with its values.
type Statement = (String, Vec<Value>);

impl Candidates<'_> {
    /// Statements that together give every candidate in the order of rows: what is in the index,
    /// then what is not. Without an expression there is one that goes through all messages.
    /// `columns` are selected from `event e`; rows up to `after` are left out.
    ///
    /// The order of tables is fixed, because the other one reads every message of the scope.
    fn statements(&self, columns: &str, after: i64) -> Result<Vec<Statement>, StoreError> {
        let mut cheap = String::from("e.type = 'MESSAGE' AND e.synthetic = 0");
        let mut values = Vec::new();
        if let Some(since) = self.since {
            cheap.push_str(" AND e.at >= ?");
            values.push(Value::from(since.as_millis()));
        }
        let with = |first: &[i64]| {
            let first = first.iter().map(|number| Value::from(*number));
            first.chain(values.clone()).collect::<Vec<Value>>()
        };
        let Some(expression) = &self.expression else {
            let (sql, key) = match self.scope {
                Place::Session(key) => (
                    format!(
                        "SELECT {columns} FROM event e
                        WHERE e.session = ? AND e.seq > ? AND {cheap} ORDER BY e.seq"
                    ),
                    key,
                ),
                Place::Owner(key) => (
                    format!(
                        "SELECT {columns} FROM session s CROSS JOIN event e ON e.session = s.key
                        WHERE s.owner = ? AND e.seq > ? AND {cheap}"
                    ),
                    key,
                ),
            };
            return Ok(vec![(sql, with(&[key, after]))]);
        };
        let after = self.row(after)?;
        let indexed = indexed_row(self.connection).or_failed()?;
        let in_index = format!(
            "SELECT {columns} FROM search_index i CROSS JOIN event e ON e.row = i.rowid
            WHERE search_index MATCH ? AND i.rowid > ? AND i.rowid <= ? AND {cheap}
            ORDER BY i.rowid"
        );
        let mut for_index = vec![Value::from(expression.clone())];
        for_index.extend(with(&[after, indexed]));
        let (in_scope, key) = match self.scope {
            Place::Session(key) => ("+e.session = ?", key),
            Place::Owner(key) => (
                "(SELECT s.owner FROM session s WHERE s.key = e.session) = ?",
                key,
            ),
        };
        let in_tail = format!(
            "SELECT {columns} FROM event e WHERE e.row > ? AND {in_scope} AND {cheap}
            ORDER BY e.row"
        );
        let for_tail = with(&[indexed.max(after), key]);
        Ok(vec![(in_index, for_index), (in_tail, for_tail)])
    }

    /// The row of a place in the session that is searched, 0 for the beginning.
    fn row(&self, seq: i64) -> Result<i64, StoreError> {
        let Place::Session(key) = self.scope else {
            return Ok(0);
        };
        let sql = "SELECT row FROM event WHERE session = ?1 AND seq <= ?2
            ORDER BY seq DESC LIMIT 1";
        let row = self
            .connection
            .prepare_cached(sql)
            .or_failed()?
            .query_row([key, seq], |row| row.get(0))
            .optional()
            .or_failed()?;
        Ok(row.unwrap_or_default())
    }

    fn light(&self) -> Result<Vec<Light>, StoreError> {
        let mut all = Vec::new();
        let mut ids: HashMap<i64, SessionId> = HashMap::new();
        for (sql, values) in self.statements("e.row, e.at, e.session, e.seq", 0)? {
            let mut statement = self.connection.prepare_cached(&sql).or_failed()?;
            let mut rows = statement.query(params_from_iter(values)).or_failed()?;
            while let Some(row) = rows.next().or_failed()? {
                let key = row.get(2).or_failed()?;
                let session = match ids.get(&key) {
                    Some(id) => id.clone(),
                    None => ids.entry(key).or_insert(self.session_id(key)?).clone(),
                };
                let seq = u64::try_from(row.get::<_, i64>(3).or_failed()?);
                let Some(seq) = seq.ok().and_then(Seq::new) else {
                    continue;
                };
                all.push(Light {
                    row: row.get(0).or_failed()?,
                    at: Timestamp::from_millis(row.get(1).or_failed()?),
                    session,
                    seq,
                });
            }
        }
        Ok(all)
    }

    fn session_id(&self, key: i64) -> Result<SessionId, StoreError> {
        let id: String = self
            .connection
            .prepare_cached("SELECT id FROM session WHERE key = ?1")
            .or_failed()?
            .query_row([key], |row| row.get(0))
            .or_failed()?;
        SessionId::new(id).map_err(StoreError::failed)
    }

    fn look_at(&self, light: &Light, looking: &mut Looking<'_>) -> Result<(), StoreError> {
        let sql = format!("SELECT {} FROM event e WHERE e.row = ?", rows::EVENT);
        let mut statement = self.connection.prepare_cached(&sql).or_failed()?;
        let mut rows = statement.query([light.row]).or_failed()?;
        if let Some(row) = rows.next().or_failed()? {
            looking.look(&light.session, rows::event(row, 0)?, light.at);
        }
        Ok(())
    }
}

/// In one session: rows come in log order from the index as well as from the tail.
fn in_log_order(candidates: &Candidates<'_>, looking: &mut Looking<'_>) -> Result<(), StoreError> {
    let Scope::Session(id) = looking.scope else {
        return Ok(());
    };
    let after = looking
        .query
        .after
        .as_ref()
        .map_or(0, |mark| int(mark.seq.as_u64()));
    let is_scan = candidates.expression.is_none();
    let columns = format!("{}, e.at", rows::EVENT);
    let mut scanned = 0_usize;
    for (sql, values) in candidates.statements(&columns, after)? {
        let mut statement = candidates.connection.prepare_cached(&sql).or_failed()?;
        let mut rows = statement.query(params_from_iter(values)).or_failed()?;
        while let Some(row) = rows.next().or_failed()? {
            if looking.is_full() {
                return Ok(());
            }
            if is_scan && scanned >= SCANNED {
                looking.end_early();
                return Ok(());
            }
            scanned += 1;
            let at = Timestamp::from_millis(row.get(4).or_failed()?);
            looking.look(id, rows::event(row, 0)?, at);
        }
    }
    Ok(())
}

/// Across sessions: the candidates are put in order before they are decoded.
fn by_time(candidates: &Candidates<'_>, looking: &mut Looking<'_>) -> Result<(), StoreError> {
    let mut light = candidates.light()?;
    let mark = |light: &Light| HitMark::at(light.at, light.session.clone(), light.seq);
    if let Some(after) = &looking.query.after {
        let (order, scope) = (looking.query.order, looking.scope);
        light.retain(|light| after.cmp_in(&mark(light), order, scope).is_lt());
    }
    light.sort_by(|one, other| {
        let by = |light: &Light| (light.at, light.seq);
        (one.at, &one.session, by(one)).cmp(&(other.at, &other.session, by(other)))
    });
    for (scanned, light) in light.iter().enumerate() {
        if looking.is_full() {
            break;
        }
        if candidates.expression.is_none() && scanned >= SCANNED {
            looking.end_early();
            break;
        }
        candidates.look_at(light, looking)?;
    }
    Ok(())
}

/// By relevance: the best hit may be the last candidate.
fn everything(candidates: &Candidates<'_>, looking: &mut Looking<'_>) -> Result<(), StoreError> {
    for light in candidates.light()? {
        candidates.look_at(&light, looking)?;
        looking.keep_the_best();
    }
    Ok(())
}

/// The page that is being filled.
struct Looking<'a> {
    scope: &'a Scope,
    query: &'a SearchQuery,
    matcher: Matcher,
    hits: Vec<Hit>,
    damaged: Vec<Damage>,
    /// The message looked at last.
    last: Option<HitMark>,
    is_ended: bool,
}

impl Looking<'_> {
    fn look(&mut self, session: &SessionId, row: EventRow, at: Timestamp) {
        self.last = Some(HitMark::at(at, session.clone(), row.seq));
        let event = match row.event {
            Ok(event) => Arc::new(event),
            Err(source) => {
                let reason = source.to_string();
                self.damaged
                    .push(Damage::new(session.clone(), row.seq, reason));
                return;
            }
        };
        let Some(hit) = self.matcher.hit(session, &event) else {
            return;
        };
        let (order, scope) = (self.query.order, self.scope);
        let is_behind = |after: &HitMark| after.cmp_in(&hit.mark(), order, scope).is_lt();
        if self.query.after.as_ref().is_none_or(is_behind) {
            self.hits.push(hit);
        }
    }

    /// One hit more than the page has room for tells that there is a next page.
    fn is_full(&self) -> bool {
        self.hits.len() > self.query.limit
    }

    /// Ends the page behind the message looked at last.
    fn end_early(&mut self) {
        self.is_ended = true;
    }

    /// Keeps memory bounded by the page, not by the hits.
    fn keep_the_best(&mut self) {
        let wanted = self.query.limit.saturating_add(1);
        if self.hits.len() >= wanted.saturating_mul(2) {
            self.sort();
            self.hits.truncate(wanted);
        }
    }

    fn sort(&mut self) {
        let (order, scope) = (self.query.order, self.scope);
        self.hits
            .sort_by(|one, other| one.mark().cmp_in(&other.mark(), order, scope));
    }

    fn into_page(mut self) -> Page<Hit, HitMark> {
        self.sort();
        let is_ended = self.is_ended && !self.is_full();
        let last = self.last.take();
        let mut page = Page::cut(self.hits, self.query.limit, Hit::mark);
        if is_ended {
            page.next = last;
        }
        page.with_damaged(self.damaged)
    }
}
