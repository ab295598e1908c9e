//! A compaction that Codex made, as a boundary and its summary.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use session_log::{
    Boundary, EventBody, EventId, Json, Message, NewEvent, Origin, Receipt, Role, Seq,
};

use crate::formats::effort::Effort;
use crate::formats::openai_responses::item::{self, Item};
use crate::formats::shown::{self, Shown, event_at, next_seq};
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

/// What compactions ask of the log in front of them. Each event is looked at once, at the first
/// compaction behind it.
#[derive(Debug, Default)]
pub(super) struct History {
    seen: usize,
    has_messages: bool,
    /// The prompt of the session, which is no part of a history.
    prompt: Option<Seq>,
    /// What stands in front of the first turn and stays there.
    lead: Vec<Seq>,
    has_turn: bool,
    /// The newest of what the person said that have room beside a summary, with their sizes.
    said: VecDeque<(Seq, usize)>,
    said_bytes: usize,
    /// Where messages of text alone are, by a hash of role and text.
    texts: BTreeMap<u64, Vec<Seq>>,
    shown: Shown,
    pub(super) effort: Effort,
}

impl History {
    /// What a `compacted` line puts in the place of the messages so far.
    pub(super) fn replacement(&mut self, line: &Members<'_>, events: &[NewEvent]) -> Replacement {
        self.look(events);
        let has_room = self.effort.has_room(events.len());
        let mut replacement = match line.peek("replacement_history").and_then(Raw::items) {
            Some(items) => self.given(&items, events),
            None => self.kept(line.peek_str("message").as_deref(), has_room),
        };
        if !has_room {
            replacement.pinned.clear();
        }
        replacement
    }

    /// The boundary behind `events`.
    pub(super) fn boundary(
        &mut self,
        pinned: Vec<Seq>,
        summary: Vec<EventId>,
        events: &[NewEvent],
    ) -> Boundary {
        let at = next_seq(events);
        let receipt = Receipt::new(Json::string("codex"), Json::string("codex"), "codex");
        let mut boundary = Boundary::new(at.plus(1), receipt);
        let left = self.shown.leave(&pinned.iter().copied().collect(), at);
        boundary.receipt.covered = shown::covered(&left, events);
        self.effort.spend(left.len() + pinned.len());
        boundary.pinned = pinned;
        boundary.summary = summary;
        boundary
    }

    fn look(&mut self, events: &[NewEvent]) {
        let start = u64::try_from(self.seen).unwrap_or(u64::MAX);
        let places = std::iter::successors(Some(Seq::FIRST.plus(start)), |seq| Some(seq.plus(1)));
        let new = events.get(self.seen..).unwrap_or_default();
        for (seq, event) in places.zip(new) {
            if let EventBody::Message(message) = &event.body {
                self.add(seq, event, message);
            }
        }
        self.seen = events.len();
    }

    fn add(&mut self, seq: Seq, event: &NewEvent, message: &Message) {
        self.shown.add(seq, &event.origin);
        let is_first = !std::mem::replace(&mut self.has_messages, true);
        if is_first && message.role == Role::System && event.origin == Origin::Real {
            self.prompt = Some(seq);
        }
        let is_users = message.role == Role::User;
        if is_users && event.origin == Origin::Real {
            self.has_turn = true;
            self.say(seq, message.text().len());
        }
        let is_injected = is_users && event.origin == Origin::Injected;
        if !self.has_turn && (message.role.is_system() || is_injected) {
            self.lead.push(seq);
        }
        if !matches!(event.origin, Origin::Summary { .. }) && is_text(message) {
            self.texts.entry(hash(message)).or_default().push(seq);
        }
    }

    /// What the person says takes the room of what was said long ago.
    fn say(&mut self, seq: Seq, size: usize) {
        self.said.push_back((seq, size));
        self.said_bytes += size;
        while self.said_bytes > KEPT_BYTES
            && let Some((_, size)) = self.said.pop_front()
        {
            self.said_bytes -= size;
        }
    }

    /// The history is given. Where it begins with messages of the log these are shown; from the
    /// first new one on it is the summary, so that its order stays.
    fn given(&self, items: &[Raw<'_>], events: &[NewEvent]) -> Replacement {
        let mut pinned: Vec<Seq> = self.prompt.into_iter().collect();
        let mut summary = Vec::new();
        let mut next = Seq::FIRST;
        for raw in items {
            let message = match item::read(*raw) {
                Item::Message(message) | Item::Result(message) => message,
                Item::Reply(part) | Item::Compaction(part) => {
                    Message::new(Role::Assistant, vec![part])
                }
                Item::Unknown => continue,
            };
            let found = match summary.is_empty() {
                true => self.find(&message, next, events),
                false => None,
            };
            match found {
                Some(seq) => {
                    next = seq.plus(1);
                    pinned.push(seq);
                }
                None => summary.push(message),
            }
        }
        Replacement { pinned, summary }
    }

    /// The first message from `next` on that says the same.
    fn find(&self, message: &Message, next: Seq, events: &[NewEvent]) -> Option<Seq> {
        if !is_text(message) {
            return None;
        }
        let seqs = self.texts.get(&hash(message))?;
        let from = seqs.partition_point(|seq| *seq < next);
        let is_same = |seq: &Seq| {
            event_at(events, *seq).is_some_and(|event| match &event.body {
                EventBody::Message(logged) => {
                    logged.role == message.role && logged.text() == message.text()
                }
                _ => false,
            })
        };
        seqs.iter().skip(from).copied().find(is_same)
    }

    /// Only a summary is given: what stood in front of the first turn stays, and what the person
    /// said.
    fn kept(&self, summary: Option<&str>, has_room: bool) -> Replacement {
        let said = self.said.iter().map(|(seq, _)| *seq);
        let pinned = self.lead.iter().copied().chain(said);
        let summary = summary.filter(|text| !text.trim().is_empty());
        Replacement {
            pinned: pinned.filter(|_| has_room).collect(),
            summary: summary.map(Message::user).into_iter().collect(),
        }
    }
}

/// Whether the message says something, and all of it is text.
fn is_text(message: &Message) -> bool {
    !message.is_empty() && message.parts.iter().all(|part| part.as_text().is_some())
}

fn hash(message: &Message) -> u64 {
    let mut hasher = DefaultHasher::new();
    message.role.hash(&mut hasher);
    message.text().hash(&mut hasher);
    hasher.finish()
}
