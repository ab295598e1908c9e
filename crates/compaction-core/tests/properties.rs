//! Long made-up logs: the windows against the oracle, and what they promise.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what broke by panicking"
)]

use std::collections::BTreeSet;

use compaction_core::{
    Entry, Grain, Outcome, Outline, Policy, Strategy, Summarize, SummaryReply, View, Window, pairs,
};
use compaction_testkit::generate::{conversations, logs};
use compaction_testkit::laws::{STRUCTURAL, Trial, budget, idempotent, monotone};
use compaction_testkit::oracle::{self, Expected, Settings, expected};
use compaction_testkit::{Log, Pass};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::Strategy as Generator;

struct Under(Window, Policy);

impl<E: Entry> Strategy<E> for Under {
    fn keep_from(&self, view: &View<'_, E>) -> usize {
        self.0.keep_from(view)
    }

    fn policy(&self) -> Policy {
        self.1
    }
}

fn windows() -> impl Generator<Value = Window> {
    let budgets = prop_oneof![0_u64..300, 0_u64..1_000_000, Just(u64::MAX)];
    let reserves = prop_oneof![4 => Just(0), 2 => 0_u64..100, 1 => Just(u64::MAX)];
    prop_oneof![
        (0_usize..60).prop_map(Window::Events),
        (0_usize..20).prop_map(Window::Turns),
        (budgets, reserves).prop_map(|(budget, reserve)| Window::Tokens { budget, reserve }),
    ]
}

fn settings() -> impl Generator<Value = Settings> {
    let policies = [Policy::WINDOW, Policy::ARCHIVE, Policy::ARCHIVE_TURNS];
    let policy = proptest::sample::select(policies.to_vec());
    let grain = prop_oneof![Just(Grain::Turn), Just(Grain::Step)];
    let summarize = prop_oneof![
        Just(Summarize::No),
        (0_usize..5).prop_map(Summarize::WithOverlap)
    ];
    (policy, grain, summarize).prop_map(|(policy, grain, summarize)| Settings {
        policy,
        summarize,
        grain,
    })
}

fn pass(window: Window, settings: Settings) -> Pass<Under> {
    Pass::of(Under(window, settings.policy))
        .with_grain(settings.grain)
        .with_summarize(settings.summarize)
}

