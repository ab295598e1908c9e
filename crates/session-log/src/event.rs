//! Events, the rows of a log.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use compaction_core::{Entry, EntryKind, Link};

use crate::boundary::{Boundary, Pin, Revert};
use crate::branch::Branch;
use crate::event_type::EventType;
use crate::ids::{EventId, Seq, Timestamp};
use crate::json::{Fields, Json};
use crate::message::{Message, Role};
use crate::part::Part;

/// Why an event is in the log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// Somebody said it: a person, a model, a tool.
    #[default]
    Real,
    /// A program put it in, in the person's or the system's name (a reminder, a nudge). It opens
    /// no turn and rides along with the turn it stands in.
    Injected,
    /// Half of a summary turn.
    Summary {
        /// The boundary it belongs to; `None` for a summary that came with an imported transcript.
        boundary: Option<EventId>,
    },
}

impl Origin {
    /// Whether nobody said it: a pass or a program made it.
    #[must_use]
    pub fn is_synthetic(&self) -> bool {
        !matches!(self, Self::Real)
    }
}

/// What an event says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventBody {
    /// A message of the conversation.
    Message(Message),
    /// A boundary: what the view shows from here on.
    Compaction(Box<Boundary>),
    /// A boundary taken back.
    Revert(Revert),
    /// An event pinned or released.
    Pin(Pin),
    /// An application's own event: stored and found, never sent to a model, never covered.
    Custom {
        /// Its type, never a built-in one.
        event_type: EventType,
        /// Its content.
        payload: Json,
    },
}

impl EventBody {
    /// The type of an event with this body.
    #[must_use]
    pub fn event_type(&self) -> EventType {
        match self {
            Self::Message(_) => EventType::MESSAGE,
            Self::Compaction(_) => EventType::COMPACTION,
            Self::Revert(_) => EventType::REVERT,
            Self::Pin(_) => EventType::PIN,
            Self::Custom { event_type, .. } => event_type.clone(),
        }
    }
}

/// How many tokens an event costs in a request, and who counted.
///
/// A count is made once, when the event is appended, and made again only for another estimator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct TokenCount {
    /// The name of the estimator.
    pub estimator: String,
    /// The number of tokens of the formatted event.
    pub tokens: u64,
}

impl TokenCount {
    /// `tokens` as counted by `estimator`.
    #[must_use]
    pub fn new(estimator: impl Into<String>, tokens: u64) -> Self {
        Self {
            estimator: estimator.into(),
            tokens,
        }
    }
}

/// An event that is not in a log yet.
///
/// ```
/// use session_log::{EventId, Message, NewEvent, Timestamp};
///
/// let event = NewEvent::message(
///     EventId::new("turn-1/user").unwrap(),
///     Timestamp::from_millis(0),
///     Message::user("Hello"),
/// );
/// assert!(!event.origin.is_synthetic());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewEvent {
    /// Its identity, unique across the sessions of a store.
    pub id: EventId,
    /// When it happened.
    pub timestamp: Timestamp,
    /// Why it is there.
    pub origin: Origin,
    /// The sub-agent that made it; `None` for the root.
    pub branch: Option<Branch>,
    /// The application's own notes, and what an importer wants to keep.
    pub metadata: Fields,
    /// Its cost, if it was counted.
    pub tokens: Option<TokenCount>,
    /// What it says.
    pub body: EventBody,
}

impl NewEvent {
    /// A real event of the root with this body, without metadata, not counted.
    #[must_use]
    pub fn new(id: EventId, timestamp: Timestamp, body: EventBody) -> Self {
        Self {
            id,
            timestamp,
            origin: Origin::Real,
            branch: None,
            metadata: Fields::new(),
            tokens: None,
            body,
        }
    }

    /// A message event.
    #[must_use]
    pub fn message(id: EventId, timestamp: Timestamp, message: Message) -> Self {
        Self::new(id, timestamp, EventBody::Message(message))
    }

    /// The same event with another origin.
    #[must_use]
    pub fn with_origin(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }

    /// The same event, made by a sub-agent.
    #[must_use]
    pub fn with_branch(mut self, branch: Branch) -> Self {
        self.branch = Some(branch);
        self
    }

