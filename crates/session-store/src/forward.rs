//! A pointer to a store is a store.

use std::boxed::Box;
use std::sync::Arc;

use async_trait::async_trait;
use session_log::{Event, EventBody, Seq, SessionId, Timestamp, Version};

use crate::append::{Appended, Batch, Expected, Recount};
use crate::error::StoreError;
use crate::events::EventQuery;
use crate::head::Head;
use crate::page::Page;
use crate::search::{Hit, HitMark, Scope, SearchQuery};
use crate::session::{Created, NewSession, Session, SessionPatch};
use crate::sessions::{SessionMark, SessionQuery};
use crate::store::SessionStore;

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        #[async_trait]
        #[deny(clippy::missing_trait_methods)]
        impl<S: SessionStore + ?Sized> SessionStore for $pointer {
            async fn create(&self, session: NewSession) -> Result<Created, StoreError> {
                (**self).create(session).await
            }

            async fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError> {
                (**self).session(id).await
            }

            async fn sessions(
                &self,
                query: &SessionQuery,
            ) -> Result<Page<Session, SessionMark>, StoreError> {
                (**self).sessions(query).await
            }

            async fn update(
                &self,
                id: &SessionId,
                patch: SessionPatch,
            ) -> Result<Session, StoreError> {
                (**self).update(id, patch).await
            }

            async fn delete(&self, id: &SessionId) -> Result<bool, StoreError> {
                (**self).delete(id).await
            }

            async fn sweep(&self, before: Timestamp) -> Result<u64, StoreError> {
                (**self).sweep(before).await
            }

            async fn append(
                &self,
                id: &SessionId,
                expected: Expected,
                batch: Batch,
            ) -> Result<Appended, StoreError> {
                (**self).append(id, expected, batch).await
            }

            async fn read(
                &self,
                id: &SessionId,
                query: &EventQuery,
            ) -> Result<Page<Arc<Event>, Seq>, StoreError> {
                (**self).read(id, query).await
            }

            async fn search(
                &self,
                scope: &Scope,
                query: &SearchQuery,
            ) -> Result<Page<Hit, HitMark>, StoreError> {
                (**self).search(scope, query).await
            }

            async fn recount(
                &self,
                id: &SessionId,
                at: Version,
                recount: Recount,
            ) -> Result<bool, StoreError> {
                (**self).recount(id, at, recount).await
            }

            async fn erase(
                &self,
                id: &SessionId,
                seq: Seq,
                tombstone: EventBody,
            ) -> Result<Head, StoreError> {
                (**self).erase(id, seq, tombstone).await
            }
        }
    )*};
}

forward!(Box<S>, Arc<S>, &'static S);
