//! What a selection takes or leaves as a whole: an entry, or calls with their results.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::context_window::{PairPolicy, Selection, Weight};
use crate::entry::Entry;
use crate::groups::Groups;
use crate::pairs::pairs;
use crate::spans::Spans;

/// The entries of a conversation as units, each named by its first entry, and which are taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Units {
    groups: Groups,
    weights: Vec<Weight>,
    /// For the first entry of each unit the tokens of the unit.
    tokens: Vec<u64>,
    /// For the first entry of each unit whether it is taken.
    taken: Vec<bool>,
}

impl Units {
    pub(super) fn new<E: Entry>(entries: &[E], weights: Vec<Weight>, policy: PairPolicy) -> Self {
        let len = entries.len();
        let groups = match policy {
            PairPolicy::Atomic => Groups::of(&pairs(entries), len),
            PairPolicy::Independent => Groups::apart(len),
        };
        let mut tokens = vec![0_u64; len];
        for (position, weight) in weights.iter().enumerate() {
            if let Some(sum) = tokens.get_mut(groups.first(position)) {
                *sum = sum.saturating_add(weight.tokens);
            }
        }
        Self {
            groups,
            weights,
            tokens,
            taken: vec![false; len],
        }
    }

    pub(super) fn len(&self) -> usize {
        self.weights.len()
    }

    /// Takes a unit if it fits what is left of the budget, and says whether it is taken.
    pub(super) fn take(&mut self, unit: usize, left: &mut u64) -> bool {
        let tokens = self.tokens.get(unit).copied().unwrap_or_default();
        match self.taken.get_mut(unit) {
            Some(true) => true,
            Some(taken) if tokens <= *left => {
                *taken = true;
                *left -= tokens;
                true
            }
            _ => false,
        }
    }

    /// Takes the units of the last `count` entries from the newest back, up to the first that
    /// does not fit, and says whether all did.
    pub(super) fn take_newest(&mut self, count: usize, left: &mut u64) -> bool {
        let len = self.len();
        (len.saturating_sub(count)..len)
            .rev()
            .all(|position| self.take(self.groups.first(position), left))
    }

    /// The units without an entry among the last `count`.
    pub(super) fn older_than_the_last(&self, count: usize) -> Spans {
        let recent = self.len().saturating_sub(count);
        let unit = |position| self.groups.first(position);
        let recent_units: BTreeSet<usize> = (recent..self.len()).map(unit).collect();
        (0..recent)
            .filter(|position| !recent_units.contains(&unit(*position)))
            .collect()
    }

    /// The units that are not taken, the most important first, of equals the newer.
    pub(super) fn by_importance(&self, importance: impl Fn(usize, Weight) -> u64) -> Vec<usize> {
        let mut ranks = vec![(0, 0); self.len()];
        for (position, weight) in self.weights.iter().enumerate() {
            if let Some(rank) = ranks.get_mut(self.groups.first(position)) {
                let (most, _) = *rank;
                *rank = (importance(position, *weight).max(most), position);
            }
        }
        let mut ranked: Vec<_> = ranks
            .into_iter()
            .enumerate()
            .filter(|(unit, _)| self.groups.first(*unit) == *unit && !self.is_taken(*unit))
            .collect();
        ranked.sort_unstable_by_key(|(_, rank)| Reverse(*rank));
        ranked.into_iter().map(|(unit, _)| unit).collect()
    }

    /// What is selected, with a summary of `summarized` in front.
    pub(super) fn into_selection(self, summarized: Spans, tokens: u64) -> Selection {
        let kept: Spans = (0..self.len())
            .filter(|position| self.is_taken(*position))
            .collect();
        let newest = self.len().checked_sub(1);
        Selection {
            omits_newest: newest.is_some_and(|newest| !kept.contains(newest)),
            summarized,
            kept,
            tokens,
        }
    }

    fn is_taken(&self, position: usize) -> bool {
        let unit = self.groups.first(position);
        self.taken.get(unit).copied().unwrap_or_default()
    }
}
