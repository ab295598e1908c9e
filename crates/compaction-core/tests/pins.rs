//! Pinned notes stay in every view, use no slot of a window and are paid for first.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what broke by panicking"
)]

use compaction_core::{RecursiveSummarization, SlidingWindow, TurnWindow, Window};
use compaction_testkit::{Log, Pass, check};

#[test]
fn they_use_no_slot_of_an_event_window() {
    check("u1 a1! u2 a2", Window::Events(3), "fits");
    check("u1 a1! u2 a2", Window::Events(2), "a1 / u1 / u2 a2");
    check("u1! a1! u2 a2", Window::Events(2), "fits");
    check("u1 a1 u2! a2!", Window::Events(0), "- / u1 a1 / u2 a2");
}

#[test]
fn a_turn_that_opens_with_one_uses_no_slot_of_a_turn_window() {
    check(
        "u1 a1 | u2! a2 | u3 a3",
        Window::Turns(1),
        "u2 / u1 a1 a2 / u3 a3",
    );
    check("u1 a1 | u2! a2 | u3 a3", Window::Turns(2), "fits");
    check(
        "u1 a1 | u2 a2! | u3 a3",
        Window::Turns(1),
        "a2 / u1 a1 u2 / u3 a3",
    );
}

#[test]
fn they_come_off_a_token_budget_first() {
    let budget = |budget| Window::Tokens { budget, reserve: 0 };
    let log = "u1:10 a1!:50 | u2:10 a2:10 | u3:10";
    check(log, budget(90), "fits");
    check(log, budget(89), "a1 / u1 / u2 a2 u3");
    check(log, budget(80), "a1 / u1 / u2 a2 u3");
    check(log, budget(79), "a1 / u1 u2 a2 / u3");
    // They alone exceed it: the newest turn stays.
    check(log, budget(40), "a1 / u1 u2 a2 / u3");
}

#[test]
fn they_stand_in_log_order_behind_the_preamble() {
    let log = "p1! p2 s1 u1 a1! Σ1 | u2! a2 | u3 a3";
    check(log, Window::Turns(1), "s1 p1 p2 Σ1 a1 u2 / u1 a2 / u3 a3");
    Pass::of(Window::Turns(1))
        .summarizing(0)
        .check(log, "s1 p1 p2 a1 u2 / u1 Σ1 a2 / Σ+ u3 a3");
    check(
        log,
        TurnWindow { max_turns: 1 },
        "p1 p2 s1 a1 Σ1 u2 / u1 a2 / u3 a3",
    );
    check(
        log,
        SlidingWindow { max_events: 2 },
        "p1 s1 a1 Σ1 u2 / p2 u1 a2 / u3 a3",
    );
}

#[test]
fn a_summarizer_is_not_shown_what_is_pinned_before_the_cut() {
    let strategy = RecursiveSummarization {
        max_events_to_keep: 2,
        overlap_size: 2,
    };
    Pass::of(strategy)
        .with_summarize(strategy.summarize())
        .check_request("u1 a1! | u2 a2!", "nothing");
    Pass::of(Window::Events(1))
        .summarizing(2)
        .check_request("u1 a1! | u2 a2!", "- / u1 / u2 a2");
}

#[test]
fn a_plan_says_which_would_leave_but_for_their_pin() {
    let log: Log = "p1! u1! a1 | u2 a2!".parse().unwrap();
    let pass = Pass::of(Window::Events(1));
    let outcome = pass.run(&log, compaction_core::SummaryReply::Provided);
    let compaction_core::Outcome::Compacted(plan) = outcome else {
        panic!("two events are more than one");
    };
    // The preamble stays anyway, and so does what is kept.
    assert_eq!(log.names(plan.pins().iter().copied()), "u1");
}

#[test]
fn pins_on_prompts_and_summaries_mean_nothing() {
    use compaction_core::{EntryKind, Outline};
    let mut pinned = Outline::new();
    let mut plain = Outline::new();
    for kind in [EntryKind::System, EntryKind::Summary] {
        pinned.push_pinned(kind, 5);
        plain.push(kind, 5);
    }
    assert_eq!(pinned, plain);
}

#[test]
fn they_stay_through_pass_after_pass() {
    let pass = Pass::of(Window::Turns(1)).summarizing(0);
    let mut view: Log = "s1 u1 a1!".parse().unwrap();
    for turn in 2..6 {
        view.append(&format!("u{turn} a{turn}")).unwrap();
        view = pass.next_view(&view, 1);
        assert_eq!(
            view.names(0..view.notes().len()),
            format!("s1 a1 Σ{} u{turn} a{turn}", turn - 1)
        );
    }
}
