//! Logs as text, and back.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what broke by panicking"
)]

use compaction_core::EntryKind::{Continuation, StepStart, Summary, System, TurnStart};
use compaction_core::{Entry, EntryKind, Outcome, SummaryReply, Window};
use compaction_testkit::generate::{conversations, logs};
use compaction_testkit::{Log, Note, Pass, Role, characters, check};
use proptest::prelude::*;

#[track_caller]
fn check_kinds(text: &str, expected: &[EntryKind]) {
    let log: Log = text.parse().unwrap();
    let kinds: Vec<_> = log.notes().iter().map(Entry::kind).collect();
    assert_eq!(kinds, expected, "{text}");
}

#[test]
fn the_first_letter_is_the_kind() {
    check_kinds("", &[]);
    check_kinds("s1", &[System]);
    check_kinds("u1 q2 m3", &[TurnStart; 3]);
    check_kinds("a1 r2 p3 t4(k)", &[Continuation; 4]);
    check_kinds("c1[k] a2[k] r3[k] p4[k]", &[StepStart; 4]);
    check_kinds("y1 y2 Σ Σ2", &[Summary; 6]);
    check_kinds(
        "u1(k1) a1(k1) c1[k2](k1)",
        &[TurnStart, Continuation, StepStart],
    );
    check_kinds("  u1 |\n a1\t| ", &[TurnStart, Continuation]);
}

#[test]
fn a_word_says_more_behind_its_name() {
    let note: Note = "c1-x_2.b[k1,k2]!:30".parse().unwrap();
    let expected = Note::new("c1-x_2.b", Role::Assistant)
        .with_calls(["k1", "k2"])
        .pinned()
        .with_tokens(30);
    assert_eq!(note, expected);
    let note: Note = "t1(k1,k1)".parse().unwrap();
    assert_eq!(note.results(), ["k1", "k1"]);
    // Some providers leave ids blank.
    let note: Note = "c1[,]".parse().unwrap();
    assert_eq!(note.calls(), ["", ""]);
    assert_eq!("u1".parse::<Note>().unwrap().tokens(), 1);
    assert_eq!("u1:0".parse::<Note>().unwrap().tokens(), 0);
}

#[test]
fn a_summary_turn_is_two_notes_of_one_name() {
    let log: Log = "Σ1:61 u1".parse().unwrap();
    let costs: Vec<_> = log.notes().iter().map(Note::tokens).collect();
    assert_eq!(costs, [30, 31, 1]);
    assert_eq!(log.positions_of("Σ1"), [0, 1]);
    assert_eq!(log.names([0, 1, 2]), "Σ1 u1");
    assert_eq!(log.names([]), "-");
    let roles: Vec<_> = log.notes().iter().map(Note::role).collect();
    assert_eq!(roles, [Role::Prompt, Role::Summary, Role::User]);
}

#[test]
fn an_error_names_the_word_and_says_what_to_write() {
    let rows = [
        ("u1 x9", "`x9` begins with none of s u q m a r p c t y Σ"),
        ("1u", "`1u` begins with none of s u q m a r p c t y Σ"),
        ("[k]", "`[k]` begins with none of s u q m a r p c t y Σ"),
        (
            "uä",
            "`uä` has a name that is not made of letters, digits, `_`, `-` and `.`",
        ),
        (
            "u1/a1",
            "`u1/a1` has a name that is not made of letters, digits, `_`, `-` and `.`",
        ),
        ("u1 a1 u1", "`u1` is the second of its name"),
        ("Σ Σ", "`Σ` is the second of its name"),
        ("c1", "`c1` makes no call, name them: c1[k1]"),
        ("t1", "`t1` answers no call, name them: t1(k1)"),
        ("c1[k1", "`c1[k1` lacks a `]`"),
        ("t1(k1", "`t1(k1` lacks a `)`"),
        ("u1[k1]", "`u1[k1]` makes calls, which only a r p c do"),
        ("s1(k1)", "`s1(k1)` answers calls, which s y Σ do not"),
        (
            "s1!",
            "`s1!` is pinned, which means nothing for system prompts and summaries",
        ),
        (
            "Σ!",
            "`Σ!` is pinned, which means nothing for system prompts and summaries",
        ),
        (
            "u1:x",
            "`u1:x` has a cost that is no number; a pin goes before it, as in u1!:8",
        ),
        (
            "u1:8!",
            "`u1:8!` has a cost that is no number; a pin goes before it, as in u1!:8",
        ),
        (
            "u1:-1",
            "`u1:-1` has a cost that is no number; a pin goes before it, as in u1!:8",
        ),
        (
            "a1![k]",
            "`a1![k]` goes on after its end: name, [calls], (results), !, :cost",
        ),
    ];
    for (text, expected) in rows {
        let error = text.parse::<Log>().unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(text.contains(error.word()));
    }
    let error = "Σ1".parse::<Note>().unwrap_err();
    assert_eq!(error.to_string(), "`Σ1` is a summary turn, two notes");
}

