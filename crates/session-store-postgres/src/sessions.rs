//! Sessions: made, listed, changed, deleted.

use deadpool_postgres::ClientWrapper;
use futures_util::future::{join, join4};
use session_log::{SessionId, Timestamp};
use session_store::{
    Attributes, Created, Direction, NewSession, Page, Session, SessionMark, SessionPatch,
    SessionQuery, StoreError,
};
use tokio_postgres::types::ToSql;

use crate::connect::Lease;
use crate::fault::{Fault, Trouble};
use crate::read::give_back;
use crate::rows::{self, HeadRow, session_columns};
use crate::sql::{Statement, Value};
use crate::store::Inner;
use crate::text;
use crate::transaction::{End, begin, finish, retry};

const SELECT: &str = concat!(
    "SELECT ",
    session_columns!(),
    " FROM session_store.session AS one"
);

const SELECT_ONE: &str = concat!(
    "SELECT ",
    session_columns!(),
    " FROM session_store.session WHERE id = $1"
);

const INSERT: &str = "\
    INSERT INTO session_store.session (id, owner, owner_key, parent, created_at, expires_at, \
    attributes, metadata, version, view_events, view_turns, erasures) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (id) DO NOTHING";

const INSERT_ATTRIBUTES: &str = "\
    INSERT INTO session_store.attribute (session_id, name_key, value_key) \
    SELECT $1::text, one.* FROM unnest($2::text[], $3::text[]) AS one";

const UPDATE: &str = "\
    UPDATE session_store.session SET expires_at = $2, attributes = $3, metadata = $4 WHERE id = $1";

const DELETE_ATTRIBUTES: &str = "DELETE FROM session_store.attribute WHERE session_id = $1";
const DELETE_POINTS: &str = "DELETE FROM session_store.turning_point WHERE session_id = $1";
const DELETE_EVENTS: &str = "DELETE FROM session_store.event WHERE session_id = $1";
const DELETE_SESSION: &str = "DELETE FROM session_store.session WHERE id = $1";

const EXPIRED: &str = "\
    SELECT id FROM session_store.session WHERE expires_at < $1 ORDER BY expires_at LIMIT 100";

/// Creates as [`SessionStore::create`](session_store::SessionStore::create) says.
pub(crate) async fn create(store: &Inner, new: NewSession) -> Result<Created, StoreError> {
    let new = new.into_stored();
    retry(store.patience, || async {
        let lease = store.connections.lease().await?;
        let work = try_create(store, &lease, &new).await;
        finish(lease, work).await
    })
    .await
}

async fn try_create(store: &Inner, lease: &Lease, new: &Session) -> Result<End<Created>, Fault> {
    let client = lease.client()?;
    let insert = client.prepare_cached(&store.schema.sql(INSERT)).await?;
    let owner = new.owner.as_deref().map(text::escape);
    let owner_key = new.owner.as_deref().map(text::key);
    let parent = new.parent.as_ref().map(SessionId::as_str);
    let attributes = rows::encode_attributes(&new.attributes);
    let metadata = session_log::wire::encode_fields(&new.metadata);
    let head = HeadRow::from(&new.head);
    let id = new.id.as_str();
    let created_at = new.created_at.as_millis();
    let expires_at = new.expires_at.map(Timestamp::as_millis);
    let values: [&(dyn ToSql + Sync); 12] = [
        &id,
        &owner,
        &owner_key,
        &parent,
        &created_at,
        &expires_at,
        &attributes,
        &metadata,
        &head.version,
        &head.view_events,
        &head.view_turns,
        &head.erasures,
    ];
    let (begun, inserted) = join(
        client.batch_execute("BEGIN"),
        client.execute(&insert, &values),
    )
    .await;
    begun?;
    if inserted? == 0 {
        return match select_one(store, client, &new.id).await? {
            Some(stored) => Ok(End::Leave(Created::Exists(stored))),
            // It was deleted since.
            None => Err(Fault::Again(StoreError::unavailable(Trouble::Contended))),
        };
    }
    insert_attributes(store, client, &new.id, &new.attributes).await?;
    Ok(End::Commit(Created::New(new.clone())))
}

async fn insert_attributes(
    store: &Inner,
    client: &ClientWrapper,
    id: &SessionId,
    attributes: &Attributes,
) -> Result<(), Fault> {
    if attributes.is_empty() {
        return Ok(());
    }
    let statement = client
        .prepare_cached(&store.schema.sql(INSERT_ATTRIBUTES))
        .await?;
    let names: Vec<String> = attributes.keys().map(|name| text::key(name)).collect();
    let values: Vec<String> = attributes.values().map(|value| text::key(value)).collect();
    client
        .execute(&statement, &[&id.as_str(), &names, &values])
        .await?;
    Ok(())
}

