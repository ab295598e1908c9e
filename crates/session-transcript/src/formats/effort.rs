//! How much the boundaries of one conversation may ask for. Each may bring back, or hide, any number
//! of messages in a few words, so a small file of many boundaries can ask for the square of its
//! length, in time and in places to name. What a program writes comes nowhere near the limit.

use crate::transcript::Warning;

/// What boundaries asked for so far.
#[derive(Debug, Default)]
pub(crate) struct Effort {
    spent: usize,
    /// How many boundaries came too late.
    refused: usize,
}

impl Effort {
    /// What any conversation may ask for.
    const FREE: usize = 1 << 18;
    /// What it may ask for besides, for each of its records.
    const EACH: usize = 64;

    /// Whether a boundary that keeps something can be followed, in a conversation of so many
    /// records; if not it is counted, and is to be taken for one that keeps nothing.
    pub(crate) fn has_room(&mut self, records: usize) -> bool {
        let has_room = self.has_room_left(records);
        self.refused += usize::from(!has_room);
        has_room
    }

    /// Whether the next boundary will find room.
    pub(crate) fn has_room_left(&self, records: usize) -> bool {
        self.spent
            <= records
                .saturating_mul(Self::EACH)
                .saturating_add(Self::FREE)
    }

    /// Notes that so many messages were looked at, or named.
    pub(crate) fn spend(&mut self, count: usize) {
        self.spent = self.spent.saturating_add(count);
    }

    /// What is to be told of boundaries that were not followed.
    pub(crate) fn warning(&self) -> Option<Warning> {
        let refused = self.refused;
        let what = format!(
            "{refused} compaction(s) behind many others bring back and hide too much to be followed: \
             they are read as if they kept nothing"
        );
        (refused > 0).then(|| Warning::file(what))
    }
}
