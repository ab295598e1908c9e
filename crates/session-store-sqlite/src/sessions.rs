//! Creating, listing, changing and deleting sessions.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, params, params_from_iter};
use session_log::{SessionId, Timestamp, wire};
use session_store::{
    Attributes, Created, Direction, NewSession, Page, Session, SessionMark, SessionPatch,
    SessionQuery, StoreError,
};

use crate::error::{OrFailed, unknown};
use crate::index;
use crate::rows::{self, SESSION, SESSION_FROM};

pub(crate) fn create(connection: &Connection, new: NewSession) -> Result<Created, StoreError> {
    if let Some((_, session)) = find(connection, &new.id)? {
        return Ok(Created::Exists(session));
    }
    let session = new.into_stored();
    let owner = match &session.owner {
        Some(owner) => Some(owner_key(connection, owner)?),
        None => None,
    };
    let sql = "INSERT INTO session (id, owner, parent, created_at, expires_at, attributes,
        metadata, version, view_events, view_turns, erasures)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, 0, 0, 0)";
    connection
        .prepare_cached(sql)
        .or_failed()?
        .execute(params![
            session.id.as_str(),
            owner,
            session.parent.as_ref().map(SessionId::as_str),
            session.created_at.as_millis(),
            session.expires_at.map(Timestamp::as_millis),
            rows::write_attributes(&session.attributes),
            wire::encode_fields(&session.metadata),
        ])
        .or_failed()?;
    let key = connection.last_insert_rowid();
    insert_attributes(connection, key, &session.attributes)?;
    Ok(Created::New(session))
}

pub(crate) fn find(
    connection: &Connection,
    id: &SessionId,
) -> Result<Option<(i64, Session)>, StoreError> {
    let sql = format!("SELECT {SESSION} FROM {SESSION_FROM} WHERE s.id = ?1");
    let mut statement = connection.prepare_cached(&sql).or_failed()?;
    let mut rows = statement.query([id.as_str()]).or_failed()?;
    rows.next().or_failed()?.map(rows::session).transpose()
}

fn owner_key(connection: &Connection, name: &str) -> Result<i64, StoreError> {
    let sql = "INSERT INTO owner (name) VALUES (?1) ON CONFLICT DO NOTHING";
    connection
        .prepare_cached(sql)
        .or_failed()?
        .execute([name])
        .or_failed()?;
    connection
        .prepare_cached("SELECT key FROM owner WHERE name = ?1")
        .or_failed()?
        .query_row([name], |row| row.get(0))
        .or_failed()
}

fn insert_attributes(
    connection: &Connection,
    key: i64,
    attributes: &Attributes,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO attribute (session, name, value) VALUES (?1, ?2, ?3)";
    let mut insert = connection.prepare_cached(sql).or_failed()?;
    for (name, value) in attributes {
        insert.execute(params![key, name, value]).or_failed()?;
    }
    Ok(())
}

/// The most attributes that a statement names: SQLite refuses deeper ones.
const MOST: usize = 100;

