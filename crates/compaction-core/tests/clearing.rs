//! Which tool results are cleared.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what broke by panicking"
)]

use compaction_core::{Clearing, EntryKind};
use compaction_testkit::generate::logs;
use compaction_testkit::oracle::pairs;
use compaction_testkit::{Log, for_each_short_log};
use proptest::prelude::*;

#[track_caller]
fn check(log: &str, keep_last: usize, larger_than: u64, expected: &str) {
    let log: Log = log.parse().unwrap();
    let clearing = Clearing {
        keep_last,
        larger_than,
    };
    let positions = clearing.positions(&log.view());
    assert_eq!(log.names(positions.iter()), expected, "{log}");
}

const THREE: &str = "u1 c1[k1] t1(k1):50 c2[k2] t2(k2):50 c3[k3] t3(k3):50 a1";

#[test]
fn the_last_results_stay() {
    check(THREE, 0, 1, "t1 t2 t3");
    check(THREE, 1, 1, "t1 t2");
    check(THREE, 2, 1, "t1");
    check(THREE, 3, 1, "-");
    check(THREE, usize::MAX, 1, "-");
}

#[test]
fn small_results_stay() {
    let log = "u1 c1[k1] t1(k1):49 c2[k2] t2(k2):50 c3[k3] t3(k3):51 a1";
    check(log, 0, 49, "t2 t3");
    check(log, 0, 50, "t3");
    check(log, 0, 51, "-");
    check(log, 0, 0, "t1 t2 t3");
    // A small one uses a place among the last all the same.
    check(log, 1, 49, "t2");
    check(log, 2, 49, "-");
}

#[test]
fn results_that_came_in_one_entry_are_cleared_together() {
    let log = "u1 c1[k1,k2] t1(k1,k2):50 c2[k3] t2(k3):50";
    check(log, 0, 1, "t1 t2");
    check(log, 1, 1, "t1");
    check(log, 2, 1, "-");
    check(log, 3, 1, "-");
}

#[test]
fn results_of_a_step_that_waits_stay() {
    check("u1 c1[k1,k2] t1(k1):50 c2[k3] t2(k3):50", 0, 1, "t2");
    // So do others that came with them.
    check(
        "u1 c0[k0] c1[k1,k2] t1(k0,k1):50 c2[k3] t2(k3):50",
        0,
        1,
        "t2",
    );
    // Once it is answered they are like any other.
    check(
        "u1 c1[k1,k2] t1(k1):50 c2[k3] t2(k3):50 t3(k2):50",
        0,
        1,
        "t1 t2 t3",
    );
    // A call that was never answered keeps nothing but its own step.
    check("u1 c1[k1] | u2 c2[k2] t2(k2):50", 0, 1, "t2");
}

#[test]
fn pinned_results_stay() {
    check("u1 c1[k1] t1(k1)!:50 c2[k2] t2(k2):50", 0, 1, "t2");
    // And use a place among the last all the same.
    check("u1 c1[k1] t1(k1):50 c2[k2] t2(k2)!:50", 1, 1, "t1");
}

#[test]
fn what_brings_no_result_stays() {
    check(
        "s1:90 Σ:90 p1:90 u1:90 a1:90 c1[k1]:90 t1(k1):90",
        0,
        1,
        "t1",
    );
    check("", 0, 0, "-");
    check("s1 y1", 0, 0, "-");
}

#[test]
fn results_without_a_call_and_in_a_persons_message_are_results() {
    check("u1 t1(k1):50 u2(k2):50 a2", 0, 1, "t1 u2");
    check("u1 t1(k1):50 u2(k2):50 a2", 1, 1, "t1");
}

/// The rule again, in the plainest way.
fn oracle(log: &Log, clearing: Clearing) -> Vec<usize> {
    let results_from = |at: usize| -> usize {
        let notes = log.notes().iter().skip(at);
        notes.map(|note| note.results().len()).sum()
    };
    let pairs = pairs(log);
    let mut waits: Vec<usize> = pairs
        .iter()
        .filter(|pair| pair.1.is_none())
        .map(|pair| pair.0)
        .collect();
    loop {
        let before = waits.len();
        for (call, result) in &pairs {
            let Some(result) = result else { continue };
            let together = [*call, *result];
            if together.iter().any(|at| waits.contains(at)) {
                waits.extend(
                    together
                        .into_iter()
                        .filter(|at| !waits.contains(at))
                        .collect::<Vec<_>>(),
                );
            }
        }
        if waits.len() == before {
            break;
        }
    }
    let is_cleared = |at: &usize| {
        let note = &log.notes()[*at];
        !note.results().is_empty()
            && !note.is_pinned()
            && note.tokens() > clearing.larger_than
            && results_from(at + 1) >= clearing.keep_last
            && !waits.contains(at)
    };
    (0..log.notes().len()).filter(is_cleared).collect()
}

#[test]
fn every_log_of_five() {
    for_each_short_log("u c[k]:2 t(k):3 t(k)!:3 c[k,l] t(k,l):2", 5, |log| {
        for keep_last in 0..4 {
            for larger_than in 1..4 {
                let clearing = Clearing {
                    keep_last,
                    larger_than,
                };
                let actual: Vec<usize> = clearing.positions(&log.view()).iter().collect();
                assert_eq!(actual, oracle(log, clearing), "{clearing:?} over {log}");
            }
        }
    })
    .unwrap();
}

proptest! {
    #[test]
    fn long_logs(log in logs(60), keep_last in 0_usize..8, larger_than in 0_u64..20) {
        let clearing = Clearing { keep_last, larger_than };
        let positions = clearing.positions(&log.view());
        let actual: Vec<usize> = positions.iter().collect();
        prop_assert_eq!(&actual, &oracle(&log, clearing));
        for at in actual {
            let kind = log.outline().kind(at);
            prop_assert!(!matches!(kind, Some(EntryKind::System | EntryKind::Summary)));
        }
    }

    #[test]
    fn keeping_more_clears_less(log in logs(40), keep_last in 0_usize..8, larger_than in 0_u64..20) {
        let more = Clearing { keep_last, larger_than }.positions(&log.view());
        let less = Clearing { keep_last: keep_last + 1, larger_than: larger_than + 1 };
        prop_assert!(less.positions(&log.view()).iter().all(|at| more.contains(at)));
    }

    /// A second time clears nothing when the line that is shown instead costs no more than the limit.
    #[test]
    fn clearing_twice_is_clearing_once(log in logs(40), keep_last in 0_usize..4) {
        let clearing = Clearing { keep_last, larger_than: 5 };
        let cleared = clearing.positions(&log.view());
        let notes = log.notes().iter().enumerate();
        let after: Log = notes
            .map(|(at, note)| {
                let note = note.clone();
                if cleared.contains(at) { note.with_tokens(5) } else { note }
            })
            .collect();
        prop_assert!(clearing.positions(&after.view()).is_empty());
    }
}
