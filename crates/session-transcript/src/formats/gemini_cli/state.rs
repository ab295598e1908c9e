//! What a log of records comes to: a record may change an earlier one, take it back with all that
//! came after, or replace everything.

use std::collections::{BTreeMap, BTreeSet};

use crate::formats::gemini_cli::is_head;
use crate::json::{Kind, Members, Raw};
use crate::read::Context;
use crate::source::Placed;

/// A session.
#[derive(Default)]
pub(super) struct Session<'a> {
    pub(super) head: Members<'a>,
    /// Records with an id, each as it was in the end.
    pub(super) records: Vec<Record<'a>>,
    pub(super) steps: Vec<Step<'a>>,
    /// Earlier states of records, which are left out.
    pub(super) replaced: usize,
    current: Vec<usize>,
    named: BTreeMap<String, usize>,
}

/// A record as it was in the end.
pub(super) struct Record<'a> {
    pub(super) value: Placed<'a>,
    pub(super) id: Option<String>,
    /// Whether it was taken back later.
    pub(super) is_dropped: bool,
}

/// What happened, in order.
pub(super) enum Step<'a> {
    /// A record was added.
    Added(usize),
    /// The history became these records.
    Replaced(Placed<'a>, Vec<usize>),
    /// Something that is no record.
    Beside(Placed<'a>),
}

/// Whether the value is a record of a message.
pub(super) fn is_record(raw: Raw<'_>) -> bool {
    let kind = raw.find_str("type");
    matches!(
        kind.as_deref(),
        Some("user" | "gemini" | "info" | "error" | "warning")
    ) && raw.find("id").is_some()
}

/// The sessions in the values of a file: each head begins one.
pub(super) fn sessions<'a>(values: Vec<Placed<'a>>, context: &mut Context<'_>) -> Vec<Session<'a>> {
    let mut sessions: Vec<Session<'a>> = Vec::new();
    for value in values {
        if value.raw.kind() != Kind::Object {
            context.skip(value.line, value.bytes, "no record of a session");
            continue;
        }
        if is_head(value.raw) || sessions.is_empty() {
            let is_more = sessions
                .last()
                .is_some_and(|session| session.is_same(&value));
            if !is_more {
                sessions.push(Session::default());
            }
        }
        if let Some(session) = sessions.last_mut() {
            session.value(&value);
        }
    }
    sessions
}

impl<'a> Session<'a> {
    /// Whether a head repeats the one of this session.
    fn is_same(&self, value: &Placed<'_>) -> bool {
        let id = self.head.peek_str("sessionId");
        id.is_some() && value.raw.member_str("sessionId") == id
    }

    fn value(&mut self, value: &Placed<'a>) {
        if is_head(value.raw) {
            let mut members = value.raw.members().unwrap_or_default();
            let list = members.take("messages").and_then(Raw::items);
            self.head = members;
            for raw in list.unwrap_or_default() {
                self.record(&value.inner(raw));
            }
            return;
        }
        self.record(value);
    }

    fn record(&mut self, value: &Placed<'a>) {
        let members = value.raw.members().unwrap_or_default();
        if let Some(set) = members.peek("$set") {
            return self.set(value, set);
        }
        if let Some(id) = members.peek("$rewindTo") {
            self.rewind(id.as_str().as_deref());
            return self.steps.push(Step::Beside(value.clone()));
        }
        let kind = members.peek_str("type");
        if kind.is_none_or(|kind| kind == "message_update") {
            return self.steps.push(Step::Beside(value.clone()));
        }
        if let Some(at) = self.add(value, &members) {
            self.steps.push(Step::Added(at));
        }
    }

    /// The place of a record that is new.
    fn add(&mut self, value: &Placed<'a>, members: &Members<'_>) -> Option<usize> {
        let id = members.peek_str("id").map(|id| id.into_owned());
        let known = id.as_ref().and_then(|id| self.named.get(id)).copied();
        if let Some(at) = known {
            if let Some(record) = self.records.get_mut(at) {
                record.value = value.clone();
                self.replaced += 1;
            }
            return None;
        }
        let at = self.records.len();
        if let Some(id) = &id {
            self.named.insert(id.clone(), at);
        }
        self.records.push(Record {
            value: value.clone(),
            id,
            is_dropped: false,
        });
        self.current.push(at);
        Some(at)
    }

    /// Fields of the head change; a list of messages replaces all there are.
    fn set(&mut self, value: &Placed<'a>, set: Raw<'a>) {
        let Some(list) = set.member("messages").and_then(Raw::items) else {
            return self.steps.push(Step::Beside(value.clone()));
        };
        let mut history = Vec::new();
        for raw in list {
            let members = raw.members().unwrap_or_default();
            let id = members.peek_str("id");
            let known = id.and_then(|id| self.named.get(&*id)).copied();
            match known {
                Some(at) => history.push(at),
                None => history.extend(self.add(&value.inner(raw), &members)),
            }
        }
        let named = std::mem::take(&mut self.named);
        self.current.clone_from(&history);
        let shown: BTreeSet<&usize> = history.iter().collect();
        self.named = named
            .into_iter()
            .filter(|(_, at)| shown.contains(at))
            .collect();
        self.steps.push(Step::Replaced(value.clone(), history));
    }

    /// Takes back the record of this id and what came after; everything when it is not there.
    fn rewind(&mut self, id: Option<&str>) {
        let named = id.and_then(|id| self.named.get(id));
        let from = named.and_then(|at| self.current.iter().rposition(|place| place == at));
        for at in self.current.split_off(from.unwrap_or(0)) {
            if let Some(record) = self.records.get_mut(at) {
                record.is_dropped = true;
                if let Some(id) = &record.id {
                    self.named.remove(id);
                }
            }
        }
    }
}
