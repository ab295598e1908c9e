//! Messages joined to records of alternating roles.

use crate::json::array;
use crate::note::{Note, Place};
use crate::write::{Draft, Repair};

/// A record under construction.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) role: &'static str,
    pub(crate) place: Place,
    /// The parts, each with its slot in the record it came from.
    pub(crate) entries: Vec<Entry>,
    /// There was no list of parts at all.
    pub(crate) is_absent: bool,
    /// The fields beside the parts.
    pub(crate) extra: Vec<(String, String)>,
    /// What the record is wrapped in, as an object without it.
    pub(crate) wrap: Option<String>,
    /// The source record of the first and the last message in it.
    pub(crate) from: Option<(u64, u64)>,
}

/// A part of a record.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) json: String,
    pub(crate) is_result: bool,
    pub(crate) slot: Option<u64>,
}

impl Turn {
    /// An empty turn; `note` is that of a message of the same format.
    pub(crate) fn new(role: &'static str, note: Option<&Note>) -> Self {
        Self {
            role,
            place: note.map_or(Place::Messages, |note| note.place),
            entries: Vec::new(),
            is_absent: false,
            extra: Vec::new(),
            wrap: None,
            from: note.map(|note| (note.record, note.record)),
        }
    }

    /// A user turn that stands where a conversation begins with the model.
    fn opening(entry: String) -> Self {
        let mut turn = Self::new("user", None);
        turn.entries.push(Entry {
            json: entry,
            is_result: false,
            slot: None,
        });
        turn
    }

    /// The parts as an array.
    pub(crate) fn parts(&self) -> String {
        array(self.entries.iter().map(|entry| &entry.json))
    }

    fn is_same_source(&self, next: &Self) -> bool {
        self.role == next.role
            && match (self.from, next.from) {
                (Some((_, last)), Some((first, _))) => last == first,
                _ => false,
            }
    }

    fn are_neighbours(&self, next: &Self) -> bool {
        match (self.from, next.from) {
            (Some((_, last)), Some((first, _))) => first == last + 1,
            _ => false,
        }
    }

    fn append(&mut self, mut next: Self) {
        self.entries.append(&mut next.entries);
        self.extra.append(&mut next.extra);
        self.is_absent = false;
        self.place = next.place;
        self.wrap = self.wrap.take().or(next.wrap);
        self.from = match (self.from, next.from) {
            (Some((first, _)), Some((_, last))) => Some((first, last)),
            (from, None) | (None, from) => from,
        };
    }
}

/// Turns in order.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    list: Vec<Turn>,
    /// Nothing is repaired.
    is_exact: bool,
    /// The result is a request rather than a file.
    is_request: bool,
}

impl Turns {
    /// No turns yet, of what the draft asks for.
    pub(crate) fn of(draft: &Draft<'_>) -> Self {
        Self {
            list: Vec::new(),
            is_exact: draft.repair == Repair::Nothing,
            is_request: draft.is_request,
        }
    }

    /// No turns yet; only what was one record becomes one again.
    pub(crate) fn exact() -> Self {
        Self {
            list: Vec::new(),
            is_exact: true,
            is_request: false,
        }
    }

    /// Adds a turn. It joins the one before when both were one record, or have one role and did
    /// not stand side by side.
    pub(crate) fn push(&mut self, turn: Turn) {
        let Some(last) = self.list.last_mut() else {
            return self.list.push(turn);
        };
        let joins = last.is_same_source(&turn)
            || (!self.is_exact
                && last.role == turn.role
                && (self.is_request || !last.are_neighbours(&turn)));
        if joins {
            last.append(turn);
        } else {
            self.list.push(turn);
        }
    }

    /// The turns, parts where they stood in their records and results first where that is to be;
    /// and whether `opening` was put first, since the provider wants the person to begin.
    pub(crate) fn finish(mut self, opening: impl FnOnce() -> String) -> (Vec<Turn>, bool) {
        for turn in &mut self.list {
            if turn.entries.iter().all(|entry| entry.slot.is_some()) {
                turn.entries.sort_by_key(|entry| entry.slot);
            }
            if !self.is_exact {
                turn.entries.sort_by_key(|entry| !entry.is_result);
            }
        }
        let starts_late = self.list.first().is_some_and(|first| {
            // A file that never had the person first stays as it was.
            let was_first = first.from.is_some_and(|(record, _)| record <= 1);
            first.role != "user" && (self.is_request || !was_first)
        });
        let is_put_first = starts_late && !self.is_exact;
        if is_put_first {
            self.list.insert(0, Turn::opening(opening()));
        }
        (self.list, is_put_first)
    }
}
