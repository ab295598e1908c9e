//! What every trigger keeps, and what some promise beyond.

use compaction_core::{Counts, Trigger};

use crate::laws::Verdict;

/// The sizes a trigger is asked about: everything small, and the ends of the range.
fn sizes() -> impl Iterator<Item = Counts> {
    const STEPS: [u64; 12] = [0, 1, 2, 3, 4, 5, 10, 20, 100, 4000, 100_000, u64::MAX];
    let pairs = STEPS.into_iter().flat_map(|events| {
        let turns = STEPS.into_iter().filter(move |turns| *turns <= events);
        turns.map(move |turns| (events, turns))
    });
    pairs.flat_map(|(events, turns)| STEPS.map(|tokens| Counts::new(events, turns, tokens)))
}

/// Holds a trigger to what every trigger keeps: it answers the same when asked again, and what it
/// says of itself agrees with what it does, for every size of a view from nothing up.
///
/// A condition that reads anything but the counts, a clock for one, breaks it.
///
/// ```
/// use compaction_core::{Condition, Trigger};
/// use compaction_testkit::laws::hold_trigger;
///
/// let odd = Condition::new("an odd number of turns", |counts| counts.turns % 2 == 1);
/// hold_trigger(&Trigger::AllOf(vec![Trigger::EventCount(3), Trigger::When(odd)]));
/// ```
///
/// # Panics
///
/// The law is broken; the message says by which size and how.
#[track_caller]
pub fn hold_trigger(trigger: &Trigger) {
    for counts in sizes() {
        if let Err(why) = agrees(trigger, &counts) {
            fail(trigger, &counts, &why);
        }
    }
}

/// Holds a trigger to a promise that all built-in ones keep: it fires on every view that is larger
/// in all three counts than one it fires on. So a log that only grows cannot outgrow it.
///
/// # Panics
///
/// The law is broken; the message says by which size.
#[track_caller]
pub fn hold_trigger_monotone(trigger: &Trigger) {
    let firing: Vec<Counts> = sizes().filter(|size| trigger.check(size).fired).collect();
    for larger in sizes().filter(|size| !trigger.check(size).fired) {
        let smaller = firing.iter().find(|smaller| {
            smaller.events <= larger.events
                && smaller.turns <= larger.turns
                && smaller.tokens <= larger.tokens
        });
        if let Some(smaller) = smaller {
            fail(trigger, &larger, &format!("it fires on {smaller:?}"));
        }
    }
}

fn agrees(trigger: &Trigger, counts: &Counts) -> Verdict {
    let verdict = trigger.check(counts);
    if trigger.check(counts).fired != verdict.fired {
        return Err("it answers otherwise when asked again".into());
    }
    if verdict.counts != *counts {
        return Err("it explains itself with other numbers".into());
    }
    let fires = match trigger {
        Trigger::AnyOf(children) => children.iter().any(|child| child.check(counts).fired),
        Trigger::AllOf(children) => children.iter().all(|child| child.check(counts).fired),
        Trigger::Always => true,
        Trigger::Never => false,
        _ => match verdict.checks.as_slice() {
            [check] => check.holds,
            checks => return Err(format!("it asks {} questions", checks.len())),
        },
    };
    if fires != verdict.fired {
        return Err("its parts say otherwise".into());
    }
    let is_empty = matches!(trigger, Trigger::AnyOf(children) | Trigger::AllOf(children) if children.is_empty());
    if verdict.to_string().is_empty() && !is_empty {
        return Err("it does not explain itself".into());
    }
    Ok(())
}

#[track_caller]
#[expect(clippy::panic, reason = "a broken law ends a test")]
fn fail(trigger: &Trigger, counts: &Counts, why: &str) -> ! {
    panic!("the trigger `{trigger}` at {counts:?}: {why}")
}
