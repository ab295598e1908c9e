//! The first tier: old, large tool results shown as a short line.

use compaction_core::{Outline, View as CoreView};
use session_log::{Boundary, Seq, View, cleared_message};

use crate::compaction::Compaction;
use crate::sessions::Sessions;

/// What a pass clears: positions in the view, in order, with what each costs then.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cleared(Vec<(usize, u64)>);

impl Cleared {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The costs of the view with these events cleared.
    pub(crate) fn costs(&self, costs: &[u64]) -> Vec<u64> {
        let mut costs = costs.to_vec();
        for (at, tokens) in &self.0 {
            if let Some(cost) = costs.get_mut(*at) {
                *cost = *tokens;
            }
        }
        costs
    }

    /// The positions that are still in the view, as `is_shown` says.
    pub(crate) fn shown(&self, is_shown: impl Fn(usize) -> bool) -> Vec<usize> {
        let positions = self.0.iter().map(|(at, _)| *at);
        positions.filter(|at| is_shown(*at)).collect()
    }
}

impl Sessions {
    /// What to clear in the view. An event that would not get smaller is left alone.
    pub(crate) fn clear(
        &self,
        compaction: &Compaction,
        view: &View,
        outline: &Outline,
        costs: &[u64],
    ) -> Cleared {
        let Some(clearing) = &compaction.clearing else {
            return Cleared::default();
        };
        let positions = clearing.positions(&CoreView::new(view.events(), outline));
        let smaller = |at: usize| {
            let event = view.events().get(at)?;
            let before = *costs.get(at)?;
            if view.is_cleared(event.seq) {
                return None;
            }
            let after = self.tokens_of(&cleared_message(event, event.as_message()?));
            (after < before).then_some((at, after))
        };
        Cleared(positions.iter().filter_map(smaller).collect())
    }
}

/// Adds events to what a boundary shows cleared.
pub(crate) fn add_cleared(boundary: &mut Boundary, seqs: impl Iterator<Item = Seq>) {
    boundary.cleared.extend(seqs);
    boundary.cleared.sort_unstable();
    boundary.cleared.dedup();
}
