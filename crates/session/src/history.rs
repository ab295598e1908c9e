//! Going back: undoing a boundary, looking at an earlier view, forking a log.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use session_log::{
    Event, EventBody, EventId, EventType, Json, NewEvent, Origin, Revert, Seq, SessionId, Version,
    View, is_erased,
};
use session_store::{Batch, EventQuery, Expected, NewSession, Session, SessionStoreExt as _};

use crate::error::Error;
use crate::sessions::{Sessions, fresh_id};

/// The metadata entry that says which event a forked one was copied from.
pub const FORKED_FROM: &str = "forked_from";

impl Sessions {
    /// Takes back the boundary at `of`: it no longer counts, others stay. Taking back a revert
    /// restores what it took back. The event appended for it is returned.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownEvent`] when there is no boundary or revert at `of`;
    /// [`Error::UnknownSession`], [`Error::Store`].
    pub async fn revert(&self, id: &SessionId, of: Seq) -> Result<Arc<Event>, Error> {
        self.session(id).await?;
        let query = EventQuery::all().with_from(of).with_to(of);
        let found = self.store.read_all(id, query).await?;
        let can_be_reverted = found.first().is_some_and(|event| {
            matches!(event.body, EventBody::Compaction(_) | EventBody::Revert(_))
        });
        if !can_be_reverted {
            return Err(Error::UnknownEvent {
                session: id.clone(),
                what: format!("boundary or revert at {of}"),
            });
        }
        self.append_own(id, EventBody::Revert(Revert::new(of)))
            .await
    }

    /// Takes back the newest live boundary; `None` when there is none.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSession`] or [`Error::Store`].
    pub async fn undo(&self, id: &SessionId) -> Result<Option<Arc<Event>>, Error> {
        match self.session(id).await?.head.boundary {
            Some(mark) => Ok(Some(self.revert(id, mark.seq).await?)),
            None => Ok(None),
        }
    }

    /// Takes back the newest live revert of a boundary, so that the boundary counts again; `None`
    /// when there is none. Where the boundary was taken back several times, all of that is.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSession`] or [`Error::Store`].
    pub async fn redo(&self, id: &SessionId) -> Result<Option<Arc<Event>>, Error> {
        self.session(id).await?;
        let query = EventQuery::all().with_types([EventType::REVERT]);
        let reverts = self.store.read_all(id, query).await?;
        let mut dead = BTreeSet::new();
        let mut live = Vec::new();
        for event in reverts.iter().rev() {
            let EventBody::Revert(revert) = &event.body else {
                continue;
            };
            if dead.contains(&event.seq) {
                continue;
            }
            dead.insert(revert.of);
            let is_of_boundary = !reverts.iter().any(|other| other.seq == revert.of);
            if is_of_boundary {
                live.push((event.seq, revert.of));
            }
        }
        let Some((_, boundary)) = live.first().copied() else {
            return Ok(None);
        };
        let now = self.clock.now();
        let mut restoring = Vec::new();
        for (revert, _) in live.iter().filter(|(_, of)| *of == boundary) {
            let body = EventBody::Revert(Revert::new(*revert));
            restoring.push(NewEvent::new(EventId::new(fresh_id())?, now, body));
        }
        let batch = Batch::new(restoring);
        let appended = self.store.append(id, Expected::Any, batch).await?;
        Ok(appended
            .done()
            .and_then(|written| written.events.into_iter().next()))
    }

    /// Copies the log up to `version` into the session described, which must be new. The copies
    /// have the same places and say where they come from; the parent is not touched. A version
    /// between a boundary and its summary, which are one batch, is that of the whole batch.
    ///
    /// # Errors
    ///
    /// [`Error::SessionExists`] when the new id is taken, [`Error::UnknownSession`],
    /// [`Error::Store`].
    pub async fn fork(
        &self,
        id: &SessionId,
        version: Version,
        into: NewSession,
    ) -> Result<Session, Error> {
        let parent = self.session(id).await?;
        let events = match Seq::new(version.as_u64()) {
            Some(last) => self.whole_batches(id, last).await?,
            None => Vec::new(),
        };
        let copies = copies(id, &events)?;
        let fork = self.create_as(into.with_parent(id.clone())).await?;
        let expected = Expected::Exact(Version::EMPTY);
        let batch = Batch::new(copies);
        let written = match self.store.append(&fork.id, expected, batch).await {
            Ok(written) => written,
            Err(error) => {
                // A fork that is no copy is worse than none. Where this fails too, it stays empty.
                let _ = self.store.delete(&fork.id).await;
                return Err(error.into());
            }
        };
        if written.done().is_none() {
            return Err(Error::SessionExists { session: fork.id });
        }
        if let Some(erased) = behind_stale_boundary(&events, parent.head.erasures) {
            // A summary that is stale in the parent is stale here: erasing again says so. It costs
            // this one event the note of where it came from.
            let tombstone = erased.body.clone();
            self.store.erase(&fork.id, erased.seq, tombstone).await?;
        }
        self.session(&fork.id).await
    }

