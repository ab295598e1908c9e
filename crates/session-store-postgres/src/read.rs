//! Reading events. Every condition of a query is one of the statement, so a page costs what is on
//! it and the places in between that do not match.

use std::pin::pin;
use std::sync::Arc;

use futures_util::TryStreamExt as _;
use session_log::{Event, Role, Seq, SessionId};
use session_store::{
    Branches, Damage, Direction, EventQuery, OnDamage, Page, StoreError, Synthetic,
};

use crate::append::kind_key;
use crate::connect::Lease;
use crate::fault::Fault;
use crate::rows::{Stored, event_columns, number};
use crate::sql::{Statement, Value};
use crate::store::Inner;
use crate::text;
use crate::transaction::retry;

/// Reads as [`SessionStore::read`](session_store::SessionStore::read) says.
pub(crate) async fn read(
    store: &Inner,
    id: &SessionId,
    query: &EventQuery,
) -> Result<Page<Arc<Event>, Seq>, StoreError> {
    query.check()?;
    let Some(statement) = statement(id, query) else {
        return Ok(Page::empty());
    };
    retry(store.patience, || async {
        let lease = store.connections.lease().await?;
        let page = over(store, &lease, query, &statement).await;
        give_back(lease, page)
    })
    .await
}

/// Hands the connection back after a read, unless it broke.
pub(crate) fn give_back<T>(lease: Lease, result: Result<T, Fault>) -> Result<T, Fault> {
    if !matches!(result, Err(Fault::Lost(_))) {
        lease.hand_back();
    }
    result
}

async fn over(
    store: &Inner,
    lease: &Lease,
    query: &EventQuery,
    statement: &Statement,
) -> Result<Page<Arc<Event>, Seq>, Fault> {
    let client = lease.client()?;
    let prepared = client
        .prepare_cached(&store.schema.sql(statement.text()))
        .await?;
    let values = statement.values().iter().map(Value::as_sql);
    let mut rows = pin!(client.query_raw(&prepared, values).await?);
    let limit = query.limit.unwrap_or(usize::MAX);
    let mut items = Vec::new();
    let mut damaged = Vec::new();
    let mut last = None;
    let mut count = 0_usize;
    while let Some(row) = rows.try_next().await? {
        // One row more than asked for says that there are more.
        if count == limit {
            let page = Page::new(items, last);
            return Ok(page.with_damaged(damaged));
        }
        count = count.saturating_add(1);
        let stored = Stored::of(&row)?;
        last = Some(stored.seq);
        match (stored.event, query.on_damage) {
            (Ok(event), _) => items.push(event),
            (Err(source), OnDamage::Refuse) => {
                return Err(StoreError::corrupt_event(stored.session, stored.seq, source).into());
            }
            (Err(source), OnDamage::Report) => {
                damaged.push(Damage::new(stored.session, stored.seq, source.to_string()));
            }
        }
    }
    Ok(Page::new(items, None).with_damaged(damaged))
}

const SELECT: &str = concat!(
    "SELECT ",
    event_columns!(),
    " FROM session_store.event WHERE session_id = $"
);

/// What to ask the database; `None` when no place can match.
///
/// Each id and each place beside the range is a visit of an index of its own. Asked for a list of
/// them, the database may go through the log, if it made its plan while that was short.
fn statement(id: &SessionId, query: &EventQuery) -> Option<Statement> {
    let session = || Value::Text(id.as_str().to_owned());
    let Places { range, also } = Places::of(query);
    let mut statement = Statement::default();
    if !query.ids.is_empty() {
        let mut ids: Vec<_> = query.ids.iter().map(|id| id.as_str().to_owned()).collect();
        ids.sort_unstable();
        ids.dedup();
        push_each(&mut statement, "$::text[]", Value::Texts(ids));
        statement.push_with(SELECT, session());
        let (first, last) = range.unwrap_or((1, 0));
        statement.push_with(" AND id = wanted.it AND (seq >= $", Value::Int(first));
        statement.push_with(" AND seq <= $", Value::Int(last));
        statement.push_with(" OR seq = ANY($))", Value::Ints(also));
        push_conditions(&mut statement, query);
        statement.push(" LIMIT 1) AS found");
    } else if let Some((first, last)) = range {
        statement.push_with(SELECT, session());
        statement.push_with(" AND seq >= $", Value::Int(first));
        statement.push_with(" AND seq <= $", Value::Int(last));
        push_conditions(&mut statement, query);
        if !also.is_empty() {
            // Each half ends by itself: a page of a long range must not sort all of it.
            push_page(&mut statement, query);
            statement.wrap("(", ") UNION ALL ");
            push_also(&mut statement, query, session(), also);
        }
    } else if !also.is_empty() {
        push_also(&mut statement, query, session(), also);
    } else {
        return None;
    }
    push_page(&mut statement, query);
    Some(statement)
}

