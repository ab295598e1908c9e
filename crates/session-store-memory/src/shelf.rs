//! The sessions themselves: plain data, one owner, no lock.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use session_log::{Event, EventBody, EventId, Fields, Seq, SessionId, Timestamp, Version};
use session_store::search::Matcher;
use session_store::{
    Appended, Batch, BoundaryMark, Created, Direction, EventQuery, Expected, Head, Hit, HitMark,
    NewSession, Order, Page, Place, Recount, Scope, SearchQuery, Session, SessionMark,
    SessionPatch, SessionQuery, Settled, StoreError, check_tombstone,
};

#[derive(Default)]
pub(crate) struct Shelf {
    logs: HashMap<SessionId, Log>,
    /// In the order of lists.
    marks: BTreeSet<SessionMark>,
    /// Where each event is.
    places: HashMap<EventId, (SessionId, Seq)>,
}

struct Log {
    session: Session,
    /// The event with seq n is at n - 1.
    events: Vec<Arc<Event>>,
    /// Boundaries and reverts.
    turning_points: Vec<Seq>,
}

impl Shelf {
    pub(crate) fn create(&mut self, new: NewSession) -> Created {
        if let Some(log) = self.logs.get(&new.id) {
            return Created::Exists(log.session.clone());
        }
        let session = new.into_stored();
        self.marks.insert(SessionMark::of(&session));
        let log = Log {
            session: session.clone(),
            events: Vec::new(),
            turning_points: Vec::new(),
        };
        self.logs.insert(session.id.clone(), log);
        Created::New(session)
    }

    pub(crate) fn session(&self, id: &SessionId) -> Option<Session> {
        self.logs.get(id).map(|log| log.session.clone())
    }

    pub(crate) fn sessions(&self, query: &SessionQuery) -> Page<Session, SessionMark> {
        let is_asked_for = |session: &&Session| {
            let mark = SessionMark::of(session);
            let is_behind = match (&query.after, query.direction) {
                (None, _) => true,
                (Some(after), Direction::Forward) => *after < mark,
                (Some(after), Direction::Backward) => mark < *after,
            };
            is_behind && query.matches(session)
        };
        let listed = |mark: &SessionMark| self.logs.get(&mark.id).map(|log| &log.session);
        let wanted = query.limit.saturating_add(1);
        let items: Vec<Session> = match query.direction {
            Direction::Forward => {
                let listed = self.marks.iter().filter_map(listed).filter(is_asked_for);
                listed.take(wanted).cloned().collect()
            }
            Direction::Backward => {
                let listed = self.marks.iter().rev().filter_map(listed);
                listed.filter(is_asked_for).take(wanted).cloned().collect()
            }
        };
        Page::cut(items, query.limit, SessionMark::of)
    }

    pub(crate) fn update(
        &mut self,
        id: &SessionId,
        patch: SessionPatch,
    ) -> Result<Session, StoreError> {
        let log = self.log_mut(id)?;
        patch.apply(&mut log.session);
        Ok(log.session.clone())
    }

    pub(crate) fn delete(&mut self, id: &SessionId) -> bool {
        let Some(log) = self.logs.remove(id) else {
            return false;
        };
        self.marks.remove(&SessionMark::of(&log.session));
        for event in &log.events {
            self.places.remove(&event.id);
        }
        true
    }

    pub(crate) fn sweep(&mut self, before: Timestamp) -> u64 {
        let is_expired = |session: &Session| session.expires_at.is_some_and(|at| at < before);
        let sessions = self.logs.values().map(|log| &log.session);
        let expired: Vec<_> = sessions
            .filter(|session| is_expired(session))
            .map(|session| session.id.clone())
            .collect();
        let mut count = 0_u64;
        for id in &expired {
            count = count.saturating_add(u64::from(self.delete(id)));
        }
        count
    }

    pub(crate) fn append(
        &mut self,
        id: &SessionId,
        expected: Expected,
        batch: Batch,
    ) -> Result<Appended, StoreError> {
        let log = self.logs.get(id).ok_or_else(|| unknown(id))?;
        let find = |event: &EventId| {
            Ok(match self.places.get(event) {
                None => Place::Free,
                Some((session, seq)) if session == id => match log.at(*seq) {
                    Some(event) => Place::Here(Arc::clone(event)),
                    None => Place::Free,
                },
                Some(_) => Place::Elsewhere,
            })
        };
        let settled = batch.settle(&log.session.head, expected, find)?;
        let (fresh, mut written) = match settled {
            Settled::Conflict { actual } => return Ok(Appended::Conflict { actual }),
            Settled::Write { fresh, written } => (fresh, written),
        };
        for event in &fresh {
            let place = (id.clone(), event.seq);
            self.places.insert(event.id.clone(), place);
        }
        let needs_refold = Head::needs_refold(&fresh);
        let log = self.log_mut(id)?;
        for event in fresh {
            if matches!(event.body, EventBody::Compaction(_) | EventBody::Revert(_)) {
                log.turning_points.push(event.seq);
            }
            log.events.push(event);
        }
        if needs_refold {
            let points = log.turning_points.iter();
            let events = points.filter_map(|seq| log.at(*seq)).map(Arc::as_ref);
            written.head.boundary = BoundaryMark::newest_live(events);
        }
        log.session.head = written.head.clone();
        Ok(Appended::Done(written))
    }

