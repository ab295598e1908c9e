//! A conversation built record by record: events with ids, moments and notes, and the boundaries
//! that another tool wrote. For formats that are made of records rather than of a list of messages.

mod boundary;
mod spot;

use std::collections::{BTreeMap, BTreeSet};

use session_log::{
    EventBody, EventId, EventType, Fields, Json, Message, NewEvent, Origin, Seq, Timestamp,
};

use crate::envelope::Envelope;
use crate::format::Format;
use crate::formats::claude_code::LINE_EVENT;
use crate::formats::effort::Effort;
use crate::formats::shown::{self, Shown};
use crate::ids::{digest, event_id};
use crate::json::Raw;
use crate::note::Note;
use crate::read::Context;
use crate::time;
use crate::transcript::Conversation;

pub(crate) use crate::formats::log::boundary::Compaction;
pub(crate) use crate::formats::log::spot::Spot;

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
    shown: Shown,
    effort: Effort,
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
            shown: Shown::default(),
            effort: Effort::default(),
        }
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
        if matches!(body, EventBody::Message(_)) {
            self.shown.add(seq, &origin);
        }
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
        shown::next_seq(&self.events)
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

    /// Whether the next boundary may keep something.
    pub(crate) fn has_room(&mut self) -> bool {
        self.effort.has_room(self.events.len())
    }

    /// The conversation, with `fields` around it.
    pub(crate) fn into_conversation(
        self,
        fields: Fields,
        context: &mut Context<'_>,
    ) -> Conversation {
        if let Some(warning) = self.effort.warning() {
            context.report.warn(warning);
        }
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
