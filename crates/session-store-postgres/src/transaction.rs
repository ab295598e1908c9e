//! Calls that write: each is one transaction, tried again when somebody else was in the way.

use std::future::Future;
use std::time::Duration;

use deadpool_postgres::ClientWrapper;
use futures_util::future::{FutureExt as _, join};
use session_log::SessionId;
use session_store::{Head, Session, StoreError};
use tokio::time::Instant;
use tokio_postgres::Error;
use tokio_postgres::error::{DbError, Severity};

use crate::connect::Lease;
use crate::fault::{Fault, Trouble};
use crate::rows::{self, HeadRow, session_columns};
use crate::store::Inner;

/// How a transaction is to end.
pub(crate) enum End<T> {
    /// What was written stays.
    Commit(T),
    /// Nothing was written.
    Leave(T),
}

const LOCK: &str = concat!(
    "SELECT ",
    session_columns!(),
    " FROM session_store.session WHERE id = $1 FOR UPDATE"
);

const MOVE_HEAD: &str = "\
    UPDATE session_store.session SET version = $2, boundary_seq = $3, boundary_kept_from = $4, \
    boundary_pinned = $5, view_events = $6, view_turns = $7, view_tokens = $8, \
    view_estimator = $9, erasures = $10 WHERE id = $1";

/// Begins a transaction in which nobody else writes to the session, and gives the session.
pub(crate) async fn begin(store: &Inner, lease: &Lease, id: &SessionId) -> Result<Session, Fault> {
    let client = lease.client()?;
    let lock = client.prepare_cached(&store.schema.sql(LOCK)).await?;
    let id_text = id.as_str();
    // Sent at once and answered in order: one round trip.
    let (begun, locked) = join(
        client.batch_execute("BEGIN"),
        client.query_opt(&lock, &[&id_text]),
    )
    .await;
    begun?;
    locked_session(id, locked?.as_ref())
}

/// The statement that locks a session, for those who ask for more in the same round trip.
pub(crate) const fn lock_statement() -> &'static str {
    LOCK
}

pub(crate) fn locked_session(
    id: &SessionId,
    row: Option<&tokio_postgres::Row>,
) -> Result<Session, Fault> {
    let Some(row) = row else {
        let session = id.clone();
        return Err(StoreError::UnknownSession { session }.into());
    };
    rows::session(row)
}

/// Stores where the log stands now.
pub(crate) async fn move_head(
    store: &Inner,
    client: &ClientWrapper,
    id: &SessionId,
    head: &Head,
) -> Result<(), Fault> {
    let statement = client.prepare_cached(&store.schema.sql(MOVE_HEAD)).await?;
    let row = HeadRow::from(head);
    let moved = client
        .execute(
            &statement,
            &[
                &id.as_str(),
                &row.version,
                &row.boundary_seq,
                &row.boundary_kept_from,
                &row.boundary_pinned,
                &row.view_events,
                &row.view_turns,
                &row.view_tokens,
                &row.view_estimator,
                &row.erasures,
            ],
        )
        .await?;
    // The session is locked, so it is there; where locks do not hold it may be gone.
    if moved == 0 {
        return Err(Fault::Again(StoreError::unavailable(Trouble::Contended)));
    }
    Ok(())
}

/// Ends a transaction as its work says, and gives the connection back if it can be used again.
pub(crate) async fn finish<T>(lease: Lease, work: Result<End<T>, Fault>) -> Result<T, Fault> {
    finish_and(lease, work, |_, _| {}).await
}

/// As `finish`; when something was committed it is told over the same connection.
pub(crate) async fn finish_and<T>(
    lease: Lease,
    work: Result<End<T>, Fault>,
    tell: impl FnOnce(&T, &ClientWrapper),
) -> Result<T, Fault> {
    let result = match work {
        Ok(End::Commit(value)) => {
            let client = lease.client()?;
            match client.batch_execute("COMMIT").await {
                Ok(()) => {
                    tell(&value, client);
                    Ok(value)
                }
                Err(error) => Err(uncommitted(error)),
            }
        }
        Ok(End::Leave(value)) => {
            roll_back(&lease)?;
            Ok(value)
        }
        Err(Fault::Lost(error)) => return Err(Fault::Lost(error)),
        Err(fault) => {
            roll_back(&lease)?;
            Err(fault)
        }
    };
    if !matches!(&result, Err(Fault::Final(StoreError::Unavailable { .. }))) {
        lease.hand_back();
    }
    result
}

/// Sends the rollback and does not wait: whoever uses the connection next is served after it.
fn roll_back(lease: &Lease) -> Result<(), Fault> {
    let _ = lease.client()?.batch_execute("ROLLBACK").now_or_never();
    Ok(())
}

/// A refused commit is a transaction that did not happen; an unanswered one may have, and so may
/// one in which the connection or the server ended, whatever was said about it: a server that
/// cannot write its log stops, and finds in the log afterwards what it had written.
fn uncommitted(error: Error) -> Fault {
    let severity = error.as_db_error().map(DbError::parsed_severity);
    if matches!(
        severity,
        None | Some(Some(Severity::Fatal | Severity::Panic))
    ) {
        return StoreError::unavailable(Trouble::Uncertain(error)).into();
    }
    match Fault::from(error) {
        Fault::Lost(error) => Fault::Final(error),
        other => other,
    }
}

/// Calls `once` until it succeeds, fails for good, or the store's patience is at its end.
pub(crate) async fn retry<T, F>(
    patience: Duration,
    mut once: impl FnMut() -> F + Send,
) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, Fault>> + Send,
{
    let start = Instant::now();
    let mut attempt = 0_u32;
    loop {
        let fault = match once().await {
            Ok(value) => return Ok(value),
            Err(fault) => fault,
        };
        attempt = attempt.saturating_add(1);
        match fault {
            Fault::Again(_) if start.elapsed() < patience => {}
            Fault::Again(_) => return Err(StoreError::unavailable(Trouble::Contended)),
            // Each attempt takes a stale connection out of the pool; a fresh one follows soon.
            Fault::Lost(_) if attempt <= MAX_LOST && start.elapsed() < patience => {}
            other => return Err(other.into_error()),
        }
        if attempt > PROMPT {
            tokio::time::sleep(pause(attempt)).await;
        }
    }
}

/// Enough for a pool of stale connections.
const MAX_LOST: u32 = 20;

/// So many times a call is tried again at once.
const PROMPT: u32 = 3;

/// A moment that differs between those who wait, so that they do not meet again.
fn pause(attempt: u32) -> Duration {
    use std::hash::{BuildHasher as _, RandomState};

    let most = 1_u64 << attempt.min(5);
    let random = RandomState::new().hash_one(attempt);
    Duration::from_millis(random % most.saturating_add(1))
}
