//! Stores around a store.

/// Implements the port for a wrapper that has a field `inner` and a method `around`, which is
/// handed the future of each call.
macro_rules! store_around {
    ($wrapper:ident<$inner:ident $(, $more:ident: $($bound:path),+)?>) => {
        #[async_trait::async_trait]
        #[deny(clippy::missing_trait_methods)]
        impl<$inner: SessionStore $(, $more: $($bound +)+ 'static)?> SessionStore
            for $wrapper<$inner $(, $more)?>
        {
            async fn create(&self, session: NewSession) -> Result<Created, StoreError> {
                self.around(self.inner.create(session)).await
            }

            async fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError> {
                self.around(self.inner.session(id)).await
            }

            async fn sessions(
                &self,
                query: &SessionQuery,
            ) -> Result<Page<Session, SessionMark>, StoreError> {
                self.around(self.inner.sessions(query)).await
            }

            async fn update(
                &self,
                id: &SessionId,
                patch: SessionPatch,
            ) -> Result<Session, StoreError> {
                self.around(self.inner.update(id, patch)).await
            }

            async fn delete(&self, id: &SessionId) -> Result<bool, StoreError> {
                self.around(self.inner.delete(id)).await
            }

            async fn sweep(&self, before: Timestamp) -> Result<u64, StoreError> {
                self.around(self.inner.sweep(before)).await
            }

            async fn append(
                &self,
                id: &SessionId,
                expected: Expected,
                batch: Batch,
            ) -> Result<Appended, StoreError> {
                self.around(self.inner.append(id, expected, batch)).await
            }

            async fn read(
                &self,
                id: &SessionId,
                query: &EventQuery,
            ) -> Result<Page<Arc<Event>, Seq>, StoreError> {
                self.around(self.inner.read(id, query)).await
            }

            async fn search(
                &self,
                scope: &Scope,
                query: &SearchQuery,
            ) -> Result<Page<Hit, HitMark>, StoreError> {
                self.around(self.inner.search(scope, query)).await
            }

            async fn recount(
                &self,
                id: &SessionId,
                at: Version,
                recount: Recount,
            ) -> Result<bool, StoreError> {
                self.around(self.inner.recount(id, at, recount)).await
            }

            async fn erase(
                &self,
                id: &SessionId,
                seq: Seq,
                tombstone: EventBody,
            ) -> Result<Head, StoreError> {
                self.around(self.inner.erase(id, seq, tombstone)).await
            }
        }
    };
}

use std::fmt::Debug;
use std::future::Future;
use std::sync::Arc;

use session_log::{Event, EventBody, Seq, SessionId, Timestamp, Version};
use session_store::{
    Appended, Batch, Created, EventQuery, Expected, Head, Hit, HitMark, NewSession, Page, Recount,
    Scope, SearchQuery, Session, SessionMark, SessionPatch, SessionQuery, SessionStore, StoreError,
};

pub(crate) use store_around;

/// A store together with what it needs to live, such as a temporary folder. The store is dropped
/// first.
///
/// ```
/// use session_store_memory::MemoryStore;
/// use session_store_testkit::Kept;
///
/// let folder = (); // of the `tempfile` crate, say
/// let store = Kept::new(MemoryStore::new(), folder);
/// # let _ = store;
/// ```
#[derive(Debug)]
pub struct Kept<S, G> {
    inner: S,
    _guard: G,
}

impl<S: SessionStore, G: Debug + Send + Sync + 'static> Kept<S, G> {
    /// Keeps `guard` for as long as `store`.
    #[must_use]
    pub fn new(store: S, guard: G) -> Self {
        Self {
            inner: store,
            _guard: guard,
        }
    }

    async fn around<T>(&self, call: impl Future<Output = T>) -> T {
        call.await
    }
}

store_around!(Kept<S, G: Debug, Send, Sync>);
