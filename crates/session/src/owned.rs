//! A store that shows one owner's sessions and nothing else.

use std::sync::Arc;

use async_trait::async_trait;
use session_log::{Event, EventBody, Seq, SessionId, Timestamp, Version};
use session_store::{
    Appended, Batch, Created, EventQuery, Expected, Head, Hit, HitMark, NewSession, Page, Recount,
    Scope, SearchQuery, Session, SessionMark, SessionPatch, SessionQuery, SessionStore,
    SessionStoreExt as _, StoreError,
};

use crate::sessions::Sessions;

impl Sessions {
    /// The same service for one owner: it sees and touches that owner's sessions only. Those of
    /// others do not exist for it, and what it creates is the owner's.
    ///
    /// ```
    /// # futures_executor::block_on(async {
    /// # use session::{MemoryStore, Sessions};
    /// # struct Characters;
    /// # impl session::TokenEstimator for Characters {
    /// #     fn name(&self) -> &str { "characters" }
    /// #     fn estimate(&self, text: &str) -> u64 { text.chars().count() as u64 }
    /// # }
    /// let sessions = Sessions::new(MemoryStore::new(), Characters);
    /// let ann = sessions.scoped("ann");
    /// let id = ann.create().await?.id;
    /// assert!(sessions.scoped("bob").view(&id).await.is_err());
    /// assert_eq!(ann.view(&id).await?.events().len(), 0);
    /// # Ok::<(), session::Error>(())
    /// # }).unwrap();
    /// ```
    #[must_use]
    pub fn scoped(&self, owner: impl Into<String>) -> Self {
        let mut scoped = self.clone();
        scoped.store = Arc::new(OwnedStore {
            store: self.store.clone(),
            owner: owner.into(),
        });
        scoped
    }
}

/// Every call is checked against the owner of the session, which never changes.
#[derive(Debug)]
struct OwnedStore {
    store: Arc<dyn SessionStore>,
    owner: String,
}

impl OwnedStore {
    async fn owns(&self, id: &SessionId) -> Result<bool, StoreError> {
        Ok(self.session(id).await?.is_some())
    }

    async fn check(&self, id: &SessionId) -> Result<(), StoreError> {
        if self.owns(id).await? {
            return Ok(());
        }
        Err(StoreError::UnknownSession {
            session: id.clone(),
        })
    }
}

#[async_trait]
impl SessionStore for OwnedStore {
    async fn create(&self, session: NewSession) -> Result<Created, StoreError> {
        let id = session.id.clone();
        match self
            .store
            .create(session.with_owner(self.owner.as_str()))
            .await?
        {
            Created::Exists(session) if session.owner.as_ref() != Some(&self.owner) => {
                // Whose it is must not be told.
                Err(StoreError::invalid_query(format!(
                    "session id {id} cannot be used, choose another"
                )))
            }
            created => Ok(created),
        }
    }

    async fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError> {
        let session = self.store.session(id).await?;
        Ok(session.filter(|session| session.owner.as_ref() == Some(&self.owner)))
    }

    async fn sessions(
        &self,
        query: &SessionQuery,
    ) -> Result<Page<Session, SessionMark>, StoreError> {
        if query
            .owner
            .as_ref()
            .is_some_and(|owner| *owner != self.owner)
        {
            query.check()?;
            return Ok(Page::empty());
        }
        self.store
            .sessions(&query.clone().with_owner(self.owner.as_str()))
            .await
    }

    async fn update(&self, id: &SessionId, patch: SessionPatch) -> Result<Session, StoreError> {
        self.check(id).await?;
        self.store.update(id, patch).await
    }

    async fn delete(&self, id: &SessionId) -> Result<bool, StoreError> {
        Ok(self.owns(id).await? && self.store.delete(id).await?)
    }

    async fn sweep(&self, before: Timestamp) -> Result<u64, StoreError> {
        let query = SessionQuery::all()
            .with_owner(self.owner.as_str())
            .with_expires_before(before);
        let mut swept = 0;
        for session in self.store.all_sessions(query).await? {
            swept += u64::from(self.store.delete(&session.id).await?);
        }
        Ok(swept)
    }

    async fn append(
        &self,
        id: &SessionId,
        expected: Expected,
        batch: Batch,
    ) -> Result<Appended, StoreError> {
        self.check(id).await?;
        self.store.append(id, expected, batch).await
    }

    async fn read(
        &self,
        id: &SessionId,
        query: &EventQuery,
    ) -> Result<Page<Arc<Event>, Seq>, StoreError> {
        if !self.owns(id).await? {
            query.check()?;
            return Ok(Page::empty());
        }
        self.store.read(id, query).await
    }

    async fn search(
        &self,
        scope: &Scope,
        query: &SearchQuery,
    ) -> Result<Page<Hit, HitMark>, StoreError> {
        let is_own = match scope {
            Scope::Session(id) => self.owns(id).await?,
            Scope::Owner(owner) => *owner == self.owner,
            _ => false,
        };
        if !is_own {
            query.check()?;
            return Ok(Page::empty());
        }
        self.store.search(scope, query).await
    }

    async fn recount(
        &self,
        id: &SessionId,
        at: Version,
        recount: Recount,
    ) -> Result<bool, StoreError> {
        self.check(id).await?;
        self.store.recount(id, at, recount).await
    }

    async fn erase(
        &self,
        id: &SessionId,
        seq: Seq,
        tombstone: EventBody,
    ) -> Result<Head, StoreError> {
        self.check(id).await?;
        self.store.erase(id, seq, tombstone).await
    }
}
