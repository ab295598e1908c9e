//! A store written by somebody else: one list of events for all sessions, and no index at all.
//! It keeps every law. `cargo test -p session-store-testkit --example own_store` shows it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use session_log::{Event, EventBody, Fields, Seq, SessionId, Timestamp, Version};
use session_store::search::Matcher;
use session_store::{
    Appended, Batch, BoundaryMark, Created, Direction, EventQuery, Expected, Head, Hit, HitMark,
    NewSession, Page, Place, Recount, Scope, SearchQuery, Session, SessionMark, SessionPatch,
    SessionQuery, SessionStore, Settled, StoreError, check_tombstone,
};

#[derive(Debug, Default)]
struct OneList(Mutex<Lists>);

#[derive(Debug, Default)]
struct Lists {
    sessions: Vec<Session>,
    events: Vec<(SessionId, Arc<Event>)>,
}

impl OneList {
    fn lists(&self) -> MutexGuard<'_, Lists> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lists {
    fn session(&mut self, id: &SessionId) -> Result<&mut Session, StoreError> {
        let unknown = StoreError::UnknownSession {
            session: id.clone(),
        };
        let mut sessions = self.sessions.iter_mut();
        sessions.find(|session| session.id == *id).ok_or(unknown)
    }

    fn log<'a>(&'a self, id: &'a SessionId) -> impl DoubleEndedIterator<Item = &'a Arc<Event>> {
        let own = self.events.iter().filter(move |(session, _)| session == id);
        own.map(|(_, event)| event)
    }

    fn delete(&mut self, is_deleted: impl Fn(&Session) -> bool) -> usize {
        let before = self.sessions.len();
        self.sessions.retain(|session| !is_deleted(session));
        let sessions = &self.sessions;
        let is_kept = |id: &SessionId| sessions.iter().any(|session| session.id == *id);
        self.events.retain(|(session, _)| is_kept(session));
        before - self.sessions.len()
    }

    fn place(&self, id: &SessionId, event: &session_log::EventId) -> Place {
        match self.events.iter().find(|(_, stored)| stored.id == *event) {
            None => Place::Free,
            Some((session, stored)) if session == id => Place::Here(Arc::clone(stored)),
            Some(_) => Place::Elsewhere,
        }
    }
}

/// The part of a sorted list behind a mark, as a page.
fn page<T, M>(
    items: Vec<T>,
    limit: usize,
    is_behind: impl Fn(&T) -> bool,
    mark: impl Fn(&T) -> M,
) -> Page<T, M> {
    let behind = items.into_iter().filter(is_behind);
    Page::cut(behind.take(limit.saturating_add(1)).collect(), limit, mark)
}

#[async_trait]
impl SessionStore for OneList {
    async fn create(&self, new: NewSession) -> Result<Created, StoreError> {
        let mut lists = self.lists();
        if let Ok(session) = lists.session(&new.id) {
            return Ok(Created::Exists(session.clone()));
        }
        let session = new.into_stored();
        lists.sessions.push(session.clone());
        Ok(Created::New(session))
    }

    async fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError> {
        Ok(self.lists().session(id).ok().cloned())
    }

    async fn sessions(
        &self,
        query: &SessionQuery,
    ) -> Result<Page<Session, SessionMark>, StoreError> {
        query.check()?;
        let mut sessions = self.lists().sessions.clone();
        sessions.retain(|session| query.matches(session));
        sessions.sort_by_key(SessionMark::of);
        if query.direction == Direction::Backward {
            sessions.reverse();
        }
        let is_behind = |session: &Session| match (&query.after, query.direction) {
            (None, _) => true,
            (Some(after), Direction::Forward) => *after < SessionMark::of(session),
            (Some(after), Direction::Backward) => SessionMark::of(session) < *after,
        };
        Ok(page(sessions, query.limit, is_behind, SessionMark::of))
    }

    async fn update(&self, id: &SessionId, patch: SessionPatch) -> Result<Session, StoreError> {
        let mut lists = self.lists();
        let session = lists.session(id)?;
        patch.apply(session);
        Ok(session.clone())
    }

    async fn delete(&self, id: &SessionId) -> Result<bool, StoreError> {
        Ok(self.lists().delete(|session| session.id == *id) > 0)
    }

    async fn sweep(&self, before: Timestamp) -> Result<u64, StoreError> {
        let is_expired = |session: &Session| session.expires_at.is_some_and(|at| at < before);
        let count = self.lists().delete(is_expired);
        Ok(u64::try_from(count).unwrap_or(u64::MAX))
    }

