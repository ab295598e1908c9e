//! Where a turn may be cut inside.

use alloc::vec;
use alloc::vec::Vec;

use crate::entry::{Entry, EntryKind};
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

        let mut waits = vec![false; tail.len()];
        for pair in pairs.calls.iter().filter(|pair| pair.result.is_none()) {
            mark(&mut waits, pair.call);
        }
        // A step that waits stays whole, with the results it has.
        for pair in &pairs.calls {
            if let (Some((result, _)), true) = (pair.result, is_marked(&waits, pair.call)) {
                mark(&mut waits, result);
            }
        }

        let mut starts = Vec::new();
        let mut open_until = 0;
        let mut calls = pairs.calls.iter().peekable();
        for (position, _) in tail.iter().enumerate().skip(1) {
            while let Some(pair) = calls.next_if(|pair| pair.call < position) {
                let is_held = is_marked(&waits, pair.call);
                if let (Some((result, _)), false) = (pair.result, is_held) {
                    open_until = open_until.max(result);
                }
            }
            let opens_step = outline.kind(turn + position) == Some(EntryKind::StepStart);
            if opens_step && open_until < position {
                starts.push(turn + position);
            }
        }

        let waiting = waits
            .iter()
            .enumerate()
            .filter(|(_, waits)| **waits)
            .map(|(position, _)| turn + position)
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

    /// Conversation entries of steps that wait for a result. They stay in the view, wherever the
    /// cut is.
    #[must_use]
    pub fn waiting(&self) -> &[usize] {
        &self.waiting
    }

    /// The entries before `cut` that stay because of it: the message that opens the turn, and
    /// steps that wait.
    pub(crate) fn held(&self, cut: usize) -> impl Iterator<Item = usize> + '_ {
        let waiting = self.waiting.iter().copied();
        core::iter::once(self.turn)
            .chain(waiting.filter(|position| *position != self.turn))
            .take_while(move |position| *position < cut)
    }
}

fn mark(marks: &mut [bool], position: usize) {
    if let Some(mark) = marks.get_mut(position) {
        *mark = true;
    }
}

fn is_marked(marks: &[bool], position: usize) -> bool {
    marks.get(position).copied().unwrap_or_default()
}