fn compare(log: &Log, window: Window, settings: Settings) -> Result<(), TestCaseError> {
    let pass = pass(window, settings);
    let actual = match pass.run(log, SummaryReply::Provided) {
        Outcome::Compacted(plan) => Some(Expected::from(&plan)),
        Outcome::Unchanged(_) => None,
    };
    prop_assert_eq!(actual, expected(log, window, settings));
    let trial = Trial::run(log, &pass);
    for (number, name, law) in STRUCTURAL {
        law(&trial).map_err(|why| TestCaseError::fail(format!("law {number}, {name}: {why}")))?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_outline_after_a_pass_is_that_of_the_view_it_leaves(
        log in logs(40),
        window in windows(),
        settings in settings(),
        summary_tokens in 0_u64..50,
    ) {
        let pass = pass(window, settings);
        if let Outcome::Compacted(plan) = pass.run(&log, SummaryReply::Provided) {
            let cost = |at: usize| log.notes()[at].tokens();
            let halves = [summary_tokens / 2, summary_tokens - summary_tokens / 2];
            let summary = halves.into_iter().filter(|_| plan.is_summarized());
            let after = plan.outline_after(log.outline(), cost, summary);
            let expected = log.after(&plan, summary_tokens);
            prop_assert_eq!(&after, expected.outline());
        }
    }

    #[test]
    fn made_up_logs(log in logs(60), window in windows(), settings in settings()) {
        compare(&log, window, settings)?;
    }

    #[test]
    fn logs_as_agents_write_them(
        log in conversations(12),
        window in windows(),
        settings in settings(),
    ) {
        compare(&log, window, settings)?;
    }

    #[test]
    fn what_hangs_together(log in logs(60), wanted in vec(0..70_usize, 0..4)) {
        let mut expected: BTreeSet<usize> = wanted.iter().copied().collect();
        for _ in log.notes() {
            for (call, result) in oracle::pairs(&log) {
                if let Some(result) = result
                    && (expected.contains(&call) || expected.contains(&result))
                {
                    expected.extend([call, result]);
                }
            }
        }
        prop_assert_eq!(pairs(log.notes()).together(wanted), expected);
    }

    #[test]
    fn pairing(log in logs(60)) {
        let found = pairs(log.notes());
        let calls: Vec<_> = found
            .calls
            .iter()
            .map(|pair| (pair.call, pair.result.map(|(position, _)| position)))
            .collect();
        prop_assert_eq!(&calls, &oracle::pairs(&log));
        let results: usize = log.notes().iter().map(|note| note.results().len()).sum();
        let answered = calls.iter().filter(|(_, result)| result.is_some()).count();
        prop_assert_eq!(answered + found.orphans.len(), results);
        for pair in &found.calls {
            let (call, result) = (&log.notes()[pair.call], pair.result);
            let id = &call.calls()[pair.call_index];
            let answers = result.map(|(position, index)| &log.notes()[position].results()[index]);
            prop_assert!(answers.is_none_or(|other| other == id));
        }
    }

    #[test]
    fn an_outline_is_the_same_made_at_once_or_pushed(log in logs(60)) {
        let at_once = Outline::of(log.notes(), |note| note.tokens());
        let mut pushed = Outline::new();
        for note in log.notes() {
            pushed.push(note.kind(), note.tokens());
        }
        prop_assert_eq!(at_once, pushed);
    }

    #[test]
    fn a_larger_window_keeps_a_superset(log in logs(60), more in 1_usize..9, settings in settings()) {
        let pairs = [
            (Window::Events(3), Window::Events(3 + more)),
            (Window::Turns(1), Window::Turns(1 + more)),
            (
                Window::Tokens { budget: 50, reserve: 7 },
                Window::Tokens { budget: 50 + more as u64, reserve: 7 },
            ),
            (
                Window::Tokens { budget: 50, reserve: 7 + more as u64 },
                Window::Tokens { budget: 50, reserve: 7 },
            ),
        ];
        for (smaller, larger) in pairs {
            let (smaller, larger) = (pass(smaller, settings), pass(larger, settings));
            let (smaller, larger) = (Trial::run(&log, &smaller), Trial::run(&log, &larger));
            monotone(&smaller, &larger).map_err(TestCaseError::fail)?;
        }
    }

    #[test]
    fn a_budget_holds(
        log in logs(60),
        tokens in 0_u64..400,
        reserve in 0_u64..60,
        settings in settings(),
    ) {
        let window = Window::Tokens { budget: tokens, reserve };
        let pass = pass(window, settings);
        budget(&Trial::run(&log, &pass), tokens, reserve).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn a_second_pass_changes_nothing(
        log in logs(60),
        window in windows(),
        summary in 0_u64..500,
        settings in settings(),
    ) {
        let summary = match window {
            Window::Tokens { reserve, .. } => summary.min(reserve),
            _ => summary,
        };
        let pass = pass(window, settings);
        let trial = Trial::run(&log, &pass);
        idempotent(&trial, &pass, summary).map_err(TestCaseError::fail)?;
    }

    /// A log of a whole life: messages come, passes run, and nothing is lost or shown twice.
    #[test]
    fn many_passes_in_a_row(
        pieces in vec(logs(12), 1..6),
        window in windows(),
        settings in settings(),
    ) {
        let pass = pass(window, settings);
        let mut view = Log::new();
        for (number, piece) in pieces.iter().enumerate() {
            for note in piece.notes() {
                // Names are unique within a piece; the number makes them so in all.
                let renamed = format!("{note}").replacen(note.name(), &format!("{}x{number}", note.name()), 1);
                view.push(renamed.parse().unwrap());
            }
            let before: Vec<String> = view.notes().iter().map(|note| note.name().to_owned()).collect();
            let trial = Trial::run(&view, &pass);
            for (number, name, law) in STRUCTURAL {
                law(&trial).map_err(|why| TestCaseError::fail(format!("law {number}, {name}: {why}")))?;
            }
            let next = pass.next_view(&view, 1);
            let mut after: Vec<&str> = next.notes().iter().map(|note| note.name()).collect();
            let is_new = |name: &&str| before.iter().all(|other| other != name);
            prop_assert!(after.iter().filter(|name| is_new(name)).count() <= 2);
            after.sort_unstable();
            after.dedup();
            let summaries = next.notes().len() - after.len();
            prop_assert!(summaries <= 1, "only the halves of a summary share a name");
            view = next;
        }
    }
}
