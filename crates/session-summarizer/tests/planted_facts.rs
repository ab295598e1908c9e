//! Which facts that were planted in a conversation survive: in a ledger, in what models wrote, and
//! in both together. `cargo test -p session-summarizer --test planted_facts -- --nocapture` prints
//! the table.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    dead_code
)]

mod common;
#[path = "common/facts.rs"]
mod facts;

use common::{BytesDiv4, now};
use compaction_core::TokenEstimator;
use facts::{Planted, cells, column, heading, planted};
use session_summarizer::{Brief, Ledger, Retention, Scripted, Summarizer, WithLedger};

/// Conversation, budget of the ledger (none: its default), facts of all that survive.
const LEDGER: [(&str, Option<u64>, usize); 8] = [
    ("halyard", Some(200), 7),
    ("halyard", Some(300), 13),
    ("halyard", Some(400), 15),
    ("halyard", None, 16),
    ("depot", Some(200), 11),
    ("depot", Some(300), 18),
    ("depot", Some(400), 20),
    ("depot", None, 20),
];

fn ledger(planted: &Planted, budget: Option<u64>) -> String {
    let brief = Brief::new(&planted.talk);
    let brief = match budget {
        Some(tokens) => brief.with_budget(tokens),
        None => brief,
    };
    Ledger::new(BytesDiv4).write(&brief).unwrap()
}

fn row(name: &str, planted: &Planted, text: &str) {
    let tokens = BytesDiv4.estimate(text);
    let lost: Vec<&str> = planted
        .facts
        .iter()
        .filter(|fact| !fact.survives(text))
        .map(|fact| fact.id.as_str())
        .collect();
    let cells = cells(&planted.facts, text);
    let kept = Retention::of(&planted.talk, text).total().per_mille();
    println!(
        "| {name} | {tokens} | {}‰ | {cells} | {} |",
        kept.unwrap(),
        lost.join(", ")
    );
}

#[test]
fn a_ledger_keeps_the_facts_that_fit_and_all_of_them_where_there_is_room() {
    for planted in planted() {
        println!(
            "\n| {} | tokens | specifics | {} | lost |",
            planted.name,
            heading(&planted.facts)
        );
        for (_, budget, expected) in LEDGER.iter().filter(|row| row.0 == planted.name) {
            let text = ledger(&planted, *budget);
            row(&format!("ledger, {budget:?}"), &planted, &text);
            let kept = column(&planted.facts, &text)["~all"].0;
            assert_eq!(kept, *expected, "{} {budget:?}\n{text}", planted.name);
            assert_eq!(text, ledger(&planted, *budget), "the same bytes");
        }
    }
}

/// What small models really wrote, with the ledger under it and without.
#[test]
fn with_a_ledger_under_it_a_summary_keeps_more_facts_and_never_fewer() {
    let text = include_str!("data/summaries.json");
    let records: serde_json::Value = serde_json::from_str(text).unwrap();
    let [halyard, _] = planted();
    let brief = || Brief::new(&halyard.talk).with_budget(900);
    println!(
        "\n| answer | tokens | specifics | {} | lost |",
        heading(&halyard.facts)
    );
    for record in records.as_array().unwrap() {
        let (name, text) = (
            record["name"].as_str().unwrap(),
            record["text"].as_str().unwrap(),
        );
        let both = WithLedger::new(Scripted::new([text]), Ledger::new(BytesDiv4));
        let both = now(both.summarize(brief())).unwrap().unwrap();
        row(name, &halyard, text);
        row(&format!("{name} + ledger"), &halyard, both.text());
        let kept = |text: &str| column(&halyard.facts, text)["~all"].0;
        assert!(kept(both.text()) >= kept(text), "{name}");
        assert!(kept(both.text()) >= 11, "{name}: {}", both.text());
        assert!(BytesDiv4.estimate(both.text()) <= 900, "{name}");
    }
}
