//! Boundaries that another tool wrote, in one way or another.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use session_log::{
    Boundary, EventBody, EventId, Json, Message, NewEvent, Origin, Receipt, Seq, Size, Timestamp,
    View,
};

use crate::format::Format;
use crate::formats::effort::Effort;
use crate::formats::log::{Log, Spot};
use crate::formats::shown::{self, Shown};
use crate::ids::event_id;

/// A compaction that another tool made.
#[derive(Debug, Default)]
pub(crate) struct Compaction {
    /// The messages in front of it that stay, in log order.
    pub(crate) kept: BTreeSet<Seq>,
    /// From where on every message stays.
    pub(crate) from: Option<Seq>,
    /// The only messages that leave, whatever is said of those that stay.
    pub(crate) only: Option<BTreeSet<Seq>>,
    /// Those of them that are shown before the summary.
    pub(crate) pinned: Vec<Seq>,
    /// What is shown for the others.
    pub(crate) summary: Vec<Message>,
    /// What is known of how it came about.
    pub(crate) about: Option<Json>,
    pub(crate) tokens_before: u64,
    pub(crate) tokens_after: u64,
}

impl Log {
    /// The events, and behind them a boundary that says which of them are not shown any more.
    pub(crate) fn hidden_in(
        events: Vec<NewEvent>,
        id: &str,
        format: Format,
        hidden: &[Seq],
    ) -> Vec<NewEvent> {
        if hidden.is_empty() {
            return events;
        }
        let Some(spot) = Spot::behind(&events, "hidden") else {
            return events;
        };
        let mut log = Self::over(events, id, format);
        log.hide(&spot, hidden);
        log.events
    }

    /// The events, and behind them a boundary that says which of them are shown, and in which
    /// order: those that stand before a later one of the log are named by it.
    pub(crate) fn shown_in(
        events: Vec<NewEvent>,
        id: &str,
        format: Format,
        order: &[Seq],
    ) -> Vec<NewEvent> {
        let Some(spot) = Spot::behind(&events, "shown") else {
            return events;
        };
        let mut log = Self::over(events, id, format);
        let from_behind = order.iter().rev();
        let pairs = from_behind.clone().zip(from_behind.skip(1));
        let ascending = pairs.take_while(|(later, earlier)| earlier < later).count() + 1;
        let named = order.len().saturating_sub(ascending);
        let pinned = order.iter().take(named).copied().collect();
        let kept = order.iter().skip(named).copied().collect();
        log.reshape(&spot, pinned, kept, Vec::new());
        log.events
    }

    /// A log of finished events.
    fn over(events: Vec<NewEvent>, id: &str, format: Format) -> Self {
        let default_time = events.last().map(|last| last.timestamp);
        let mut log = Self {
            id: id.into(),
            format,
            default_time: default_time.unwrap_or_else(|| Timestamp::from_millis(0)),
            ids: BTreeSet::new(),
            again: BTreeMap::new(),
            shown: Shown::default(),
            effort: Effort::default(),
            events,
        };
        let mut shown = Shown::default();
        for (seq, event, _) in log.messages() {
            shown.add(seq, &event.origin);
        }
        log.shown = shown;
        log
    }

    /// Adds a boundary and its summary; `beside` is what the tool wrote of it beside the summary.
    /// The places of the summary.
    pub(crate) fn compaction(
        &mut self,
        spot: &Spot<'_>,
        compaction: Compaction,
        beside: Json,
    ) -> Vec<Seq> {
        let Some((spot, id)) = self.free_spot(spot, compaction.summary.len()) else {
            return Vec::new();
        };
        let compaction = self.within_reach(compaction);
        let spots: Vec<Spot<'_>> = (1..=compaction.summary.len())
            .map(|number| spot.with(&format!("/{number}")))
            .collect();
        let summary = spots
            .iter()
            .filter_map(|spot| event_id(&self.id, &spot.name));
        let summary: Vec<EventId> = summary.collect();
        let mut boundary = self.boundary(&compaction);
        boundary.summary = summary;
        let body = EventBody::Compaction(Box::new(boundary));
        self.push_with(&spot, body, Origin::Real, Some(beside));
        let mut seqs = Vec::with_capacity(spots.len());
        for (spot, message) in spots.iter().zip(compaction.summary) {
            let boundary = Some(id.clone());
            seqs.extend(self.message(spot, message, Origin::Summary { boundary }));
        }
        seqs
    }

    /// The compaction, or one that keeps nothing where boundaries asked for too much before.
    fn within_reach(&mut self, compaction: Compaction) -> Compaction {
        let keeps = !compaction.kept.is_empty() || !compaction.pinned.is_empty();
        let keeps = keeps || compaction.from.is_some() || compaction.only.is_some();
        if !keeps || self.has_room() {
            return compaction;
        }
        Compaction {
            kept: BTreeSet::new(),
            from: None,
            only: None,
            pinned: Vec::new(),
            ..compaction
        }
    }