    pub(crate) fn read(&self, id: &SessionId, query: &EventQuery) -> Page<Arc<Event>, Seq> {
        let Some(log) = self.logs.get(id) else {
            return Page::empty();
        };
        let limit = query.limit.unwrap_or(usize::MAX);
        let is_behind = |event: &Event| match (query.after, query.direction) {
            (None, _) => true,
            (Some(after), Direction::Forward) => after < event.seq,
            (Some(after), Direction::Backward) => event.seq < after,
        };
        let is_asked_for = |event: &&Arc<Event>| is_behind(event) && query.accepts(event);
        let wanted = limit.saturating_add(1);
        let candidates = self.candidates(log, query);
        let items: Vec<_> = match query.direction {
            Direction::Forward => {
                let asked = candidates.filter(is_asked_for);
                asked.take(wanted).cloned().collect()
            }
            Direction::Backward => {
                let asked = candidates.rev().filter(is_asked_for);
                asked.take(wanted).cloned().collect()
            }
        };
        Page::cut(items, limit, |event| event.seq)
    }

    /// The events at the places the query asks for, in log order.
    fn candidates<'a>(
        &self,
        log: &'a Log,
        query: &EventQuery,
    ) -> impl DoubleEndedIterator<Item = &'a Arc<Event>> {
        let mut singles: Vec<Seq> = if query.ids.is_empty() {
            query.also.clone()
        } else {
            let places = query.ids.iter().filter_map(|event| self.places.get(event));
            let here = places.filter(|(session, _)| *session == log.session.id);
            here.map(|(_, seq)| *seq)
                .filter(|seq| query.covers(*seq))
                .collect()
        };
        singles.sort_unstable();
        singles.dedup();
        let range = if query.ids.is_empty() {
            log.range(query.from, query.to)
        } else {
            &[]
        };
        let first = range.first().map(|event| event.seq);
        let last = range.last().map(|event| event.seq);
        let (before, rest): (Vec<Seq>, Vec<Seq>) = singles
            .into_iter()
            .partition(|seq| first.is_none_or(|first| *seq < first));
        let after = rest
            .into_iter()
            .filter(move |seq| last.is_none_or(|last| last < *seq));
        let before = before.into_iter().filter_map(|seq| log.at(seq));
        let after = after.filter_map(|seq| log.at(seq));
        before.chain(range).chain(after)
    }

    pub(crate) fn search(&self, scope: &Scope, query: &SearchQuery) -> Page<Hit, HitMark> {
        let matcher = Matcher::new(query);
        let order = query.order;
        let is_behind = |hit: &Hit| {
            let after = query.after.as_ref();
            after.is_none_or(|after| after.cmp_in(&hit.mark(), order, scope).is_lt())
        };
        let wanted = query.limit.saturating_add(1);
        let hits = self.in_scope(scope).flat_map(|log| {
            let look = |event| matcher.hit(&log.session.id, event);
            log.events.iter().filter_map(look)
        });
        let hits = hits.filter(is_behind);
        let mut items: Vec<Hit> = match (order, scope) {
            (Order::OldestFirst, Scope::Session(_)) => hits.take(wanted).collect(),
            _ => hits.collect(),
        };
        items.sort_by(|one, other| one.mark().cmp_in(&other.mark(), order, scope));
        Page::cut(items, query.limit, Hit::mark)
    }

    fn in_scope<'a>(&'a self, scope: &'a Scope) -> impl Iterator<Item = &'a Log> {
        let one = match scope {
            Scope::Session(id) => self.logs.get(id),
            _ => None,
        };
        let of_owner = self.logs.values().filter(move |log| match scope {
            Scope::Owner(owner) => log.session.owner.as_ref() == Some(owner),
            _ => false,
        });
        one.into_iter().chain(of_owner)
    }

    pub(crate) fn recount(
        &mut self,
        id: &SessionId,
        at: Version,
        recount: Recount,
    ) -> Result<bool, StoreError> {
        let log = self.log_mut(id)?;
        for (seq, count) in recount.counts {
            if let Some(event) = log.at_mut(seq) {
                Arc::make_mut(event).tokens = Some(count);
            }
        }
        match recount.counters {
            Some(counters) if log.session.head.version == at => {
                log.session.head.counters = Some(counters);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    pub(crate) fn erase(
        &mut self,
        id: &SessionId,
        seq: Seq,
        tombstone: EventBody,
    ) -> Result<Head, StoreError> {
        let log = self.log_mut(id)?;
        let Some(event) = log.at_mut(seq) else {
            let session = id.clone();
            return Err(StoreError::UnknownEvent { session, seq });
        };
        check_tombstone(event, &tombstone)?;
        let event = Arc::make_mut(event);
        event.body = tombstone;
        event.metadata = Fields::new();
        event.tokens = None;
        let head = &mut log.session.head;
        head.counters = None;
        head.erasures = head.erasures.saturating_add(1);
        Ok(head.clone())
    }

    fn log_mut(&mut self, id: &SessionId) -> Result<&mut Log, StoreError> {
        self.logs.get_mut(id).ok_or_else(|| unknown(id))
    }
}

impl fmt::Debug for Shelf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shelf")
            .field("sessions", &self.logs.len())
            .field("events", &self.places.len())
            .finish()
    }
}

impl Log {
    fn at(&self, seq: Seq) -> Option<&Arc<Event>> {
        self.events.get(index(seq))
    }

    fn at_mut(&mut self, seq: Seq) -> Option<&mut Arc<Event>> {
        self.events.get_mut(index(seq))
    }

    fn range(&self, from: Option<Seq>, to: Option<Seq>) -> &[Arc<Event>] {
        let length = self.events.len();
        let start = from.map_or(0, index).min(length);
        let end = to.map_or(length, |to| index(to).saturating_add(1).min(length));
        self.events.get(start..end).unwrap_or_default()
    }
}

fn index(seq: Seq) -> usize {
    usize::try_from(seq.as_u64() - 1).unwrap_or(usize::MAX)
}

fn unknown(id: &SessionId) -> StoreError {
    StoreError::UnknownSession {
        session: id.clone(),
    }
}
