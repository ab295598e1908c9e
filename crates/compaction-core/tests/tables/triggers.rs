use compaction_core::{Condition, Counts, Trigger};
use compaction_testkit::{Log, characters};

fn counts(log: &str) -> Counts {
    let log = log.parse::<Log>().unwrap().with_costs(characters);
    Counts::from(log.outline())
}

#[test]
fn rows_of_triggers() {
    let turns = Trigger::TurnCount;
    let tokens = Trigger::TokenCount;
    let three = "u1 a1 u2 a2 u3 a3";
    let rows = [
        ("TT1", three, turns(5), false),
        ("TT2", three, turns(3), false),
        ("TT3", "u1 u2 u3 u4", turns(3), true),
        ("TT4", "", turns(3), false),
        ("TT5", "Σ1 Σ2 Σ3 Σ4 Σ5 u1 a1 u2 a2", turns(2), false),
        ("TK1", "u1:11 a1:16", tokens(27), true),
        ("TK2", "u1:11 a1:17", tokens(27), true),
        ("TK3", "u1:8 a1:13", tokens(22), false),
        ("TK4", "", tokens(10), false),
        ("TK5", "u1:8 a1:13 u2:8 a2:13", tokens(35), true),
        ("TK7", "s1 s2 u1 a1", tokens(31), true),
        ("TK7, one more", "s1 s2 u1 a1", tokens(32), false),
        ("events, at", "s1 u1 a1", Trigger::EventCount(3), false),
        ("events, above", "s1 u1 a1", Trigger::EventCount(2), true),
        ("always", "", Trigger::Always, true),
        ("never", three, Trigger::Never, false),
        // Of 100 tokens 20 are for the reply, and half of the others is 40.
        ("fraction, below", "u1:39", fraction(100, 20, 500), false),
        ("fraction, at", "u1:40", fraction(100, 20, 500), true),
        // A fraction of a token is a token: 33.3 are reached by 34.
        ("fraction, rounded", "u1:33", fraction(100, 0, 333), false),
        ("fraction, rounded up", "u1:34", fraction(100, 0, 333), true),
        ("fraction of nothing", "", fraction(10, 20, 500), true),
        (
            "fraction, largest",
            "u1:40",
            fraction(u64::MAX, 0, u32::MAX),
            false,
        ),
    ];
    for (row, log, trigger, fires) in rows {
        assert_eq!(trigger.check(&counts(log)).fired, fires, "{row}");
    }
}

fn fraction(limit: u64, reserve_output: u64, per_mille: u32) -> Trigger {
    Trigger::WindowFraction {
        limit,
        reserve_output,
        per_mille,
    }
}

#[test]
fn rows_of_combinations() {
    let yes = || Trigger::Always;
    let no = || Trigger::Never;
    let rows = [
        ("CT1", Trigger::AnyOf(vec![no(), yes()]), true, 2),
        (
            "CT1, short circuit",
            Trigger::AnyOf(vec![yes(), no()]),
            true,
            1,
        ),
        ("CT1, none", Trigger::AnyOf(vec![no(), no()]), false, 2),
        ("CT1, no child", Trigger::AnyOf(Vec::new()), false, 0),
        ("all", Trigger::AllOf(vec![yes(), yes()]), true, 2),
        (
            "all, short circuit",
            Trigger::AllOf(vec![no(), yes()]),
            false,
            1,
        ),
        ("all, no child", Trigger::AllOf(Vec::new()), true, 0),
        (
            "nested",
            Trigger::AnyOf(vec![Trigger::AllOf(vec![yes(), no()]), yes()]),
            true,
            3,
        ),
    ];
    for (row, trigger, fires, asked) in rows {
        let verdict = trigger.check(&counts("u1 a1"));
        assert_eq!(verdict.fired, fires, "{row}");
        assert_eq!(verdict.checks.len(), asked, "{row}");
    }
}

#[test]
fn rows_of_counts() {
    let rows = [
        ("RQ1, empty", "", (0, 0)),
        ("RQ1, three", "u1 a1 u2 a2 u3 a3", (6, 3)),
        ("RQ1, summary", "Σ u1", (3, 1)),
        ("RQ1, no turn", "a1 a2", (2, 0)),
        ("RQ2", "s1 Σ u1 c1[k1] t1(k1) a1", (7, 1)),
        ("pinned", "u1! a1! u2 a2", (4, 2)),
    ];
    for (row, log, (events, turns)) in rows {
        let counts = counts(log);
        assert_eq!((counts.events, counts.turns), (events, turns), "{row}");
    }
}

/// A trigger counts what a token window of the same size would have to fit.
#[test]
fn a_trigger_and_a_window_count_alike() {
    for log in [
        "s1 s2 Σ u1 a1 u2 a2",
        "p0 u1! a1 | u2 a2",
        "u1 c1[k1] t1(k1) u2",
    ] {
        let log = log.parse::<Log>().unwrap().with_costs(characters);
        let counts = Counts::from(log.outline());
        let superseded: u64 = match log.outline().systems().split_last() {
            Some((_, earlier)) => earlier.iter().map(|at| log.notes()[*at].tokens()).sum(),
            None => 0,
        };
        let all: u64 = log.notes().iter().map(|note| note.tokens()).sum();
        assert_eq!(counts.tokens, all - superseded, "{log}");
    }
}

#[test]
fn a_verdict_says_why_with_the_numbers() {
    let trigger = Trigger::AllOf(vec![
        Trigger::EventCount(1),
        fraction(100, 20, 500),
        Trigger::Never,
    ]);
    assert_eq!(
        trigger.to_string(),
        "more than 1 events and at least 40 of 80 usable tokens and never"
    );
    let verdict = trigger.check(&counts("u1:20 a1:20"));
    assert_eq!(
        verdict.to_string(),
        "2 events are more than 1 events; 40 tokens are at least 40 of 80 usable tokens; not never"
    );
}

#[test]
fn a_condition_of_the_application_is_asked_and_named() {
    let even = Condition::new("an even number of turns", |counts| counts.turns % 2 == 0);
    let trigger = Trigger::When(even);
    for (turns, why) in [
        (3, "not an even number of turns"),
        (4, "an even number of turns"),
    ] {
        let verdict = trigger.check(&Counts::new(9, turns, 100));
        assert_eq!(verdict.fired, turns == 4);
        assert_eq!(verdict.to_string(), why);
    }
    assert_eq!(
        format!("{trigger:?}"),
        r#"When(Condition("an even number of turns"))"#
    );
    assert_eq!(trigger.token_threshold(), None);
}

#[test]
fn a_question_is_asked_up_to_the_one_that_decides() {
    let counts = Counts::new(9, 3, 100);
    let any = Trigger::AnyOf(vec![
        Trigger::TurnCount(9),
        Trigger::TokenCount(100),
        Trigger::Always,
    ]);
    let all = Trigger::AllOf(vec![Trigger::TurnCount(9), Trigger::Always]);
    assert_eq!(
        any.check(&counts).to_string(),
        "3 turns are not more than 9 turns; 100 tokens are at least 100 tokens"
    );
    assert_eq!(
        all.check(&counts).to_string(),
        "3 turns are not more than 9 turns"
    );
    assert_eq!(
        any.to_string(),
        "more than 9 turns or at least 100 tokens or always"
    );
}
