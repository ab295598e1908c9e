//! News of sessions, by the database's notifications: one connection listens for all subscribers
//! of a store.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use session_log::{SessionId, Version};
use session_store::StoreError;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio_postgres::{AsyncMessage, Client, Notification};

use crate::connect::{Connector, Messages};
use crate::fault::{Fault, Trouble};
use crate::sql::Schema;

/// Tells when events were appended to a session, by whichever process, see
/// [`PostgresStore::subscribe`](crate::PostgresStore::subscribe).
///
/// It tells versions and not events, and only the newest: whoever is slow to ask is told once of
/// what came in the meantime. When the connection is lost it is made again, and what was missed is
/// told then.
pub struct Subscription {
    session: SessionId,
    versions: watch::Receiver<Version>,
}

impl Subscription {
    /// The session it is about.
    #[must_use]
    pub fn session(&self) -> &SessionId {
        &self.session
    }

    /// The newest version that is known.
    #[must_use]
    pub fn version(&self) -> Version {
        *self.versions.borrow()
    }

    /// Waits until the log is at a later version than the one told last, and tells it; `None` when
    /// the store was closed. Dropping the future loses nothing.
    ///
    /// A session that is deleted tells nothing more, even if it is made again.
    pub async fn next(&mut self) -> Option<Version> {
        self.versions.changed().await.ok()?;
        Some(*self.versions.borrow_and_update())
    }

    /// What is known by now was told.
    pub(crate) fn mark_seen(&mut self) {
        self.versions.mark_unchanged();
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription")
            .field("session", &self.session)
            .field("version", &self.version())
            .finish()
    }
}

/// The store's end of all subscriptions.
pub(crate) struct News {
    connector: Connector,
    schema: Schema,
    watched: Watched,
    listener: tokio::sync::Mutex<Option<Listener>>,
}

/// Who waits for which session. Shared with the task that listens.
#[derive(Clone, Default)]
struct Watched(Arc<Mutex<HashMap<SessionId, watch::Sender<Version>>>>);

/// The task that listens; it ends when this is dropped.
struct Listener(JoinHandle<()>);

impl News {
    pub(crate) fn new(connector: Connector, schema: Schema) -> Self {
        Self {
            connector,
            schema,
            watched: Watched::default(),
            listener: tokio::sync::Mutex::new(None),
        }
    }

    /// A subscription that misses nothing from now on. What was before, the caller finds out and
    /// tells.
    pub(crate) async fn subscribe(&self, id: &SessionId) -> Result<Subscription, Fault> {
        let mut listener = self.listener.lock().await;
        if listener.is_none() {
            *listener = Some(self.listen().await?);
        }
        drop(listener);
        Ok(Subscription {
            session: id.clone(),
            versions: self.watched.watch(id),
        })
    }

    /// Tells those who subscribed that the log of a session is at this version.
    pub(crate) fn tell(&self, id: &SessionId, version: Version) {
        self.watched.tell(id, version);
    }

    /// Ends all subscriptions.
    pub(crate) async fn close(&self) {
        self.listener.lock().await.take();
        self.watched.lock().clear();
    }

