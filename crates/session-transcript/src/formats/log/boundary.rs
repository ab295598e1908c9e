//! Boundaries that another tool wrote, in one way or another.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use session_log::{
    Boundary, Covered, EventBody, EventId, Json, Message, NewEvent, Origin, Receipt, Seq, Size,
    View,
};

use crate::format::Format;
use crate::formats::log::{Log, Spot};
use crate::ids::event_id;
use crate::note::Note;

/// A compaction that another tool made.
#[derive(Debug, Default)]
pub(crate) struct Compaction {
    /// The messages in front of it that stay, in log order.
    pub(crate) kept: BTreeSet<Seq>,
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
        let Some(last) = events.last().filter(|_| !hidden.is_empty()) else {
            return events;
        };
        let note = Note::in_fields(&last.metadata);
        let spot = Spot {
            line: note.as_ref().map_or(1, |note| note.line),
            bytes: note.as_ref().map_or(0..0, |note| note.bytes.clone()),
            record: note.as_ref().map_or(1, |note| note.record),
            name: "hidden".into(),
            time: None,
            branch: None,
        };
        let mut log = Self {
            id: id.into(),
            format,
            default_time: last.timestamp,
            ids: BTreeSet::new(),
            again: BTreeMap::new(),
            events,
        };
        log.hide(&spot, hidden);
        log.events
    }

    /// Adds a boundary and its summary; `raw` is what the tool wrote of it beside the summary.
    pub(crate) fn compaction(&mut self, spot: &Spot<'_>, compaction: Compaction, beside: Json) {
        let Some(id) = event_id(&self.id, &spot.name).filter(|id| !self.ids.contains(id)) else {
            return;
        };
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
        self.push_with(spot, body, Origin::Real, Some(beside));
        for (spot, message) in spots.iter().zip(compaction.summary) {
            let boundary = Some(id.clone());
            self.message(spot, message, Origin::Summary { boundary });
        }
    }

    /// Says that the results of `cleared`, in ascending order, are shown as a short line from here
    /// on; everything else stays as it is shown. Nothing is added when none of them is shown.
    pub(crate) fn clear(&mut self, spot: &Spot<'_>, cleared: &[Seq]) {
        let (lead, rest) = match cleared.is_empty() {
            true => return,
            false => self.shown(),
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
            false => self.shown(),
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
    fn shown(&self) -> (Vec<Seq>, Vec<Seq>) {
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

    fn boundary(&self, compaction: &Compaction) -> Boundary {
        let pinned: BTreeSet<Seq> = compaction.pinned.iter().copied().collect();
        let is_kept = |seq: &Seq| compaction.kept.contains(seq) && !pinned.contains(seq);
        let first = self.messages().map(|(seq, ..)| seq).find(is_kept);
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
        let left: Vec<(Seq, &EventId)> = self
            .messages()
            .filter(|(seq, ..)| !is_kept(seq) && !pinned.contains(seq))
            .map(|(seq, event, _)| (seq, &event.id))
            .collect();
        let mut boundary = Boundary::new(kept_from, receipt);
        boundary.pinned.clone_from(&compaction.pinned);
        let leaves = left.iter().map(|(seq, _)| *seq);
        boundary.superseded = leaves.filter(|seq| *seq >= kept_from).collect();
        boundary.receipt.covered = Covered::of(left);
        boundary
    }
}
