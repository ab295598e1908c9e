//! What a state comes to, as LangGraph's `add_messages` has it: a removal takes messages out of it,
//! and a later message of the same id takes the place of the earlier one.

use std::collections::BTreeMap;

use session_log::Seq;

/// The id that names every message so far.
const ALL: &str = "__remove_all__";

/// The messages of a state while its records are read.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Each in its place; a place is empty when its message was taken out.
    places: Vec<Option<Seq>>,
    /// The places of an id; only chunks that could not be added up have more than one.
    named: BTreeMap<String, Vec<usize>>,
    is_changed: bool,
    /// How many messages gave their place to a later one.
    pub(super) replaced: usize,
}

impl State {
    /// Whether the id names a message.
    pub(super) fn has(&self, id: &str) -> bool {
        self.named.contains_key(id)
    }

    /// Adds a message, in the place of those of its id.
    pub(super) fn add(&mut self, seq: Seq, id: Option<String>) {
        let known = id.as_ref().and_then(|id| self.named.get_mut(id));
        let Some(places) = known else {
            return self.push(seq, id);
        };
        for (at, place) in places.iter().enumerate() {
            if let Some(message) = self.places.get_mut(*place) {
                *message = (at == 0).then_some(seq);
            }
        }
        self.replaced += places.len();
        places.truncate(1);
        self.is_changed = true;
    }

    /// Adds a message behind all others, whatever its id names already.
    pub(super) fn push(&mut self, seq: Seq, id: Option<String>) {
        if let Some(id) = id {
            self.named.entry(id).or_default().push(self.places.len());
        }
        self.places.push(Some(seq));
    }

    /// Takes out what the id names; says whether it names anything.
    pub(super) fn remove(&mut self, id: &str) -> bool {
        if id == ALL {
            self.is_changed |= !self.places.is_empty();
            self.places.clear();
            self.named.clear();
            return true;
        }
        let Some(places) = self.named.remove(id) else {
            return false;
        };
        for place in places {
            if let Some(message) = self.places.get_mut(place) {
                *message = None;
            }
        }
        self.is_changed = true;
        true
    }

    /// What is left, in its order; `None` when that is every message as it came.
    pub(super) fn into_order(self) -> Option<Vec<Seq>> {
        let left = self.places.into_iter().flatten();
        self.is_changed.then(|| left.collect())
    }
}
