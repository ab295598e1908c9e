#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(unused_crate_dependencies))]
#![forbid(unsafe_code)]

mod shelf;

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use async_trait::async_trait;
use session_log::{Event, EventBody, Seq, SessionId, Timestamp, Version};
use session_store::{
    Appended, Batch, Created, EventQuery, Expected, Head, Hit, HitMark, NewSession, Page, Recount,
    Scope, SearchQuery, Session, SessionMark, SessionPatch, SessionQuery, SessionStore, StoreError,
};

use crate::shelf::Shelf;

/// A store in memory. Clones share their sessions.
///
/// ```
/// use session_log::{SessionId, Timestamp};
/// use session_store::{NewSession, SessionStore, SessionStoreExt as _};
/// use session_store_memory::MemoryStore;
///
/// # async fn example() -> Result<(), session_store::StoreError> {
/// let store = MemoryStore::new();
/// let id = SessionId::new("s1").expect("a valid id");
/// let new = NewSession::new(id.clone(), Timestamp::from_millis(0));
/// assert!(store.create(new).await?.is_new());
/// assert_eq!(store.head(&id).await?.map(|head| head.version.as_u64()), Some(0));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    shelf: Arc<RwLock<Shelf>>,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    // Every change of the shelf is made after its last check, so what a panicking thread left
    // behind is whole.
    fn shelf(&self) -> RwLockReadGuard<'_, Shelf> {
        self.shelf.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn shelf_mut(&self) -> RwLockWriteGuard<'_, Shelf> {
        self.shelf.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl SessionStore for MemoryStore {
    async fn create(&self, session: NewSession) -> Result<Created, StoreError> {
        Ok(self.shelf_mut().create(session))
    }

    async fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError> {
        Ok(self.shelf().session(id))
    }

    async fn sessions(
        &self,
        query: &SessionQuery,
    ) -> Result<Page<Session, SessionMark>, StoreError> {
        query.check()?;
        Ok(self.shelf().sessions(query))
    }

    async fn update(&self, id: &SessionId, patch: SessionPatch) -> Result<Session, StoreError> {
        self.shelf_mut().update(id, patch)
    }

    async fn delete(&self, id: &SessionId) -> Result<bool, StoreError> {
        Ok(self.shelf_mut().delete(id))
    }

    async fn sweep(&self, before: Timestamp) -> Result<u64, StoreError> {
        Ok(self.shelf_mut().sweep(before))
    }

    async fn append(
        &self,
        id: &SessionId,
        expected: Expected,
        batch: Batch,
    ) -> Result<Appended, StoreError> {
        batch.check(expected)?;
        self.shelf_mut().append(id, expected, batch)
    }

    async fn read(
        &self,
        id: &SessionId,
        query: &EventQuery,
    ) -> Result<Page<Arc<Event>, Seq>, StoreError> {
        query.check()?;
        Ok(self.shelf().read(id, query))
    }

    async fn search(
        &self,
        scope: &Scope,
        query: &SearchQuery,
    ) -> Result<Page<Hit, HitMark>, StoreError> {
        query.check()?;
        Ok(self.shelf().search(scope, query))
    }

    async fn recount(
        &self,
        id: &SessionId,
        at: Version,
        recount: Recount,
    ) -> Result<bool, StoreError> {
        recount.check()?;
        self.shelf_mut().recount(id, at, recount)
    }

    async fn erase(
        &self,
        id: &SessionId,
        seq: Seq,
        tombstone: EventBody,
    ) -> Result<Head, StoreError> {
        self.shelf_mut().erase(id, seq, tombstone)
    }
}
