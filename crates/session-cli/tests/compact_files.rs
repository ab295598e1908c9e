//! `compact` over files: what comes out is a shorter transcript of the same kind.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use std::fs;

use common::{Place, check_pairs, examples, one_long_turn, talk, text_of, view, view_of};
use serde_json::Value;

/// The windows that each example is compacted with.
const WINDOWS: [&[&str]; 14] = [
    &[],
    &["--tokens", "2000"],
    &["--tokens", "600", "--grain", "step"],
    &["--last-turns", "1"],
    &["--last-turns", "2"],
    &["--last-events", "5"],
    &["--last-events", "30"],
    &["--clear-results", "--tokens", "4000"],
    &["--last-turns", "1", "--summarizer", "ledger"],
    &[
        "--tokens",
        "1500",
        "--clear-results",
        "--keep-results",
        "1",
        "--grain",
        "step",
    ],
    &["--strategy", "sliding-window"],
    &["--strategy", "turn-window", "--max-turns", "1"],
    &["--strategy", "token-count", "--max-tokens", "2000"],
    &[
        "--strategy",
        "recursive-summarization",
        "--summarizer",
        "ledger",
    ],
];

/// Where the newest turn begins: at the last message of a person.
fn newest_turn(messages: &[Value]) -> usize {
    let opens = |shown: &Value| {
        shown["role"] == "user" && shown["synthetic"] == false && shown["message"]["role"] == "user"
    };
    messages.iter().rposition(opens).expect("there is a turn")
}

#[test]
fn every_window_on_every_example_leaves_a_conversation_that_can_go_on() {
    let place = Place::new();
    for path in examples() {
        let file = path.to_str().unwrap();
        let before = view_of(&place, file);
        let newest = before[newest_turn(&before)]["message"].clone();
        let last = before.last().unwrap()["message"].clone();
        for window in WINDOWS {
            let about = format!("{} {window:?}", path.file_name().unwrap().display());
            let name = "shorter";
            let mut args = vec![
                "compact",
                file,
                "-o",
                name,
                "--json",
                "--encoding",
                "bytes4",
            ];
            args.extend(window);
            let document = place.run(&args).done().json();
            let said: Vec<Value> = view(&document).into_iter().cloned().collect();

            // It reads back as the view that was announced.
            let after = view_of(&place, name);
            let messages = |all: &[Value]| {
                all.iter()
                    .map(|shown| text_of(&shown["message"]))
                    .collect::<Vec<_>>()
            };
            assert_eq!(messages(&after), messages(&said), "{about}");

            check_pairs(&after, &about);
            let first = after
                .iter()
                .find(|shown| !matches!(shown["role"].as_str(), Some("system" | "developer")));
            assert_eq!(first.unwrap()["message"]["role"], "user", "{about}");
            let at = newest_turn(&after);
            assert_eq!(text_of(&after[at]["message"]), text_of(&newest), "{about}");
            assert_eq!(
                text_of(&after.last().unwrap()["message"]),
                text_of(&last),
                "{about}"
            );
        }
    }
}

#[test]
fn compacting_what_was_compacted_changes_nothing_more() {
    let place = Place::new();
    for path in examples() {
        for window in [
            ["--tokens", "2000"],
            ["--last-turns", "2"],
            ["--last-events", "30"],
        ] {
            let once = place
                .run([
                    "compact",
                    path.to_str().unwrap(),
                    "-q",
                    window[0],
                    window[1],
                ])
                .done();
            let twice = place
                .run_with(["compact", "-", "--json", window[0], window[1]], &once.out)
                .done();
            assert_eq!(
                twice.json()["outcome"],
                "unchanged",
                "{} {window:?}",
                path.display()
            );
            let again = place
                .run_with(["compact", "-", "-q", window[0], window[1]], &once.out)
                .done();
            assert_eq!(again.out.trim_end(), once.out.trim_end());
        }
    }
}

#[test]
fn with_nothing_to_compact_the_transcript_comes_out_as_it_was() {
    let place = Place::new();
    for path in examples() {
        let ran = place
            .run(["compact", path.to_str().unwrap(), "--tokens", "10m"])
            .done();
        assert!(ran.err.starts_with("nothing to compact in "), "{}", ran.err);
        let values = |text: &str| -> Vec<Value> {
            serde_json::Deserializer::from_str(text)
                .into_iter()
                .map(Result::unwrap)
                .collect()
        };
        let (before, after) = (
            values(&fs::read_to_string(&path).unwrap()),
            values(&ran.out),
        );
        assert_eq!(before, after, "{}", path.display());
    }
}

#[test]
fn a_trigger_that_does_not_fire_leaves_the_transcript_as_it_was() {
    let place = Place::new();
    let file = place.file("talk.json", talk(9));
    let args = [
        "compact",
        &file,
        "--last-turns",
        "2",
        "--when",
        "turns>9",
        "--when",
        "events>100",
    ];
    let ran = place.run(args).done();
    assert_eq!(ran.out.trim_end(), talk(9));
    assert!(
        ran.err
            .contains("9 turns are not more than 9 turns; 19 events are not more than 100 events"),
        "{}",
        ran.err
    );
    let args = [
        "compact",
        &file,
        "--last-turns",
        "2",
        "--when",
        "turns>9",
        "--when",
        "events>18",
        "--json",
    ];
    assert_eq!(place.run(args).done().json()["outcome"], "compacted");
}

#[test]
fn a_long_turn_is_cut_between_its_steps_only_when_asked() {
    let place = Place::new();
    let file = place.file("long.json", one_long_turn(12));
    let ran = place.run(["compact", &file, "--tokens", "500"]).done();
    assert_eq!(ran.out.trim_end(), one_long_turn(12));
    assert!(ran.err.contains("hint: --grain step"), "{}", ran.err);

    let document = place
        .run([
            "compact", &file, "--tokens", "500", "--grain", "step", "--json",
        ])
        .done()
        .json();
    assert_eq!(document["outcome"], "compacted");
    let messages: Vec<Value> = view(&document).into_iter().cloned().collect();
    assert_eq!(text_of(&messages[0]["message"]), "count the files");
    assert!(messages.len() < 12, "{}", messages.len());
    assert!(document["after"]["tokens"].as_u64().unwrap() <= 500);
    check_pairs(&messages, "step grain");

    // Results are cleared before anything is cut, which alone is enough here.
    let long = one_long_turn(12).replace("nine ten", &"nine ten ".repeat(20));
    let file = place.file("results.json", long);
    let args = [
        "compact",
        &file,
        "--tokens",
        "2000",
        "--clear-results",
        "--keep-results",
        "1",
        "--json",
    ];
    let document = place.run(args).done().json();
    assert_eq!(document["outcome"], "compacted");
    assert!(document["after"]["tokens"].as_u64().unwrap() <= 2000);
    assert_eq!(document["cleared"].as_array().unwrap().len(), 11);
    assert_eq!(document["covered"].as_array().unwrap().len(), 0);
    let messages: Vec<Value> = view(&document).into_iter().cloned().collect();
    check_pairs(&messages, "cleared results");
}
