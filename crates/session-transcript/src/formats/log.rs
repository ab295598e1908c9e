//! A conversation built record by record: events with ids, moments and notes, and the boundaries
//! that another tool wrote. For formats that are made of records rather than of a list of messages.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use session_log::{
    Arguments, Boundary, Branch, Covered, EventBody, EventId, EventType, Fields, Json, Message,
    NewEvent, Opaque, Origin, Part, Receipt, Seq, Shape, Size, Timestamp, View,
};

use crate::envelope::Envelope;
use crate::format::Format;
use crate::formats::claude_code::LINE_EVENT;
use crate::ids::{digest, event_id};
use crate::json::{Kind, Members, Raw};
use crate::note::Note;
use crate::read::Context;
use crate::source::{Form, Record, Scan};
use crate::time;
use crate::transcript::Conversation;

/// A value of a file and where it lies.
#[derive(Clone, Debug)]
pub(crate) struct Value<'a> {
    pub(crate) raw: Raw<'a>,
    pub(crate) line: u64,
    pub(crate) bytes: Range<u64>,
    record: &'a Record<'a>,
}

impl<'a> Value<'a> {
    /// The records of a file; of a document that is an array, its elements.
    pub(crate) fn all(scan: &'a Scan<'a>) -> Vec<Self> {
        let mut values = Vec::new();
        for record in &scan.records {
            let whole = Self {
                raw: record.raw(),
                line: record.line,
                bytes: record.bytes.clone(),
                record,
            };
            match whole.raw.items().filter(|_| scan.form == Form::Document) {
                Some(items) => values.extend(items.into_iter().map(|raw| whole.inner(raw))),
                None => values.push(whole),
            }
        }
        values
    }

    /// A value inside of this one.
    pub(crate) fn inner(&self, raw: Raw<'a>) -> Self {
        let (line, bytes) = self.record.place_of(raw);
        Self {
            raw,
            line,
            bytes,
            record: self.record,
        }
    }
}

/// Where an event comes from, and its name in the conversation.
#[derive(Clone, Debug)]
pub(crate) struct Spot<'a> {
    pub(crate) line: u64,
    pub(crate) bytes: Range<u64>,
    /// The number of the record in its conversation, from 1.
    pub(crate) record: u64,
    pub(crate) name: String,
    pub(crate) time: Option<Raw<'a>>,
    /// The sub-agent it belongs to.
    pub(crate) branch: Option<Branch>,
}

impl<'a> Spot<'a> {
    /// The spot of the record at `at`, named by its number.
    pub(crate) fn of(value: &Value<'a>, at: usize) -> Self {
        let record = u64::try_from(at).unwrap_or(u64::MAX).saturating_add(1);
        Self {
            line: value.line,
            bytes: value.bytes.clone(),
            record,
            name: format!("{record:05}"),
            time: None,
            branch: None,
        }
    }

    /// The same spot under another name, if there is one.
    pub(crate) fn named(mut self, name: Option<impl Into<String>>) -> Self {
        if let Some(name) = name {
            self.name = name.into();
        }
        self
    }

    /// The same spot with something behind its name.
    pub(crate) fn with(&self, suffix: &str) -> Self {
        let mut spot = self.clone();
        spot.name.push_str(suffix);
        spot
    }

    /// The same spot at a moment as it is written.
    pub(crate) fn at(mut self, time: Option<Raw<'a>>) -> Self {
        self.time = time.filter(|raw| !raw.is_null());
        self
    }
}

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

/// The events of a conversation under construction.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) id: String,
    format: Format,
    default_time: Timestamp,
    events: Vec<NewEvent>,
    ids: BTreeSet<EventId>,
    /// The last number that was put behind a name.
    again: BTreeMap<String, u64>,
}

