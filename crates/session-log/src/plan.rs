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
    boundary.held = view.held().iter().copied().collect();
    boundary.pins = pins(view, plan);
    let stays: BTreeSet<Seq> = plan.view_order().filter_map(seq_at).collect();
    boundary.cleared = cleared_before(view)
        .iter()
        .copied()
        .filter(|seq| stays.contains(seq))
        .collect();
    boundary
}

/// The boundary that leaves `view` as it is, for a pass that only clears tool results.
#[must_use]
pub fn boundary_keeping(view: &View, mut receipt: Receipt) -> Boundary {
    receipt.covered = Covered::of([]);
    let (lead, tail) = view.events().split_at(view.lead().min(view.events().len()));
    let kept_from = tail
        .first()
        .map_or_else(|| view.version().next_seq(), |event| event.seq);
    let mut boundary = Boundary::new(kept_from, receipt);
    boundary.pinned = lead.iter().map(|event| event.seq).collect();
    boundary.held = view.held().iter().copied().collect();
    boundary.cleared = cleared_before(view).to_vec();
    if let Some(prior) = view.boundary().and_then(|event| event.as_boundary()) {
        let still = |seqs: &[Seq], is_kept: &dyn Fn(&Seq) -> bool| {
            seqs.iter().copied().filter(|seq| is_kept(seq)).collect()
        };
        boundary.superseded = still(&prior.superseded, &|seq| *seq >= kept_from);
        let is_pin = |seq: &Seq| {
            boundary.held.contains(seq) && (prior.pins.contains(seq) || !prior.pinned.contains(seq))
        };
        boundary.pins = still(&boundary.pinned, &is_pin);
    }
    boundary
}

fn cleared_before(view: &View) -> &[Seq] {
    view.boundary()
        .and_then(|event| event.as_boundary())
        .map(|prior| prior.cleared.as_slice())
        .unwrap_or_default()
}

/// The pinned events that leave as soon as they are released: those the plan would cover, those
/// that were such at the boundary before, and those that came back since.
fn pins(view: &View, plan: &Plan) -> Vec<Seq> {
    let prior = view.boundary().and_then(|event| event.as_boundary());
    let was_pin = |seq: &Seq| prior.is_some_and(|prior| prior.pins.contains(seq));
    let came_back = |at: usize, seq: &Seq| {
        at < view.lead() && prior.is_some_and(|prior| !prior.pinned.contains(seq))
    };
    plan.pinned()
        .iter()
        .filter_map(|at| Some((*at, view.events().get(*at)?.seq)))
        .filter(|(_, seq)| view.held().contains(seq))
        .filter(|(at, seq)| plan.pins().contains(at) || was_pin(seq) || came_back(*at, seq))
        .map(|(_, seq)| seq)
        .collect()
}
