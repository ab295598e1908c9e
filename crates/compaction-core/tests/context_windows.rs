//! Selections for one request: worked cases.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what broke by panicking"
)]

use compaction_core::{
    ContextWindow, EntryKind, PairPolicy, PendingSelection, Selecting, Selection, Weight,
};
use compaction_testkit::{Log, Note};

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

/// What is selected, as `Σ+` for a summary and names.
fn selected(log: &str, window: ContextWindow, budget: u64, policy: PairPolicy) -> String {
    let log: Log = log.parse().unwrap();
    let selection = select(&log, window, budget, policy, 20);
    let summary = if selection.summarized().is_empty() {
        ""
    } else {
        "Σ+ "
    };
    format!("{summary}{}", log.names(selection.kept().iter()))
}

/// So many messages of a person at such a cost: `u1:5 u2:5` …
fn users(count: usize, tokens: u64) -> String {
    let users: Vec<_> = (1..=count)
        .map(|number| format!("u{number}:{tokens}"))
        .collect();
    users.join(" ")
}

fn names(numbers: std::ops::RangeInclusive<usize>) -> String {
    let names: Vec<_> = numbers.map(|number| format!("u{number}")).collect();
    names.join(" ")
}

#[test]
fn rows_of_fixed() {
    let rows = [
        ("AG1", "s1 u1 c1[k1] t1(k1) a1", 100, "s1 u1 c1 t1 a1"),
        ("AG1, exact", "s1 u1 c1[k1] t1(k1) a1", 5, "s1 u1 c1 t1 a1"),
        ("AG2", "u1:9 u2:9 u3:9 u4:9", 9, "u4"),
        ("AG3", "u1:5 u2:5 u3:5", 10, "u2 u3"),
        ("AG4", "u1:5 u2:50", 10, "-"),
        ("AG5", "u1:5 a1:90 a2:5", 10, "a2"),
        ("empty", "", 10, "-"),
        ("no budget", "u1", 0, "-"),
        ("free", "u1:0 a1:0 u2:1", 0, "-"),
        ("highest", "u1:18446744073709551615 u2:1", u64::MAX, "u2"),
    ];
    for (row, log, budget, expected) in rows {
        for policy in [Atomic, Independent] {
            assert_eq!(selected(log, Fixed, budget, policy), expected, "{row}");
            // AG6, AG13: the others are no different over few messages.
            assert_eq!(
                selected(log, Sliding, budget, policy),
                expected,
                "AG6 {row}"
            );
            assert_eq!(
                selected(log, Summarized, budget, policy),
                expected,
                "AG13 {row}"
            );
        }
    }
}

#[test]
fn rows_of_sliding() {
    let rows = [
        ("AG7", users(25, 5), 1000, names(1..=25)),
        (
            "AG8",
            format!("s0:7 {}", users(20, 5)),
            32,
            format!("s0 {}", names(16..=20)),
        ),
        (
            "AG8, one less",
            format!("s0:7 {}", users(20, 5)),
            31,
            names(15..=20),
        ),
        ("AG9", users(20, 5), 50, names(11..=20)),
        ("AG10", users(20, 10), 49, names(17..=20)),
        ("AG10, none", users(20, 10), 9, "-".to_owned()),
        // One that does not fit is passed over for a smaller one.
        (
            "smaller",
            format!("u0:3 s1:30 {}", users(5, 1)),
            10,
            format!("u0 {}", names(1..=5)),
        ),
    ];
    for (row, log, budget, expected) in rows {
        for policy in [Atomic, Independent] {
            assert_eq!(selected(&log, Sliding, budget, policy), expected, "{row}");
        }
    }
}

#[test]
fn older_ones_come_by_importance() {
    // Five recent ones and room for one to five more.
    let log = "a1 u2 c3[k3] s4 y5 | a6 a7 a8 a9 a10";
    let rows = [
        (5, "a6 a7 a8 a9 a10"),
        (6, "s4 a6 a7 a8 a9 a10"),
        (7, "c3 s4 a6 a7 a8 a9 a10"),
        (8, "u2 c3 s4 a6 a7 a8 a9 a10"),
        // A reply and a summary are worth the same; the newer comes first.
        (9, "u2 c3 s4 y5 a6 a7 a8 a9 a10"),
        (10, "a1 u2 c3 s4 y5 a6 a7 a8 a9 a10"),
    ];
    for (budget, expected) in rows {
        assert_eq!(selected(log, Sliding, budget, Atomic), expected, "{budget}");
    }
}

