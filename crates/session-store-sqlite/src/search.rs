//! Search: candidates from the index and the tail, each looked at before it is a hit.

use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use session_log::{Seq, SessionId, Timestamp};
use session_store::search::Matcher;
use session_store::{Damage, Hit, HitMark, Keywords, Order, Page, Scope, SearchQuery, StoreError};

use crate::error::OrFailed;
use crate::index::{indexed_row, triple, visible};
use crate::rows::{self, EventRow, int};

/// The index knows no shorter words.
const SHORTEST: usize = 3;

/// Without the index a page looks at so many messages and then ends, hits or not.
const SCANNED: usize = 20_000;

pub(crate) fn search(
    connection: &Connection,
    scope: &Scope,
    query: &SearchQuery,
) -> Result<Page<Hit, HitMark>, StoreError> {
    // One transaction, so that index, tail and progress belong together.
    let transaction = connection.unchecked_transaction().or_failed()?;
    let Some(place) = Place::of(&transaction, scope)? else {
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
        connection: &transaction,
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

    fn condition(self) -> (&'static str, i64) {
        match self {
            Self::Session(key) => ("+e.session = ?", key),
            Self::Owner(key) => ("s.owner = ?", key),
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

impl Candidates<'_> {
    const FROM: &'static str = "event e JOIN session s ON s.key = e.session";

    /// Conditions that are cheaper than a look at the message.
    fn cheap(&self) -> (String, Vec<Value>) {
        let (condition, key) = self.scope.condition();
        let mut sql = format!("{condition} AND +e.type = 'MESSAGE' AND e.synthetic = 0");
        let mut values = vec![Value::from(key)];
        if let Some(since) = self.since {
            sql.push_str(" AND e.at >= ?");
            values.push(since.as_millis().into());
        }
        (sql, values)
    }

    /// Statements that together give every candidate, each with its values. `columns` are
    /// selected from `event e` and `session s`; `more` is one more condition.
    fn statements(
        &self,
        columns: &str,
        more: &str,
    ) -> Result<Vec<(String, Vec<Value>)>, StoreError> {
        let (cheap, values) = self.cheap();
        let Some(expression) = &self.expression else {
            let sql = format!("SELECT {columns} FROM {} WHERE {cheap} {more}", Self::FROM);
            // Here the session's own index is the right way in.
            return Ok(vec![(sql.replace("+e.session", "e.session"), values)]);
        };
        let indexed = indexed_row(self.connection).or_failed()?;
        let in_index = format!(
            "SELECT {columns} FROM search_index i CROSS JOIN event e ON e.row = i.rowid
            JOIN session s ON s.key = e.session
            WHERE search_index MATCH ? AND i.rowid <= ? AND {cheap} {more}"
        );
        let in_tail = format!(
            "SELECT {columns} FROM {} WHERE e.row > ? AND {cheap} {more}",
            Self::FROM
        );
        let begin = |first: Vec<Value>| [first, values.clone()].concat();
        Ok(vec![
            (
                in_index,
                begin(vec![expression.clone().into(), indexed.into()]),
            ),
            (in_tail, begin(vec![indexed.into()])),
        ])
    }

    fn light(&self) -> Result<Vec<Light>, StoreError> {
        let mut all = Vec::new();
        for (sql, values) in self.statements("e.row, e.at, s.id, e.seq", "")? {
            let mut statement = self.connection.prepare_cached(&sql).or_failed()?;
            let mut rows = statement.query(params_from_iter(values)).or_failed()?;
            while let Some(row) = rows.next().or_failed()? {
                let id: String = row.get(2).or_failed()?;
                let seq = u64::try_from(row.get::<_, i64>(3).or_failed()?);
                let Some(seq) = seq.ok().and_then(Seq::new) else {
                    continue;
                };
                all.push(Light {
                    row: row.get(0).or_failed()?,
                    at: Timestamp::from_millis(row.get(1).or_failed()?),
                    session: SessionId::new(&id).map_err(StoreError::failed)?,
                    seq,
                });
            }
        }
        Ok(all)
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
    let more = if is_scan {
        "AND e.seq > ? ORDER BY e.seq"
    } else {
        "AND e.seq > ? ORDER BY e.row"
    };
    let columns = format!("{}, e.at", rows::EVENT);
    let mut scanned = 0_usize;
    for (sql, mut values) in candidates.statements(&columns, more)? {
        values.push(after.into());
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
        let event = match row.event {
            Ok(event) => Arc::new(event),
            Err(source) => {
                let reason = source.to_string();
                self.damaged
                    .push(Damage::new(session.clone(), row.seq, reason));
                return;
            }
        };
        self.last = Some(HitMark::at(at, session.clone(), row.seq));
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
