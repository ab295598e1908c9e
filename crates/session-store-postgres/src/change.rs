//! The two changes of stored events: counts made anew, and content erased.

use std::collections::BTreeMap;

use futures_util::future::join;
use session_log::{Event, EventBody, Fields, Seq, SessionId, TokenCount, Version};
use session_store::{Head, Recount, StoreError, check_tombstone};
use tokio_postgres::types::{ToSql, Type};

use crate::append::{Draft, kind_of};
use crate::connect::Lease;
use crate::fault::Fault;
use crate::rows::{Stored, event_columns, number};
use crate::store::Inner;
use crate::text;
use crate::transaction::{End, begin, finish, move_head, retry};

const SET_COUNTS: &str = "\
    UPDATE session_store.event SET tokens = fresh.tokens, estimator = fresh.estimator \
    FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS fresh (seq, tokens, estimator) \
    WHERE event.session_id = $1 AND event.seq = fresh.seq";

const SELECT: &str = concat!(
    "SELECT ",
    event_columns!(),
    " FROM session_store.event WHERE session_id = $1 AND seq = $2"
);

const REPLACE: &str = "\
    UPDATE session_store.event SET event_type = $3, role = $4, kind = $5, tokens = NULL, \
    estimator = NULL, folded = $6, record = $7 WHERE session_id = $1 AND seq = $2";

/// Recounts as [`SessionStore::recount`](session_store::SessionStore::recount) says.
pub(crate) async fn recount(
    store: &Inner,
    id: &SessionId,
    at: Version,
    recount: Recount,
) -> Result<bool, StoreError> {
    recount.check()?;
    retry(store.patience, || async {
        let lease = store.connections.lease().await?;
        let work = try_recount(store, &lease, id, at, &recount).await;
        finish(lease, work).await
    })
    .await
}

async fn try_recount(
    store: &Inner,
    lease: &Lease,
    id: &SessionId,
    at: Version,
    recount: &Recount,
) -> Result<End<bool>, Fault> {
    let mut head = begin(store, lease, id).await?.head;
    let client = lease.client()?;
    // Of two counts for one place the later one counts.
    let counts: BTreeMap<Seq, &TokenCount> = recount
        .counts
        .iter()
        .map(|(seq, count)| (*seq, count))
        .collect();
    if !counts.is_empty() {
        let seqs: Vec<i64> = counts.keys().copied().map(number).collect();
        let tokens: Vec<i64> = counts.values().map(|it| it.tokens.cast_signed()).collect();
        let estimators: Vec<_> = counts
            .values()
            .map(|it| text::escape(&it.estimator))
            .collect();
        let id_text = id.as_str();
        let values: [(&(dyn ToSql + Sync), Type); 4] = [
            (&id_text, Type::TEXT),
            (&seqs, Type::INT8_ARRAY),
            (&tokens, Type::INT8_ARRAY),
            (&estimators, Type::TEXT_ARRAY),
        ];
        // Planned for these counts: few of them are looked up, many are joined.
        let statement = store.schema.sql(SET_COUNTS);
        client.execute_typed(&statement, &values).await?;
    }
    let is_taken = recount.counters.is_some() && head.version == at;
    if is_taken {
        head.counters.clone_from(&recount.counters);
        move_head(store, client, id, &head).await?;
    }
    Ok(End::Commit(is_taken))
}

/// Erases as [`SessionStore::erase`](session_store::SessionStore::erase) says.
pub(crate) async fn erase(
    store: &Inner,
    id: &SessionId,
    seq: Seq,
    tombstone: EventBody,
) -> Result<Head, StoreError> {
    retry(store.patience, || async {
        let lease = store.connections.lease().await?;
        let work = try_erase(store, &lease, id, seq, &tombstone).await;
        finish(lease, work).await
    })
    .await
}

async fn try_erase(
    store: &Inner,
    lease: &Lease,
    id: &SessionId,
    seq: Seq,
    tombstone: &EventBody,
) -> Result<End<Head>, Fault> {
    let mut head = begin(store, lease, id).await?.head;
    let client = lease.client()?;
    let select = client.prepare_cached(&store.schema.sql(SELECT)).await?;
    let (id_text, place) = (id.as_str(), number(seq));
    let Some(row) = client.query_opt(&select, &[&id_text, &place]).await? else {
        let session = id.clone();
        return Err(StoreError::UnknownEvent { session, seq }.into());
    };
    let stored = Stored::of(&row)?.strict()?;
    check_tombstone(&stored, tombstone)?;
    let mut erased = Event::clone(&stored);
    erased.body = tombstone.clone();
    erased.metadata = Fields::new();
    erased.tokens = None;
    let kind = kind_of(&erased);
    let draft = Draft::of(&mut erased.into_new())?;
    head.counters = None;
    head.erasures = head.erasures.saturating_add(1);

    let replace = client.prepare_cached(&store.schema.sql(REPLACE)).await?;
    let values: [&(dyn ToSql + Sync); 7] = [
        &id_text,
        &place,
        &draft.event_type,
        &draft.role,
        &kind,
        &draft.folded,
        &draft.record,
    ];
    let (replaced, moved) = join(
        client.execute(&replace, &values),
        move_head(store, client, id, &head),
    )
    .await;
    replaced?;
    moved?;
    Ok(End::Commit(head))
}
