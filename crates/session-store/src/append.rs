//! What goes into a log, and what became of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::vec::Vec;

use session_log::{Event, EventBody, EventId, NewEvent, Part, Seq, TokenCount, Version, wire};

use crate::error::StoreError;
use crate::head::{Counters, Head};

/// At which version an append may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the caller knows the version or does not care"
)]
pub enum Expected {
    /// At any.
    Any,
    /// Only at this one. Otherwise the outcome is [`Appended::Conflict`].
    Exact(Version),
}

impl Expected {
    /// Whether a log at `version` may be appended to.
    #[must_use]
    pub fn allows(self, version: Version) -> bool {
        match self {
            Self::Any => true,
            Self::Exact(expected) => expected == version,
        }
    }
}

/// Events to append together, whole or not at all.
///
/// ```
/// use session_log::{EventId, Message, NewEvent, Timestamp};
/// use session_store::Batch;
///
/// let id = EventId::new("turn-1/user").unwrap();
/// let event = NewEvent::message(id, Timestamp::from_millis(0), Message::user("Hello"));
/// let batch = Batch::from(event);
/// assert_eq!(batch.events.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Batch {
    /// The events, in order. They get consecutive seqs.
    pub events: Vec<NewEvent>,
    /// The size of the view after the append, where the caller knows it. Only allowed with
    /// [`Expected::Exact`]: at any other version the numbers would be wrong.
    pub counters: Option<Counters>,
}

impl Batch {
    /// These events, in order.
    #[must_use]
    pub fn new(events: Vec<NewEvent>) -> Self {
        Self {
            events,
            counters: None,
        }
    }

    /// The same batch, with the size of the view it leads to.
    #[must_use]
    pub fn with_counters(mut self, counters: Counters) -> Self {
        self.counters = Some(counters);
        self
    }

    /// Checks the batch, as every store must before it writes.
    ///
    /// # Errors
    ///
    /// [`StoreError::InvalidEvent`] for an event no store can keep: an application's own event
    /// with a built-in type, tool results nested deeper than
    /// [`wire::v1::MAX_NESTING`] levels, or a number above `i64::MAX`.
    /// [`StoreError::InvalidQuery`] for counters without an exact version, or with a number above
    /// `i64::MAX`.
    pub fn check(&self, expected: Expected) -> Result<(), StoreError> {
        if self.counters.is_some() && expected == Expected::Any {
            return Err(StoreError::invalid_query(
                "counters can only be handed in with an exact version",
            ));
        }
        if self.counters.as_ref().is_some_and(are_huge) {
            return Err(StoreError::invalid_query("the counters are too large"));
        }
        for event in &self.events {
            let tokens = event.tokens.as_ref().map_or(0, |tokens| tokens.tokens);
            let reason = match fault(&event.body) {
                None if is_huge(tokens) => "its token count is too large",
                None => continue,
                Some(reason) => reason,
            };
            return Err(StoreError::InvalidEvent {
                event: event.id.clone(),
                reason,
            });
        }
        Ok(())
    }
}

impl Batch {
    /// Decides what becomes of the batch in a log with this head; a store looks up, then writes
    /// what this says. `find` tells where an id is taken.
    ///
    /// This is the whole of the laws on appending but for the writing: which events are there
    /// already, which clash, whether the version allows it, which seqs the new ones get, and the
    /// head after them. If the new events need it ([`Head::needs_refold`]) the store still has to
    /// find the boundary of the head again.
    ///
    /// # Errors
    ///
    /// [`StoreError::EventDiffers`], [`StoreError::EventElsewhere`], and what `find` returns.
    pub fn settle(
        self,
        head: &Head,
        expected: Expected,
        mut find: impl FnMut(&EventId) -> Result<Place, StoreError>,
    ) -> Result<Settled, StoreError> {
        let is_check_only = self.events.is_empty();
        let mut events = Vec::with_capacity(self.events.len());
        let mut fresh: Vec<Arc<Event>> = Vec::new();
        let mut places: BTreeMap<EventId, usize> = BTreeMap::new();
        for event in self.events {
            let known = match places.get(&event.id).and_then(|place| fresh.get(*place)) {
                Some(earlier) => Some(Arc::clone(earlier)),
                None => match find(&event.id)? {
                    Place::Free => None,
                    Place::Here(stored) => Some(stored),
                    Place::Elsewhere => {
                        return Err(StoreError::EventElsewhere { event: event.id });
                    }
                },
            };
            if let Some(known) = known {
                if !known.says_the_same_as(&event) {
                    return Err(StoreError::EventDiffers { event: event.id });
                }
                events.push(known);
                continue;
            }
            places.insert(event.id.clone(), fresh.len());
            let offset = u64::try_from(fresh.len()).unwrap_or(u64::MAX);
            let placed = Arc::new(event.at(head.version.next_seq().plus(offset)));
            fresh.push(Arc::clone(&placed));
            events.push(placed);
        }
        if (is_check_only || !fresh.is_empty()) && !expected.allows(head.version) {
            return Ok(Settled::Conflict {
                actual: head.version,
            });
        }
        let given = self.counters.filter(|_| !fresh.is_empty());
        let head = head.after(&fresh, given);
        let written = Written::new(head, events, fresh.len());
        Ok(Settled::Write { fresh, written })
    }
}

/// Where an event id is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "nowhere, in this session, in another"
)]
pub enum Place {
    /// Nowhere.
    Free,
    /// In the session that is appended to, by this event.
    Here(Arc<Event>),
    /// In another session.
    Elsewhere,
}