/// The session with this id.
pub(crate) async fn session(store: &Inner, id: &SessionId) -> Result<Option<Session>, StoreError> {
    retry(store.patience, || async {
        let lease = store.connections.lease().await?;
        let session = async { select_one(store, lease.client()?, id).await }.await;
        give_back(lease, session)
    })
    .await
}

async fn select_one(
    store: &Inner,
    client: &ClientWrapper,
    id: &SessionId,
) -> Result<Option<Session>, Fault> {
    let statement = client.prepare_cached(&store.schema.sql(SELECT_ONE)).await?;
    let row = client.query_opt(&statement, &[&id.as_str()]).await?;
    row.as_ref().map(rows::session).transpose()
}

/// Lists as [`SessionStore::sessions`](session_store::SessionStore::sessions) says.
pub(crate) async fn sessions(
    store: &Inner,
    query: &SessionQuery,
) -> Result<Page<Session, SessionMark>, StoreError> {
    query.check()?;
    let statement = list(query);
    retry(store.patience, || async {
        let lease = store.connections.lease().await?;
        let page = try_list(store, &lease, query, &statement).await;
        give_back(lease, page)
    })
    .await
}

async fn try_list(
    store: &Inner,
    lease: &Lease,
    query: &SessionQuery,
    statement: &Statement,
) -> Result<Page<Session, SessionMark>, Fault> {
    let text = store.schema.sql(statement.text());
    let values = statement.values().iter();
    let values: Vec<_> = values
        .map(|value| (value.as_sql(), value.sql_type()))
        .collect();
    let rows = lease.client()?.query_typed(&text, &values).await?;
    let sessions: Result<Vec<Session>, Fault> = rows.iter().map(rows::session).collect();
    Ok(Page::cut(sessions?, query.limit, SessionMark::of))
}

fn list(query: &SessionQuery) -> Statement {
    let mut statement = Statement::new(SELECT);
    statement.push(" WHERE true");
    if let Some(owner) = &query.owner {
        statement.push_with(" AND owner_key = $", Value::Text(text::key(owner)));
    }
    if let Some(parent) = &query.parent {
        let parent = Value::Text(parent.as_str().to_owned());
        statement.push_with(" AND parent = $", parent);
    }
    if let Some(before) = query.expires_before {
        statement.push_with(" AND expires_at < $", Value::Int(before.as_millis()));
    }
    push_attributes(&mut statement, &query.attributes);
    let (relation, order) = match query.direction {
        Direction::Forward => (" > ", " ORDER BY created_at, id"),
        Direction::Backward => (" < ", " ORDER BY created_at DESC, id DESC"),
    };
    if let Some(mark) = &query.after {
        let at = statement.place(Value::Int(mark.created_at.as_millis()));
        let id = statement.place(Value::Text(mark.id.as_str().to_owned()));
        statement.push(&format!(" AND (created_at, id){relation}({at}, {id})"));
    }
    statement.push(order);
    let limit = i64::try_from(query.limit.saturating_add(1)).unwrap_or(i64::MAX);
    statement.push_with(" LIMIT $", Value::Int(limit));
    statement
}

/// So many attributes lead to the sessions; planning takes longer with each, and some hundred of them
/// took a minute. The others are counted.
const FEW: usize = 4;

fn push_attributes(statement: &mut Statement, attributes: &Attributes) {
    for (name, value) in attributes.iter().take(FEW) {
        statement
            .push(" AND EXISTS (SELECT 1 FROM session_store.attribute WHERE session_id = one.id");
        statement.push_with(" AND name_key = $", Value::Text(text::key(name)));
        statement.push_with(" AND value_key = $)", Value::Text(text::key(value)));
    }
    let rest = || attributes.iter().skip(FEW);
    let names: Vec<String> = rest().map(|(name, _)| text::key(name)).collect();
    let values: Vec<String> = rest().map(|(_, value)| text::key(value)).collect();
    let Some(count) = i64::try_from(names.len()).ok().filter(|count| *count > 0) else {
        return;
    };
    statement.push_with(
        " AND (SELECT count(*) FROM unnest($::text[], ",
        Value::Texts(names),
    );
    statement.push_with("$::text[]) AS asked (name, value)", Value::Texts(values));
    statement.push(
        " JOIN session_store.attribute AS kept ON kept.session_id = one.id \
         AND kept.name_key = asked.name AND kept.value_key = asked.value)",
    );
    statement.push_with(" = $", Value::Int(count));
}

