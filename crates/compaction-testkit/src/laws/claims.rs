//! Laws 9 to 11, which the built-in windows promise and others may claim.

use std::collections::BTreeSet;

use compaction_core::{
    EntryKind, Grain, MAX_TOKENS_PER_ENTRY, Outcome, Preamble, Strategy, Summarize,
};

use crate::laws::Verdict;
use crate::laws::trial::Trial;
use crate::note::Note;
use crate::oracle::{held, step_starts};
use crate::pass::Pass;

/// Law 9, monotone: a larger window keeps a superset.
///
/// # Errors
///
/// The law is broken, and how.
pub fn monotone(smaller: &Trial<'_>, larger: &Trial<'_>) -> Verdict {
    let Some(plan) = larger.plan() else {
        return Ok(());
    };
    let is_kept_by_smaller = |at: &usize| match smaller.plan() {
        Some(plan) => !plan.covered().contains(*at),
        None => true,
    };
    match plan.covered().iter().find(is_kept_by_smaller) {
        None => Ok(()),
        Some(at) => {
            let name = larger.log().names([at]);
            Err(format!("`{name}` is covered, but stays with {smaller}"))
        }
    }
}

/// Law 10, budget: what a token window leaves fits its budget less the reserve at the costs known
/// when planning, or it is the newest turn alone (at step grain its newest step) beside what is
/// pinned. A view that fits the whole budget is left alone.
///
/// # Errors
///
/// The law is broken, and how.
pub fn budget(trial: &Trial<'_>, budget: u64, reserve: u64) -> Verdict {
    let notes = trial.log().notes();
    let sum = |positions: &mut dyn Iterator<Item = usize>| {
        let costs = positions.filter_map(|at| notes.get(at));
        costs
            .map(|note| u128::from(note.tokens().min(MAX_TOKENS_PER_ENTRY)))
            .sum::<u128>()
    };
    let latest = trial.last(EntryKind::System, 0);
    let is_superseded =
        |at: &usize| trial.kind(*at) == Some(EntryKind::System) && Some(*at) != latest;
    let everything = sum(&mut (0..notes.len()).filter(|at| !is_superseded(at)));
    let (left, limit) = match trial.cut() {
        Some((plan, _)) => (
            sum(&mut plan.view_order()),
            u128::from(budget.saturating_sub(reserve)),
        ),
        None => (everything, u128::from(budget)),
    };
    let is_replaced = matches!(trial.summarize(), Summarize::WithOverlap(_));
    let prior = if is_replaced && trial.cut().is_none() {
        sum(&mut (0..notes.len()).filter(|at| trial.kind(*at) == Some(EntryKind::Summary)))
    } else {
        0
    };
    let fits = left.saturating_sub(prior) <= limit && (trial.cut().is_none() || reserve <= budget);
    if fits || is_least(trial) {
        return Ok(());
    }
    Err(format!("{left} tokens stay, {limit} are allowed"))
}

/// Whether all has left that a pass may cover.
fn is_least(trial: &Trial<'_>) -> bool {
    let Some(turn) = trial.last(EntryKind::TurnStart, 0) else {
        return true;
    };
    let step = match trial.grain() {
        Grain::Step => step_starts(trial.log()).last().copied(),
        _ => None,
    };
    let held = match step {
        Some(_) => held(trial.log()),
        None => BTreeSet::new(),
    };
    let outline = trial.log().outline();
    let floor = match trial.policy().preamble {
        Preamble::Counted => 0,
        _ => outline.preamble_end(),
    };
    (floor..step.unwrap_or(turn)).all(|at| {
        let has_left = trial.plan().is_some_and(|plan| plan.covered().contains(at));
        has_left || held.contains(&at) || !outline.is_conversation(at)
    })
}

/// Law 11, idempotent: a second pass changes nothing, where the summary of the first costs so
/// many tokens.
///
/// # Errors
///
/// The law is broken, and how.
pub fn idempotent<S: Strategy<Note>>(
    trial: &Trial<'_>,
    pass: &Pass<S>,
    summary_tokens: u64,
) -> Verdict {
    let Some(plan) = trial.plan() else {
        return Ok(());
    };
    let after = trial.log().after(plan, summary_tokens);
    let second = Trial::run(&after, pass);
    match second.provided() {
        Outcome::Unchanged(_) => Ok(()),
        Outcome::Compacted(_) => Err(format!("then {second}")),
    }
}
