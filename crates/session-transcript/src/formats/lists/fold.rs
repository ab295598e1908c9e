//! Events under construction.

use session_log::{EventBody, EventId, EventType, Message, NewEvent, Origin, Seq};

use crate::envelope::Envelope;
use crate::format::Format;
use crate::formats::claude_code::LINE_EVENT;
use crate::formats::lists::find::{Containers, Listed, lists};
use crate::formats::log::Log;
use crate::formats::shown::next_seq;
use crate::ids::{digest, event_id};
use crate::json::Raw;
use crate::note::{Note, Place};
use crate::read::Context;
use crate::source::{Placed, Scan};
use crate::time;
use crate::transcript::{Conversation, Warning};

/// Makes a conversation of each list of a file; what belongs to none is told.
pub(crate) fn each_list(
    containers: &Containers,
    scan: &Scan<'_>,
    context: &mut Context<'_>,
    mut conversation: impl FnMut(&Listed<'_>, &mut Context<'_>) -> Conversation,
) -> Vec<Conversation> {
    let found = lists(containers, scan);
    if found.found.is_empty() {
        return Vec::new();
    }
    for (line, bytes) in found.strangers {
        context.skip(line, bytes, "neither a record of this format nor a body");
    }
    let listed = found.found.iter();
    listed
        .map(|listed| {
            if let Some(placed) = listed.replies.first().filter(|_| listed.more_replies > 0) {
                let what = format!(
                    "{} more choice(s) beside the first are no part of the conversation",
                    listed.more_replies
                );
                context.report.warn(Warning::line(placed.line, what));
            }
            conversation(listed, context)
        })
        .collect()
}

/// The events of a list, which are numbered.
#[derive(Debug)]
pub(crate) struct Fold {
    format: Format,
    id: String,
    /// The number of the record that is read.
    pub(crate) record: u64,
    pub(crate) events: Vec<NewEvent>,
}

impl Fold {
    /// An empty fold; the id of the conversation is a digest of all it says.
    pub(crate) fn new(format: Format, listed: &Listed<'_>, context: &mut Context<'_>) -> Self {
        let digest = digest(listed.all().map(|placed| placed.raw.text()));
        Self::named(format, &format!("{format}-{digest}"), context)
    }

    /// An empty fold of a conversation with a name of its own.
    pub(crate) fn named(format: Format, name: &str, context: &mut Context<'_>) -> Self {
        Self {
            format,
            id: context.names.name(name),
            record: 0,
            events: Vec::new(),
        }
    }

    /// The note of an event that comes from `placed`.
    pub(crate) fn note(&self, placed: &Placed<'_>, place: Place) -> Note {
        let bytes = placed.bytes.clone();
        Note::new(self.format, placed.line, bytes, self.record).at(place)
    }

    /// Adds a message; `moment` is the one that was written with it.
    pub(crate) fn push(
        &mut self,
        mut note: Note,
        message: Message,
        origin: Origin,
        moment: Option<Raw<'_>>,
        context: &Context<'_>,
    ) {
        let Some(id) = self.next_id() else {
            return;
        };
        let moment = moment.and_then(|raw| {
            let moment = time::parse(raw)?;
            note.time = Some(raw.to_json());
            Some(moment)
        });
        let moment = moment.unwrap_or(context.options.default_time);
        let event = NewEvent::message(id, moment, message).with_origin(origin);
        self.events.push(note.on(event));
    }

    /// Keeps a record that is no message of the conversation.
    pub(crate) fn aside(&mut self, note: Note, raw: Raw<'_>, context: &Context<'_>) {
        let (Some(id), Ok(event_type)) = (self.next_id(), EventType::new(LINE_EVENT)) else {
            return;
        };
        let body = EventBody::Custom {
            event_type,
            payload: raw.to_json(),
        };
        let event = NewEvent::new(id, context.options.default_time, body);
        self.events.push(note.on(event));
    }

    fn next_id(&self) -> Option<EventId> {
        let number = self.events.len() + 1;
        event_id(&self.id, &format!("{number:05}"))
    }

    /// The place of the next event.
    pub(crate) fn next(&self) -> Seq {
        next_seq(&self.events)
    }

    /// Says behind the events which of them are shown, and in which order.
    pub(crate) fn show_only(&mut self, order: &[Seq]) {
        let events = std::mem::take(&mut self.events);
        self.events = Log::shown_in(events, &self.id, self.format, order);
    }

    /// The conversation of what was added, with nothing around it.
    pub(crate) fn into_conversation(self) -> Conversation {
        Conversation {
            id: self.id,
            title: None,
            model: None,
            parent: None,
            tools: None,
            envelope: Envelope::new(self.format),
            events: self.events,
        }
    }

    /// The conversation of the list.
    pub(crate) fn finish(self, listed: &Listed<'_>) -> Conversation {
        let model = ["model", "modelId", "modelVersion"]
            .iter()
            .find_map(|name| {
                let of = |members: &crate::json::Members<'_>| {
                    members.peek_str(name).map(|model| model.into_owned())
                };
                of(&listed.beside).or_else(|| of(&listed.beside_reply))
            });
        Conversation {
            id: self.id,
            title: None,
            model,
            parent: None,
            tools: listed.beside.peek("tools").map(Raw::to_json),
            envelope: Envelope::new(self.format).with_layout(listed.layout.clone()),
            events: self.events,
        }
    }
}
