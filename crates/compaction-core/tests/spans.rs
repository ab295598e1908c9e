//! Sets of positions against the sets of the standard library.
#![allow(clippy::unwrap_used, reason = "a test says what broke by panicking")]

use std::collections::BTreeSet;

use compaction_core::{Outcome, Spans, SummaryReply, Window};
use compaction_testkit::{Log, Pass};
use proptest::prelude::*;

fn spans(positions: &[usize]) -> Spans {
    positions.iter().copied().collect()
}

#[test]
fn positions_side_by_side_are_one_range() {
    assert_eq!(spans(&[]).to_string(), "");
    assert_eq!(spans(&[0]).to_string(), "0..1");
    assert_eq!(spans(&[1, 2, 3, 5, 7, 8]).to_string(), "1..4 5..6 7..9");
    assert_eq!(format!("{:?}", spans(&[1, 2])), "Spans(1..3)");
    assert_eq!(spans(&[1, 2, 4]).ranges(), [1..3, 4..5]);
}

#[test]
fn positions_that_do_not_ascend_are_left_out() {
    assert_eq!(spans(&[3, 3, 2, 4, 1, 9]).to_string(), "3..5 9..10");
}

/// A range cannot end behind the highest number, and adding it once overflowed.
#[test]
fn the_highest_position_is_left_out() {
    let highest = spans(&[usize::MAX - 1, usize::MAX]);
    assert_eq!(highest.len(), 1);
    assert!(highest.contains(usize::MAX - 1) && !highest.contains(usize::MAX));
    assert!(spans(&[usize::MAX]).is_empty());
}

#[test]
fn a_plan_has_as_few_ranges_as_can_be() {
    let log: Log = "s1 Σ1 u1 a1 | u2 a2 s2".parse().unwrap();
    let pass = Pass::of(Window::Turns(1)).summarizing(0);
    let Outcome::Compacted(plan) = pass.run(&log, SummaryReply::Provided) else {
        panic!("there are two turns");
    };
    assert_eq!(plan.covered().to_string(), "1..5");
    assert_eq!(plan.conversation().to_string(), "3..5");
    assert_eq!(plan.kept().to_string(), "5..7");
}

proptest! {
    #[test]
    fn they_are_sets(positions in proptest::collection::btree_set(0_usize..40, 0..30)) {
        let spans: Spans = positions.iter().copied().collect();
        prop_assert_eq!(spans.len(), positions.len());
        prop_assert_eq!(spans.is_empty(), positions.is_empty());
        prop_assert_eq!(spans.first(), positions.first().copied());
        prop_assert_eq!(&spans.iter().collect::<BTreeSet<_>>(), &positions);
        prop_assert!(spans.iter().rev().eq(positions.iter().rev().copied()));
        for position in 0..45 {
            prop_assert_eq!(spans.contains(position), positions.contains(&position));
        }
        let gaps = spans.ranges().iter().zip(spans.ranges().iter().skip(1));
        for (range, next) in gaps {
            prop_assert!(range.end < next.start);
        }
        prop_assert!(spans.ranges().iter().all(|range| !range.is_empty()));
    }
}
