//! The view: what a model sees, a pure fold of the log.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use compaction_core::{Entry, EntryKind, Outline};

use crate::boundary::Boundary;
use crate::branch::Branch;
use crate::event::{Event, EventBody, Origin};
use crate::held::held;
use crate::ids::{Seq, Version};
use crate::message::{Message, Shape};
use crate::part::Part;

/// The newest live boundary of a log: one that no live revert names.
///
/// `events` are in log order; anything but boundaries and reverts among them is passed over. A
/// revert is live unless a later live revert names it, so reverting a revert restores what it
/// took back. A revert that names a place at or after its own takes nothing back.
pub fn live_boundary<'a>(events: impl DoubleEndedIterator<Item = &'a Event>) -> Option<&'a Event> {
    let mut reverted = BTreeSet::new();
    for event in events.rev() {
        match &event.body {
            EventBody::Revert(revert)
                if revert.of < event.seq && !reverted.contains(&event.seq) =>
            {
                reverted.insert(revert.of);
            }
            EventBody::Compaction(_) if !reverted.contains(&event.seq) => return Some(event),
            _ => {}
        }
    }
    None
}

/// What a store must read to build a view: some events by place, and all from a place on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ViewQuery {
    /// Events that lead the view.
    pub seqs: Vec<Seq>,
    /// Every event from here on.
    pub from: Seq,
}

impl ViewQuery {
    /// What the view behind `boundary` needs; the whole log without one.
    #[must_use]
    pub fn of(boundary: Option<&Event>) -> Self {
        match boundary.and_then(|event| Some((event.seq, event.as_boundary()?))) {
            Some((seq, boundary)) => Self {
                seqs: boundary
                    .pinned
                    .iter()
                    .copied()
                    .chain(summary_seqs(seq, boundary))
                    .filter(|seq| *seq < boundary.kept_from)
                    .collect(),
                from: boundary.kept_from,
            },
            None => Self {
                seqs: Vec::new(),
                from: Seq::FIRST,
            },
        }
    }
}

/// The places of a boundary's summary turn: right behind it, since all are appended as one batch.
fn summary_seqs(at: Seq, boundary: &Boundary) -> impl Iterator<Item = Seq> {
    (1..=boundary.summary.len() as u64).map(move |offset| at.plus(offset))
}

/// What a model sees: events in the order they are shown.
///
/// Without a boundary these are all message events. With one they are what the newest live
/// boundary names, then every message event after it. The same log gives the same view.
///
/// ```
/// use std::sync::Arc;
/// use session_log::{EventId, Message, NewEvent, Seq, Timestamp, View};
///
/// let event = NewEvent::message(
///     EventId::new("e1").unwrap(),
///     Timestamp::from_millis(0),
///     Message::user("hello"),
/// );
/// let view = View::fold([Arc::new(event.at(Seq::FIRST))]);
/// assert_eq!(view.events().len(), 1);
/// assert_eq!(view.version().as_u64(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    version: Version,
    boundary: Option<Arc<Event>>,
    events: Vec<Arc<Event>>,
    /// How many events lead the view by name; the rest follow in log order.
    lead: usize,
    held: BTreeSet<Seq>,
    missing: Vec<Seq>,
}

impl View {
    /// Folds a whole log, given in order, to its view.
    #[must_use]
    pub fn fold(log: impl IntoIterator<Item = Arc<Event>>) -> Self {
        let log: Vec<_> = log.into_iter().collect();
        let version = log
            .last()
            .map_or(Version::EMPTY, |event| Version::from(event.seq));
        let live = live_boundary(log.iter().map(Arc::as_ref)).map(|event| event.seq);
        let boundary = live.and_then(|seq| log.iter().find(|event| event.seq == seq).cloned());
        Self::assemble(version, boundary, log)
    }

    /// Builds the view behind `boundary` at `version` from the events that its [`ViewQuery`]
    /// names, in log order. Further events among them change nothing.
    #[must_use]
    pub fn assemble(
        version: Version,
        boundary: Option<Arc<Event>>,
        events: impl IntoIterator<Item = Arc<Event>>,
    ) -> Self {
        let mut view = Self {
            version,
            ..Self::default()
        };
        let events: Vec<_> = events.into_iter().collect();
        let named = boundary
            .as_ref()
            .and_then(|event| Some((event.seq, event.as_boundary()?)));
        view.held = held(named, &events);
        let is_message = |event: &Arc<Event>| event.as_message().is_some();
        let Some((seq, named)) = named else {
            let messages = events.into_iter().filter(is_message);
            view.events = messages.filter(|event| !is_of_a_boundary(event)).collect();
            return view;
        };

        let is_released = |seq: &Seq| named.pins.contains(seq) && !view.held.contains(seq);
        let mut lead = named.pinned.clone();
        let summary: Vec<Seq> = summary_seqs(seq, named).collect();
        // Pinned after it was covered: it comes back.
        let is_new =
            |seq: &Seq| *seq < named.kept_from && !lead.contains(seq) && !summary.contains(seq);
        let back: Vec<Seq> = view.held.iter().copied().filter(is_new).collect();
        put_back(&back, &mut lead, &events);
        // Not before: what leaves does not change the order of what stays.
        lead.retain(|seq| !is_released(seq));
        lead.extend(summary);
        let mut places: BTreeMap<Seq, usize> = BTreeMap::new();
        for (place, seq) in lead.iter().enumerate() {
            places.entry(*seq).or_insert(place);
        }
        let superseded: BTreeSet<Seq> = named.superseded.iter().copied().collect();

        let mut leading: Vec<Option<Arc<Event>>> = vec![None; lead.len()];
        let mut following = Vec::new();
        for event in events.into_iter().filter(is_message) {
            if let Some(place) = places.get(&event.seq) {
                if let Some(slot) = leading.get_mut(*place) {
                    *slot = Some(event);
                }
            } else if event.seq >= named.kept_from
                && !superseded.contains(&event.seq)
                && !is_of_a_boundary(&event)
            {
                following.push(event);
            }
        }
        view.missing = lead
            .iter()
            .zip(&leading)
            .filter(|(_, event)| event.is_none())
            .map(|(seq, _)| *seq)
            .collect();
        view.events = leading.into_iter().flatten().collect();
        view.lead = view.events.len();
        view.events.extend(following);
        view.boundary = boundary;
        view
    }