fn push_also(statement: &mut Statement, query: &EventQuery, session: Value, also: Vec<i64>) {
    push_each(statement, "$::bigint[]", Value::Ints(also));
    statement.push_with(SELECT, session);
    statement.push(" AND seq = wanted.it");
    push_conditions(statement, query);
    statement.push(" LIMIT 1) AS found");
}

fn push_each(statement: &mut Statement, list: &str, values: Value) {
    statement.push("SELECT found.* FROM unnest(");
    statement.push_with(list, values);
    statement.push(") AS wanted (it) CROSS JOIN LATERAL (");
}

/// The order of the events, and one more than the page holds.
fn push_page(statement: &mut Statement, query: &EventQuery) {
    statement.push(match query.direction {
        Direction::Forward => " ORDER BY seq",
        Direction::Backward => " ORDER BY seq DESC",
    });
    if let Some(limit) = query.limit {
        let limit = i64::try_from(limit.saturating_add(1)).unwrap_or(i64::MAX);
        statement.push_with(" LIMIT $", Value::Int(limit));
    }
}

/// The places a page is read from: a range, and some outside of it.
struct Places {
    range: Option<(i64, i64)>,
    also: Vec<i64>,
}

impl Places {
    fn of(query: &EventQuery) -> Self {
        let mut first = query.from.map_or(1, number);
        let mut last = query.to.map_or(i64::MAX, number);
        let mut also: Vec<i64> = query.also.iter().copied().map(number).collect();
        also.retain(|place| *place < first || last < *place);
        match (query.after.map(number), query.direction) {
            (None, _) => {}
            (Some(after), Direction::Forward) => {
                first = first.max(after.saturating_add(1));
                also.retain(|place| after < *place);
            }
            (Some(after), Direction::Backward) => {
                last = last.min(after.saturating_sub(1));
                also.retain(|place| *place < after);
            }
        }
        also.sort_unstable();
        also.dedup();
        let range = (first <= last).then_some((first, last));
        Self { range, also }
    }
}

/// All conditions but those on ids and places.
fn push_conditions(statement: &mut Statement, query: &EventQuery) {
    if !query.types.is_empty() {
        let types = query.types.iter().map(|it| it.as_str().to_owned());
        statement.push_with(" AND event_type = ANY($)", Value::Texts(types.collect()));
    }
    push_roles(statement, &query.roles);
    if !query.kinds.is_empty() {
        let kinds = query.kinds.iter().map(|kind| kind_key(*kind).to_owned());
        statement.push_with(" AND kind = ANY($)", Value::Texts(kinds.collect()));
    }
    if let Some(since) = query.since {
        statement.push_with(" AND happened_at >= $", Value::Int(since.as_millis()));
    }
    if let Some(until) = query.until {
        statement.push_with(" AND happened_at <= $", Value::Int(until.as_millis()));
    }
    match query.synthetic {
        Synthetic::With => {}
        Synthetic::Without => statement.push_with(" AND is_synthetic = $", Value::Bool(false)),
        Synthetic::Only => statement.push_with(" AND is_synthetic = $", Value::Bool(true)),
    }
    match &query.branches {
        Branches::All => {}
        Branches::VisibleTo(branch) => {
            let seen = Value::Texts(text::lineage(branch));
            statement.push_with(" AND (branch IS NULL OR branch = ANY($))", seen);
        }
        _ => statement.push(" AND branch IS NULL"),
    }
}

/// System and developer stand for each other.
pub(crate) fn push_roles(statement: &mut Statement, roles: &[Role]) {
    if roles.is_empty() {
        return;
    }
    let mut keys: Vec<String> = roles.iter().map(text::role_key).collect();
    if roles.iter().any(Role::is_system) {
        keys.extend([Role::System, Role::Developer].iter().map(text::role_key));
    }
    statement.push_with(" AND role = ANY($)", Value::Texts(keys));
}
