//! The store.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use session_log::{Event, EventBody, Seq, SessionId, Timestamp, Version};
use session_store::{
    Appended, Batch, Created, EventQuery, Expected, Head, Hit, HitMark, NewSession, Page, Recount,
    Scope, SearchQuery, Session, SessionMark, SessionPatch, SessionQuery, SessionStore, StoreError,
};
use tokio_postgres::Client;

use crate::connect::{Connections, Connector};
use crate::fault::{Fault, Trouble};
use crate::features::Features;
use crate::options::PostgresOptions;
use crate::runtime::Home;
use crate::sql::Schema;
use crate::subscribe::{News, Subscription, notify};
use crate::{append, change, migrate, read, search, sessions};

/// A store in a PostgreSQL database, or in one that speaks its language. Clones share their
/// connections; any number of processes may use the same database.
///
/// ```no_run
/// use session_log::{SessionId, Timestamp};
/// use session_store::{NewSession, SessionStore as _};
/// use session_store_postgres::PostgresStore;
///
/// # async fn example() -> Result<(), session_store::StoreError> {
/// let store = PostgresStore::connect("postgres://ann@localhost/app").await?;
/// let id = SessionId::new("s1").expect("a valid id");
/// store.create(NewSession::new(id, Timestamp::from_millis(0))).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct PostgresStore {
    inner: Arc<Inner>,
    home: Home,
}

/// What all calls share.
pub(crate) struct Inner {
    pub(crate) connections: Connections,
    pub(crate) schema: Schema,
    pub(crate) patience: Duration,
    pub(crate) features: Features,
    news: News,
}

impl Inner {
    /// Tells subscribers in all processes that a log has grown.
    pub(crate) fn tell(&self, client: &Client, id: &SessionId, version: Version) {
        if self.features.notifications {
            notify(client, &self.schema, id, version);
        }
    }
}

impl PostgresStore {
    /// Opens the store in the database that `url` names, and makes its tables if they are not
    /// there.
    ///
    /// `url` is a connection string as `psql` takes it: `postgres://user:password@host/database`,
    /// or `host=/run/postgresql user=ann dbname=app`. Neither an error nor `Debug` shows it.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`] when the database cannot be reached. [`StoreError::Failed`] when
    /// the connection string is none, the database refuses, its tables are those of a later
    /// release, or no tokio runtime (with timers and sockets) is there.
    pub async fn connect(url: &str) -> Result<Self, StoreError> {
        Self::connect_with(url, &PostgresOptions::default()).await
    }

    /// Opens the store as [`connect`](Self::connect) does, with other options.
    ///
    /// # Errors
    ///
    /// As [`connect`](Self::connect), and [`StoreError::InvalidQuery`] for a schema that is no
    /// plain name.
    pub async fn connect_with(url: &str, options: &PostgresOptions) -> Result<Self, StoreError> {
        options.check()?;
        let home = Home::here()?;
        let schema = Schema::new(&options.schema);
        let connector = Connector::new(url, options)?;
        let features = migrate::prepare(&connector, options, &schema).await?;
        let inner = Inner {
            connections: Connections::new(connector.clone(), options)?,
            schema: schema.clone(),
            patience: options.patience,
            features,
            news: News::new(connector, schema),
        };
        Ok(Self {
            inner: Arc::new(inner),
            home,
        })
    }

    /// What the database has that not every one has.
    #[must_use]
    pub fn features(&self) -> Features {
        self.inner.features
    }

    /// Tells from now on when events are appended to a session, by whichever process.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownSession`]; [`StoreError::Failed`] where the database cannot notify
    /// (see [`features`](Self::features)): look at the version of the session from time to time.
    pub async fn subscribe(&self, id: &SessionId) -> Result<Subscription, StoreError> {
        if !self.inner.features.notifications {
            return Err(StoreError::failed(Trouble::NoNotifications));
        }
        if self.inner.connections.is_closed() {
            return Err(StoreError::failed(Trouble::Closed));
        }
        let subscribed = async {
            let news = &self.inner.news;
            let mut subscription = news.subscribe(id).await.map_err(Fault::into_error)?;
            let Some(session) = sessions::session(&self.inner, id).await? else {
                let session = id.clone();
                return Err(StoreError::UnknownSession { session });
            };
            news.tell(id, session.head.version);
            subscription.mark_seen();
            Ok(subscription)
        };
        self.home.run(subscribed).await
    }

    /// Closes the connections that are free, and the others when their calls are done. Later calls
    /// fail; subscriptions end.
    pub async fn close(&self) {
        self.inner.connections.close();
        self.home.run(self.inner.news.close()).await;
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (open, free) = self.inner.connections.count();
        f.debug_struct("PostgresStore")
            .field("schema", &self.inner.schema.name())
            .field("connections", &open)
            .field("free", &free)
            .field("features", &self.inner.features)
            .finish()
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl SessionStore for PostgresStore {
    async fn create(&self, session: NewSession) -> Result<Created, StoreError> {
        let call = sessions::create(&self.inner, session);
        self.home.run(call).await
    }

    async fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError> {
        self.home.run(sessions::session(&self.inner, id)).await
    }

    async fn sessions(
        &self,
        query: &SessionQuery,
    ) -> Result<Page<Session, SessionMark>, StoreError> {
        self.home.run(sessions::sessions(&self.inner, query)).await
    }

    async fn update(&self, id: &SessionId, patch: SessionPatch) -> Result<Session, StoreError> {
        self.home
            .run(sessions::update(&self.inner, id, patch))
            .await
    }

    async fn delete(&self, id: &SessionId) -> Result<bool, StoreError> {
        self.home.run(sessions::delete(&self.inner, id)).await
    }

    async fn sweep(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.home.run(sessions::sweep(&self.inner, before)).await
    }

    async fn append(
        &self,
        id: &SessionId,
        expected: Expected,
        batch: Batch,
    ) -> Result<Appended, StoreError> {
        let call = append::append(&self.inner, id, expected, batch);
        self.home.run(call).await
    }

    async fn read(
        &self,
        id: &SessionId,
        query: &EventQuery,
    ) -> Result<Page<Arc<Event>, Seq>, StoreError> {
        self.home.run(read::read(&self.inner, id, query)).await
    }

    async fn search(
        &self,
        scope: &Scope,
        query: &SearchQuery,
    ) -> Result<Page<Hit, HitMark>, StoreError> {
        self.home
            .run(search::search(&self.inner, scope, query))
            .await
    }

    async fn recount(
        &self,
        id: &SessionId,
        at: Version,
        recount: Recount,
    ) -> Result<bool, StoreError> {
        let call = change::recount(&self.inner, id, at, recount);
        self.home.run(call).await
    }

    async fn erase(
        &self,
        id: &SessionId,
        seq: Seq,
        tombstone: EventBody,
    ) -> Result<Head, StoreError> {
        let call = change::erase(&self.inner, id, seq, tombstone);
        self.home.run(call).await
    }
}