/// Updates as [`SessionStore::update`](session_store::SessionStore::update) says.
pub(crate) async fn update(
    store: &Inner,
    id: &SessionId,
    patch: SessionPatch,
) -> Result<Session, StoreError> {
    retry(store.patience, || async {
        let lease = store.connections.lease().await?;
        let work = try_update(store, &lease, id, patch.clone()).await;
        finish(lease, work).await
    })
    .await
}

async fn try_update(
    store: &Inner,
    lease: &Lease,
    id: &SessionId,
    patch: SessionPatch,
) -> Result<End<Session>, Fault> {
    let mut session = begin(store, lease, id).await?;
    let has_new_attributes = patch.attributes.is_some();
    patch.apply(&mut session);
    let client = lease.client()?;
    let statement = client.prepare_cached(&store.schema.sql(UPDATE)).await?;
    let expires_at = session.expires_at.map(Timestamp::as_millis);
    let attributes = rows::encode_attributes(&session.attributes);
    let metadata = session_log::wire::encode_fields(&session.metadata);
    let id_text = id.as_str();
    client
        .execute(&statement, &[&id_text, &expires_at, &attributes, &metadata])
        .await?;
    if has_new_attributes {
        let clear = client
            .prepare_cached(&store.schema.sql(DELETE_ATTRIBUTES))
            .await?;
        client.execute(&clear, &[&id_text]).await?;
        insert_attributes(store, client, id, &session.attributes).await?;
    }
    Ok(End::Commit(session))
}

/// Deletes as [`SessionStore::delete`](session_store::SessionStore::delete) says.
pub(crate) async fn delete(store: &Inner, id: &SessionId) -> Result<bool, StoreError> {
    delete_if(store, id, |_| true).await
}

/// Deletes the session if it still is as `is_meant` wants it when nobody else can change it.
async fn delete_if(
    store: &Inner,
    id: &SessionId,
    is_meant: impl Fn(&Session) -> bool + Send + Sync,
) -> Result<bool, StoreError> {
    retry(store.patience, || async {
        let lease = store.connections.lease().await?;
        let work = try_delete(store, &lease, id, &is_meant).await;
        finish(lease, work).await
    })
    .await
}

async fn try_delete(
    store: &Inner,
    lease: &Lease,
    id: &SessionId,
    is_meant: &(impl Fn(&Session) -> bool + Sync),
) -> Result<End<bool>, Fault> {
    match begin(store, lease, id).await {
        Ok(session) if is_meant(&session) => {}
        Ok(_) | Err(Fault::Final(StoreError::UnknownSession { .. })) => {
            return Ok(End::Leave(false));
        }
        // Damaged as it is, it can be deleted.
        Err(Fault::Final(StoreError::Corrupt { .. })) => {}
        Err(fault) => return Err(fault),
    }
    let client = lease.client()?;
    let id = id.as_str();
    let run = |statement: &'static str| async move {
        let statement = client.prepare_cached(&store.schema.sql(statement)).await?;
        client.execute(&statement, &[&id]).await
    };
    let (events, points, attributes, session) = join4(
        run(DELETE_EVENTS),
        run(DELETE_POINTS),
        run(DELETE_ATTRIBUTES),
        run(DELETE_SESSION),
    )
    .await;
    events?;
    points?;
    attributes?;
    session?;
    Ok(End::Commit(true))
}

/// Sweeps as [`SessionStore::sweep`](session_store::SessionStore::sweep) says.
pub(crate) async fn sweep(store: &Inner, before: Timestamp) -> Result<u64, StoreError> {
    let is_expired = |session: &Session| session.expires_at.is_some_and(|at| at < before);
    let mut count = 0_u64;
    loop {
        let expired = expired(store, before).await?;
        if expired.is_empty() {
            return Ok(count);
        }
        for id in expired {
            let is_deleted = delete_if(store, &id, is_expired).await?;
            count = count.saturating_add(u64::from(is_deleted));
        }
    }
}

async fn expired(store: &Inner, before: Timestamp) -> Result<Vec<SessionId>, StoreError> {
    retry(store.patience, || async {
        let lease = store.connections.lease().await?;
        let ids = async {
            let client = lease.client()?;
            let statement = client.prepare_cached(&store.schema.sql(EXPIRED)).await?;
            let rows = client.query(&statement, &[&before.as_millis()]).await?;
            let ids = rows.iter().map(|row| rows::session_id(row.try_get(0)?));
            ids.collect::<Result<Vec<_>, Fault>>()
        }
        .await;
        give_back(lease, ids)
    })
    .await
}
