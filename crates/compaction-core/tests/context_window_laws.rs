//! Selections for one request: the laws over made-up logs, and a plain second way.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what broke by panicking"
)]

use compaction_core::{ContextWindow, EntryKind, PairPolicy, Selecting, Selection, Weight};
use compaction_testkit::generate::{conversations, logs};
use compaction_testkit::oracle::pairs;
use compaction_testkit::{Log, Note};
use proptest::prelude::*;

use ContextWindow::{Fixed, Sliding, Summarized};
use PairPolicy::{Atomic, Independent};

fn weigh(note: &Note) -> Weight {
    Weight::of_tokens(note.tokens())
}

/// Selects, where a summary costs so many tokens.
fn select(
    log: &Log,
    window: ContextWindow,
    budget: u64,
    policy: PairPolicy,
    summary: u64,
) -> Selection {
    match window.select(log.notes(), budget, policy, weigh) {
        Selecting::Done(selection) => selection,
        Selecting::NeedsSummary(pending) => pending.resume(summary),
    }
}

/// The rules again in the plainest way, each message for itself.
fn oracle(log: &Log, window: ContextWindow, budget: u64, summary: u64) -> Vec<usize> {
    let cost = |at: usize| u128::from(log.notes()[at].tokens());
    let len = log.notes().len();
    let fixed = |from: usize, budget: u128| -> Vec<usize> {
        let fits = |start: &usize| (*start..len).map(cost).sum::<u128>() <= budget;
        (from..=len)
            .find(fits)
            .map_or_else(Vec::new, |start| (start..len).collect())
    };
    let budget = u128::from(budget);
    match window {
        Fixed => fixed(0, budget),
        Sliding if len <= 5 => fixed(0, budget),
        Sliding => {
            let mut kept = fixed(len - 5, budget);
            if kept.len() < 5 {
                return kept;
            }
            let mut older: Vec<usize> = (0..len - 5).collect();
            older.sort_by_key(|at| {
                let score = match log.outline().kind(*at) {
                    Some(EntryKind::System) => 11,
                    Some(EntryKind::StepStart) => 6,
                    Some(EntryKind::TurnStart) => 2,
                    _ => 1,
                };
                (-score, len - at)
            });
            let mut left = budget - kept.iter().map(|at| cost(*at)).sum::<u128>();
            for at in older {
                if cost(at) <= left {
                    left -= cost(at);
                    kept.push(at);
                }
            }
            kept.sort_unstable();
            kept
        }
        Summarized if len <= 10 || u128::from(summary) > budget => fixed(0, budget),
        Summarized => fixed(len - 10, budget - u128::from(summary)),
    }
}

fn windows() -> impl Strategy<Value = ContextWindow> {
    proptest::sample::select(ContextWindow::values().to_vec())
}

fn hold_laws(
    log: &Log,
    window: ContextWindow,
    budget: u64,
    policy: PairPolicy,
    summary: u64,
) -> Result<(), TestCaseError> {
    let selection = select(log, window, budget, policy, summary);
    let cost = |at: usize| u128::from(log.notes()[at].tokens());
    let kept: Vec<usize> = selection.kept().iter().collect();
    let mut tokens: u128 = kept.iter().map(|at| cost(*at)).sum();
    if !selection.summarized().is_empty() {
        tokens += u128::from(summary);
    }
    prop_assert_eq!(tokens, u128::from(selection.tokens()), "says what it costs");
    prop_assert!(tokens <= u128::from(budget), "law 1");
    prop_assert!(kept.is_sorted_by(|one, other| one < other), "law 2");
    let mut newest: Vec<usize> = log.notes().len().checked_sub(1).into_iter().collect();
    for (call, result) in pairs(log) {
        let Some(result) = result else { continue };
        if policy == Atomic {
            let side = |at| {
                (
                    selection.kept().contains(at),
                    selection.summarized().contains(at),
                )
            };
            prop_assert_eq!(side(call), side(result), "law 3");
        }
    }
    if policy == Atomic {
        loop {
            let before = newest.len();
            for (call, result) in pairs(log) {
                let Some(result) = result else { continue };
                if newest.contains(&call) || newest.contains(&result) {
                    newest.extend([call, result]);
                    newest.sort_unstable();
                    newest.dedup();
                }
            }
            if newest.len() == before {
                break;
            }
        }
    }
    let together: u128 = newest.iter().map(|at| cost(*at)).sum();
    let summary = if selection.summarized().is_empty() {
        0
    } else {
        u128::from(summary)
    };
    let omits = !newest.is_empty() && together + summary > u128::from(budget);
    prop_assert_eq!(selection.omits_newest(), omits, "law 4");
    prop_assert!(kept.iter().all(|at| !selection.summarized().contains(*at)));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn each_for_itself(log in logs(40), window in windows(), budget in 0_u64..300, summary in 0_u64..60) {
        let selection = select(&log, window, budget, Independent, summary);
        let kept: Vec<usize> = selection.kept().iter().collect();
        prop_assert_eq!(kept, oracle(&log, window, budget, summary));
    }

    #[test]
    fn laws(
        log in logs(40),
        window in windows(),
        budget in 0_u64..300,
        summary in 0_u64..60,
        policy in prop_oneof![Just(Atomic), Just(Independent)],
    ) {
        hold_laws(&log, window, budget, policy, summary)?;
    }

    #[test]
    fn laws_over_logs_as_agents_write_them(
        log in conversations(10),
        window in windows(),
        budget in 0_u64..300,
        summary in 0_u64..60,
    ) {
        hold_laws(&log, window, budget, Atomic, summary)?;
    }

    /// Without calls the two policies are one.
    #[test]
    fn policies_differ_in_pairs_only(log in logs(30), window in windows(), budget in 0_u64..200) {
        let plain: Log = log
            .notes()
            .iter()
            .filter(|note| note.calls().is_empty())
            .cloned()
            .collect();
        prop_assert_eq!(
            select(&plain, window, budget, Atomic, 9),
            select(&plain, window, budget, Independent, 9)
        );
    }
}
