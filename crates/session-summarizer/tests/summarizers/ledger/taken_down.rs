//! What is taken down.

use session_log::{Event, EventId, Message, NewEvent, Origin, Seq, Timestamp};
use session_summarizer::{Brief, Retention, Shown};

use super::{call, failed, filler, ledger, section};
use crate::common::halyard;

fn written(talk: &[Message]) -> String {
    ledger()
        .write(&Brief::new(talk).with_budget(100_000))
        .unwrap()
}

#[test]
fn work_with_tools_is_taken_down() {
    let talk = [
        filler(),
        Message::user("The login is broken. Never touch config.yml!"),
        call("k1", "read_file", r#"{"path":"src/auth/session.rs"}"#),
        Message::tool_result("k1", "fn login() { /* other.rs, 4711 */ }"),
        call(
            "k2",
            "bash",
            r#"{"command":"cargo test -p auth\necho done"}"#,
        ),
        Message::tool_result(
            "k2",
            "running 3 tests\nerror[E0308]: mismatched types\n  --> src/auth/session.rs:12\n0 failed",
        ),
        call(
            "k3",
            "edit_file",
            r#"{"file_path":"src/auth/session.rs","new":"fn login() {}"}"#,
        ),
        Message::tool_result("k3", "ok"),
        call(
            "k4",
            "apply_patch",
            "*** Begin Patch\n*** Add File: docs/login.md\n+hi\n*** End Patch",
        ),
        failed("k4", "\n  patch does not apply\n"),
        Message::assistant(
            "We chose the second way. See https://example.com/rfc/7 and AUTH-12; it took 40 ms.",
        ),
        Message::user("Go on."),
        call(
            "k5",
            "shell",
            r#"{"cmd":["bash","-lc","git push origin fix-1"]}"#,
        ),
    ];
    let text = written(&talk);
    let expect = |heading: &str, lines: &[&str]| {
        assert_eq!(section(&text, heading), lines, "{heading}\n{text}");
    };
    expect("Goal", &["The login is broken. Never touch config.yml!"]);
    expect("What the person said", &["Go on."]);
    expect("Rules and decisions", &["We chose the second way."]);
    expect(
        "Calls without a result",
        &[r#"k5: shell({"cmd":["bash","-lc","git push origin fix-1"]})"#],
    );
    expect(
        "Errors, word by word",
        &["error[E0308]: mismatched types", "patch does not apply"],
    );
    expect("Files changed", &["src/auth/session.rs", "docs/login.md"]);
    expect("Files and paths", &["config.yml"]);
    expect("Commands", &["cargo test -p auth", "git push origin fix-1"]);
    expect("Names and ids", &["AUTH-12"]);
    expect("Links", &["https://example.com/rfc/7"]);
    expect("Numbers", &["and AUTH-12; it took 40 ms"]);
}

#[test]
fn rules_are_heard_in_several_languages_and_pastes_are_not_searched() {
    let paste = format!(
        "Here is the log: {}",
        "always error src/x.rs 4711 ".repeat(200)
    );
    let talk = [
        filler(),
        Message::user("Hallo."),
        Message::user("Bitte niemals die Datenbank löschen. Danke."),
        Message::user("必须使用 PostgreSQL。谢谢。"),
        Message::user("The ruler is 30 cm long."),
        Message::user(paste),
    ];
    let text = written(&talk);
    assert_eq!(
        section(&text, "Rules and decisions"),
        [
            "Bitte niemals die Datenbank löschen.",
            "必须使用 PostgreSQL。"
        ]
    );
    let words = section(&text, "What the person said");
    assert_eq!(words[..3], ["Danke.", "谢谢。", "The ruler is 30 cm long."]);
    assert!(words[3].starts_with("Here is the log: always") && words[3].ends_with('…'));
    assert!(words[3].chars().count() <= 200);
    assert!(section(&text, "Files and paths").is_empty());
}

#[test]
fn what_a_program_put_in_is_no_word_of_the_person() {
    let event = |id: &str, message, origin| -> Event {
        NewEvent::message(
            EventId::new(id).unwrap(),
            Timestamp::from_millis(0),
            message,
        )
        .with_origin(origin)
        .at(Seq::FIRST)
    };
    let log = [
        event("e0", filler(), Origin::Real),
        event(
            "e1",
            Message::user("Always be brief; step 99 of 100."),
            Origin::Injected,
        ),
        event("e2", Message::user("Fix the gate."), Origin::Real),
    ];
    let brief = Brief::new(log.iter().filter_map(Shown::of_event));
    assert_eq!(
        ledger().write(&brief).unwrap(),
        "# Ledger\n## Goal\n- Fix the gate."
    );
}

#[test]
fn a_result_closes_the_newest_open_call_with_its_id() {
    let first = [
        filler(),
        Message::user("Go."),
        call("k1", "one", "{}"),
        call("k1", "two", "{}"),
        call("", "three", "{}"),
    ];
    let prior = written(&first);
    let open = "Calls without a result";
    assert_eq!(
        section(&prior, open),
        ["k1: one({})", "k1: two({})", ": three({})"]
    );

    let then = [
        filler(),
        Message::tool_result("k1", "ok"),
        Message::tool_result("gone", "ok"),
    ];
    let brief = Brief::new(&then).with_prior(prior).with_budget(10_000);
    let text = ledger().write(&brief).unwrap();
    assert_eq!(section(&text, open), ["k1: one({})", ": three({})"]);
}

#[test]
fn an_error_does_not_stand_there_without_its_end() {
    let clear =
        || Message::tool_result("k", "running\ntest result: ok. 213 passed; 0 failed\ndone");
    let talk = [
        filler(),
        Message::user("Test it."),
        clear(), // nothing failed before: nothing to say
        Message::tool_result("k", "test result: FAILED. 10 passed; 10 failed"),
        Message::tool_result("k", "nothing failed: no errors"),
        clear(),
    ];
    let expected = [
        "test result: FAILED. 10 passed; 10 failed",
        "test result: ok. 213 passed; 0 failed",
    ];
    assert_eq!(section(&written(&talk), "Errors, word by word"), expected);
}

/// What a person would ask of the conversation later, in the words of the answers.
const FACTS: [&str; 16] = [
    "halyard",
    "14 march",
    "feat/idempotent-refunds",
    "never edit legacy/tax_rules.py",
    "postgresql advisory locks",
    "no redis",
    "okafor",
    "6543",
    "e0502",
    "banker's rounding",
    "rounding.rs",
    "test_refund_partial_currency",
    "9f3c2ab",
    "halyard_max_retries to 7",
    "212 ms",
    "bill-4417",
];

/// Measured. By the same counts the recorded summaries of 200 to 380 tokens have 9 and 10 of the
/// facts, and keep 290 to 700 thousandths of the specifics.
#[test]
fn most_of_what_must_be_exact_survives() {
    let talk = halyard();
    for (budget, facts, retention) in [(300, 11, 650), (400, 14, 800), (600, 16, 1_000)] {
        let brief = Brief::new(&talk).with_budget(budget);
        let text = ledger().write(&brief).unwrap();
        let lower = text.to_lowercase();
        let missing: Vec<_> = FACTS.iter().filter(|it| !lower.contains(**it)).collect();
        assert!(16 - missing.len() >= facts, "{budget}: {missing:?}");
        let kept = Retention::of(&talk, &text).total().per_mille().unwrap();
        assert!(kept >= retention, "{budget}: {kept}");
    }
}
