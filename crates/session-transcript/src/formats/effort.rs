//! How much the boundaries of one conversation may ask for. Each may bring back, or hide, any number
//! of messages in a few words, so a small file of many boundaries can ask for the square of its
//! length, in time and in places to name. What a program writes comes nowhere near the limit.

use crate::transcript::Warning;

/// What boundaries asked for so far.
#[derive(Debug, Default)]
pub(crate) struct Effort {
    spent: usize,
    /// Whether a boundary came too late.
    has_refused: bool,
}

impl Effort {
    /// What any conversation may ask for.
    const FREE: usize = 1 << 18;
    /// What it may ask for besides, for each of its records.
    const EACH: usize = 64;

    /// Whether a boundary that keeps something can be followed, in a conversation of so many
    /// records; if not it is to be taken for one that keeps nothing, and that is told.
    pub(crate) fn has_room(&mut self, records: usize) -> bool {
        let most = records
            .saturating_mul(Self::EACH)
            .saturating_add(Self::FREE);
        let has_room = self.spent <= most;
        self.has_refused |= !has_room;
        has_room
    }

    /// Notes that so many messages were looked at, or named.
    pub(crate) fn spend(&mut self, count: usize) {
        self.spent = self.spent.saturating_add(count);
    }

    /// What is to be told of boundaries that were not followed.
    pub(crate) fn warning(&self) -> Option<Warning> {
        let what = "compactions bring back and hide too much, again and again, to be followed: \
                    the later ones are read as if they kept nothing";
        self.has_refused.then(|| Warning::file(what))
    }
}
