//! Entries that go together, because calls and results link them.

use alloc::vec::Vec;

use crate::pairs::Pairs;

/// The entries of a conversation in groups: two are in one group when a chain of calls and
/// results leads from one to the other. An entry without links is a group of its own.
///
/// It holds for each entry the first one of its group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Groups(Vec<usize>);

impl Groups {
    /// Every entry alone.
    pub(crate) fn apart(len: usize) -> Self {
        Self((0..len).collect())
    }

    pub(crate) fn of(pairs: &Pairs, len: usize) -> Self {
        let mut groups = Self::apart(len);
        for pair in &pairs.calls {
            if let Some((result, _)) = pair.result {
                groups.join(pair.call, result);
            }
        }
        // Each entry leads to an earlier one of its group, which leads to the first by now.
        for position in 0..len {
            groups.lead(position, groups.first(groups.first(position)));
        }
        groups
    }

    /// The first entry of the group, which stands for it.
    pub(crate) fn first(&self, position: usize) -> usize {
        self.0.get(position).copied().unwrap_or(position)
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.find(one), self.find(other));
        self.lead(one.max(other), one.min(other));
    }

    /// Finds the first of a group and leads everything on the way there directly.
    fn find(&mut self, position: usize) -> usize {
        let mut first = position;
        while self.first(first) != first {
            first = self.first(first);
        }
        let mut at = position;
        while at != first {
            let next = self.first(at);
            self.lead(at, first);
            at = next;
        }
        first
    }

    fn lead(&mut self, position: usize, to: usize) {
        if let Some(first) = self.0.get_mut(position) {
            *first = to;
        }
    }
}
