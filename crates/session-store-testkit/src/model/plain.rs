//! The model: everything in `Vec`s, everything worked out anew, nothing clever.

use std::sync::Arc;

use compaction_core::{Entry as _, EntryKind};
use session_log::{Event, EventBody, Origin, SessionId, TokenCount, Version};
use session_store::search::Matcher;
use session_store::{
    Batch, BoundaryMark, Counters, Created, Direction, EventQuery, Expected, Head, Hit, Order,
    Scope, SearchQuery, Session, StoreError,
};

use super::calls::{Call, tombstone};
use super::{in_full, show};
use crate::make::{at, seq};

#[derive(Debug, Default)]
pub(super) struct Plain {
    logs: Vec<Log>,
}

#[derive(Debug)]
struct Log {
    session: Session,
    events: Vec<Arc<Event>>,
}

impl Plain {
    /// What a store must answer.
    pub(super) fn answer(&mut self, call: &Call) -> String {
        match call {
            Call::Create(new) => {
                let there = self.log(&new.id).map(|log| log.session.clone());
                show(Ok(match there {
                    Ok(session) => Created::Exists(session),
                    Err(_) => {
                        let session = new.clone().into_stored();
                        self.logs.push(Log {
                            session: session.clone(),
                            events: Vec::new(),
                        });
                        Created::New(session)
                    }
                }))
            }
            Call::Update(id, patch) => show(self.log_mut(id).map(|log| {
                patch.clone().apply(&mut log.session);
                log.session.clone()
            })),
            Call::Delete(id) => show(Ok(self.keep(|log| log.session.id != *id) > 0)),
            Call::Sweep(before) => show(Ok(self.keep(|log| {
                log.session
                    .expires_at
                    .is_none_or(|expiry| expiry >= at(*before))
            }))),
            Call::List(query) => {
                let sessions = self.logs.iter().map(|log| log.session.clone());
                let mut listed: Vec<_> = sessions.filter(|it| query.matches(it)).collect();
                listed.sort_by_key(|session| (session.created_at, session.id.clone()));
                if let Some(after) = &query.after {
                    listed.retain(|session| {
                        let place = (session.created_at, &session.id);
                        match query.direction {
                            Direction::Forward => place > (after.created_at, &after.id),
                            Direction::Backward => place < (after.created_at, &after.id),
                        }
                    });
                }
                if query.direction == Direction::Backward {
                    listed.reverse();
                }
                show(Ok(listed))
            }
            Call::Append(id, expected, batch) => show(self.append(id, *expected, batch)),
            Call::Read(id, query) => show(self.read(id, query)),
            Call::Search(scope, query) => show(Ok(self.search(scope, query))),
            Call::Recount(id, version, recount) => show(self.log_mut(id).map(|log| {
                for (place, count) in &recount.counts {
                    for event in &mut log.events {
                        if event.seq == *place {
                            Arc::make_mut(event).tokens = Some(count.clone());
                        }
                    }
                }
                let is_taken = recount.counters.is_some() && log.session.head.version == *version;
                if is_taken {
                    log.session.head.counters = recount.counters.clone();
                }
                is_taken
            })),
            Call::Erase(id, place) => show(self.erase(id, *place)),
        }
    }

    /// Where a session stands.
    pub(super) fn standing(&self, id: &SessionId) -> String {
        let log = self.logs.iter().find(|log| log.session.id == *id);
        let events = log.map(|log| log.events.clone()).unwrap_or_default();
        show(Ok((log.map(|log| log.session.clone()), in_full(&events))))
    }

    fn log(&self, id: &SessionId) -> Result<&Log, StoreError> {
        let session = id.clone();
        let log = self.logs.iter().find(|log| log.session.id == *id);
        log.ok_or(StoreError::UnknownSession { session })
    }

    fn log_mut(&mut self, id: &SessionId) -> Result<&mut Log, StoreError> {
        let session = id.clone();
        let log = self.logs.iter_mut().find(|log| log.session.id == *id);
        log.ok_or(StoreError::UnknownSession { session })
    }

    fn keep(&mut self, is_kept: impl Fn(&Log) -> bool) -> u64 {
        let before = self.logs.len();
        self.logs.retain(is_kept);
        u64::try_from(before - self.logs.len()).unwrap()
    }

    fn append(
        &mut self,
        id: &SessionId,
        expected: Expected,
        batch: &Batch,
    ) -> Result<String, StoreError> {
        let mut log = self.log(id)?.events.clone();
        let version = Version::new(u64::try_from(log.len()).unwrap());
        let mut answered = Vec::new();
        let mut new = 0;
        for event in &batch.events {
            let others = self.logs.iter().filter(|log| log.session.id != *id);
            if others
                .flat_map(|log| &log.events)
                .any(|it| it.id == event.id)
            {
                let event = event.id.clone();
                return Err(StoreError::EventElsewhere { event });
            }
            if let Some(stored) = log.iter().find(|it| it.id == event.id) {
                if stored.body != event.body || stored.origin != event.origin {
                    let event = event.id.clone();
                    return Err(StoreError::EventDiffers { event });
                }
                answered.push(Arc::clone(stored));
                continue;
            }
            let place = u64::try_from(log.len()).unwrap() + 1;
            let stored = Arc::new(event.clone().at(seq(place)));
            log.push(Arc::clone(&stored));
            answered.push(stored);
            new += 1;
        }
        let is_repeat = new == 0 && !batch.events.is_empty();
        if !is_repeat && matches!(expected, Expected::Exact(exact) if exact != version) {
            return Ok(format!("Conflict {{ actual: {version:?} }}"));
        }
        let changed = self.log_mut(id)?;
        if new > 0 {
            let before = changed.session.head.clone();
            let mut counters = before.counters;
            for event in &log[log.len() - new..] {
                counters = counters.and_then(|counters| grown(&counters, event));
            }
            changed.session.head = Head::new(
                Version::new(u64::try_from(log.len()).unwrap()),
                newest_live(&log),
                batch.counters.clone().or(counters),
                before.erasures,
            );
            changed.events = log;
        }
        let head = &changed.session.head;
        Ok(format!("{head:?} {new} {:?}", in_full(&answered)))
    }

