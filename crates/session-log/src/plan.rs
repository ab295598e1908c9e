//! From positions to places: the one function that turns a plan into a boundary.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use compaction_core::Plan;

use crate::boundary::{Boundary, Covered, Receipt};
use crate::ids::{EventId, Seq};
use crate::view::View;

/// The boundary that does to `view` what `plan` says.
///
/// `summary` are the ids of the summary turn that is appended right behind the boundary, empty
/// when the plan is not summarized. What was covered is written into the receipt.
///
/// The view behind the boundary is the plan's [`view_order`](Plan::view_order), with the summary
/// before the first event that follows in log order.
#[must_use]
pub fn boundary_of(
    view: &View,
    plan: &Plan,
    summary: Vec<EventId>,
    mut receipt: Receipt,
) -> Boundary {
    let seq_at = |at: usize| view.events().get(at).map(|event| event.seq);
    let lead = view.lead();

    let pinned: Vec<Seq> = plan
        .pinned()
        .iter()
        .copied()
        // What leads the view cannot be named by a range, so what is kept of it is named.
        .chain(plan.kept().iter().take_while(|at| *at < lead))
        .filter_map(seq_at)
        .collect();
    let kept_from = plan
        .kept()
        .iter()
        .find(|at| *at >= lead)
        .and_then(seq_at)
        .unwrap_or_else(|| view.version().next_seq());

    let leaves = plan.superseded().iter().chain(plan.covered().iter());
    let already_left = view
        .boundary()
        .and_then(|event| event.as_boundary())
        .map(|prior| prior.superseded.as_slice())
        .unwrap_or_default();
    let superseded: BTreeSet<Seq> = leaves
        .filter_map(seq_at)
        .chain(already_left.iter().copied())
        .filter(|seq| *seq >= kept_from)
        .collect();

    let mut covered: Vec<_> = plan
        .covered()
        .iter()
        .filter_map(|at| view.events().get(at))
        .map(|event| (event.seq, &event.id))
        .collect();
    covered.sort_unstable_by_key(|(seq, _)| *seq);
    receipt.covered = Covered::of(covered);

    let mut boundary = Boundary::new(kept_from, receipt);
    boundary.pinned = pinned;
    boundary.superseded = superseded.into_iter().collect();
    boundary.summary = summary;
    boundary.cleared = view
        .boundary()
        .and_then(|event| event.as_boundary())
        .map(|prior| prior.cleared.clone())
        .unwrap_or_default();
    boundary
}
