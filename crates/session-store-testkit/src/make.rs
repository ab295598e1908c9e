//! Short names for what laws are written with.

use session_log::{
    Boundary, EventBody, EventId, EventType, Json, Message, NewEvent, Pin, Receipt, Revert, Seq,
    SessionId, Timestamp, TokenCount,
};

/// The session with this id.
///
/// # Panics
///
/// When the text is no id, as all of this module.
#[must_use]
pub fn sid(text: &str) -> SessionId {
    SessionId::new(text).unwrap()
}

/// The event with this id.
///
/// # Panics
///
/// When the text is no id.
#[must_use]
pub fn eid(text: &str) -> EventId {
    EventId::new(text).unwrap()
}

/// The place with this number.
///
/// # Panics
///
/// When the number is zero.
#[must_use]
pub fn seq(number: u64) -> Seq {
    Seq::new(number).unwrap()
}

/// The moment so many milliseconds after the epoch.
#[must_use]
pub fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

/// JSON as it is written.
///
/// # Panics
///
/// When the text is no JSON.
#[must_use]
pub fn json(text: &str) -> Json {
    Json::new(text).unwrap()
}

/// An event with this message.
#[must_use]
pub fn said(id: &str, message: Message) -> NewEvent {
    NewEvent::message(eid(id), at(0), message)
}

/// A user message, which opens a turn.
#[must_use]
pub fn user(id: &str, text: &str) -> NewEvent {
    said(id, Message::user(text))
}

/// A reply.
#[must_use]
pub fn assistant(id: &str, text: &str) -> NewEvent {
    said(id, Message::assistant(text))
}

/// A count by the estimator `each`.
#[must_use]
pub fn tokens(count: u64) -> TokenCount {
    TokenCount::new("each", count)
}

/// A boundary.
#[must_use]
pub fn boundary(id: &str, kept_from: u64, pinned: &[u64]) -> NewEvent {
    let receipt = Receipt::new(Json::null(), Json::null(), "each");
    let mut drawn = Boundary::new(seq(kept_from), receipt);
    drawn.pinned = pinned.iter().copied().map(seq).collect();
    NewEvent::new(eid(id), at(0), EventBody::Compaction(Box::new(drawn)))
}

/// Takes back the boundary or revert at this place.
#[must_use]
pub fn revert(id: &str, of: u64) -> NewEvent {
    NewEvent::new(eid(id), at(0), EventBody::Revert(Revert::new(seq(of))))
}

/// Pins the event at this place.
#[must_use]
pub fn pin(id: &str, of: u64) -> NewEvent {
    NewEvent::new(eid(id), at(0), EventBody::Pin(Pin::hold(seq(of))))
}

/// An application's own event.
///
/// # Panics
///
/// When `name` is no name of an event type.
#[must_use]
pub fn custom(id: &str, name: &str, payload: &str) -> NewEvent {
    let body = EventBody::Custom {
        event_type: EventType::new(name).unwrap(),
        payload: json(payload),
    };
    NewEvent::new(eid(id), at(0), body)
}
