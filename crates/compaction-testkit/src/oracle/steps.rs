//! Which calls and results go together, and where the newest turn may be cut inside.

use std::collections::BTreeSet;

use compaction_core::EntryKind;

use crate::log::Log;
use crate::oracle::{is_pinned, kind, positions};

/// The pairs of calls and results, as positions: a result goes with the nearest earlier call of
/// its id that has none. Calls that wait have no second position.
#[must_use]
pub fn pairs(log: &Log) -> Vec<(usize, Option<usize>)> {
    let mut calls: Vec<(usize, &str, Option<usize>)> = Vec::new();
    for (position, note) in log.notes().iter().enumerate() {
        for id in note.results() {
            let mut newest_first = calls.iter_mut().rev();
            if let Some(call) =
                newest_first.find(|(_, other, result)| other == id && result.is_none())
            {
                call.2 = Some(position);
            }
        }
        for id in note.calls() {
            calls.push((position, id, None));
        }
    }
    calls
        .into_iter()
        .map(|(call, _, result)| (call, result))
        .collect()
}

/// What must stay of the newest turn when it is cut inside: its opening note, what waits, and all
/// that goes with these or with a pinned note.
#[must_use]
pub fn held(log: &Log) -> BTreeSet<usize> {
    let Some(turn) = newest_turn(log) else {
        return BTreeSet::new();
    };
    let pairs: Vec<_> = pairs(log)
        .into_iter()
        .filter(|(call, _)| *call >= turn)
        .collect();
    let waiting = pairs.iter().filter(|(_, result)| result.is_none());
    let mut held: BTreeSet<usize> = waiting.map(|(call, _)| *call).collect();
    held.insert(turn);
    held.extend(positions(log, |at| at > turn && is_pinned(log, at)));
    loop {
        let before = held.len();
        for (call, result) in &pairs {
            let Some(result) = result else { continue };
            if held.contains(call) || held.contains(result) {
                held.extend([*call, *result]);
            }
        }
        if held.len() == before {
            return held;
        }
    }
}

/// Where the newest turn may be cut inside: where a step opens and no pair lies across, unless
/// that pair is held anyway.
#[must_use]
pub fn step_starts(log: &Log) -> Vec<usize> {
    let Some(turn) = newest_turn(log) else {
        return Vec::new();
    };
    let held = held(log);
    let lies_across = |at: usize| {
        pairs(log).into_iter().any(|(call, result)| {
            let is_across = turn <= call && call < at && result.is_some_and(|result| at <= result);
            is_across && !held.contains(&call)
        })
    };
    let opens_step = |at| at > turn && kind(log, at) == Some(EntryKind::StepStart);
    positions(log, |at| opens_step(at) && !lies_across(at))
}

/// Where the newest turn opens.
#[must_use]
pub fn newest_turn(log: &Log) -> Option<usize> {
    positions(log, |at| kind(log, at) == Some(EntryKind::TurnStart)).pop()
}
