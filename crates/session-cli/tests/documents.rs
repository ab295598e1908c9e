//! `--json` on every command is one document on one line, and nothing else.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use std::collections::BTreeSet;

use common::{Place, talk, with_talk};

/// The commands that `--help` lists.
fn commands(place: &Place) -> BTreeSet<String> {
    let help = place.run(["--help"]).done().out;
    let (_, list) = help.split_once("\nCommands:\n").unwrap();
    let (list, _) = list.split_once("\n\n").unwrap();
    let names = list
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter(|line| !line.starts_with("  help "));
    names
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .collect()
}

#[test]
fn every_command_prints_one_json_document_and_nothing_else() {
    let (place, id) = with_talk(6);
    place.file("other.json", talk(3));
    let id = id.as_str();
    let mut left = commands(&place);
    assert!(left.len() >= 20, "{left:?}");
    // In an order in which each has something to do.
    for args in [
        vec!["import", "other.json"],
        vec!["sessions"],
        vec!["stats", "talk.json"],
        vec!["stats", id],
        vec!["tokens", "talk.json"],
        vec!["compare", "talk.json"],
        vec!["compare", id],
        vec!["plan", "talk.json", "--last-turns", "2"],
        vec!["plan", id, "--last-turns", "4", "--save", "plan.json"],
        vec!["commit", "plan.json"],
        vec!["commit", "plan.json"],
        vec!["compact", "talk.json", "--last-turns", "2"],
        vec!["compact", "talk.json", "--strategy", "sliding"],
        vec!["compact", id, "--last-turns", "2"],
        vec!["compact", id, "--last-turns", "2"],
        vec!["compact", id, "--last-turns", "1", "--dry-run"],
        vec!["show", id],
        vec!["show", id, "--log"],
        vec!["show", id, "--event", "3"],
        vec!["report", id],
        vec!["report", "talk.json", "-o", "page.html"],
        vec!["undo", id],
        vec!["redo", id],
        vec!["diff", id, "13", "15"],
        vec!["fork", id, "--as", "copy-1"],
        vec!["search", "room"],
        vec!["search", "nowhere-to-be-found"],
        vec!["export", id],
        vec!["export", id, "--log", "--to", "jsonl", "-o", "log.jsonl"],
        vec!["delete", "copy-1"],
        vec!["expire"],
        vec!["doctor"],
        vec!["completions", "bash"],
    ] {
        let ran = place.run(args.iter().copied().chain(["--json"]));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args:?}");
        assert_eq!(ran.out.lines().count(), 1, "{args:?}");
        let document = ran.json();
        assert!(document.is_object() || document.is_array(), "{args:?}");
        left.remove(args[0]);
    }
    assert!(left.is_empty(), "{left:?} were not tried");
}
