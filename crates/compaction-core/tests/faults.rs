//! Faults that windows over conversations are known for, each with a log that shows it.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what broke by panicking"
)]

use compaction_core::{Counts, Trigger, Window};
use compaction_testkit::{Log, Pass, check};

/// Fault, log, window, what becomes of it.
type Row<'a> = (&'a str, &'a str, Window, &'a str);

const fn tokens(budget: u64) -> Window {
    Window::Tokens { budget, reserve: 0 }
}

const FOUR_CALLS: &str = "u1 c1[k1,k2,k3,k4] t1(k1) t2(k2) t3(k3) t4(k4) a1 | u2 a2";

const ROWS: &[Row<'_>] = &[
    (
        "a window cut between a call and its result",
        "u1 c1[k1] t1(k1) a1 | u2",
        Window::Events(3),
        "- / u1 c1 t1 a1 / u2",
    ),
    (
        "some of the results of parallel calls were kept without the request",
        FOUR_CALLS,
        Window::Events(4),
        "- / u1 c1 t1 t2 t3 t4 a1 / u2 a2",
    ),
    (
        "calls and results were paired by position",
        "u1 c1[k1] c2[k2] t1(k1) t2(k2) a1",
        Window::Turns(1),
        "fits",
    ),
    (
        "results with one id were taken for one",
        "u1 c1[k] t1(k) c2[k] t2(k) c3[k] t3(k) a1",
        Window::Events(8),
        "fits",
    ),
    (
        "a result behind the next question left its call behind",
        "u1 c1[k1,k2] t2(k2) | u2 t1(k1) a2",
        Window::Turns(1),
        "- / u1 c1 t2 / u2 t1 a2",
    ),
    (
        "one long request had no place to cut, and trimming failed",
        "u1 c1[k1] t1(k1) c2[k2] t2(k2) c3[k3] t3(k3)",
        Window::Events(4),
        "uncut",
    ),
    (
        "the kept part began with a reply",
        "u1 a1 | u2 a2 | u3 a3",
        Window::Events(3),
        "- / u1 a1 u2 a2 / u3 a3",
    ),
    (
        "nothing fit, so nothing was sent",
        "u1:50",
        tokens(25),
        "uncut",
    ),
    (
        "a budget dropped the call that is running",
        "u1:10 a1:10 | u2:10 c2[k1]:10 t2(k1):500",
        tokens(100),
        "- / u1 a1 / u2 c2 t2",
    ),
    (
        "a window of nothing covered the question",
        "u1 a1 | u2",
        Window::Events(0),
        "- / u1 a1 / u2",
    ),
    (
        "the same with turns",
        "u1 a1 | u2",
        Window::Turns(0),
        "- / u1 a1 / u2",
    ),
    (
        "the same with tokens",
        "u1 a1 | u2",
        tokens(0),
        "- / u1 a1 / u2",
    ),
    (
        "the cut slid past the last question to its reply",
        "u1:10 a1:10 | u2:10 a2:5",
        tokens(6),
        "- / u1 a1 / u2 a2",
    ),
    (
        "keeping one message left a lone result",
        "u1 a1 | u2 c2[k1] t2(k1)",
        Window::Events(1),
        "- / u1 a1 / u2 c2 t2",
    ),
    (
        "what is always kept exceeds the budget, and the difference wrapped",
        "s1:5000 u1:10 a1:10 | u2:10 a2:10",
        tokens(4000),
        "s1 / u1 a1 / u2 a2",
    ),
    (
        "a window of one and a prompt counted below zero",
        "s1 u1 a1 | u2",
        Window::Events(1),
        "s1 / u1 a1 / u2",
    ),
    (
        "a budget below one message emptied the list",
        "u1:20 a1:20 | u2:20",
        tokens(2),
        "- / u1 a1 / u2",
    ),
    (
        "an empty list had no first message",
        "",
        Window::Turns(2),
        "uncut",
    ),
    ("a prompt alone", "s1", Window::Turns(0), "uncut"),
    (
        "a list that needed nothing came back without its tool messages",
        "u1 c1[k1] t1(k1) a1",
        Window::Events(99),
        "fits",
    ),
    (
        "a list of summaries gave a range that ends before it begins",
        "y1 y2",
        Window::Events(1),
        "uncut",
    ),
];