pub(crate) fn list(
    connection: &Connection,
    query: &SessionQuery,
) -> Result<Page<Session, SessionMark>, StoreError> {
    let mut conditions = vec!["1"];
    let mut values: Vec<Value> = Vec::new();
    if let Some(owner) = &query.owner {
        conditions.push("s.owner = (SELECT key FROM owner WHERE name = ?)");
        values.push(owner.clone().into());
    }
    if let Some(parent) = &query.parent {
        conditions.push("s.parent = ?");
        values.push(parent.as_str().to_owned().into());
    }
    for (name, value) in query.attributes.iter().take(MOST) {
        conditions.push("s.key IN (SELECT session FROM attribute WHERE name = ? AND value = ?)");
        values.extend([name.clone().into(), value.clone().into()]);
    }
    if let Some(before) = query.expires_before {
        conditions.push("s.expires_at < ?");
        values.push(before.as_millis().into());
    }
    let (behind, order) = match query.direction {
        Direction::Forward => ("(s.created_at, s.id) > (?, ?)", "s.created_at, s.id"),
        Direction::Backward => (
            "(s.created_at, s.id) < (?, ?)",
            "s.created_at DESC, s.id DESC",
        ),
    };
    if let Some(mark) = &query.after {
        conditions.push(behind);
        let id = mark.id.as_str().to_owned();
        values.extend([mark.created_at.as_millis().into(), id.into()]);
    }
    let limit = match i64::try_from(query.limit.saturating_add(1)) {
        Ok(limit) if query.attributes.len() <= MOST => limit,
        // No limit: which of them match is seen below.
        _ => -1,
    };
    values.push(limit.into());
    let conditions = conditions.join(" AND ");
    let sql =
        format!("SELECT {SESSION} FROM {SESSION_FROM} WHERE {conditions} ORDER BY {order} LIMIT ?");
    let mut statement = connection.prepare_cached(&sql).or_failed()?;
    let mut rows = statement.query(params_from_iter(values)).or_failed()?;
    let mut sessions = Vec::new();
    while let Some(row) = rows.next().or_failed()? {
        let session = rows::session(row)?.1;
        if query.matches(&session) {
            sessions.push(session);
        }
        if sessions.len() > query.limit {
            break;
        }
    }
    Ok(Page::cut(sessions, query.limit, SessionMark::of))
}

pub(crate) fn update(
    connection: &Connection,
    id: &SessionId,
    patch: SessionPatch,
) -> Result<Session, StoreError> {
    let (key, mut session) = find(connection, id)?.ok_or_else(|| unknown(id))?;
    let before = session.attributes.clone();
    patch.apply(&mut session);
    let sql = "UPDATE session SET expires_at = ?2, attributes = ?3, metadata = ?4 WHERE key = ?1";
    connection
        .prepare_cached(sql)
        .or_failed()?
        .execute(params![
            key,
            session.expires_at.map(Timestamp::as_millis),
            rows::write_attributes(&session.attributes),
            wire::encode_fields(&session.metadata),
        ])
        .or_failed()?;
    if session.attributes != before {
        delete_rows(connection, "DELETE FROM attribute WHERE session = ?1", key)?;
        insert_attributes(connection, key, &session.attributes)?;
    }
    Ok(session)
}

pub(crate) fn delete(connection: &Connection, id: &SessionId) -> Result<bool, StoreError> {
    match rows::key(connection, id)? {
        Some(key) => delete_key(connection, key).map(|()| true),
        None => Ok(false),
    }
}

fn delete_key(connection: &Connection, key: i64) -> Result<(), StoreError> {
    index::overwrite_deleted(connection).or_failed()?;
    let owner: Option<i64> = connection
        .prepare_cached("SELECT owner FROM session WHERE key = ?1")
        .or_failed()?
        .query_row([key], |row| row.get(0))
        .or_failed()?;
    index::forget_session(connection, key).or_failed()?;
    for sql in [
        "DELETE FROM event WHERE session = ?1",
        "DELETE FROM attribute WHERE session = ?1",
        "DELETE FROM session WHERE key = ?1",
    ] {
        delete_rows(connection, sql, key)?;
    }
    if let Some(owner) = owner {
        let sql = "DELETE FROM owner WHERE key = ?1
            AND NOT EXISTS (SELECT 1 FROM session WHERE owner = ?1)";
        delete_rows(connection, sql, owner)?;
    }
    index::step_back(connection).or_failed()
}

fn delete_rows(connection: &Connection, sql: &str, key: i64) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(sql).or_failed()?;
    statement.execute([key]).or_failed()?;
    Ok(())
}

/// Deletes one session that expires before the given moment; tells whether there was one.
pub(crate) fn sweep_one(connection: &Connection, before: Timestamp) -> Result<bool, StoreError> {
    let sql = "SELECT key FROM session WHERE expires_at < ?1 ORDER BY expires_at LIMIT 1";
    let key: Option<i64> = connection
        .prepare_cached(sql)
        .or_failed()?
        .query_row([before.as_millis()], |row| row.get(0))
        .optional()
        .or_failed()?;
    match key {
        Some(key) => delete_key(connection, key).map(|()| true),
        None => Ok(false),
    }
}
