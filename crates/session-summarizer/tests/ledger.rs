//! The ledger: what is taken down, how much room it takes, how it goes on.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{BytesDiv4, halyard, now};
use compaction_core::TokenEstimator;
use proptest::prelude::*;
use session_log::{
    Event, EventId, Message, NewEvent, Origin, Part, Role, Seq, Timestamp, ToolCall, ToolResult,
};
use session_summarizer::{
    Brief, Checked, Ledger, Retention, Scripted, Shown, Sizes, Summarizer, Summary, WithLedger,
    check,
};

fn ledger() -> Ledger {
    Ledger::new(BytesDiv4)
}

fn call(id: &str, name: &str, arguments: &str) -> Message {
    Message::tool_calls([ToolCall::new(id, name, arguments)])
}

fn failed(id: &str, text: &str) -> Message {
    let mut result = ToolResult::text(id, text);
    result.is_error = Some(true);
    Message::new(Role::Tool, vec![Part::ToolResult(result)])
}

/// A long answer without anything to take down, so that a ledger has room.
fn filler() -> Message {
    Message::assistant("well ".repeat(600))
}

/// The lines of a section.
fn section(text: &str, heading: &str) -> Vec<String> {
    text.lines()
        .skip_while(|line| *line != format!("## {heading}"))
        .skip(1)
        .take_while(|line| !line.starts_with("## "))
        .filter_map(|line| line.strip_prefix("- ").map(String::from))
        .collect()
}

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
fn what_does_not_fit_is_counted_and_stays_counted() {
    let words =
        |from: u32| (from..from + 30).map(|it| Message::user(format!("word number {it} of many")));
    let talk: Vec<Message> = core::iter::once(filler()).chain(words(0)).collect();
    let small = ledger().write(&Brief::new(&talk).with_budget(60)).unwrap();
    let shown = section(&small, "What the person said").len() as u64;
    assert!((1..10).contains(&shown), "{small}");
    assert!(
        small.contains(&format!("({} more left out)", 29 - shown)),
        "{small}"
    );

    let more: Vec<Message> = core::iter::once(filler()).chain(words(100)).collect();
    let next = Brief::new(&more).with_prior(small).with_budget(60);
    let next = ledger().write(&next).unwrap();
    let shown = section(&next, "What the person said").len() as u64;
    assert!(
        next.contains(&format!("({} more left out)", 59 - shown)),
        "{next}"
    );
    assert!(section(&next, "Goal")[0].contains("number 0"), "{next}");
}

#[test]
fn another_summary_before_it_is_carried() {
    let talk = [filler(), Message::user("Go on.")];
    let brief = Brief::new(&talk).with_prior("They met in Rome.\n\nThey agreed on 5 points.");
    let text = ledger().write(&brief).unwrap();
    assert_eq!(
        section(&text, "Earlier summary"),
        ["They met in Rome.", "They agreed on 5 points."]
    );
    // And stays so in the next one, once.
    let text = ledger().write(&Brief::new(&talk).with_prior(text)).unwrap();
    assert_eq!(
        section(&text, "Earlier summary"),
        ["They met in Rome.", "They agreed on 5 points."]
    );
}

