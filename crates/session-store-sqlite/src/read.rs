//! Reading events.

use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use session_log::{Event, EventId, Seq, SessionId};
use session_store::{
    Branches, Damage, Direction, EventQuery, OnDamage, Page, StoreError, Synthetic,
};

use crate::error::OrFailed;
use crate::rows::{self, EventRow, int};
use crate::snapshot::Snapshot;

pub(crate) fn read(
    connection: &Connection,
    id: &SessionId,
    query: &EventQuery,
) -> Result<Page<Arc<Event>, Seq>, StoreError> {
    // One snapshot, so that all statements see the same log.
    let snapshot = Snapshot::begin(connection)?;
    let Some(key) = rows::key(&snapshot, id)? else {
        return Ok(Page::empty());
    };
    let mut reading = Reading {
        connection: &snapshot,
        id,
        key,
        query,
        limit: query.limit.unwrap_or(usize::MAX),
        events: Vec::new(),
        damaged: Vec::new(),
        has_more: false,
    };
    if query.ids.is_empty() {
        reading.places()?;
    } else {
        reading.ids()?;
    }
    let last = reading.events.last().map(|event| event.seq);
    let next = last.filter(|_| reading.has_more);
    Ok(Page::new(reading.events, next).with_damaged(reading.damaged))
}

struct Reading<'a> {
    connection: &'a Connection,
    id: &'a SessionId,
    key: i64,
    query: &'a EventQuery,
    limit: usize,
    events: Vec<Arc<Event>>,
    damaged: Vec<Damage>,
    has_more: bool,
}

impl Reading<'_> {
    /// The single places before the range, the range, the single places after it; or the other
    /// way round.
    fn places(&mut self) -> Result<(), StoreError> {
        let from = self.query.from.unwrap_or(Seq::FIRST);
        let mut singles = self.query.also.clone();
        singles.retain(|seq| !self.is_in_range(*seq));
        singles.sort_unstable();
        singles.dedup();
        let (mut before, mut after): (Vec<_>, Vec<_>) =
            singles.into_iter().partition(|seq| *seq < from);
        if self.query.direction == Direction::Backward {
            before.reverse();
            after.reverse();
            std::mem::swap(&mut before, &mut after);
        }
        self.singles(&before)?;
        self.range()?;
        self.singles(&after)
    }

    fn is_in_range(&self, seq: Seq) -> bool {
        let query = self.query;
        query.from.is_none_or(|from| from <= seq) && query.to.is_none_or(|to| seq <= to)
    }

    fn singles(&mut self, places: &[Seq]) -> Result<(), StoreError> {
        let sql = format!(
            "SELECT {} FROM event e WHERE e.session = ? AND e.seq = ?",
            rows::EVENT
        );
        for seq in places {
            if self.has_more {
                return Ok(());
            }
            if self.is_behind(*seq) {
                self.take(&sql, vec![self.key.into(), int(seq.as_u64()).into()])?;
            }
        }
        Ok(())
    }

    fn is_behind(&self, seq: Seq) -> bool {
        match (self.query.after, self.query.direction) {
            (None, _) => true,
            (Some(after), Direction::Forward) => after < seq,
            (Some(after), Direction::Backward) => seq < after,
        }
    }

    fn range(&mut self) -> Result<(), StoreError> {
        if self.has_more {
            return Ok(());
        }
        let mut sql = format!("SELECT {} FROM event e WHERE e.session = ?", rows::EVENT);
        let mut values: Vec<Value> = vec![self.key.into()];
        let mut first = self.query.from;
        let mut last = self.query.to;
        if let Some(after) = self.query.after {
            match self.query.direction {
                Direction::Forward => first = first.max(Some(after.plus(1))),
                Direction::Backward => match Seq::new(after.as_u64() - 1) {
                    Some(before) => last = Some(last.map_or(before, |last| last.min(before))),
                    None => return Ok(()),
                },
            }
        }
        if let Some(first) = first {
            sql.push_str(" AND e.seq >= ?");
            values.push(int(first.as_u64()).into());
        }
        if let Some(last) = last {
            sql.push_str(" AND e.seq <= ?");
            values.push(int(last.as_u64()).into());
        }
        narrow(self.query, &mut sql, &mut values);
        sql.push_str(match self.query.direction {
            Direction::Forward => " ORDER BY e.seq",
            Direction::Backward => " ORDER BY e.seq DESC",
        });
        self.take(&sql, values)
    }

    fn ids(&mut self) -> Result<(), StoreError> {
        let sql = "SELECT e.seq FROM event e WHERE e.id = ? AND e.session = ?";
        let mut places = Vec::new();
        for event in &self.query.ids {
            let mut statement = self.connection.prepare_cached(sql).or_failed()?;
            let mut rows = statement
                .query((EventId::as_str(event), self.key))
                .or_failed()?;
            while let Some(row) = rows.next().or_failed()? {
                let number = u64::try_from(row.get::<_, i64>(0).or_failed()?);
                places.extend(number.ok().and_then(Seq::new));
            }
        }
        places.retain(|seq| self.query.covers(*seq));
        places.sort_unstable();
        places.dedup();
        if self.query.direction == Direction::Backward {
            places.reverse();
        }
        self.singles(&places)
    }

    /// Takes what `sql` finds until the page is full.
    fn take(&mut self, sql: &str, values: Vec<Value>) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare_cached(sql).or_failed()?;
        let mut rows = statement.query(params_from_iter(values)).or_failed()?;
        while let Some(row) = rows.next().or_failed()? {
            if self.events.len() >= self.limit {
                self.has_more = true;
                return Ok(());
            }
            let EventRow { seq, event } = rows::event(row, 0)?;
            match (event, self.query.on_damage) {
                (Ok(event), _) if self.query.accepts(&event) => self.events.push(Arc::new(event)),
                (Ok(_), _) => {}
                (Err(source), OnDamage::Refuse) => {
                    return Err(StoreError::corrupt_event(self.id.clone(), seq, source));
                }
                (Err(source), OnDamage::Report) => {
                    let reason = source.to_string();
                    self.damaged.push(Damage::new(self.id.clone(), seq, reason));
                }
            }
        }
        Ok(())
    }
}

