//! `--pin` and `--unpin`: what stays whatever the window.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use common::{Place, check, check_pairs, one_long_turn, talk, text_of, view, with_talk};
use serde_json::Value;

fn texts(document: &Value) -> Vec<String> {
    view(document)
        .iter()
        .map(|shown| text_of(&shown["message"]))
        .collect()
}

#[test]
fn a_pinned_event_of_a_file_stays_and_so_does_a_note() {
    let place = Place::new();
    let file = place.file("talk.json", talk(6));
    let note = "Never touch config.yml.";
    let args = [
        "compact",
        &file,
        "--last-turns",
        "1",
        "--pin",
        "4",
        "--pin",
        note,
        "--json",
    ];
    let document = place.run(args).done().json();
    let said = texts(&document);
    assert!(
        said.contains(&"question 2: what is the number of room 2?".to_owned()),
        "{said:?}"
    );
    assert_eq!(said.iter().filter(|it| *it == note).count(), 1, "{said:?}");
    assert!(
        !said.iter().any(|it| it.starts_with("answer 2")),
        "{said:?}"
    );

    // What does not have to be compacted comes out as it was read, notes or not.
    let ran = place
        .run(["compact", &file, "--tokens", "1m", "--pin", note])
        .done();
    assert_eq!(ran.out.trim_end(), talk(6));
}

#[test]
fn a_pinned_result_comes_with_its_call() {
    let place = Place::new();
    let turn = one_long_turn(3);
    let turn = turn.trim_end_matches(']');
    let file = place.file(
        "calls.json",
        format!(r#"{turn},{{"role":"user","content":"and now?"}}]"#),
    );
    let args = [
        "compact",
        &file,
        "--last-turns",
        "1",
        "--pin",
        "3",
        "--json",
    ];
    let document = place.run(args).done().json();
    let messages: Vec<Value> = view(&document).into_iter().cloned().collect();
    check_pairs(&messages, "a pin");
    assert_eq!(messages.len(), 3);
}

#[test]
fn a_pin_stays_in_a_session_until_it_is_released() {
    let (place, id) = with_talk(6);
    let shown = |place: &Place| texts(&place.run(["show", &id, "--json"]).done().json());
    let question = "question 2: what is the number of room 2?".to_owned();
    place
        .run(["compact", &id, "--last-turns", "3", "--pin", "4"])
        .done();
    assert!(shown(&place).contains(&question));
    for _ in 0..2 {
        let again = [
            "compact",
            &id,
            "--last-turns",
            "1",
            "--pin",
            "Be quick about it.",
        ];
        place.run(again).done();
    }
    let said = shown(&place);
    assert!(said.contains(&question));
    let notes = said.iter().filter(|it| *it == "Be quick about it.");
    assert_eq!(notes.count(), 1, "{said:?}");
    place
        .run(["compact", &id, "--last-turns", "1", "--unpin", "4"])
        .done();
    assert!(!shown(&place).contains(&question));
}

#[test]
fn pins_that_make_no_sense_are_refused_and_nothing_is_written() {
    let (place, _) = with_talk(3);
    let id: &'static str = common::ids(&place).pop().unwrap().leak();
    place.file("two.jsonl", format!("{}\n{}\n", talk(1), talk(2)));
    let args = |args: &[&'static str]| -> &'static [&'static str] { args.to_vec().leak() };
    check(
        &place,
        &[
            (
                args(&["compact", "talk.json", "--last-turns", "1", "--pin", "99"]),
                2,
                &[
                    "has no event 99",
                    "hint: `stats` and `show --log` name events",
                ],
            ),
            (
                args(&["compact", id, "--last-turns", "1", "--pin", "confg.yml"]),
                2,
                &["has no event confg.yml"],
            ),
            (
                args(&["plan", id, "--last-turns", "1", "--pin", "2"]),
                2,
                &[
                    "nothing is to be written to",
                    "hint: pin with `compaction compact",
                ],
            ),
            (
                args(&["compact", id, "-n", "--last-turns", "1", "--pin", "2"]),
                2,
                &["nothing is to be written to"],
            ),
            (
                args(&["compact", "two.jsonl", "--last-turns", "1", "--pin", "2"]),
                2,
                &["hint: choose one with --conversation N"],
            ),
            (
                args(&["compact", "talk.json", "--strategy", "fixed", "--pin", "2"]),
                2,
                &["--pin does nothing with --strategy fixed"],
            ),
        ],
    );
    let version = place.run(["show", id, "--json"]).done().json()["version"].clone();
    assert_eq!(version, 7);
}