    /// The spot under a name that is free, and so are those of so many messages behind it.
    fn free_spot<'a>(&mut self, spot: &Spot<'a>, count: usize) -> Option<(Spot<'a>, EventId)> {
        let mut spot = spot.clone();
        loop {
            let id = event_id(&self.id, &spot.name)?;
            let behind = (1..=count).map(|number| format!("{}/{number}", spot.name));
            let mut ids = behind.filter_map(|name| event_id(&self.id, &name));
            if !self.ids.contains(&id) && !ids.any(|id| self.ids.contains(&id)) {
                return Some((spot, id));
            }
            let number = self.again.entry(spot.name.clone()).or_insert(1);
            *number += 1;
            spot = spot.with(&format!("/again-{number}"));
        }
    }

    /// Says that the results of `cleared`, in ascending order, are shown as a short line from here
    /// on; everything else stays as it is shown. Nothing is added when none of them is shown.
    pub(crate) fn clear(&mut self, spot: &Spot<'_>, cleared: &[Seq]) {
        let (lead, rest) = match cleared.is_empty() {
            true => return,
            false => self.view(),
        };
        let shown: BTreeSet<&Seq> = lead.iter().chain(&rest).collect();
        let cleared = cleared.iter().filter(|seq| shown.contains(seq)).copied();
        let cleared: Vec<Seq> = cleared.collect();
        if !cleared.is_empty() {
            self.reshape(spot, lead, rest.into_iter().collect(), cleared);
        }
    }

    /// Says that `hidden` are not shown from here on. Nothing is added when none of them is.
    pub(crate) fn hide(&mut self, spot: &Spot<'_>, hidden: &[Seq]) {
        let (mut lead, mut rest) = match hidden.is_empty() {
            true => return,
            false => self.view(),
        };
        let before = lead.len() + rest.len();
        let hidden: BTreeSet<&Seq> = hidden.iter().collect();
        lead.retain(|seq| !hidden.contains(seq));
        rest.retain(|seq| !hidden.contains(seq));
        if lead.len() + rest.len() < before {
            self.reshape(spot, lead, rest.into_iter().collect(), Vec::new());
        }
    }

    /// What the model sees: what leads the view, and the rest of it.
    fn view(&self) -> (Vec<Seq>, Vec<Seq>) {
        let places = std::iter::successors(Some(Seq::FIRST), |seq| Some(seq.plus(1)));
        let log = self.events.iter().cloned().zip(places);
        let view = View::fold(log.map(|(event, seq)| Arc::new(event.at(seq))));
        let shown: Vec<Seq> = view.events().iter().map(|event| event.seq).collect();
        let (lead, rest) = shown.split_at_checked(view.lead()).unwrap_or_default();
        (lead.to_vec(), rest.to_vec())
    }

    fn reshape(
        &mut self,
        spot: &Spot<'_>,
        pinned: Vec<Seq>,
        kept: BTreeSet<Seq>,
        cleared: Vec<Seq>,
    ) {
        let compaction = Compaction {
            kept,
            pinned,
            ..Compaction::default()
        };
        let mut boundary = self.boundary(&compaction);
        boundary.cleared = cleared;
        let body = EventBody::Compaction(Box::new(boundary));
        self.push(spot, body, Origin::Real);
    }

    /// The boundary at the next place. It says what is not shown from there on whatever boundaries
    /// stand in front of it.
    fn boundary(&mut self, compaction: &Compaction) -> Boundary {
        let mut stays: BTreeSet<Seq> = compaction.pinned.iter().copied().collect();
        let (left, first) = match &compaction.only {
            Some(only) => {
                let left = self.shown.leave_only(only, &stays);
                (left, self.shown.first_but(&stays))
            }
            None => {
                let first = compaction.kept.iter().find(|seq| !stays.contains(seq));
                let first = first.copied().into_iter().chain(compaction.from).min();
                stays.extend(&compaction.kept);
                let end = compaction.from.unwrap_or_else(|| self.next());
                (self.shown.leave(&stays, end), first)
            }
        };
        let kept_from = first.unwrap_or_else(|| self.next().plus(1));
        let name = self.format.name();
        let about = compaction.about.clone();
        let mut receipt = Receipt::new(
            about.unwrap_or_else(|| Json::string(name)),
            Json::string(name),
            name,
        );
        receipt.before = Size::new(0, 0, compaction.tokens_before);
        receipt.after = Size::new(0, 0, compaction.tokens_after);
        receipt.covered = shown::covered(&left, &self.events);
        let mut boundary = Boundary::new(kept_from, receipt);
        boundary.pinned.clone_from(&compaction.pinned);
        boundary.superseded = self.shown.hidden_from(kept_from);
        let named = boundary.pinned.len() + boundary.superseded.len();
        self.effort.spend(left.len() + named);
        boundary
    }
}
