//! Search. The database chooses candidates by patterns over folded text, with the trigram index
//! where there is one; what counts as a hit is decided by the port's `Matcher`, as in every store.
//!
//! A search that no index can help looks at a bounded part of the log and ends its page there.

use std::pin::pin;

use futures_util::TryStreamExt as _;
use session_log::{Seq, Timestamp};
use session_store::search::Matcher;
use session_store::{
    Damage, Hit, HitMark, Keywords, Order, Page, Reach, Scope, SearchQuery, StoreError,
};

use crate::connect::Lease;
use crate::fault::Fault;
use crate::read::{give_back, push_roles};
use crate::rows::{self, Stored, event_columns, number};
use crate::sql::{Statement, Value};
use crate::store::Inner;
use crate::text;
use crate::transaction::retry;

/// How many events a page looks through at most when no index helps.
const WINDOW: i64 = 50_000;

/// How many candidates a page reads at most before it ends without being full.
const MAX_CANDIDATES: usize = 5_000;

/// How many candidates are read at once where some of them may be no hits.
const CANDIDATES_AT_ONCE: usize = 200;

/// Searches as [`SessionStore::search`](session_store::SessionStore::search) says.
pub(crate) async fn search(
    store: &Inner,
    scope: &Scope,
    query: &SearchQuery,
) -> Result<Page<Hit, HitMark>, StoreError> {
    query.check()?;
    let search = Search {
        store,
        scope,
        query,
        matcher: Matcher::new(query),
    };
    retry(store.patience, || async {
        let lease = store.connections.lease().await?;
        let page = match query.order {
            Order::OldestFirst => search.oldest_first(&lease).await,
            Order::Relevance => search.by_relevance(&lease).await,
        };
        give_back(lease, page)
    })
    .await
}

struct Search<'a> {
    store: &'a Inner,
    scope: &'a Scope,
    query: &'a SearchQuery,
    matcher: Matcher,
}