impl Log {
    /// A conversation of this name, or of a digest of all of `texts` when it has none.
    pub(crate) fn new<'t>(
        format: Format,
        name: Option<&str>,
        texts: impl IntoIterator<Item = &'t str>,
        context: &mut Context<'_>,
    ) -> Self {
        let id = match name.filter(|name| !name.trim().is_empty()) {
            Some(name) => context.names.name(name),
            None => context.names.name(&format!("{format}-{}", digest(texts))),
        };
        Self {
            id,
            format,
            default_time: context.options.default_time,
            events: Vec::new(),
            ids: BTreeSet::new(),
            again: BTreeMap::new(),
        }
    }

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

    /// Adds a message; its place, if it could be named.
    pub(crate) fn message(
        &mut self,
        spot: &Spot<'_>,
        message: Message,
        origin: Origin,
    ) -> Option<Seq> {
        self.push(spot, EventBody::Message(message), origin)
    }

    /// Keeps a record that is no message of the conversation.
    pub(crate) fn aside(&mut self, spot: &Spot<'_>, raw: Raw<'_>) {
        let Ok(event_type) = EventType::new(LINE_EVENT) else {
            return;
        };
        let body = EventBody::Custom {
            event_type,
            payload: raw.to_json(),
        };
        self.push(&spot.with("/record"), body, Origin::Real);
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

    fn push(&mut self, spot: &Spot<'_>, body: EventBody, origin: Origin) -> Option<Seq> {
        self.push_with(spot, body, origin, None)
    }

    fn push_with(
        &mut self,
        spot: &Spot<'_>,
        body: EventBody,
        origin: Origin,
        beside: Option<Json>,
    ) -> Option<Seq> {
        let id = self.free_id(&spot.name)?;
        let mut note = Note::new(self.format, spot.line, spot.bytes.clone(), spot.record);
        let moment = spot.time.and_then(time::parse);
        note.time = moment.and_then(|moment| {
            let raw = spot.time?;
            let is_usual = raw.as_str().as_deref() == Some(&time::to_text(moment));
            (!is_usual).then(|| raw.to_json())
        });
        let seq = self.next();
        let mut event = NewEvent::new(id, moment.unwrap_or(self.default_time), body);
        if let Some(beside) = beside {
            event = event.with_metadata(self.format.name(), beside);
        }
        if let Some(branch) = &spot.branch {
            event = event.with_branch(branch.clone());
        }
        self.events.push(note.on(event.with_origin(origin)));
        Some(seq)
    }

    /// The id of a name; other tools may give several records the same one.
    fn free_id(&mut self, name: &str) -> Option<EventId> {
        let mut id = event_id(&self.id, name)?;
        while !self.ids.insert(id.clone()) {
            let number = self.again.entry(name.into()).or_insert(1);
            *number += 1;
            id = event_id(&self.id, &format!("{name}/again-{number}"))?;
        }
        Some(id)
    }

    /// The place of the next event.
    pub(crate) fn next(&self) -> Seq {
        Seq::FIRST.plus(u64::try_from(self.events.len()).unwrap_or(u64::MAX))
    }

    /// The messages so far, with their places.
    pub(crate) fn messages(&self) -> impl Iterator<Item = (Seq, &NewEvent, &Message)> {
        let places = std::iter::successors(Some(Seq::FIRST), |seq| Some(seq.plus(1)));
        let events = places.zip(&self.events);
        events.filter_map(|(seq, event)| match &event.body {
            EventBody::Message(message) => Some((seq, event, message)),
            _ => None,
        })
    }

    pub(crate) fn into_conversation(self, fields: Fields) -> Conversation {
        let mut envelope = Envelope::new(self.format);
        envelope.fields = fields;
        Conversation {
            id: self.id,
            title: None,
            model: None,
            parent: None,
            tools: None,
            envelope,
            events: self.events,
        }
    }
}

/// A `content` that is a text or a list, and how it is written.
pub(crate) fn content<'a>(
    raw: Option<Raw<'a>>,
    part: impl FnMut(Raw<'a>) -> Part,
) -> (Vec<Part>, Shape) {
    let Some(raw) = raw else {
        return (Vec::new(), Shape::Absent);
    };
    match raw.kind() {
        Kind::Null => (Vec::new(), Shape::Null),
        Kind::String => (
            vec![Part::text(raw.as_str().unwrap_or_default())],
            Shape::Text,
        ),
        Kind::Array => {
            let items = raw.items().unwrap_or_default();
            (items.into_iter().map(part).collect(), Shape::Parts)
        }
        _ => {
            let mut part = part;
            (vec![part(raw)], Shape::Parts)
        }
    }
}

/// A part of a kind that is not known, kept as it is.
pub(crate) fn opaque(format: Format, raw: Raw<'_>) -> Part {
    Part::Opaque(Opaque::new(format.name(), raw.to_json()))
}

/// Arguments as text, or as whatever value they are.
pub(crate) fn arguments(raw: Option<Raw<'_>>) -> Arguments {
    match raw {
        None => Arguments::Text(String::new()),
        Some(raw) => match raw.as_str() {
            Some(text) => Arguments::Text(text.into_owned()),
            None => Arguments::Value(raw.to_json()),
        },
    }
}

/// All members but some, by name.
pub(crate) fn fields_but(members: &Members<'_>, left_out: &[&str]) -> Fields {
    let rest = members.iter().filter(|(name, _)| !left_out.contains(name));
    rest.map(|(name, raw)| (name.to_owned(), raw.to_json()))
        .collect()
}