    /// The same event with one more metadata entry.
    #[must_use]
    pub fn with_metadata(mut self, name: impl Into<String>, value: Json) -> Self {
        self.metadata.insert(name.into(), value);
        self
    }

    /// The same event with its cost.
    #[must_use]
    pub fn with_tokens(mut self, tokens: TokenCount) -> Self {
        self.tokens = Some(tokens);
        self
    }

    /// The event in its place in a log.
    #[must_use]
    pub fn at(self, seq: Seq) -> Event {
        Event {
            id: self.id,
            seq,
            timestamp: self.timestamp,
            origin: self.origin,
            branch: self.branch,
            metadata: self.metadata,
            tokens: self.tokens,
            body: self.body,
        }
    }
}

/// An event in its log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// Its identity.
    pub id: EventId,
    /// Its place.
    pub seq: Seq,
    /// When it happened. Nothing is ordered by it.
    pub timestamp: Timestamp,
    /// Why it is there.
    pub origin: Origin,
    /// The sub-agent that made it; `None` for the root.
    pub branch: Option<Branch>,
    /// Notes beside the message.
    pub metadata: Fields,
    /// Its cost, if it was counted.
    pub tokens: Option<TokenCount>,
    /// What it says.
    pub body: EventBody,
}

impl Event {
    /// The type of the event.
    #[must_use]
    pub fn event_type(&self) -> EventType {
        self.body.event_type()
    }

    /// The message, if the event carries one.
    #[must_use]
    pub fn as_message(&self) -> Option<&Message> {
        match &self.body {
            EventBody::Message(message) => Some(message),
            _ => None,
        }
    }

    /// The boundary, if the event is one.
    #[must_use]
    pub fn as_boundary(&self) -> Option<&Boundary> {
        match &self.body {
            EventBody::Compaction(boundary) => Some(boundary),
            _ => None,
        }
    }

    /// Whether both say the same: everything but place, time and count. The store uses it to tell
    /// a repeated append from a clash of ids.
    #[must_use]
    pub fn says_the_same_as(&self, new: &NewEvent) -> bool {
        self.id == new.id
            && self.origin == new.origin
            && self.branch == new.branch
            && self.body == new.body
    }

    /// The event without its place, to append it to another log.
    #[must_use]
    pub fn into_new(self) -> NewEvent {
        NewEvent {
            id: self.id,
            timestamp: self.timestamp,
            origin: self.origin,
            branch: self.branch,
            metadata: self.metadata,
            tokens: self.tokens,
            body: self.body,
        }
    }
}

/// What an event is to the cut.
///
/// Events without a message never enter a view, so they are [`EntryKind::Continuation`] here.
fn entry_kind(origin: &Origin, is_root: bool, message: &Message) -> EntryKind {
    match origin {
        Origin::Summary { .. } => return EntryKind::Summary,
        Origin::Injected => return EntryKind::Continuation,
        Origin::Real => {}
    }
    match &message.role {
        role if role.is_system() && is_root => EntryKind::System,
        Role::User if is_root && !message.is_only_results() => EntryKind::TurnStart,
        Role::Assistant if message.calls().next().is_some() => EntryKind::StepStart,
        _ => EntryKind::Continuation,
    }
}

impl Entry for Event {
    fn kind(&self) -> EntryKind {
        match &self.body {
            EventBody::Message(message) => entry_kind(&self.origin, self.branch.is_none(), message),
            _ => EntryKind::Continuation,
        }
    }

    fn links<'a>(&'a self, each: &mut dyn FnMut(Link<'a>)) {
        let Some(message) = self.as_message() else {
            return;
        };
        for part in &message.parts {
            match part {
                Part::ToolCall(call) => each(Link::Call(&call.id)),
                Part::ToolResult(result) => each(Link::Result(&result.call_id)),
                _ => {}
            }
        }
    }
}

/// The newest system message among `events`, which is the system prompt.
#[must_use]
pub fn latest_system<'a>(events: impl IntoIterator<Item = &'a Event>) -> Option<&'a Event> {
    events
        .into_iter()
        .filter(|event| event.kind() == EntryKind::System)
        .max_by_key(|event| event.seq)
}

/// The messages among `events`, in their order.
#[must_use]
pub fn messages<'a>(events: impl IntoIterator<Item = &'a Event>) -> Vec<&'a Message> {
    events.into_iter().filter_map(Event::as_message).collect()
}