    async fn append(
        &self,
        id: &SessionId,
        expected: Expected,
        batch: Batch,
    ) -> Result<Appended, StoreError> {
        batch.check(expected)?;
        let mut lists = self.lists();
        let head = lists.session(id)?.head.clone();
        let settled = batch.settle(&head, expected, |event| Ok(lists.place(id, event)))?;
        let (fresh, mut written) = match settled {
            Settled::Conflict { actual } => return Ok(Appended::Conflict { actual }),
            Settled::Write { fresh, written } => (fresh, written),
        };
        let needs_refold = Head::needs_refold(&fresh);
        lists
            .events
            .extend(fresh.into_iter().map(|event| (id.clone(), event)));
        if needs_refold {
            written.head.boundary = BoundaryMark::newest_live(lists.log(id).map(Arc::as_ref));
        }
        lists.session(id)?.head = written.head.clone();
        Ok(Appended::Done(written))
    }

    async fn read(
        &self,
        id: &SessionId,
        query: &EventQuery,
    ) -> Result<Page<Arc<Event>, Seq>, StoreError> {
        query.check()?;
        let mut events: Vec<_> = self.lists().log(id).cloned().collect();
        events.retain(|event| query.matches(event));
        if query.direction == Direction::Backward {
            events.reverse();
        }
        let is_behind = |event: &Arc<Event>| match (query.after, query.direction) {
            (None, _) => true,
            (Some(after), Direction::Forward) => after < event.seq,
            (Some(after), Direction::Backward) => event.seq < after,
        };
        let limit = query.limit.unwrap_or(usize::MAX);
        Ok(page(events, limit, is_behind, |event| event.seq))
    }

    async fn search(
        &self,
        scope: &Scope,
        query: &SearchQuery,
    ) -> Result<Page<Hit, HitMark>, StoreError> {
        query.check()?;
        let matcher = Matcher::new(query);
        let lists = self.lists();
        let mut hits = Vec::new();
        for session in &lists.sessions {
            let is_in_scope = match scope {
                Scope::Session(id) => session.id == *id,
                Scope::Owner(owner) => session.owner.as_ref() == Some(owner),
                _ => false,
            };
            if is_in_scope {
                let look = |event| matcher.hit(&session.id, event);
                hits.extend(lists.log(&session.id).filter_map(look));
            }
        }
        hits.sort_by(|one, other| one.mark().cmp_in(&other.mark(), query.order, scope));
        let is_behind = |hit: &Hit| {
            let is_before = |after: &HitMark| after.cmp_in(&hit.mark(), query.order, scope).is_lt();
            query.after.as_ref().is_none_or(is_before)
        };
        Ok(page(hits, query.limit, is_behind, Hit::mark))
    }

    async fn recount(
        &self,
        id: &SessionId,
        at: Version,
        recount: Recount,
    ) -> Result<bool, StoreError> {
        recount.check()?;
        let mut lists = self.lists();
        lists.session(id)?;
        for (seq, count) in recount.counts {
            for (session, event) in &mut lists.events {
                if session == id && event.seq == seq {
                    Arc::make_mut(event).tokens = Some(count.clone());
                }
            }
        }
        let head = &mut lists.session(id)?.head;
        if recount.counters.is_none() || head.version != at {
            return Ok(false);
        }
        head.counters = recount.counters;
        Ok(true)
    }

    async fn erase(
        &self,
        id: &SessionId,
        seq: Seq,
        tombstone: EventBody,
    ) -> Result<Head, StoreError> {
        let mut lists = self.lists();
        lists.session(id)?;
        let mut events = lists.events.iter_mut();
        let Some((_, event)) = events.find(|(session, it)| session == id && it.seq == seq) else {
            let session = id.clone();
            return Err(StoreError::UnknownEvent { session, seq });
        };
        check_tombstone(event, &tombstone)?;
        let event = Arc::make_mut(event);
        event.body = tombstone;
        event.metadata = Fields::new();
        event.tokens = None;
        let head = &mut lists.session(id)?.head;
        head.counters = None;
        head.erasures = head.erasures.saturating_add(1);
        Ok(head.clone())
    }
}

fn main() {
    session_store_testkit::model::check(OneList::default, session_store_testkit::block_on, 64);
}

#[cfg(test)]
session_store_testkit::store_laws!(OneList::default);