/// What a store has to do about a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "the store still has to write it"]
#[expect(clippy::exhaustive_enums, reason = "write or do not")]
pub enum Settled {
    /// Nothing: the log is at another version.
    Conflict {
        /// The version it is at.
        actual: Version,
    },
    /// Write `fresh`, which may be empty, and the head of `written` together.
    Write {
        /// The events that are new, with their places.
        fresh: Vec<Arc<Event>>,
        /// What to answer.
        written: Written,
    },
}

impl From<Vec<NewEvent>> for Batch {
    fn from(events: Vec<NewEvent>) -> Self {
        Self::new(events)
    }
}

impl From<NewEvent> for Batch {
    fn from(event: NewEvent) -> Self {
        Self::new(std::vec![event])
    }
}

/// What became of an append.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a conflict means that nothing was written"]
#[expect(
    clippy::exhaustive_enums,
    reason = "it was written or the version was another"
)]
pub enum Appended {
    /// The events are in the log.
    Done(Written),
    /// The log is at another version; nothing was written.
    Conflict {
        /// The version it is at.
        actual: Version,
    },
}

impl Appended {
    /// What was written, or `None` after a conflict.
    #[must_use]
    pub fn done(self) -> Option<Written> {
        match self {
            Self::Done(written) => Some(written),
            Self::Conflict { .. } => None,
        }
    }
}

/// The events of an append, as they are in the log now.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// Where the log stands now.
    pub head: Head,
    /// The events of the batch in its order, each as it is stored: one that was there before keeps
    /// its place, time and count.
    pub events: Vec<Arc<Event>>,
    /// How many of them were not there before.
    pub new: usize,
}

impl Written {
    /// These events, `new` of them new, and the head after them.
    #[must_use]
    pub fn new(head: Head, events: Vec<Arc<Event>>, new: usize) -> Self {
        Self { head, events, new }
    }
}

/// Token counts made again, for another estimator or for events that had none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recount {
    /// The new count of each event. Places without an event are passed over.
    pub counts: Vec<(Seq, TokenCount)>,
    /// The size of the view, taken only if the log is still at the version it was counted at.
    pub counters: Option<Counters>,
}

impl Recount {
    /// These counts of events, and no counters.
    #[must_use]
    pub fn new(counts: Vec<(Seq, TokenCount)>) -> Self {
        Self {
            counts,
            counters: None,
        }
    }

    /// The same recount, with the size of the view.
    #[must_use]
    pub fn with_counters(mut self, counters: Counters) -> Self {
        self.counters = Some(counters);
        self
    }

    /// Checks the recount, as every store must before it writes.
    ///
    /// # Errors
    ///
    /// [`StoreError::InvalidQuery`] for a number above `i64::MAX`.
    pub fn check(&self) -> Result<(), StoreError> {
        if self.counts.iter().any(|(_, count)| is_huge(count.tokens)) {
            return Err(StoreError::invalid_query("a token count is too large"));
        }
        if self.counters.as_ref().is_some_and(are_huge) {
            return Err(StoreError::invalid_query("the counters are too large"));
        }
        Ok(())
    }
}

/// Checks what is put in the place of an erased event's content, as every store must.
///
/// # Errors
///
/// [`StoreError::InvalidEvent`] when the event is a boundary or a revert, or when the tombstone
/// would make another type or another kind of event out of it.
pub fn check_tombstone(erased: &Event, tombstone: &EventBody) -> Result<(), StoreError> {
    use compaction_core::Entry as _;

    let invalid = |reason| StoreError::InvalidEvent {
        event: EventId::clone(&erased.id),
        reason,
    };
    if matches!(erased.body, EventBody::Compaction(_) | EventBody::Revert(_)) {
        return Err(invalid("boundaries and reverts have no content to erase"));
    }
    if erased.event_type() != tombstone.event_type() {
        return Err(invalid("its tombstone has another type"));
    }
    if let Some(reason) = fault(tombstone) {
        return Err(invalid(reason));
    }
    let mut after = erased.clone();
    after.body = tombstone.clone();
    if after.kind() != erased.kind() {
        return Err(invalid("its tombstone would move the turns"));
    }
    Ok(())
}

/// What no store can keep.
fn fault(body: &EventBody) -> Option<&'static str> {
    match body {
        EventBody::Message(message) => is_too_deep(&message.parts, 0)
            .then_some("its tool results are nested deeper than 32 levels"),
        EventBody::Compaction(boundary) => {
            let mut seqs = boundary.pinned.iter().chain([&boundary.kept_from]);
            seqs.any(|seq| is_huge(seq.as_u64()))
                .then_some("its boundary names a place no log reaches")
        }
        EventBody::Custom { event_type, .. } if event_type.is_built_in() => {
            Some("its type is one of the library's own")
        }
        _ => None,
    }
}

fn is_too_deep(parts: &[Part], depth: usize) -> bool {
    depth > wire::v1::MAX_NESTING
        || parts.iter().any(|part| match part {
            Part::ToolResult(result) => is_too_deep(&result.parts, depth.saturating_add(1)),
            _ => false,
        })
}

fn are_huge(counters: &Counters) -> bool {
    let tokens = counters.tokens.as_ref().map_or(0, |tokens| tokens.tokens);
    [counters.events, counters.turns, tokens]
        .into_iter()
        .any(is_huge)
}

/// Databases count to `i64::MAX`.
fn is_huge(number: u64) -> bool {
    i64::try_from(number).is_err()
}