#[test]
fn none_of_them_is_here() {
    for (fault, log, window, expected) in ROWS {
        assert_eq!(Pass::of(*window).describe(log), *expected, "{fault}");
    }
}

/// Fault: some of the results of parallel calls were kept without the request.
#[test]
fn parallel_results_are_kept_with_their_request_or_not_at_all() {
    for count in 0..=9 {
        let kept = Pass::of(Window::Events(count)).describe(FOUR_CALLS);
        let whole = ["fits", "- / u1 c1 t1 t2 t3 t4 a1 / u2 a2"];
        assert!(whole.contains(&kept.as_str()), "{count}: {kept}");
    }
}

/// Fault: a window of k took k + 1, and a window of nothing had no limit.
#[test]
fn a_window_of_some_size_is_of_that_size() {
    let log = "u1 a1 | u2 a2 | u3 a3 | u4 a4 | u5 a5";
    let newest = "- / u1 a1 u2 a2 u3 a3 u4 a4 / u5 a5";
    let newest_two = "- / u1 a1 u2 a2 u3 a3 / u4 a4 u5 a5";
    for (window, expected) in [
        (Window::Turns(1), newest),
        (Window::Turns(2), newest_two),
        (Window::Turns(5), "fits"),
        (Window::Turns(6), "fits"),
        (Window::Events(1), newest),
        (Window::Events(2), newest),
        (Window::Events(3), newest),
        (Window::Events(4), newest_two),
        (Window::Events(10), "fits"),
    ] {
        check(log, window, expected);
    }
}

/// Fault: equal to the threshold, one below and one above were mixed up between trigger and window.
#[test]
fn what_fires_a_threshold_may_fit_the_window() {
    let log = "u1:10 a1:10 | u2:10 a2:10";
    let counts = Counts::from(log.parse::<Log>().unwrap().outline());
    assert!(!Trigger::TokenCount(41).check(&counts).fired);
    assert!(!Trigger::TurnCount(2).check(&counts).fired);
    assert!(Trigger::TokenCount(40).check(&counts).fired);
    check(log, tokens(40), "fits");
    check(log, tokens(39), "- / u1 a1 / u2 a2");
}

/// Passes in turn: what is appended, the window, whether it summarizes; then what is asked and
/// the view that is left.
type Step<'a> = (&'a str, Window, bool, &'a str, &'a str);

