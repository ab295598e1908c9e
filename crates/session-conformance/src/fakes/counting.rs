//! A store that counts what is read from the one below.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use async_trait::async_trait;
use session_log::{Event, EventBody, Seq, SessionId, Timestamp, Version};
use session_store::{
    Appended, Batch, Created, EventQuery, Expected, Head, Hit, HitMark, NewSession, Page, Recount,
    Scope, SearchQuery, Session, SessionMark, SessionPatch, SessionQuery, SessionStore, StoreError,
};

/// How many rows were handed out and taken in. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reads {
    read: Arc<AtomicU64>,
    written: Arc<AtomicU64>,
    is_broken: Arc<AtomicBool>,
}

/// Rows that were counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    pub(crate) read: u64,
    pub(crate) written: u64,
}

impl Reads {
    /// How many since the last time.
    pub(crate) fn take(&self) -> Rows {
        Rows {
            read: self.read.swap(0, Ordering::SeqCst),
            written: self.written.swap(0, Ordering::SeqCst),
        }
    }

    /// Lets nothing be written from here on, or everything again.
    pub(crate) fn refuse_writes(&self, is_broken: bool) {
        self.is_broken.store(is_broken, Ordering::SeqCst);
    }

    fn add(&self, rows: usize) {
        let rows = u64::try_from(rows).unwrap_or(u64::MAX);
        self.read.fetch_add(rows, Ordering::SeqCst);
    }

    fn add_written(&self, rows: usize) {
        let rows = u64::try_from(rows).unwrap_or(u64::MAX);
        self.written.fetch_add(rows, Ordering::SeqCst);
    }
}

/// The store below, with its rows counted.
#[derive(Clone, Debug)]
pub(crate) struct Counting {
    pub(crate) store: Arc<dyn SessionStore>,
    pub(crate) reads: Reads,
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl SessionStore for Counting {
    async fn create(&self, session: NewSession) -> Result<Created, StoreError> {
        self.store.create(session).await
    }

    async fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError> {
        self.reads.add(1);
        self.store.session(id).await
    }

    async fn sessions(
        &self,
        query: &SessionQuery,
    ) -> Result<Page<Session, SessionMark>, StoreError> {
        let page = self.store.sessions(query).await?;
        self.reads.add(page.items.len());
        Ok(page)
    }

    async fn update(&self, id: &SessionId, patch: SessionPatch) -> Result<Session, StoreError> {
        self.store.update(id, patch).await
    }

    async fn delete(&self, id: &SessionId) -> Result<bool, StoreError> {
        self.store.delete(id).await
    }

    async fn sweep(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.store.sweep(before).await
    }

    async fn append(
        &self,
        id: &SessionId,
        expected: Expected,
        batch: Batch,
    ) -> Result<Appended, StoreError> {
        if self.reads.is_broken.load(Ordering::SeqCst) {
            return Err(StoreError::unavailable("the disk is away"));
        }
        self.reads.add_written(batch.events.len());
        self.store.append(id, expected, batch).await
    }

    async fn read(
        &self,
        id: &SessionId,
        query: &EventQuery,
    ) -> Result<Page<Arc<Event>, Seq>, StoreError> {
        let page = self.store.read(id, query).await?;
        self.reads.add(page.items.len());
        Ok(page)
    }

    async fn search(
        &self,
        scope: &Scope,
        query: &SearchQuery,
    ) -> Result<Page<Hit, HitMark>, StoreError> {
        let page = self.store.search(scope, query).await?;
        self.reads.add(page.items.len());
        Ok(page)
    }

    async fn recount(
        &self,
        id: &SessionId,
        at: Version,
        recount: Recount,
    ) -> Result<bool, StoreError> {
        self.store.recount(id, at, recount).await
    }

    async fn erase(
        &self,
        id: &SessionId,
        seq: Seq,
        tombstone: EventBody,
    ) -> Result<Head, StoreError> {
        self.store.erase(id, seq, tombstone).await
    }
}