    async fn listen(&self) -> Result<Listener, Fault> {
        let (ready, is_ready) = oneshot::channel();
        let work = keep_listening(
            self.connector.clone(),
            self.schema.clone(),
            self.watched.clone(),
            ready,
        );
        let listener = Listener(tokio::spawn(work));
        match is_ready.await {
            Ok(Ok(())) => Ok(listener),
            Ok(Err(fault)) => Err(fault),
            Err(_) => Err(StoreError::unavailable(Trouble::Closed).into()),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Watched {
    // Every change of the map is one call, so what a panicking thread left behind is whole.
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, watch::Sender<Version>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self, id: &SessionId) -> watch::Receiver<Version> {
        let mut watched = self.lock();
        watched.retain(|_, sender| sender.receiver_count() > 0);
        let sender = watched
            .entry(id.clone())
            .or_insert_with(|| watch::Sender::new(Version::EMPTY));
        sender.subscribe()
    }

    fn tell(&self, id: &SessionId, version: Version) {
        if let Some(sender) = self.lock().get(id) {
            // Notifications of two writers may come in another order than their commits.
            sender.send_if_modified(|known| {
                let is_news = *known < version;
                *known = version.max(*known);
                is_news
            });
        }
    }

    fn ids(&self) -> Vec<SessionId> {
        self.lock().keys().cloned().collect()
    }
}

/// Listens for as long as the task lives, over one connection after the other.
async fn keep_listening(
    connector: Connector,
    schema: Schema,
    watched: Watched,
    ready: oneshot::Sender<Result<(), Fault>>,
) {
    let mut ready = Some(ready);
    let mut pause = FIRST_PAUSE;
    loop {
        match start(&connector, &schema, &watched).await {
            Ok((_client, mut notifications)) => {
                pause = FIRST_PAUSE;
                if let Some(ready) = ready.take() {
                    let _ = ready.send(Ok(()));
                }
                while let Some(notification) = notifications.recv().await {
                    if let Some((id, version)) = parse(notification.payload()) {
                        watched.tell(&id, version);
                    }
                }
            }
            Err(fault) => {
                // Nobody has been promised anything yet.
                if let Some(ready) = ready.take() {
                    let _ = ready.send(Err(fault));
                    return;
                }
            }
        }
        tokio::time::sleep(pause).await;
        pause = pause.saturating_mul(2).min(LAST_PAUSE);
    }
}

/// How long to wait before a lost connection is made again, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LAST_PAUSE: Duration = Duration::from_secs(5);

const VERSIONS: &str = "SELECT id, version FROM session_store.session WHERE id = ANY($1)";

/// Listens over a new connection, then tells what was missed until then.
async fn start(
    connector: &Connector,
    schema: &Schema,
    watched: &Watched,
) -> Result<(Client, mpsc::UnboundedReceiver<Notification>), Fault> {
    let (client, messages) = connector.open().await?;
    let (sender, notifications) = mpsc::unbounded_channel();
    tokio::spawn(forward(messages, sender));
    client
        .batch_execute(&format!("LISTEN \"{}\"", schema.name()))
        .await?;
    let ids = watched.ids();
    let ids: Vec<&str> = ids.iter().map(SessionId::as_str).collect();
    for row in client.query(&*schema.sql(VERSIONS), &[&ids]).await? {
        let version: i64 = row.try_get(1)?;
        let id = crate::rows::session_id(row.try_get(0)?)?;
        watched.tell(&id, Version::new(version.cast_unsigned()));
    }
    Ok((client, notifications))
}

/// Keeps a connection at work and hands on what it notifies of.
async fn forward(mut messages: Messages, sender: mpsc::UnboundedSender<Notification>) {
    while let Some(Ok(message)) = messages.next().await {
        if let AsyncMessage::Notification(notification) = message
            && sender.send(notification).is_err()
        {
            return;
        }
    }
}

/// Tells all who listen that a log has grown. Nobody waits for it: it is sent behind the commit,
/// so that commits do not queue for the one lock that notifications are under.
pub(crate) fn notify(client: &Client, schema: &Schema, id: &SessionId, version: Version) {
    use futures_util::future::FutureExt as _;
    use tokio_postgres::types::Type;

    let payload = format!("{version} {id}");
    let _ = client
        .execute_typed(
            "SELECT pg_catalog.pg_notify($1, $2)",
            &[(&schema.name(), Type::TEXT), (&payload, Type::TEXT)],
        )
        .now_or_never();
}

fn parse(payload: &str) -> Option<(SessionId, Version)> {
    let (version, id) = payload.split_once(' ')?;
    Some((
        SessionId::new(id).ok()?,
        Version::new(version.parse().ok()?),
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_payload_names_a_version_and_a_session_with_blanks() {
        let id = SessionId::new("a b").unwrap();
        assert_eq!(parse("7 a b"), Some((id, Version::new(7))));
        for other in ["", "7", "x a", "7  ", "-1 a"] {
            assert_eq!(parse(other), None, "{other:?}");
        }
    }

    #[test]
    fn the_newest_version_stays() {
        let watched = Watched::default();
        let id = SessionId::new("a").unwrap();
        let mut receiver = watched.watch(&id);
        watched.tell(&id, Version::new(6));
        watched.tell(&id, Version::new(5));
        assert_eq!(*receiver.borrow_and_update(), Version::new(6));
        watched.tell(&id, Version::new(6));
        assert!(!receiver.has_changed().unwrap());
    }
}
