//! Holding a strategy to the laws over many logs.

use compaction_core::{Grain, Strategy, Summarize};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use crate::generate::logs;
use crate::laws::{STRUCTURAL, Trial, Verdict, budget, idempotent, monotone};
use crate::log::Log;
use crate::note::Note;
use crate::pass::Pass;
use crate::short::for_each_short_log;

/// Holds a strategy to one of the structural laws, by its number: over every log of four notes
/// and less, and over made-up longer ones; summarizing and not, at both grains.
///
/// It makes up the same logs each time.
///
/// # Panics
///
/// The law is broken; the message says by which log and how. Or there is no law of this number.
#[track_caller]
pub fn hold<S: Strategy<Note>>(number: u8, strategy: &S) {
    let law = STRUCTURAL.iter().find(|(other, _, _)| *other == number);
    let Some((_, name, law)) = law else {
        fail(&format!("there is no structural law {number}"));
    };
    for_each_log(number, name, |log| {
        for pass in passes(strategy) {
            let trial = Trial::run(log, &pass);
            law(&trial).map_err(|why| format!("{trial}: {why}"))?;
        }
        Ok(())
    });
}

/// Holds a family of strategies to law 9: `family` makes the one of a size, from 0 to 9.
///
/// # Panics
///
/// The law is broken; the message says by which log and how.
#[track_caller]
pub fn hold_monotone<S: Strategy<Note>>(family: &impl Fn(usize) -> S) {
    let sizes: Vec<S> = (0..10).map(family).collect();
    for_each_log(9, "monotone", |log| {
        for (smaller, larger) in sizes.iter().zip(sizes.iter().skip(1)) {
            for (smaller, larger) in passes(smaller).zip(passes(larger)) {
                let (smaller, larger) = (Trial::run(log, &smaller), Trial::run(log, &larger));
                monotone(&smaller, &larger).map_err(|why| format!("{larger}: {why}"))?;
            }
        }
        Ok(())
    });
}

/// Holds a strategy to law 10 with a budget and a reserve.
///
/// # Panics
///
/// The law is broken; the message says by which log and how.
#[track_caller]
pub fn hold_budget<S: Strategy<Note>>(strategy: &S, tokens: u64, reserve: u64) {
    for_each_log(10, "budget", |log| {
        for pass in passes(strategy) {
            let trial = Trial::run(log, &pass);
            budget(&trial, tokens, reserve).map_err(|why| format!("{trial}: {why}"))?;
        }
        Ok(())
    });
}

/// Holds a strategy to law 11, where a summary costs so many tokens.
///
/// # Panics
///
/// The law is broken; the message says by which log and how.
#[track_caller]
pub fn hold_idempotent<S: Strategy<Note>>(strategy: &S, summary_tokens: u64) {
    for_each_log(11, "idempotent", |log| {
        for pass in passes(strategy) {
            let trial = Trial::run(log, &pass);
            idempotent(&trial, &pass, summary_tokens).map_err(|why| format!("{trial}: {why}"))?;
        }
        Ok(())
    });
}

/// The passes of a strategy: summarizing and not, at both grains.
fn passes<S: Strategy<Note>>(strategy: &S) -> impl Iterator<Item = Pass<&S>> {
    let plain = [Grain::Turn, Grain::Step].map(|grain| Pass::of(strategy).with_grain(grain));
    let summarizing = plain.map(|pass| pass.with_summarize(Summarize::WithOverlap(2)));
    plain.into_iter().chain(summarizing)
}

#[track_caller]
fn for_each_log(number: u8, name: &str, mut holds: impl FnMut(&Log) -> Verdict) {
    let mut broken = Ok(());
    let walked = for_each_short_log("s y u u! c[k] t(k) a", 4, |log| {
        if broken.is_ok() {
            broken = holds(log);
        }
    });
    if let Err(why) = broken {
        fail(&format!("law {number}, {name}: {why}"));
    }
    if let Err(error) = walked {
        fail(&error.to_string());
    }

    let seed = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let config = Config {
        cases: 256,
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, seed);
    let holds = core::cell::RefCell::new(holds);
    let result = runner.run(&logs(40), |log| {
        let mut holds = holds.borrow_mut();
        (*holds)(&log).map_err(TestCaseError::fail)
    });
    if let Err(error) = result {
        fail(&format!("law {number}, {name}: {error}"));
    }
}

#[track_caller]
#[expect(clippy::panic, reason = "a broken law ends a test")]
fn fail(why: &str) -> ! {
    panic!("{why}")
}