/// Leaves out what the query does not ask for before it is decoded. What is left is looked at
/// again, so this may let too much through, never too little.
fn narrow(query: &EventQuery, sql: &mut String, values: &mut Vec<Value>) {
    let texts = |texts: Vec<String>| texts.into_iter().map(Value::from).collect();
    if !query.types.is_empty() {
        let types = query.types.iter().map(rows::type_name).collect();
        one_of("e.type", texts(types), sql, values);
    }
    if !query.roles.is_empty() {
        let mut roles: Vec<String> = query.roles.iter().map(rows::role_name).collect();
        if query.roles.iter().any(session_log::Role::is_system) {
            roles.extend(["system".into(), "developer".into()]);
        }
        one_of("e.role", texts(roles), sql, values);
    }
    if !query.kinds.is_empty() {
        let kinds = query.kinds.iter().copied().map(rows::kind_number);
        one_of("e.kind", kinds.map(Value::from).collect(), sql, values);
    }
    if let Some(since) = query.since {
        sql.push_str(" AND e.at >= ?");
        values.push(since.as_millis().into());
    }
    if let Some(until) = query.until {
        sql.push_str(" AND e.at <= ?");
        values.push(until.as_millis().into());
    }
    match query.synthetic {
        Synthetic::With => {}
        Synthetic::Without => sql.push_str(" AND e.synthetic = 0"),
        Synthetic::Only => sql.push_str(" AND e.synthetic = 1"),
    }
    if query.branches == Branches::Root {
        sql.push_str(" AND e.branch IS NULL");
    }
}

/// The most values that a statement names of one column. SQLite takes a few ten thousand in all.
const MOST: usize = 1_000;

fn one_of(column: &str, among: Vec<Value>, sql: &mut String, values: &mut Vec<Value>) {
    if among.len() > MOST {
        return;
    }
    let marks = vec!["?"; among.len()].join(", ");
    sql.push_str(&format!(" AND {column} IN ({marks})"));
    values.extend(among);
}
