//! The laws of triggers hold for the built-in ones, and a trigger that breaks one is caught.

#![allow(clippy::unwrap_used)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use compaction_core::{Condition, Trigger};
use compaction_testkit::laws::{hold_trigger, hold_trigger_monotone};

fn built_in() -> Vec<Trigger> {
    let single = vec![
        Trigger::Always,
        Trigger::Never,
        Trigger::TurnCount(0),
        Trigger::TurnCount(4),
        Trigger::EventCount(10),
        Trigger::TokenCount(0),
        Trigger::TokenCount(4000),
        Trigger::TokenCount(u64::MAX),
        Trigger::WindowFraction {
            limit: 8000,
            reserve_output: 1000,
            per_mille: 800,
        },
        Trigger::WindowFraction {
            limit: u64::MAX,
            reserve_output: u64::MAX,
            per_mille: u32::MAX,
        },
        Trigger::AnyOf(vec![]),
        Trigger::AllOf(vec![]),
    ];
    let mut all = vec![
        Trigger::AnyOf(single.clone()),
        Trigger::AllOf(single.clone()),
        Trigger::AllOf(vec![
            Trigger::TurnCount(2),
            Trigger::AnyOf(vec![Trigger::TokenCount(100), Trigger::EventCount(5)]),
        ]),
    ];
    all.extend(single);
    all
}

#[test]
fn the_built_in_ones_keep_them() {
    for trigger in built_in() {
        hold_trigger(&trigger);
        hold_trigger_monotone(&trigger);
    }
}

fn is_caught(hold: fn(&Trigger), trigger: &Trigger) -> String {
    let caught = catch_unwind(AssertUnwindSafe(|| hold(trigger))).unwrap_err();
    caught.downcast_ref::<String>().unwrap().clone()
}

#[test]
fn one_that_changes_its_mind_is_caught() {
    let answer = AtomicBool::new(false);
    let moody = Condition::new("a mood", move |_| answer.fetch_xor(true, Ordering::Relaxed));
    let why = is_caught(hold_trigger, &Trigger::When(moody));
    assert!(
        why.ends_with("it answers otherwise when asked again"),
        "{why}"
    );
}

#[test]
fn one_that_a_growing_log_outgrows_is_caught() {
    let exact = Condition::new("exactly 5 turns", |counts| counts.turns == 5);
    let trigger = Trigger::When(exact);
    hold_trigger(&trigger);
    let why = is_caught(hold_trigger_monotone, &trigger);
    assert!(
        why.contains("it fires on Counts { events: 5, turns: 5"),
        "{why}"
    );
}
