//! What a session remembers: boundaries taken back and given back, saved plans, forks, versions.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use common::{text_of, with_talk};
use serde_json::{Value, json};

#[test]
fn a_session_is_compacted_in_place_and_its_log_keeps_everything() {
    let (place, id) = with_talk(8);
    let before = place.run(["show", &id, "--log", "--json"]).done().json();
    let planned = place
        .run(["plan", &id, "--last-turns", "3", "--json"])
        .done()
        .json();
    assert_eq!(
        place.run(["show", &id, "--log", "--json"]).done().json()["log"],
        before["log"],
        "a plan changes nothing"
    );

    let ran = place.run(["compact", &id, "--last-turns", "3"]).done();
    assert_eq!(ran.out, "");
    assert!(
        ran.err.starts_with(&format!("compacted {id}: ")),
        "{}",
        ran.err
    );
    let view = place.run(["show", &id, "--json"]).done().json();
    assert_eq!(view["view"], planned["view"]);
    assert_eq!(view["boundary"], 18);

    let after = place.run(["show", &id, "--log", "--json"]).done().json();
    let log = after["log"].as_array().unwrap();
    let records = |document: &Value| -> Vec<Value> {
        document["log"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| event["record"].clone())
            .collect()
    };
    assert_eq!(records(&before), records(&after)[..17]);
    let states: Vec<&str> = log
        .iter()
        .map(|event| event["state"].as_str().unwrap_or("-"))
        .collect();
    assert_eq!(
        states.iter().filter(|state| **state == "covered").count(),
        10
    );
    assert_eq!((states[0], states[11], states[17]), ("pinned", "kept", "-"));

    // A second pass has nothing to do and writes nothing.
    let again = place
        .run(["compact", &id, "--last-turns", "3", "--json"])
        .done()
        .json();
    assert_eq!(
        (&again["outcome"], &again["version"]),
        (&json!("unchanged"), &json!(18))
    );
}

#[test]
fn undo_takes_a_boundary_back_and_redo_gives_it_back() {
    let (place, id) = with_talk(6);
    let whole = place.run(["show", &id, "--json"]).done().json()["view"].clone();
    place
        .run(["compact", &id, "--last-turns", "2", "-q"])
        .done();
    let short = place.run(["show", &id, "--json"]).done().json()["view"].clone();
    assert_ne!(short, whole);

    let undone = place.run(["undo", &id, "--json"]).done().json();
    assert_eq!(
        (&undone["reverted"], &undone["view"]["turns"]),
        (&json!(14), &json!(6))
    );
    assert_eq!(
        place.run(["show", &id, "--json"]).done().json()["view"],
        whole
    );
    let redone = place.run(["redo", &id, "--json"]).done().json();
    assert_eq!(
        (&redone["reverted"], &redone["view"]["turns"]),
        (&json!(15), &json!(2))
    );
    assert_eq!(
        place.run(["show", &id, "--json"]).done().json()["view"],
        short
    );

    place.run(["undo", &id, "-q"]).done();
    let nothing = place.run(["undo", &id]).done();
    assert!(
        nothing.err.contains("there is nothing to take back"),
        "{}",
        nothing.err
    );
    // Earlier versions can be looked at all the while.
    assert_eq!(
        place
            .run(["show", &id, "--at", "14", "--json"])
            .done()
            .json()["view"],
        short
    );
    assert_eq!(
        place
            .run(["show", &id, "--at", "0", "--json"])
            .done()
            .json()["view"],
        json!([])
    );
    let beyond = place.run(["show", &id, "--at", "99"]);
    assert_eq!(beyond.code, 2);
    assert!(
        beyond.err.contains("hint: it is at version 17"),
        "{}",
        beyond.err
    );
}

#[test]
fn a_saved_plan_lands_unchanged_also_after_more_was_said_and_never_twice() {
    let (place, id) = with_talk(6);
    let planned = place
        .run([
            "plan",
            &id,
            "--last-turns",
            "2",
            "--save",
            "plan.json",
            "--json",
        ])
        .done()
        .json();
    assert_eq!(
        place.run(["show", &id, "--json"]).done().json()["version"],
        13,
        "nothing landed yet"
    );

    let landed = place.run(["commit", "plan.json", "--json"]).done().json();
    assert_eq!(landed["outcome"], "compacted");
    for field in ["covered", "pinned", "preserved", "before", "after", "view"] {
        assert_eq!(landed[field], planned[field], "{field}");
    }
    let again = place.run(["commit", "plan.json"]).done();
    assert_eq!(
        place.run(["show", &id, "--json"]).done().json()["version"],
        14,
        "{}",
        again.err
    );
    assert!(
        again.err.contains("warning: this plan had landed before"),
        "{}",
        again.err
    );
    assert_eq!(landed["warnings"], json!([]));

    // Somebody else compacts first: the older plan does not land, and that is no failure.
    place
        .run(["plan", &id, "--last-turns", "1", "--save", "late.json"])
        .done();
    place.run(["undo", &id, "-q"]).done();
    let stale = place.run(["commit", "late.json", "--json"]).done().json();
    assert_eq!(
        (&stale["outcome"], &stale["reason"]),
        (&json!("stale"), &json!("session_changed"))
    );

    place
        .run(["plan", &id, "--tokens", "10m", "--save", "none.json"])
        .done();
    assert!(
        !place.dir.join("none.json").exists(),
        "there was nothing to plan"
    );
}

#[test]
fn a_fork_has_the_same_view_and_its_own_way_and_a_diff_names_what_changed() {
    let (place, id) = with_talk(4);
    place
        .run(["compact", &id, "--last-turns", "1", "-q"])
        .done();
    let fork = place.run(["fork", &id]).done().out.trim().to_owned();
    assert_eq!(fork, format!("{id}-fork-1"));
    let texts = |id: &str, args: &[&str]| -> Vec<String> {
        let shown = place
            .run(["show", id, "--json"].iter().chain(args))
            .done()
            .json();
        shown["view"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| text_of(&it["message"]))
            .collect()
    };
    assert_eq!(texts(&fork, &[]), texts(&id, &[]));
    place.run(["undo", &fork, "-q"]).done();
    assert_eq!((texts(&fork, &[]).len(), texts(&id, &[]).len()), (9, 3));

    let early = place
        .run(["fork", &id, "--at", "5", "--as", "early", "--json"])
        .done()
        .json();
    assert_eq!(
        early,
        json!({"session": "early", "parent": id, "version": 5})
    );
    assert_eq!(texts("early", &[]), texts(&id, &["--at", "5"]));
    let taken = place.run(["fork", &id, "--as", "early"]);
    assert_eq!(taken.code, 2);
    assert!(
        taken.err.contains("hint: choose another id with --as"),
        "{}",
        taken.err
    );

    let diff = place.run(["diff", &id, "9", "10", "--json"]).done().json();
    let sizes =
        ["left", "joined", "cleared", "stayed"].map(|list| diff[list].as_array().unwrap().len());
    assert_eq!(sizes, [6, 0, 0, 3]);
    let text = place.run(["diff", &id, "9", "10"]).done().out;
    assert!(
        text.contains("6 events left, 0 events joined, 3 events stayed"),
        "{text}"
    );
    assert_eq!(
        text.lines().filter(|line| line.starts_with("- ")).count(),
        6
    );
}