    fn read(&self, id: &SessionId, query: &EventQuery) -> Result<Vec<String>, StoreError> {
        query.check()?;
        let Ok(log) = self.log(id) else {
            return Ok(Vec::new());
        };
        let mut events: Vec<_> = log.events.clone();
        if query.direction == Direction::Backward {
            events.reverse();
        }
        events.retain(|event| {
            let is_behind = match (query.after, query.direction) {
                (None, _) => true,
                (Some(after), Direction::Forward) => event.seq > after,
                (Some(after), Direction::Backward) => event.seq < after,
            };
            is_behind && query.matches(event)
        });
        Ok(in_full(&events))
    }

    fn search(
        &self,
        scope: &Scope,
        query: &SearchQuery,
    ) -> Vec<(SessionId, session_log::Seq, u64, u64, String)> {
        let matcher = Matcher::new(query);
        let mut hits: Vec<Hit> = Vec::new();
        for log in &self.logs {
            let is_in_scope = match scope {
                Scope::Session(id) => log.session.id == *id,
                Scope::Owner(owner) => log.session.owner.as_ref() == Some(owner),
                _ => false,
            };
            if is_in_scope {
                let look = |event| matcher.hit(&log.session.id, event);
                hits.extend(log.events.iter().filter_map(look));
            }
        }
        match query.order {
            Order::Relevance => hits.sort_by(|one, other| {
                let more = |hit: &Hit| (hit.keywords, hit.occurrences, hit.event.timestamp);
                more(other)
                    .cmp(&more(one))
                    .then_with(|| one.session.cmp(&other.session))
                    .then_with(|| other.event.seq.cmp(&one.event.seq))
            }),
            // Within a session time plays no part.
            Order::OldestFirst if matches!(scope, Scope::Session(_)) => {
                hits.sort_by_key(|hit| hit.event.seq);
            }
            Order::OldestFirst => hits.sort_by(|one, other| {
                let age = |hit: &Hit| (hit.event.timestamp, hit.session.clone(), hit.event.seq);
                age(one).cmp(&age(other))
            }),
        }
        let place = |hit: Hit| {
            let snippet = hit.snippet.text;
            (
                hit.session,
                hit.event.seq,
                hit.keywords,
                hit.occurrences,
                snippet,
            )
        };
        hits.into_iter().map(place).collect()
    }

    fn erase(&mut self, id: &SessionId, place: u64) -> Result<Head, StoreError> {
        let log = self.log_mut(id)?;
        let session = id.clone();
        let unknown = StoreError::UnknownEvent {
            session,
            seq: seq(place),
        };
        let index = usize::try_from(place).unwrap() - 1;
        let event = log.events.get_mut(index).ok_or(unknown)?;
        session_store::check_tombstone(event, &tombstone())?;
        let event = Arc::make_mut(event);
        event.body = tombstone();
        event.tokens = None;
        event.metadata.clear();
        log.session.head.counters = None;
        log.session.head.erasures += 1;
        Ok(log.session.head.clone())
    }
}

/// By the definition: nothing that is live takes it back.
fn is_live(log: &[Arc<Event>], place: usize) -> bool {
    !log.iter()
        .enumerate()
        .skip(place + 1)
        .any(|(later, event)| {
            matches!(&event.body, EventBody::Revert(revert) if revert.of == log[place].seq)
                && is_live(log, later)
        })
}

fn newest_live(log: &[Arc<Event>]) -> Option<BoundaryMark> {
    let places = (0..log.len()).rev();
    let mut boundaries = places.filter_map(|place| Some((place, log[place].as_boundary()?)));
    let (place, boundary) = boundaries.find(|(place, _)| is_live(log, *place))?;
    let pinned = boundary.pinned.clone();
    Some(BoundaryMark::new(
        log[place].seq,
        boundary.kept_from,
        pinned,
    ))
}

/// The counters with one event more, in the words of the law.
fn grown(counters: &Counters, event: &Event) -> Option<Counters> {
    let is_hidden = matches!(event.origin, Origin::Summary { boundary: Some(_) });
    match event.body {
        EventBody::Custom { .. } => return Some(counters.clone()),
        EventBody::Message(_) if is_hidden => return Some(counters.clone()),
        EventBody::Message(_) if event.kind() != EntryKind::System => {}
        _ => return None,
    }
    let tokens = match (&counters.tokens, &event.tokens) {
        (_, None) => None,
        (None, Some(count)) if counters.events == 0 => Some(count.clone()),
        (Some(sum), Some(count)) if sum.estimator == count.estimator => {
            let name = sum.estimator.clone();
            Some(TokenCount::new(name, sum.tokens + count.tokens))
        }
        // Handed-in counters of an empty view may have a count.
        (Some(_), Some(count)) if counters.events == 0 => Some(count.clone()),
        _ => None,
    };
    let turns = counters.turns + u64::from(event.kind() == EntryKind::TurnStart);
    Some(Counters::new(counters.events + 1, turns, tokens))
}