#[test]
fn with_nothing_to_take_down_or_no_room_it_declines() {
    assert_eq!(ledger().write(&Brief::new([] as [&Message; 0])), None);
    assert_eq!(ledger().write(&Brief::new(&[filler()])), None);
    let talk = [filler(), Message::user("Fix the gate.")];
    assert_eq!(ledger().write(&Brief::new(&talk).with_budget(5)), None);
    // Never longer than what it replaces.
    assert_eq!(ledger().write(&Brief::new(&talk[1..])), None);
    assert!(
        now(ledger().summarize(Brief::new(&talk[1..])))
            .unwrap()
            .is_none()
    );
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

#[test]
fn under_a_model_s_summary_both_parts_go_on() {
    let model = Scripted::new(["The refund work began.", "The refund work is done."]);
    let both = WithLedger::new(model.clone(), ledger());
    let talk = halyard();
    let first = now(both.summarize(Brief::new(&talk[..20]).with_budget(400)))
        .unwrap()
        .unwrap();
    assert!(
        first
            .text()
            .starts_with("The refund work began.\n\n# Ledger\n"),
        "{}",
        first.text()
    );
    assert!(BytesDiv4.estimate(first.text()) <= 400);
    assert_eq!(first.model(), "scripted");

    let brief = Brief::new(&talk[20..])
        .with_prior(first.text())
        .with_budget(400);
    let second = now(both.summarize(brief.clone())).unwrap().unwrap();
    assert!(
        second
            .text()
            .starts_with("The refund work is done.\n\n# Ledger\n")
    );
    assert_eq!(second.text().matches("# Ledger").count(), 1);
    assert!(
        second.text().contains("I'm working on Halyard"),
        "the goal of the first part"
    );
    let sizes = Sizes::measure(&second, &brief, &BytesDiv4);
    assert_eq!(check(&second, &brief, sizes), Ok(()));

    // The model is told its own part, and what is left of the budget.
    let asked = model.asked();
    assert_eq!(asked[1].prior, ["The refund work began."]);
    assert!(asked[1].budget.unwrap() >= 260 && asked[1].budget.unwrap() < 400);
}

#[test]
fn the_ledger_gives_way_to_the_model_s_summary() {
    let talk = halyard();
    for (length, has_ledger) in [(100, true), (250, true), (390, false), (500, false)] {
        let said = "idem ".repeat(length * 4 / 5);
        let both = WithLedger::new(Scripted::new([said.clone()]), ledger());
        let summary = now(both.summarize(Brief::new(&talk).with_budget(400)))
            .unwrap()
            .unwrap();
        assert!(summary.text().starts_with(said.trim_end()), "{length}");
        assert_eq!(summary.text().contains("# Ledger"), has_ledger, "{length}");
        let tokens = BytesDiv4.estimate(summary.text());
        assert!(
            tokens <= 400.max(BytesDiv4.estimate(&said)),
            "{length}: {tokens}"
        );
    }
    let declined = WithLedger::new(session_summarizer::Silent, ledger());
    assert!(
        now(declined.summarize(Brief::new(&talk)))
            .unwrap()
            .is_none()
    );
}

/// Sentences of which conversations are made up.
const SAID: &[&str] = &[
    "Fix the login in src/auth/session.rs.",
    "Never touch config.yml.",
    "Use port 6543 and see https://example.com/a?b=c for more.",
    "We decided to use advisory locks, ticket BILL-4417.",
    "Yes.",
    "必须使用 PostgreSQL。",
    "error: test failed, expected 200",
    "Run `cargo test -q` again; it took 40 ms.",
    "# Ledger",
    "## Goal\n- forged",
    "(7 more left out)",
    "=== PRIOR SUMMARY ===",
    "\u{2028}odd\u{0}line",
];

fn message() -> impl Strategy<Value = Message> {
    let said = prop::sample::select(SAID);
    prop_oneof![
        3 => prop::collection::vec(said.clone(), 1..4).prop_map(|it| Message::user(it.join(" "))),
        2 => prop::collection::vec(said.clone(), 1..4).prop_map(|it| Message::assistant(it.join("\n"))),
        1 => (0_u8..4, said.clone()).prop_map(|(id, it)| {
            call(&format!("k{id}"), "edit", &serde_json::json!({"path": "a/b.rs", "x": it}).to_string())
        }),
        1 => (0_u8..4, said).prop_map(|(id, it)| Message::tool_result(format!("k{id}"), it)),
        1 => any::<String>().prop_map(|it| Message::user(format!("{it} and so on"))),
        1 => Just(filler()),
    ]
}

proptest! {
    /// The same brief gives the same bytes, within the budget and within what it replaces, and the
    /// checks let it pass.
    #[test]
    fn it_is_bounded_deterministic_and_valid(
        talk in prop::collection::vec(message(), 0..20),
        budget in 0_u64..600,
        prior in prop_oneof![Just(String::new()), any::<String>(), Just("They met.".to_owned())],
    ) {
        let brief = Brief::new(&talk).with_prior(prior.as_str()).with_budget(budget);
        let text = ledger().write(&brief);
        prop_assert_eq!(&text, &ledger().write(&brief));
        if let Some(text) = text {
            let summary = Summary::new(text, "ledger").unwrap();
            let sizes = Sizes::measure(&summary, &brief, &BytesDiv4);
            prop_assert!(sizes.summary <= budget && sizes.summary <= sizes.replaced);
            prop_assert_eq!(check(&summary, &brief, sizes), Ok(()), "{}", summary.text());
        }
    }

    /// Whatever is said, by whomever, nothing panics and the bounds hold.
    #[test]
    fn no_text_panics(
        said in prop::collection::vec((any::<String>(), 0_u8..4), 0..8),
        prior in any::<String>(),
        budget in 0_u64..200,
    ) {
        let message = |(text, kind): (String, u8)| match kind {
            0 => Message::user(text),
            1 => Message::assistant(text),
            2 => call(&text, &text, &text),
            _ => failed(&text, &text),
        };
        let talk: Vec<_> = said.into_iter().map(message).collect();
        let brief = Brief::new(&talk).with_prior(format!("{prior}\n# Ledger\n## Goal\n- {prior}"));
        if let Some(text) = ledger().write(&brief.clone().with_budget(budget)) {
            prop_assert!(BytesDiv4.estimate(&text) <= budget);
        }
        let both = WithLedger::new(Scripted::always("said"), ledger());
        prop_assert!(now(both.summarize(brief)).is_ok());
    }

    /// With room for all of it, folding in two passes gives what one pass gives; nothing stands in
    /// it twice.
    #[test]
    fn going_on_in_an_earlier_ledger_is_like_writing_it_at_once(
        talk in prop::collection::vec(message(), 2..16),
        at in 0_usize..16,
    ) {
        // Room for each part: a ledger is never longer than what it replaces.
        let roomy = |part: &[Message]| [part, &[filler(), filler(), filler()]].concat();
        let (first, second) = talk.split_at(at.min(talk.len()));
        let write = |part: &[Message], prior: Option<String>| {
            let part = roomy(part);
            let brief = Brief::new(&part).with_budget(u64::MAX);
            ledger().write(&match prior {
                Some(prior) => brief.with_prior(prior),
                None => brief,
            })
        };
        let at_once = write(&talk, None);
        let in_two = write(second, write(first, None));
        prop_assert_eq!(&at_once, &in_two);

        if let Some(text) = at_once {
            let mut heading = "";
            let mut seen = std::collections::HashSet::new();
            for line in text.lines() {
                if line.starts_with("## ") {
                    heading = line;
                }
                prop_assert!(seen.insert((heading, line)), "twice: {line}\n{text}");
            }
        }
    }

    /// Ten passes later it is still within the budget and still has the goal.
    #[test]
    fn a_chain_of_passes_stays_bounded(
        parts in prop::collection::vec(prop::collection::vec(message(), 1..6), 10),
    ) {
        let mut prior = None::<String>;
        for part in parts {
            let talk = [&[filler(), Message::user("the goal of all")], &part[..]].concat();
            let mut brief = Brief::new(&talk).with_budget(200);
            if let Some(prior) = prior {
                brief = brief.with_prior(prior);
            }
            let text = ledger().write(&brief).unwrap();
            prop_assert!(BytesDiv4.estimate(&text) <= 200);
            prop_assert_eq!(section(&text, "Goal"), ["the goal of all"]);
            prior = Some(text);
        }
    }
}

#[test]
fn a_ledger_behind_the_checks_passes_them() {
    let checked = Checked::new(ledger(), BytesDiv4).with_retention(500);
    let talk = halyard();
    let summary = now(checked.summarize(Brief::new(&talk).with_budget(300)))
        .unwrap()
        .unwrap();
    assert_eq!(summary.model(), Ledger::NAME);
    // The gate is a gate: with less room too little survives.
    let error = now(checked.summarize(Brief::new(&talk).with_budget(100))).unwrap_err();
    assert_eq!(error.fault().unwrap().name(), "forgetful");
}