    /// The version of the log this is the view of.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// The boundary the view is built on.
    #[must_use]
    pub fn boundary(&self) -> Option<&Arc<Event>> {
        self.boundary.as_ref()
    }

    /// The events, in view order.
    #[must_use]
    pub fn events(&self) -> &[Arc<Event>] {
        &self.events
    }

    /// How many events lead the view because the boundary names them: pinned ones and the
    /// summary. The rest follow in log order.
    #[must_use]
    pub fn lead(&self) -> usize {
        self.lead
    }

    /// Pinned events, by place.
    #[must_use]
    pub fn held(&self) -> &BTreeSet<Seq> {
        &self.held
    }

    /// Places the view names that were not among the events it was built from: events that were
    /// pinned after they were covered, which have to be read too; else the log is damaged.
    #[must_use]
    pub fn missing(&self) -> &[Seq] {
        &self.missing
    }

    /// Whether the event at `seq` is shown with its tool results cleared. A pinned event never is.
    #[must_use]
    pub fn is_cleared(&self, seq: Seq) -> bool {
        let boundary = self.boundary.as_ref().and_then(|event| event.as_boundary());
        boundary.is_some_and(|boundary| boundary.cleared.binary_search(&seq).is_ok())
            && !self.held.contains(&seq)
    }

    /// The message of an event as the view shows it: with its tool results cleared where the
    /// boundary says so. `None` for an event without a message.
    #[must_use]
    pub fn shown<'a>(&self, event: &'a Event) -> Option<Cow<'a, Message>> {
        let message = event.as_message()?;
        if self.is_cleared(event.seq) {
            Some(Cow::Owned(cleared_message(event, message)))
        } else {
            Some(Cow::Borrowed(message))
        }
    }

    /// The same view as a sub-agent sees it: the root's events, those of its ancestors and its own.
    #[must_use]
    pub fn visible_to(&self, branch: &Branch) -> Self {
        let is_visible = |event: &Arc<Event>| match &event.branch {
            Some(of) => of.is_self_or_ancestor_of(branch),
            None => true,
        };
        let lead = self.events.iter().take(self.lead);
        Self {
            lead: lead.filter(|event| is_visible(event)).count(),
            events: self
                .events
                .iter()
                .filter(|event| is_visible(event))
                .cloned()
                .collect(),
            ..self.clone()
        }
    }

    /// The messages as the view shows them, in order.
    pub fn messages(&self) -> impl Iterator<Item = Cow<'_, Message>> {
        self.events.iter().filter_map(|event| self.shown(event))
    }

    /// The outline of the view, each event at its cost in `costs`, which are in view order. An
    /// event without one costs nothing.
    #[must_use]
    pub fn outline_at(&self, costs: &[u64]) -> Outline {
        let mut costs = costs.iter().copied();
        self.outline(|_| costs.next().unwrap_or_default())
    }

    /// The outline of the view, each event at the tokens `cost` gives.
    #[must_use]
    pub fn outline(&self, mut cost: impl FnMut(&Event) -> u64) -> Outline {
        let mut outline = Outline::new();
        for event in &self.events {
            if self.held.contains(&event.seq) {
                outline.push_pinned(event.kind(), cost(event));
            } else {
                outline.push(event.kind(), cost(event));
            }
        }
        outline
    }
}

/// Puts `back`, events that were pinned after they were covered, among those that lead the view:
/// each before the first of the conversation that came later, so that the newest turn is the last
/// to open.
fn put_back(back: &[Seq], lead: &mut Vec<Seq>, events: &[Arc<Event>]) {
    if back.is_empty() {
        return;
    }
    let is_ruled =
        |event: &&Arc<Event>| matches!(event.kind(), EntryKind::System | EntryKind::Summary);
    let ruled: BTreeSet<Seq> = events
        .iter()
        .filter(is_ruled)
        .map(|event| event.seq)
        .collect();
    for seq in back {
        let is_later = |other: &Seq| seq < other && !ruled.contains(other);
        let place = lead.iter().position(is_later).unwrap_or(lead.len());
        lead.insert(place, *seq);
    }
}

/// Whether the event is half of the summary turn of a boundary of this log. It is shown only
/// where a live boundary names it.
fn is_of_a_boundary(event: &Event) -> bool {
    matches!(event.origin, Origin::Summary { boundary: Some(_) })
}

/// The message with the content of its tool results replaced by a short line that says where it
/// is and how large it was.
#[must_use]
pub fn cleared_message(event: &Event, message: &Message) -> Message {
    let mut cleared = message.clone();
    let size = event
        .tokens
        .as_ref()
        .map_or_else(alloc::string::String::new, |count| {
            format!(", {} tokens", count.tokens)
        });
    for part in &mut cleared.parts {
        if let Part::ToolResult(result) = part {
            result.parts = vec![Part::text(format!("[cleared: event {}{size}]", event.id))];
            result.shape = Shape::Text;
        }
    }
    cleared
}
