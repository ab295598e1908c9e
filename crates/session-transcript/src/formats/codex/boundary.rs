//! A compaction that Codex made, as a boundary and its summary.

use std::collections::BTreeSet;

use session_log::{
    Boundary, Covered, EventBody, EventId, Json, Message, NewEvent, Origin, Receipt, Role, Seq,
};

use crate::formats::openai_responses::item::{self, Item};
use crate::json::{Members, Raw};

/// How much of what the person said stays with a summary, newest first, as Codex does it: 20 000
/// tokens of about four bytes.
const KEPT_BYTES: usize = 80_000;

/// What the model reads after a compaction.
pub(super) struct Replacement {
    /// Events that are in the log already, in the order of the view.
    pub(super) pinned: Vec<Seq>,
    /// What is new.
    pub(super) summary: Vec<Message>,
}

/// What a `compacted` line puts in the place of the messages so far.
pub(super) fn replacement(line: &Members<'_>, events: &[NewEvent]) -> Replacement {
    match line.peek("replacement_history").and_then(Raw::items) {
        Some(items) => given(&items, events),
        None => kept(line.peek_str("message").as_deref(), events),
    }
}

/// The history is given. Where it begins with messages of the log these are shown; from the first
/// new one on it is the summary, so that its order stays.
fn given(items: &[Raw<'_>], events: &[NewEvent]) -> Replacement {
    let mut pinned: Vec<Seq> = prompt(events).into_iter().collect();
    let mut summary = Vec::new();
    let mut candidates = messages(events);
    for raw in items {
        let message = match item::read(*raw) {
            Item::Message(message) | Item::Result(message) => message,
            Item::Reply(part) | Item::Compaction(part) => Message::new(Role::Assistant, vec![part]),
            Item::Unknown => continue,
        };
        let mut ahead = candidates.clone();
        let found = ahead.find(|(_, event, logged)| {
            !matches!(event.origin, Origin::Summary { .. }) && is_same(logged, &message)
        });
        match found.filter(|_| summary.is_empty()) {
            Some((seq, ..)) => {
                candidates = ahead;
                pinned.push(seq);
            }
            None => summary.push(message),
        }
    }
    Replacement { pinned, summary }
}

fn is_same(logged: &Message, message: &Message) -> bool {
    let is_text = |message: &Message| message.parts.iter().all(|part| part.as_text().is_some());
    logged.role == message.role
        && is_text(logged)
        && is_text(message)
        && !message.is_empty()
        && logged.text() == message.text()
}

/// Only a summary is given: what stood in front of the first turn stays, and what the person said.
fn kept(summary: Option<&str>, events: &[NewEvent]) -> Replacement {
    let mut room = KEPT_BYTES;
    let mut said: Vec<Seq> = messages(events)
        .filter(|(_, event, message)| is_person(event, message))
        .map(|(seq, _, message)| (seq, message.text().len()))
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .map_while(|(seq, size)| {
            room = room.checked_sub(size)?;
            Some(seq)
        })
        .collect();
    said.reverse();
    let mut pinned: Vec<Seq> = messages(events)
        .take_while(|(_, event, message)| !is_person(event, message))
        .filter(|(_, event, message)| {
            message.role.is_system()
                || (message.role == Role::User && event.origin == Origin::Injected)
        })
        .map(|(seq, ..)| seq)
        .collect();
    pinned.extend(said);
    let summary = summary.filter(|text| !text.trim().is_empty());
    Replacement {
        pinned,
        summary: summary.map(Message::user).into_iter().collect(),
    }
}

fn is_person(event: &NewEvent, message: &Message) -> bool {
    message.role == Role::User && event.origin == Origin::Real
}

/// The prompt of the session, which is no part of a history.
fn prompt(events: &[NewEvent]) -> Option<Seq> {
    let (seq, event, message) = messages(events).next()?;
    (message.role == Role::System && event.origin == Origin::Real).then_some(seq)
}

fn messages(events: &[NewEvent]) -> impl Iterator<Item = (Seq, &NewEvent, &Message)> + Clone {
    let places = std::iter::successors(Some(Seq::FIRST), |seq| Some(seq.plus(1)));
    places
        .zip(events)
        .filter_map(|(seq, event)| match &event.body {
            EventBody::Message(message) => Some((seq, event, message)),
            _ => None,
        })
}

/// The boundary behind `events`.
pub(super) fn boundary(pinned: Vec<Seq>, summary: Vec<EventId>, events: &[NewEvent]) -> Boundary {
    let count = u64::try_from(events.len()).unwrap_or(u64::MAX);
    let at = Seq::FIRST.plus(count);
    let receipt = Receipt::new(Json::string("codex"), Json::string("codex"), "codex");
    let mut boundary = Boundary::new(at.plus(1), receipt);
    let shown: BTreeSet<&Seq> = pinned.iter().collect();
    let left = messages(events).filter(|(seq, ..)| !shown.contains(seq));
    boundary.receipt.covered = Covered::of(left.map(|(seq, event, _)| (seq, &event.id)));
    boundary.pinned = pinned;
    boundary.summary = summary;
    boundary
}
