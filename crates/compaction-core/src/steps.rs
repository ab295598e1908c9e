//! Where a turn may be cut inside.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::entry::{Entry, EntryKind};
use crate::groups::Groups;
use crate::outline::Outline;
use crate::pairs::pairs;

/// The places inside the newest turn where a pass may cut, and what must stay of it.
///
/// A place is legal when a step opens there and no pair of call and result lies across it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    turn: usize,
    starts: Vec<usize>,
    waiting: Vec<usize>,
}

impl Steps {
    pub(crate) fn of_newest_turn<E: Entry>(entries: &[E], outline: &Outline) -> Option<Self> {
        let turn = outline.newest_turn()?;
        let tail = entries.get(turn..).unwrap_or_default();
        let pairs = pairs(tail);
        let groups = Groups::of(&pairs, tail.len());

        // What waits, opens the turn or is pinned stays, and so does all that goes with it.
        let pins = outline
            .pins()
            .iter()
            .filter_map(|pin| pin.checked_sub(turn));
        let waiting = pairs.calls.iter().filter(|pair| pair.result.is_none());
        let staying: BTreeSet<usize> = waiting
            .map(|pair| pair.call)
            .chain(pins)
            .chain([0])
            .map(|position| groups.first(position))
            .collect();
        let stays = |position| staying.contains(&groups.first(position));

        let mut starts = Vec::new();
        let mut open_until = 0;
        let mut calls = pairs.calls.iter().peekable();
        for (position, _) in tail.iter().enumerate().skip(1) {
            while let Some(pair) = calls.next_if(|pair| pair.call < position) {
                if let (Some((result, _)), false) = (pair.result, stays(pair.call)) {
                    open_until = open_until.max(result);
                }
            }
            let opens_step = outline.kind(turn + position) == Some(EntryKind::StepStart);
            if opens_step && open_until < position {
                starts.push(turn + position);
            }
        }

        let waiting = (1..tail.len())
            .filter(|position| stays(*position))
            .map(|position| turn + position)
            .filter(|position| outline.is_conversation(*position))
            .collect();
        Some(Self {
            turn,
            starts,
            waiting,
        })
    }

    /// Where the newest turn opens.
    #[must_use]
    pub fn turn(&self) -> usize {
        self.turn
    }

    /// The legal places, in order. Each lies after [`turn`](Self::turn).
    #[must_use]
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Conversation entries of steps that wait for a result, and of pairs that the opening message
    /// or a pinned entry is part of. They stay in the view, wherever the cut is.
    #[must_use]
    pub fn waiting(&self) -> &[usize] {
        &self.waiting
    }

    /// Whether a cut here covers anything of the turn. One that does not is no cut inside it, and a
    /// summary of older turns goes before the message that opens this one.
    pub(crate) fn covers_before(&self, cut: usize, outline: &Outline) -> bool {
        let after_opening = outline.conversation_entries(self.turn.saturating_add(1));
        let between = after_opening.saturating_sub(outline.conversation_entries(cut));
        between > self.waiting.partition_point(|position| *position < cut)
    }

    /// The entries before `cut` that stay because of it: the message that opens the turn, and
    /// steps that wait.
    pub(crate) fn held(&self, cut: usize) -> impl Iterator<Item = usize> + '_ {
        core::iter::once(self.turn)
            .chain(self.waiting.iter().copied())
            .take_while(move |position| *position < cut)
    }
}
