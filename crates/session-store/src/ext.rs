//! Comforts for those who use a store.

use std::boxed::Box;
use std::sync::Arc;
use std::vec::Vec;

use async_trait::async_trait;
use session_log::{Event, EventId, SessionId, Version};

use crate::error::StoreError;
use crate::events::EventQuery;
use crate::head::Head;
use crate::page::Direction;
use crate::search::{Hit, Scope, SearchQuery};
use crate::session::Session;
use crate::sessions::SessionQuery;
use crate::store::SessionStore;

/// What can be made from the methods of every [`SessionStore`].
///
/// ```
/// use session_store::{SessionStore, SessionStoreExt as _};
///
/// # use session_log::SessionId;
/// async fn show(store: &dyn SessionStore, id: &SessionId) -> Result<(), session_store::StoreError> {
///     if let Some((session, events)) = store.load(id).await? {
///         println!("{} events, version {}", events.len(), session.head.version);
///     }
///     Ok(())
/// }
/// ```
#[async_trait]
pub trait SessionStoreExt: SessionStore {
    /// Where the log of a session stands.
    ///
    /// # Errors
    ///
    /// As [`SessionStore::session`].
    async fn head(&self, id: &SessionId) -> Result<Option<Head>, StoreError> {
        Ok(self.session(id).await?.map(|session| session.head))
    }

    /// A session with the events its view is made of, in log order: the pinned ones, the boundary
    /// and everything it keeps, or the whole log without a boundary. Two reads, whatever the
    /// length of the log; the events are those of the session's version exactly. A session that is
    /// deleted meanwhile is not there.
    ///
    /// # Errors
    ///
    /// As [`SessionStore::session`] and [`SessionStore::read`].
    async fn load(&self, id: &SessionId) -> Result<Option<(Session, Vec<Arc<Event>>)>, StoreError> {
        let mut found = self.session(id).await?;
        while let Some(session) = found {
            let Some(query) = view_query(&session.head) else {
                return Ok(Some((session, Vec::new())));
            };
            let events = self.read_all(id, query).await?;
            // Every view has the last event of the log. Without it, the session was deleted after
            // the first of the two reads, or it is damaged and stays as it is.
            let last = events.last().map(|event| Version::from(event.seq));
            if last == Some(session.head.version) {
                return Ok(Some((session, events)));
            }
            found = self.session(id).await?;
            if found.as_ref() == Some(&session) {
                return Ok(Some((session, events)));
            }
        }
        Ok(None)
    }

    /// Everything `query` asks for, from its first page to the last, in its order.
    ///
    /// # Errors
    ///
    /// As [`SessionStore::read`].
    async fn read_all(
        &self,
        id: &SessionId,
        mut query: EventQuery,
    ) -> Result<Vec<Arc<Event>>, StoreError> {
        let mut events = Vec::new();
        loop {
            let page = self.read(id, &query).await?;
            events.extend(page.items);
            match page.next {
                Some(mark) => query.after = Some(mark),
                None => return Ok(events),
            }
        }
    }

    /// The newest `count` events that `query` asks for, oldest first.
    ///
    /// # Errors
    ///
    /// As [`SessionStore::read`].
    async fn read_newest(
        &self,
        id: &SessionId,
        query: EventQuery,
        count: usize,
    ) -> Result<Vec<Arc<Event>>, StoreError> {
        let mut events = self.read_first(id, query.newest(count), count).await?;
        events.reverse();
        Ok(events)
    }

    /// The first `count` events that `query` asks for, in its order.
    ///
    /// # Errors
    ///
    /// As [`SessionStore::read`].
    async fn read_first(
        &self,
        id: &SessionId,
        query: EventQuery,
        count: usize,
    ) -> Result<Vec<Arc<Event>>, StoreError> {
        let mut query = query.with_limit(count);
        let mut events = Vec::new();
        loop {
            let page = self.read(id, &query).await?;
            events.extend(page.items);
            match page.next {
                Some(mark) if events.len() < count => query.after = Some(mark),
                _ => break,
            }
        }
        events.truncate(count);
        Ok(events)
    }

    /// The event with this id, if the session has it.
    ///
    /// # Errors
    ///
    /// As [`SessionStore::read`].
    async fn event(
        &self,
        id: &SessionId,
        event: &EventId,
    ) -> Result<Option<Arc<Event>>, StoreError> {
        let query = EventQuery::all().with_ids([event.clone()]);
        Ok(self.read_all(id, query).await?.into_iter().next())
    }

    /// All sessions that `query` asks for, in its order.
    ///
    /// # Errors
    ///
    /// As [`SessionStore::sessions`].
    async fn all_sessions(&self, mut query: SessionQuery) -> Result<Vec<Session>, StoreError> {
        let mut sessions = Vec::new();
        loop {
            let page = self.sessions(&query).await?;
            sessions.extend(page.items);
            match page.next {
                Some(mark) => query.after = Some(mark),
                None => return Ok(sessions),
            }
        }
    }

    /// All hits of `query`, in its order.
    ///
    /// # Errors
    ///
    /// As [`SessionStore::search`].
    async fn search_all(
        &self,
        scope: &Scope,
        mut query: SearchQuery,
    ) -> Result<Vec<Hit>, StoreError> {
        let mut hits = Vec::new();
        loop {
            let page = self.search(scope, &query).await?;
            hits.extend(page.items);
            match page.next {
                Some(mark) => query.after = Some(mark),
                None => return Ok(hits),
            }
        }
    }
}

impl<S: SessionStore + ?Sized> SessionStoreExt for S {}

/// Asks for the events of the view at `head`, and for nothing that came later; `None` for an empty
/// log.
fn view_query(head: &Head) -> Option<EventQuery> {
    let last = session_log::Seq::new(head.version.as_u64())?;
    let query = EventQuery::all()
        .with_to(last)
        .with_direction(Direction::Forward);
    let Some(boundary) = &head.boundary else {
        return Some(query);
    };
    // The summary turn stands right behind its boundary, whatever the boundary keeps.
    let from = boundary.kept_from.min(boundary.seq);
    let also = boundary.pinned.iter().copied();
    Some(query.with_from(from).with_also(also))
}