impl Search<'_> {
    /// Reads candidates in the order of the hits, from the mark on, until the page is full.
    async fn oldest_first(&self, lease: &Lease) -> Result<Page<Hit, HitMark>, Fault> {
        let mut after = self.query.after.clone();
        let end = if self.is_indexed() {
            None
        } else {
            self.end_of_window(lease, after.as_ref()).await?
        };
        let wanted = self.query.limit.saturating_add(1);
        let mut hits = Vec::new();
        let mut damaged = Vec::new();
        let mut looked_at = 0_usize;
        loop {
            let count = self.candidates_at_once(wanted.saturating_sub(hits.len()));
            let statement = self.candidates(after.as_ref(), end.as_ref(), Some(count));
            let mut rows = pin!(self.rows(lease, &statement).await?);
            let mut seen = 0_usize;
            while let Some(row) = rows.try_next().await? {
                seen = seen.saturating_add(1);
                let stored = Stored::of(&row)?;
                after = Some(self.mark_of(&stored, row.try_get(5)?));
                match stored.event {
                    Ok(event) => hits.extend(self.matcher.hit(&stored.session, &event)),
                    Err(source) => {
                        let reason = source.to_string();
                        damaged.push(Damage::new(stored.session, stored.seq, reason));
                    }
                }
            }
            looked_at = looked_at.saturating_add(seen);
            if hits.len() >= wanted {
                let page = Page::cut(hits, self.query.limit, Hit::mark);
                return Ok(page.with_damaged(damaged));
            }
            if seen < count {
                return Ok(Page::new(hits, end).with_damaged(damaged));
            }
            if looked_at >= MAX_CANDIDATES {
                return Ok(Page::new(hits, after).with_damaged(damaged));
            }
        }
    }

    /// Looks at every candidate and keeps the best.
    async fn by_relevance(&self, lease: &Lease) -> Result<Page<Hit, HitMark>, Fault> {
        let compare = |one: &Hit, other: &Hit| {
            one.mark()
                .cmp_in(&other.mark(), self.query.order, self.scope)
        };
        let is_behind = |hit: &Hit| {
            let after = self.query.after.as_ref();
            after.is_none_or(|it| it.cmp_in(&hit.mark(), self.query.order, self.scope).is_lt())
        };
        let limit = self.query.limit;
        let statement = self.candidates(None, None, None);
        let mut rows = pin!(self.rows(lease, &statement).await?);
        let mut hits: Vec<Hit> = Vec::new();
        let mut damaged = Vec::new();
        while let Some(row) = rows.try_next().await? {
            let stored = Stored::of(&row)?;
            match stored.event {
                Ok(event) => {
                    let hit = self.matcher.hit(&stored.session, &event);
                    hits.extend(hit.filter(is_behind));
                }
                Err(source) => {
                    let reason = source.to_string();
                    damaged.push(Damage::new(stored.session, stored.seq, reason));
                }
            }
            if hits.len() > limit.saturating_add(1).saturating_mul(2).max(1_000) {
                hits.sort_by(compare);
                hits.truncate(limit.saturating_add(1));
            }
        }
        hits.sort_by(compare);
        Ok(Page::cut(hits, limit, Hit::mark).with_damaged(damaged))
    }

    async fn rows(
        &self,
        lease: &Lease,
        statement: &Statement,
    ) -> Result<tokio_postgres::RowStream, Fault> {
        let text = self.store.schema.sql(statement.text());
        let values = statement.values().iter();
        let values = values.map(|value| (value.as_sql(), value.sql_type()));
        // Planned anew for these patterns: whether the index helps depends on them.
        Ok(lease.client()?.query_typed_raw(&text, values).await?)
    }

    /// The messages that may be hits, in the order of their age.
    fn candidates(
        &self,
        after: Option<&HitMark>,
        end: Option<&HitMark>,
        count: Option<usize>,
    ) -> Statement {
        let mut statement = Statement::new(concat!(
            "SELECT ",
            event_columns!(),
            ", happened_at FROM session_store.event"
        ));
        self.push_range(&mut statement, after, end);
        let joint = match self.query.keywords {
            Keywords::Any => " OR ",
            Keywords::All => " AND ",
        };
        statement.push(" AND (");
        for (index, word) in self.matcher.words().iter().enumerate() {
            if index > 0 {
                statement.push(joint);
            }
            statement.push_with("folded LIKE $", Value::Text(text::pattern(word)));
        }
        statement.push(")");
        push_roles(&mut statement, &self.query.roles);
        if let Some(since) = self.query.since {
            statement.push_with(" AND happened_at >= $", Value::Int(since.as_millis()));
        }
        if let Some(count) = count {
            statement.push(self.order());
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            statement.push_with(" LIMIT $", Value::Int(count));
        }
        statement
    }

    /// The events of the scope behind `after`, up to and with `end`.
    fn push_range(
        &self,
        statement: &mut Statement,
        after: Option<&HitMark>,
        end: Option<&HitMark>,
    ) {
        match self.scope {
            Scope::Session(id) => {
                let id = Value::Text(id.as_str().to_owned());
                statement.push_with(" WHERE session_id = $", id);
                if let Some(after) = after {
                    statement.push_with(" AND seq > $", Value::Int(number(after.seq)));
                }
                if let Some(end) = end {
                    statement.push_with(" AND seq <= $", Value::Int(number(end.seq)));
                }
            }
            Scope::Owner(owner) => {
                let owner = Value::Text(text::key(owner));
                statement.push_with(" WHERE owner_key = $", owner);
                for (mark, relation) in [(after, " > "), (end, " <= ")] {
                    let Some(mark) = mark else { continue };
                    let at = statement.place(Value::Int(mark.at.as_millis()));
                    let id = statement.place(Value::Text(mark.session.as_str().to_owned()));
                    let seq = statement.place(Value::Int(number(mark.seq)));
                    statement.push(" AND (happened_at, session_id, seq)");
                    statement.push(relation);
                    statement.push(&format!("({at}, {id}, {seq})"));
                }
            }
            // A scope of a later release of the port: nothing is in it.
            _ => statement.push(" WHERE false"),
        }
    }

    fn order(&self) -> &'static str {
        match self.scope {
            Scope::Session(_) => " ORDER BY seq",
            _ => " ORDER BY happened_at, session_id, seq",
        }
    }

    /// The last event that a page may look at, if there are more behind it.
    async fn end_of_window(
        &self,
        lease: &Lease,
        after: Option<&HitMark>,
    ) -> Result<Option<HitMark>, Fault> {
        let columns = match self.scope {
            // Within a session time plays no part in the order.
            Scope::Session(_) => "SELECT 0::bigint, session_id, seq FROM session_store.event",
            _ => "SELECT happened_at, session_id, seq FROM session_store.event",
        };
        let mut statement = Statement::new(columns);
        self.push_range(&mut statement, after, None);
        statement.push(self.order());
        statement.push_with(" OFFSET $ LIMIT 1", Value::Int(WINDOW));
        let mut rows = pin!(self.rows(lease, &statement).await?);
        let Some(row) = rows.try_next().await? else {
            return Ok(None);
        };
        let at = Timestamp::from_millis(row.try_get(0)?);
        let seq = rows::seq(row.try_get(2)?).map_err(StoreError::failed)?;
        Ok(Some(HitMark::at(
            at,
            rows::session_id(row.try_get(1)?)?,
            seq,
        )))
    }

    fn mark_of(&self, stored: &Stored, happened_at: i64) -> HitMark {
        let at = Timestamp::from_millis(happened_at);
        HitMark::at(at, stored.session.clone(), Seq::clone(&stored.seq))
    }

    /// Where all of a message is searched, nearly every candidate is a hit.
    fn candidates_at_once(&self, wanted: usize) -> usize {
        match self.query.reach {
            Reach::TextAndTools => wanted.min(MAX_CANDIDATES),
            Reach::Text => wanted.clamp(CANDIDATES_AT_ONCE, MAX_CANDIDATES),
        }
    }

    /// Whether the trigram index leads to the candidates without reading others.
    fn is_indexed(&self) -> bool {
        let has_trigram = |word: &String| self.store.features.has_trigram(word);
        let mut words = self.matcher.words().iter();
        match self.query.keywords {
            Keywords::Any => words.all(has_trigram),
            Keywords::All => words.any(has_trigram),
        }
    }
}
