//! Where a log stands: its version, its newest live boundary, the size of its view.
//!
//! The arithmetic is here and not in the stores, so that all of them agree.

use std::sync::Arc;
use std::vec::Vec;

use compaction_core::{Entry as _, EntryKind};
use session_log::{Event, EventBody, Origin, Seq, TokenCount, Version, live_boundary};

/// Where a log stands. It is stored in the session's row, so reading it reads no event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Head {
    /// The seq of the last event, 0 for an empty log.
    pub version: Version,
    /// The newest live boundary, if there is one.
    pub boundary: Option<BoundaryMark>,
    /// The size of the view, if it is known.
    pub counters: Option<Counters>,
    /// How many events of the session were erased. A plan made before an erasure is stale.
    pub erasures: u64,
}

impl Head {
    /// The head of an empty log: nothing in it, and nothing in its view.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            version: Version::EMPTY,
            boundary: None,
            counters: Some(Counters::default()),
            erasures: 0,
        }
    }

    /// The head with these values, as a store reads it back.
    #[must_use]
    pub fn new(
        version: Version,
        boundary: Option<BoundaryMark>,
        counters: Option<Counters>,
        erasures: u64,
    ) -> Self {
        Self {
            version,
            boundary,
            counters,
            erasures,
        }
    }

    /// The head after `new` events were appended, with the counters the appender handed in.
    ///
    /// Handed-in counters are taken as they are. Without them a message event adds itself, and the
    /// counters become unknown after a boundary, a revert, a pin or a system message, because what
    /// leaves or enters the view then is not known here.
    ///
    /// The boundary is right unless a revert was appended ([`Head::needs_refold`]); then the store
    /// finds it again with [`BoundaryMark::newest_live`].
    #[must_use]
    pub fn after(&self, new: &[Arc<Event>], given: Option<Counters>) -> Self {
        let mut head = self.clone();
        for event in new {
            head.version = Version::from(event.seq);
            head.boundary = BoundaryMark::of(event).or(head.boundary);
            head.counters = head.counters.and_then(|counters| counters.and(event));
        }
        if given.is_some() {
            head.counters = given;
        }
        head
    }

    /// Whether the newest live boundary must be looked for again after these events.
    #[must_use]
    pub fn needs_refold(new: &[Arc<Event>]) -> bool {
        new.iter()
            .any(|event| matches!(event.body, EventBody::Revert(_)))
    }
}

/// Which boundary counts, and which events its view is loaded from.
///
/// The view is made of the pinned events, the boundary's own event for what it says, and every
/// event from `kept_from` on.
///
/// ```
/// use session_log::{
///     Boundary, Event, EventBody, EventId, Json, NewEvent, Receipt, Revert, Seq, Timestamp,
/// };
/// use session_store::BoundaryMark;
///
/// let seq = |number| Seq::new(number).unwrap();
/// let event = |number: u64, body| {
///     let id = EventId::new(format!("e{number}")).unwrap();
///     NewEvent::new(id, Timestamp::from_millis(0), body).at(seq(number))
/// };
/// let receipt = Receipt::new(Json::null(), Json::null(), "none");
/// let boundary = event(7, EventBody::Compaction(Box::new(Boundary::new(seq(4), receipt))));
/// let undone = event(8, EventBody::Revert(Revert::new(seq(7))));
/// let redone = event(9, EventBody::Revert(Revert::new(seq(8))));
///
/// assert_eq!(BoundaryMark::newest_live([&boundary, &undone].into_iter()), None);
/// let mark = BoundaryMark::newest_live([&boundary, &undone, &redone].into_iter()).unwrap();
/// assert_eq!((mark.seq, mark.kept_from), (seq(7), seq(4)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoundaryMark {
    /// The place of the boundary event.
    pub seq: Seq,
    /// The first event it keeps.
    pub kept_from: Seq,
    /// What it pins, in view order.
    pub pinned: Vec<Seq>,
}

impl BoundaryMark {
    /// The boundary at `seq`, with what it says.
    #[must_use]
    pub fn new(seq: Seq, kept_from: Seq, pinned: Vec<Seq>) -> Self {
        Self {
            seq,
            kept_from,
            pinned,
        }
    }

    /// The mark of a boundary event; `None` for any other event.
    #[must_use]
    pub fn of(event: &Event) -> Option<Self> {
        let boundary = event.as_boundary()?;
        let pinned = boundary.pinned.clone();
        Some(Self::new(event.seq, boundary.kept_from, pinned))
    }

    /// The mark of the newest live boundary among the events of a log, given in log order; only
    /// boundaries and reverts among them play a part. See [`live_boundary`].
    #[must_use]
    pub fn newest_live<'a>(events: impl DoubleEndedIterator<Item = &'a Event>) -> Option<Self> {
        live_boundary(events).and_then(Self::of)
    }
}

/// The size of the view at the head of a log. With it a trigger is evaluated without reading an
/// event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Message events in the view.
    pub events: u64,
    /// Turns in the view.
    pub turns: u64,
    /// Their tokens and who counted; `None` when no event is in the view or not all of them were
    /// counted by one estimator.
    pub tokens: Option<TokenCount>,
}

impl Counters {
    /// A view of so many events and turns, counted or not.
    #[must_use]
    pub fn new(events: u64, turns: u64, tokens: Option<TokenCount>) -> Self {
        Self {
            events,
            turns,
            tokens,
        }
    }

    /// The counters with one more event in the log, or `None` when they are not known any more.
    #[must_use]
    pub fn and(self, event: &Event) -> Option<Self> {
        match &event.body {
            EventBody::Message(_) => {}
            EventBody::Custom { .. } => return Some(self),
            _ => return None,
        }
        // The summary turn of a boundary is in the view only where that boundary counts.
        if matches!(event.origin, Origin::Summary { boundary: Some(_) }) {
            return Some(self);
        }
        let opens_turn = match event.kind() {
            EntryKind::System => return None,
            EntryKind::TurnStart => 1,
            _ => 0,
        };
        let tokens = if self.events == 0 {
            event.tokens.clone()
        } else {
            sum(self.tokens, event.tokens.as_ref())
        };
        Some(Self {
            events: plus(self.events, 1),
            turns: plus(self.turns, opens_turn),
            tokens,
        })
    }
}

fn sum(before: Option<TokenCount>, more: Option<&TokenCount>) -> Option<TokenCount> {
    let (mut before, more) = (before?, more?);
    if before.estimator != more.estimator {
        return None;
    }
    before.tokens = plus(before.tokens, more.tokens);
    Some(before)
}

/// The sum, or the largest number that databases count to.
fn plus(number: u64, more: u64) -> u64 {
    number.saturating_add(more).min(i64::MAX.unsigned_abs())
}