#[test]
fn a_line_costs_its_characters() {
    let rows = [
        ("u1", "User: u1", 8),
        ("a1", "Assistant: a1", 13),
        ("s1", "System: s1", 10),
        ("y1", "Assistant: y1", 13),
        ("c1[k1,k2]", "Assistant [tool calls: k1(), k2()]", 34),
        ("t1(k1,k2)", "Tool [responses: k1 -> t1, k2 -> t1]", 36),
    ];
    for (word, line, cost) in rows {
        let note: Note = word.parse().unwrap();
        assert_eq!(note.line(), line);
        assert_eq!(characters(&note), cost, "{line}");
    }
    let log: Log = "Σ".parse().unwrap();
    let costs: Vec<_> = log.notes().iter().map(characters).collect();
    assert_eq!(costs, [47, 12]);
    // A cost of its own comes first.
    let log = "u1:3 u2".parse::<Log>().unwrap().with_costs(characters);
    assert_eq!(log.outline().tokens(), 11);
}

#[test]
fn the_view_after_a_pass_is_a_log_again() {
    let log: Log = "s1 Σ1:9 u1 a1 | u2! a2:7".parse().unwrap();
    let pass = Pass::of(Window::Events(1)).summarizing(0);
    let Outcome::Compacted(plan) = pass.run(&log, SummaryReply::Provided) else {
        panic!("three events are more than one");
    };
    assert_eq!(log.after(&plan, 11).to_string(), "s1 Σ2:11 u2! a2:7");
}

#[test]
#[should_panic(expected = "a pass over `u1 u2`")]
fn a_check_fails_on_another_result() {
    check("u1 u2", Window::Turns(1), "fits");
}

#[test]
#[should_panic(expected = "what is asked of `u1 u2`")]
fn a_check_fails_on_another_question() {
    let pass = Pass::of(Window::Turns(1)).summarizing(0);
    pass.check_request("u1 u2", "nothing");
}

#[test]
#[should_panic(expected = "a declined pass over `u1 u2`")]
fn a_check_fails_on_another_ending() {
    let pass = Pass::of(Window::Turns(1)).summarizing(0);
    pass.check_declined("u1 u2", "fits");
}

#[test]
#[should_panic(expected = "in `u1 x`: `x` begins with none of")]
fn a_check_fails_on_what_is_no_log() {
    check("u1 x", Window::Turns(1), "fits");
}

proptest! {
    #[test]
    fn what_is_printed_reads_the_same(log in logs(30)) {
        prop_assert_eq!(log.to_string().parse::<Log>().unwrap(), log);
    }

    #[test]
    fn what_agents_write_reads_the_same(log in conversations(6)) {
        prop_assert_eq!(log.to_string().parse::<Log>().unwrap(), log);
    }

    #[test]
    fn any_text_is_a_log_or_an_error(text in any::<String>()) {
        if let Ok(log) = text.parse::<Log>() {
            prop_assert_eq!(log.to_string().parse::<Log>().unwrap(), log);
        }
    }

    #[test]
    fn almost_notation_is_a_log_or_an_error(text in "[suacty Σ|0-9k!:,()\\[\\]]{0,40}") {
        if let Ok(log) = text.parse::<Log>() {
            prop_assert_eq!(log.to_string().parse::<Log>().unwrap(), log);
        }
    }

    #[test]
    fn generators_make_what_they_say(log in logs(25), conversation in conversations(4)) {
        prop_assert!(log.notes().len() <= 25);
        prop_assert!(conversation.outline().turns().len() <= 4);
        for (call, result) in compaction_testkit::oracle::pairs(&conversation) {
            prop_assert!(result.is_some_and(|result| result > call));
        }
    }
}
