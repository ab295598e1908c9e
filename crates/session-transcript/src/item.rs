//! What is written: events of a log or a view, and bare messages.

use std::borrow::Cow;

use session_log::{
    Branch, Event, EventBody, EventId, Fields, Message, NewEvent, Origin, Timestamp, TokenCount,
};

use crate::note::Note;

/// One thing to write: an event of a log or a view, or a bare message.
#[derive(Clone, Debug)]
pub struct Item<'a> {
    pub(crate) id: Option<&'a EventId>,
    pub(crate) timestamp: Option<Timestamp>,
    pub(crate) origin: Option<&'a Origin>,
    pub(crate) metadata: Option<&'a Fields>,
    pub(crate) branch: Option<&'a Branch>,
    pub(crate) tokens: Option<&'a TokenCount>,
    pub(crate) body: ItemBody<'a>,
}

/// What an item says.
#[derive(Clone, Debug)]
pub(crate) enum ItemBody<'a> {
    Message(Cow<'a, Message>),
    /// An event without a message; only the format it came from writes it.
    Other(&'a EventBody),
}

impl<'a> Item<'a> {
    /// The same item with other content, such as a shortened tool result: everything else stays.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<Cow<'a, Message>>) -> Self {
        self.body = ItemBody::Message(message.into());
        self
    }

    /// The message, if it is one.
    #[must_use]
    pub fn message(&self) -> Option<&Message> {
        match &self.body {
            ItemBody::Message(message) => Some(message),
            ItemBody::Other(_) => None,
        }
    }

    pub(crate) fn note(&self) -> Option<Note> {
        Note::in_fields(self.metadata?)
    }

    pub(crate) fn is_summary(&self) -> bool {
        matches!(self.origin, Some(Origin::Summary { .. }))
    }
}

impl<'a> From<&'a Message> for Item<'a> {
    fn from(message: &'a Message) -> Self {
        Self {
            id: None,
            timestamp: None,
            origin: None,
            metadata: None,
            branch: None,
            tokens: None,
            body: ItemBody::Message(Cow::Borrowed(message)),
        }
    }
}

fn body_of(body: &EventBody) -> ItemBody<'_> {
    match body {
        EventBody::Message(message) => ItemBody::Message(Cow::Borrowed(message)),
        other => ItemBody::Other(other),
    }
}

impl<'a> From<&'a NewEvent> for Item<'a> {
    fn from(event: &'a NewEvent) -> Self {
        Self {
            id: Some(&event.id),
            timestamp: Some(event.timestamp),
            origin: Some(&event.origin),
            metadata: Some(&event.metadata),
            branch: event.branch.as_ref(),
            tokens: event.tokens.as_ref(),
            body: body_of(&event.body),
        }
    }
}

impl<'a> From<&'a Event> for Item<'a> {
    fn from(event: &'a Event) -> Self {
        Self {
            id: Some(&event.id),
            timestamp: Some(event.timestamp),
            origin: Some(&event.origin),
            metadata: Some(&event.metadata),
            branch: event.branch.as_ref(),
            tokens: event.tokens.as_ref(),
            body: body_of(&event.body),
        }
    }
}