    /// The log up to `last`, and to the end of the batch that has it.
    async fn whole_batches(&self, id: &SessionId, last: Seq) -> Result<Vec<Arc<Event>>, Error> {
        let query = EventQuery::all().with_to(last);
        let mut events = self.store.read_all(id, query).await?;
        let end = events.iter().rev().find_map(|event| {
            let summary = &event.as_boundary()?.summary;
            Some(event.seq.plus(summary.len() as u64))
        });
        if let Some(end) = end.filter(|end| *end > last) {
            let rest = EventQuery::all().with_from(last.plus(1)).with_to(end);
            events.extend(self.store.read_all(id, rest).await?);
        }
        Ok(events)
    }

    pub(crate) async fn append_own(
        &self,
        id: &SessionId,
        body: EventBody,
    ) -> Result<Arc<Event>, Error> {
        let event = NewEvent::new(EventId::new(fresh_id())?, self.clock.now(), body);
        let appended = self
            .store
            .append(id, Expected::Any, Batch::from(event))
            .await?;
        let written = appended
            .done()
            .and_then(|written| written.events.into_iter().next());
        written.ok_or_else(|| Error::UnknownSession {
            session: id.clone(),
        })
    }
}

/// An erased event among `events`, where they have a boundary that does not know of all `erasures`.
fn behind_stale_boundary(events: &[Arc<Event>], erasures: u64) -> Option<&Arc<Event>> {
    let is_stale = |event: &Arc<Event>| {
        let boundary = event.as_boundary();
        boundary.is_some_and(|boundary| boundary.receipt.erasures < erasures)
    };
    let is_erased = |event: &&Arc<Event>| event.as_message().is_some_and(is_erased);
    let has_stale = events.iter().any(is_stale);
    events.iter().filter(|_| has_stale).find(is_erased)
}

/// Copies of `events` under fresh ids, with what names an id changed along, in a session of which
/// nothing was erased yet.
fn copies(parent: &SessionId, events: &[Arc<Event>]) -> Result<Vec<NewEvent>, Error> {
    let mut fresh: BTreeMap<&EventId, EventId> = BTreeMap::new();
    for event in events {
        fresh.insert(&event.id, EventId::new(fresh_id())?);
    }
    let renamed = |id: &EventId| fresh.get(id).unwrap_or(id).clone();
    let copy = |event: &Arc<Event>| {
        let mut copy = Event::clone(event).into_new();
        let source = serde_json::json!({"session": parent.as_str(), "event": event.id.as_str()});
        copy.id = renamed(&event.id);
        copy.metadata
            .insert(FORKED_FROM.into(), Json::from_value(&source));
        if let Origin::Summary { boundary: Some(of) } = &mut copy.origin {
            *of = renamed(of);
        }
        if let EventBody::Compaction(boundary) = &mut copy.body {
            boundary.summary = boundary.summary.iter().map(renamed).collect();
            boundary.receipt.erasures = 0;
        }
        copy
    };
    Ok(events.iter().map(copy).collect())
}

/// How one view differs from another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ViewDiff {
    /// Events that are only in the first view, in its order.
    pub left: Vec<EventId>,
    /// Events that are only in the second view, in its order.
    pub joined: Vec<EventId>,
    /// Events that are in both, in the order of the second.
    pub stayed: Vec<EventId>,
    /// Events in both that one of the views shows cleared.
    pub cleared: Vec<EventId>,
}

impl ViewDiff {
    /// What changes from `before` to `after`.
    #[must_use]
    pub fn between(before: &View, after: &View) -> Self {
        let in_before: BTreeSet<_> = before.events().iter().map(|event| &event.id).collect();
        let in_after: BTreeSet<_> = after.events().iter().map(|event| &event.id).collect();
        let mut diff = Self::default();
        for event in before.events() {
            if !in_after.contains(&event.id) {
                diff.left.push(event.id.clone());
            }
        }
        for event in after.events() {
            if !in_before.contains(&event.id) {
                diff.joined.push(event.id.clone());
                continue;
            }
            diff.stayed.push(event.id.clone());
            if before.is_cleared(event.seq) != after.is_cleared(event.seq) {
                diff.cleared.push(event.id.clone());
            }
        }
        diff
    }

    /// Whether both views show the same events in the same way, though maybe in another order.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.left.is_empty() && self.joined.is_empty() && self.cleared.is_empty()
    }
}