#[test]
fn long_ones_are_more_important() {
    let kept = |characters: [u64; 3]| {
        let entries = [EntryKind::Continuation; 8];
        let mut characters = characters.into_iter().chain([0; 5]);
        let weigh =
            |_: &EntryKind| Weight::of_tokens(1).with_characters(characters.next().unwrap());
        let Selecting::Done(selection) = Sliding.select(&entries, 6, Atomic, weigh) else {
            panic!("sliding asks nothing");
        };
        selection.kept().first()
    };
    assert_eq!(kept([0, 0, 0]), Some(2));
    assert_eq!(kept([0, 1, 0]), Some(1));
    assert_eq!(kept([500, 499, 0]), Some(0));
    // Length counts for five at most.
    assert_eq!(kept([u64::MAX, 2500, 2499]), Some(1));
}

#[test]
fn a_long_reply_is_less_important_than_a_call() {
    let entries = [
        EntryKind::StepStart,
        EntryKind::Continuation,
        EntryKind::System,
        EntryKind::TurnStart,
    ];
    let recent = [EntryKind::Continuation; 5];
    let entries: Vec<_> = entries.into_iter().chain(recent).collect();
    // 1 + 5, 1 + 4.998, 1 + 10, 1 + 1 + 5: the prompt, the long message, the call, the reply.
    let lengths = [0, 2499, 0, 9000];
    for (budget, expected) in [(6, "2..3 4..9"), (7, "2..9"), (8, "0..1 2..9"), (9, "0..9")] {
        let mut lengths = lengths.into_iter().chain([0; 5]);
        let weigh = |_: &EntryKind| Weight::of_tokens(1).with_characters(lengths.next().unwrap());
        let Selecting::Done(selection) = Sliding.select(&entries, budget, Atomic, weigh) else {
            panic!("sliding asks nothing");
        };
        assert_eq!(selection.kept().to_string(), expected);
    }
}

/// AG11. Fault: selected messages were sorted by looking up an equal one, and equal messages
/// changed places.
#[test]
fn equal_messages_keep_their_places() {
    let entries = [EntryKind::Continuation; 12];
    let Selecting::Done(selection) = Sliding.select(&entries, 8, Atomic, |_| Weight::of_tokens(1))
    else {
        panic!("sliding asks nothing");
    };
    assert_eq!(selection.kept().to_string(), "4..12");
}

/// AG12. Fault: a call was selected without its result.
#[test]
fn a_call_and_its_result_stay_together() {
    let log = "c1[k1]:5 t1(k1):5 a2:5 | u3:5 a4:5 u5:5 a6:5 u7:5";
    // The pair does not fit: a reply does.
    assert_eq!(selected(log, Sliding, 34, Atomic), "a2 u3 a4 u5 a6 u7");
    assert_eq!(selected(log, Sliding, 35, Atomic), "c1 t1 u3 a4 u5 a6 u7");
    assert_eq!(
        selected(log, Sliding, 40, Atomic),
        "c1 t1 a2 u3 a4 u5 a6 u7"
    );
    assert_eq!(selected(log, Sliding, 30, Independent), "c1 u3 a4 u5 a6 u7");

    let log = "u1:5 c2[k1,k2]:5 t3(k1):5 t4(k2):5 a5:5";
    assert_eq!(selected(log, Fixed, 19, Atomic), "a5");
    assert_eq!(selected(log, Fixed, 20, Atomic), "c2 t3 t4 a5");
    assert_eq!(selected(log, Fixed, 15, Independent), "t3 t4 a5");

    // A result that came late brings its call, not what lies between.
    let log = "c1[k1]:5 u2:90 a3:90 t4(k1):5";
    assert_eq!(selected(log, Fixed, 20, Atomic), "c1 t4");
    // What nobody answers stands alone.
    assert_eq!(selected("c1[k1] t2(k9) u3", Fixed, 2, Atomic), "t2 u3");
}

#[test]
fn rows_of_summarized() {
    let rows = [
        ("AG14", users(11, 5), 1000, format!("Σ+ {}", names(2..=11))),
        // 20 for the summary leave 280, which 9 of 30 fit: the oldest of the ten is dropped.
        ("AG15", users(30, 30), 300, format!("Σ+ {}", names(22..=30))),
        (
            "AG15, exact",
            users(30, 28),
            300,
            format!("Σ+ {}", names(21..=30)),
        ),
        ("AG16", users(15, 100), 1, "-".to_owned()),
        ("AG16, fits some", users(15, 5), 19, names(13..=15)),
        ("summary alone", users(15, 30), 20, "Σ+ -".to_owned()),
    ];
    for (row, log, budget, expected) in rows {
        for policy in [Atomic, Independent] {
            assert_eq!(
                selected(&log, Summarized, budget, policy),
                expected,
                "{row}"
            );
        }
    }
}