#[track_caller]
fn follow(steps: &[Step<'_>]) {
    let mut view = Log::new();
    for (appended, window, summarizes, asked, left) in steps {
        view.append(appended).unwrap();
        let mut pass = Pass::of(*window);
        if *summarizes {
            pass = pass.summarizing(0);
        }
        assert_eq!(pass.describe_request(&view.to_string()), *asked, "{view}");
        view = pass.next_view(&view, 2);
        assert_eq!(view.names(0..view.notes().len()), *left);
    }
}

/// Fault: what the first pass kept lay before its own mark, and the second lost it.
#[test]
fn what_one_pass_keeps_the_next_one_covers() {
    follow(&[
        (
            "u1 a1 u2 a2 u3 a3",
            Window::Turns(2),
            true,
            "- / u1 a1 / -",
            "Σ1 u2 a2 u3 a3",
        ),
        (
            "u4 a4",
            Window::Turns(1),
            true,
            "Σ1 / u2 a2 u3 a3 / -",
            "Σ2 u4 a4",
        ),
    ]);
}

/// Fault: a huge message kept by one pass was never summarized, and the trigger fired for ever.
#[test]
fn a_huge_message_is_covered_by_the_next_pass() {
    follow(&[
        (
            "u1:10 a1:10 u2:900 a2:10",
            tokens(400),
            true,
            "- / u1 a1 / -",
            "Σ1 u2 a2",
        ),
        (
            "u3:10 a3:10 u4:10 a4:10",
            tokens(400),
            true,
            "Σ1 / u2 a2 / -",
            "Σ2 u3 a3 u4 a4",
        ),
        ("", tokens(400), true, "nothing", "Σ2 u3 a3 u4 a4"),
    ]);
}

/// Fault: the old part was the first k messages and the new part the last k, and the middle was in
/// neither.
#[test]
fn the_middle_is_covered_too() {
    follow(&[(
        "u1 a1 u2 a2 u3 a3 u4 a4 u5 a5",
        Window::Events(3),
        true,
        "- / u1 a1 u2 a2 u3 a3 u4 a4 / -",
        "Σ1 u5 a5",
    )]);
}

/// Faults: an old summary was taken for the latest one; covered messages were summarized again.
#[test]
fn each_pass_is_shown_the_newest_summary_and_what_is_new() {
    follow(&[
        (
            "u1 a1 u2 a2",
            Window::Turns(1),
            true,
            "- / u1 a1 / -",
            "Σ1 u2 a2",
        ),
        (
            "u3 a3",
            Window::Turns(1),
            true,
            "Σ1 / u2 a2 / -",
            "Σ2 u3 a3",
        ),
        (
            "u4 a4",
            Window::Turns(1),
            true,
            "Σ2 / u3 a3 / -",
            "Σ3 u4 a4",
        ),
    ]);
}

/// Fault: a later pass without a summarizer dropped the summary.
#[test]
fn a_plain_pass_carries_the_summary() {
    follow(&[
        (
            "u1 a1 u2 a2",
            Window::Turns(1),
            true,
            "- / u1 a1 / -",
            "Σ1 u2 a2",
        ),
        (
            "u3 a3 u4 a4",
            Window::Turns(1),
            false,
            "nothing",
            "Σ1 u4 a4",
        ),
    ]);
}

/// Fault: nothing could be forgotten any more, yet the trigger fired, for ever.
#[test]
fn a_pass_with_nothing_left_to_cut_asks_nothing() {
    follow(&[
        (
            "s1:100 u1:10 a1:10 u2:500",
            tokens(200),
            true,
            "- / u1 a1 / -",
            "s1 Σ1 u2",
        ),
        ("", tokens(200), true, "nothing", "s1 Σ1 u2"),
        ("", tokens(200), true, "nothing", "s1 Σ1 u2"),
    ]);
}

/// Fault: summaries piled up in the middle of the talk.
#[test]
fn there_is_one_summary_and_it_comes_first() {
    let pass = Pass::of(Window::Turns(1)).summarizing(0);
    let mut view = Log::new();
    let mut passes = Vec::new();
    for turn in 1..=12 {
        view.append(&format!("u{turn} a{turn}")).unwrap();
        if Trigger::TurnCount(3)
            .check(&Counts::from(view.outline()))
            .fired
        {
            view = pass.next_view(&view, 2);
            passes.push(turn);
            let names = view.names(0..view.notes().len());
            assert_eq!(names, format!("Σ{} u{turn} a{turn}", passes.len()));
        }
    }
    assert_eq!(passes, [4, 7, 10]);
}

/// Fault: start and stop were the same number, and every message started a pass.
#[test]
fn a_window_below_its_trigger_rests_between_passes() {
    let pass = Pass::of(Window::Turns(2)).summarizing(0);
    let mut view = Log::new();
    let mut passes = Vec::new();
    for turn in 1..=20 {
        view.append(&format!("u{turn} a{turn}")).unwrap();
        if Trigger::TurnCount(4)
            .check(&Counts::from(view.outline()))
            .fired
        {
            view = pass.next_view(&view, 2);
            passes.push(turn);
        }
    }
    assert_eq!(passes, [5, 8, 11, 14, 17, 20]);
}
