//! How it goes on behind another summary, and how much room it takes.

use compaction_core::TokenEstimator as _;
use session_log::Message;
use session_summarizer::{Brief, Scripted, Sizes, Summarizer as _, WithLedger, check};

use super::{filler, ledger, section};
use crate::common::{BytesDiv4, halyard, now};

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
