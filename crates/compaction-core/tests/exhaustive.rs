//! Every short log under every small window, in every way to run a pass: compared with the oracle,
//! and held to the laws that hold for every strategy.
//!
//! Sizes go from nothing to one more than all there is, and a larger one is no different. The laws
//! are asked once for each place to cut, since the plan of a cut does not depend on the window
//! that proposed it; the plan is compared each time.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what broke by panicking"
)]

use compaction_core::{
    Entry, Grain, Order, Outcome, Policy, Preamble, PriorSummary, Strategy, Summarize,
    SummaryReply, Superseded, View, Window,
};
use compaction_testkit::laws::{STRUCTURAL, Trial};
use compaction_testkit::oracle::{Expected, Oracle, Settings};
use compaction_testkit::{Log, Pass, for_each_short_log};

/// All kinds: a result without a call is what a reply is, but a reply may come before a result.
const KINDS: &str = "s y u c[k] t(k) a";

/// The kinds, pins, parallel calls, merged results, and a result that comes with the next call.
const RICH: &str = "s y u c[k] t(k) a u! a! c[k]! c[k,l] c[k](k) t(l) t(k,l)";

const PLAIN: [(Grain, Summarize); 2] = [(Grain::Turn, Summarize::No), (Grain::Step, Summarize::No)];

const SUMMARIZING: [(Grain, Summarize); 2] = [
    (Grain::Turn, Summarize::WithOverlap(2)),
    (Grain::Step, Summarize::WithOverlap(2)),
];

const MODES: [(Grain, Summarize); 4] = [PLAIN[0], PLAIN[1], SUMMARIZING[0], SUMMARIZING[1]];

#[test]
fn every_log_of_seven_without_a_summary() {
    let windows = [Window::Events, Window::Turns, tokens::<0>];
    check(KINDS, 7, &[Policy::WINDOW], &PLAIN, &windows);
}

#[test]
fn every_log_of_seven_with_a_summary() {
    let windows = [Window::Events, Window::Turns, tokens::<0>];
    check(KINDS, 7, &[Policy::WINDOW], &SUMMARIZING, &windows);
}

#[test]
fn every_log_of_six_in_the_older_design() {
    let windows = [Window::Events, tokens::<0>];
    check(KINDS, 6, &[Policy::ARCHIVE], &MODES, &windows);
    check(KINDS, 6, &[Policy::ARCHIVE_TURNS], &MODES, &[Window::Turns]);
}

#[test]
fn every_log_of_four_with_pins_and_parallel_calls() {
    let policies = [Policy::WINDOW, Policy::ARCHIVE];
    let windows = [Window::Events, Window::Turns, tokens::<0>];
    check(RICH, 4, &policies, &MODES, &windows);
}

#[test]
fn every_log_of_five_at_uneven_costs() {
    let costly = "s:2 y:1 u:1 c[k]:3 t(k):0 u!:2";
    let windows = [tokens::<0>, tokens::<2>];
    check(costly, 5, &[Policy::WINDOW], &MODES, &windows);
}

#[test]
fn every_log_of_three_under_every_policy() {
    let windows = [Window::Events, Window::Turns, tokens::<0>, tokens::<1>];
    check(RICH, 3, &every_policy(), &MODES, &windows);
}

#[test]
fn any_proposal_is_safe() {
    struct At(usize, Policy);
    impl<E: Entry> Strategy<E> for At {
        fn keep_from(&self, _: &View<'_, E>) -> usize {
            self.0
        }
        fn policy(&self) -> Policy {
            self.1
        }
    }
    for_each_short_log(RICH, 4, |log| {
        for at in (0..log.notes().len() + 2).chain([usize::MAX]) {
            for policy in [Policy::WINDOW, Policy::ARCHIVE] {
                for (grain, summarize) in MODES {
                    let pass = Pass::of(At(at, policy)).with_grain(grain);
                    hold(&Trial::run(log, &pass.with_summarize(summarize)));
                }
            }
        }
    })
    .unwrap();
}

/// A token window of this size that keeps so many tokens in reserve.
fn tokens<const RESERVE: u64>(size: usize) -> Window {
    Window::Tokens {
        budget: size as u64,
        reserve: RESERVE,
    }
}

/// A window under a policy.
struct Under(Window, Policy);

impl<E: Entry> Strategy<E> for Under {
    fn keep_from(&self, view: &View<'_, E>) -> usize {
        self.0.keep_from(view)
    }

    fn policy(&self) -> Policy {
        self.1
    }
}

fn check(
    words: &str,
    max_len: usize,
    policies: &[Policy],
    modes: &[(Grain, Summarize)],
    windows: &[fn(usize) -> Window],
) {
    for_each_short_log(words, max_len, |log| {
        for policy in policies {
            for (grain, summarize) in modes {
                let settings = Settings {
                    policy: *policy,
                    summarize: *summarize,
                    grain: *grain,
                };
                check_log(log, settings, windows);
            }
        }
    })
    .unwrap();
}

fn check_log(log: &Log, settings: Settings, windows: &[fn(usize) -> Window]) {
    let oracle = Oracle::new(log, settings);
    let mut known: Vec<(Option<usize>, Option<Expected>)> = Vec::new();
    for window in windows {
        for size in 0..=all(log, window(0)) + 1 {
            let window = window(size);
            let pass = Pass::of(Under(window, settings.policy))
                .with_grain(settings.grain)
                .with_summarize(settings.summarize);
            let actual = match pass.run(log, SummaryReply::Provided) {
                Outcome::Compacted(plan) => Some(Expected::from(&plan)),
                Outcome::Unchanged(_) => None,
            };
            let cut = oracle.cut_at(window);
            if let Some((_, expected)) = known.iter().find(|(other, _)| *other == cut) {
                assert_eq!(actual, *expected, "{window}, {settings:?} over {log}");
                continue;
            }
            let expected = oracle.expected(window);
            assert_eq!(actual, expected, "{window}, {settings:?} over {log}");
            hold(&Trial::run(log, &pass));
            known.push((cut, expected));
        }
    }
}

/// The size that keeps all of a log.
fn all(log: &Log, window: Window) -> usize {
    match window {
        Window::Events(_) => log.outline().conversation_entries(0),
        Window::Turns(_) => log.outline().turns().len(),
        Window::Tokens { .. } => usize::try_from(log.outline().tokens()).unwrap(),
        other => panic!("what is {other}?"),
    }
}

fn hold(trial: &Trial<'_>) {
    for (number, name, law) in STRUCTURAL {
        if let Err(why) = law(trial) {
            panic!("law {number}, {name}: {:?}, {trial}: {why}", trial.policy());
        }
    }
}

fn every_policy() -> Vec<Policy> {
    let mut policies = Vec::new();
    for preamble in [Preamble::Pinned, Preamble::Counted] {
        for order in [Order::PinnedFirst, Order::AsStored] {
            for superseded in [Superseded::LeaveWithCut, Superseded::LeaveAlways] {
                for prior_summary in [PriorSummary::Replaced, PriorSummary::Deducted] {
                    let mut policy = Policy::WINDOW;
                    policy.preamble = preamble;
                    policy.order = order;
                    policy.superseded = superseded;
                    policy.prior_summary = prior_summary;
                    policies.push(policy);
                }
            }
        }
    }
    policies
}