fn pending(log: &str, policy: PairPolicy) -> (Log, PendingSelection) {
    let log: Log = log.parse().unwrap();
    match Summarized.select(log.notes(), 1000, policy, weigh) {
        Selecting::NeedsSummary(pending) => (log, *pending),
        Selecting::Done(selection) => panic!("nothing is asked: {selection:?}"),
    }
}

#[test]
fn a_summary_is_asked_of_the_older_ones() {
    let (log, asked) = pending(&users(13, 5), Atomic);
    assert_eq!(log.names(asked.older().iter()), "u1 u2 u3");
    let selection = asked.resume(7);
    assert_eq!(selection.summarized().to_string(), "0..3");
    assert_eq!(selection.tokens(), 57);
    assert!(!selection.omits_newest());
}

/// Calls that go with one of the last ten are not summarized, or their results would be orphans.
#[test]
fn calls_of_the_last_ten_are_not_summarized() {
    let log = "u1 a1 c2[k1,k2] t3(k1) t4(k2) u5 u6 u7 u8 u9 u10 u11 u12 u13";
    let (log, asked) = pending(log, Atomic);
    assert_eq!(log.names(asked.older().iter()), "u1 a1");
    let kept = asked.resume(1);
    assert_eq!(
        log.names(kept.kept().iter()),
        "c2 t3 t4 u5 u6 u7 u8 u9 u10 u11 u12 u13"
    );

    let (log, asked) = pending(&log.to_string(), Independent);
    assert_eq!(log.names(asked.older().iter()), "u1 a1 c2 t3");

    // All of the older ones go with the last ten: there is nothing to summarize.
    let log = "c1[k1] t2(k1) a3 a4 a5 a6 a7 a8 a9 a10 a11";
    assert_eq!(
        selected(log, Summarized, 100, Atomic),
        format!("{}", log.replace("[k1]", "").replace("(k1)", ""))
    );
}

/// AG17. Fault: the text of an error was sent as the summary.
#[test]
fn without_a_summary_there_is_a_placeholder() {
    let (_, asked) = pending(&users(12, 5), Atomic);
    assert_eq!(
        asked.placeholder(),
        "Summary of earlier conversation: [Summary of 2 earlier messages]"
    );
    assert!(
        asked
            .placeholder()
            .starts_with(PendingSelection::SUMMARY_PREFIX)
    );
}

/// AG4. The outcome says that the newest message is left out.
#[test]
fn it_is_said_when_the_newest_is_left_out() {
    let omits = |log: &str, budget| {
        let log: Log = log.parse().unwrap();
        select(&log, Fixed, budget, Atomic, 0).omits_newest()
    };
    assert!(omits("u1:5 u2:50", 10));
    assert!(!omits("u1:50 u2:5", 10));
    assert!(!omits("", 10));
    // The newest alone would fit, but not with its call.
    assert!(omits("u1:5 c1[k1]:50 t1(k1):5", 10));
}

#[test]
fn names_are_looked_up() {
    for (name, window) in ContextWindow::names()
        .into_iter()
        .zip(ContextWindow::values())
    {
        assert_eq!(window.name(), name);
        assert_eq!(window.to_string(), name);
        assert_eq!(ContextWindow::for_name(name), Ok(window));
        assert_eq!(
            ContextWindow::for_name(&format!("\t{} ", name.to_uppercase())),
            Ok(window)
        );
        assert_eq!(name.parse(), Ok(window));
    }
    assert_eq!(ContextWindow::for_name("summary"), Ok(Summarized));
    assert_eq!(ContextWindow::for_name(" SUMMARY"), Ok(Summarized));
    for unknown in ["", "  ", "fix", "fixed!", "summari", "ſliding"] {
        let error = ContextWindow::for_name(unknown).unwrap_err();
        assert_eq!(error.name(), unknown);
        for name in ContextWindow::names() {
            assert!(error.to_string().contains(name), "{error}");
        }
    }
}

#[test]
fn what_they_need() {
    let needs =
        ContextWindow::values().map(|window| (window.requires_llm(), window.overhead_tokens()));
    assert_eq!(needs, [(false, 0), (false, 0), (true, 200)]);
}
