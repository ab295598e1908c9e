//! Context windows: `--strategy fixed`, `sliding` and `summarized` select messages for one request.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use common::{
    Place, check, check_pairs, example, examples, one_long_turn, text_of, view, with_talk,
};
use serde_json::{Value, json};

const WINDOWS: [&str; 3] = ["fixed", "sliding", "summarized"];

fn select(place: &Place, file: &str, window: &str, budget: &str, more: &[&str]) -> Value {
    let mut args = vec!["compact", file, "--json", "--strategy", window];
    args.extend(["--max-tokens", budget]);
    args.extend(more);
    place.run(&args).done().json()
}

#[test]
fn a_selection_is_never_over_its_budget_and_parts_no_call_from_its_result() {
    let place = Place::new();
    for path in examples() {
        let file = path.to_str().unwrap();
        for window in WINDOWS {
            for budget in [1000, 2500, 1_000_000] {
                let about = format!("{} {window} {budget}", path.display());
                let ran = place.run([
                    "compact",
                    file,
                    "--json",
                    "--strategy",
                    window,
                    "--max-tokens",
                    &budget.to_string(),
                ]);
                if ran.code == 1 {
                    assert!(
                        ran.err.contains("the newest message does not fit"),
                        "{about}"
                    );
                    continue;
                }
                let document = ran.done().json();
                assert!(
                    document["after"]["tokens"].as_u64().unwrap() <= budget,
                    "{about}"
                );
                let messages: Vec<Value> = view(&document).into_iter().cloned().collect();
                check_pairs(&messages, &about);
            }
        }
    }
}

#[test]
fn each_window_selects_in_its_own_way() {
    let place = Place::new();
    let file = place.file("talk.json", common::talk(12));
    let counted = ["--encoding", "bytes4"];
    let said = |document: &Value| -> Vec<String> {
        view(document)
            .iter()
            .map(|shown| text_of(&shown["message"]))
            .collect()
    };

    let fixed = select(&place, &file, "fixed", "65", &counted);
    assert_eq!(
        fixed["strategy"],
        json!({"name": "fixed", "max_tokens": 65})
    );
    assert_eq!(said(&fixed).len(), 6, "the newest messages that fit");
    assert_eq!(fixed["preserved"].as_array().unwrap().len(), 6);
    assert_eq!(fixed["covered"].as_array().unwrap().len(), 19);

    let sliding = select(&place, &file, "sliding", "65", &counted);
    assert_eq!(
        said(&sliding)[0],
        "Be brief.",
        "the system prompt weighs most"
    );
    assert_eq!(sliding["warnings"], json!([]));

    let summarized = select(&place, &file, "summarized", "1000", &counted);
    let said = said(&summarized);
    assert_eq!(
        said[0],
        "Summary of earlier conversation: [Summary of 15 earlier messages]"
    );
    assert_eq!(said.len(), 11);
    assert_eq!(summarized["summary"], Value::Null);
    assert_eq!(summarized["view"][0]["synthetic"], true);
    let warning = summarized["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("the system prompt ("), "{warning}");
}

#[test]
fn a_summarizer_writes_what_stands_for_the_older_messages() {
    let place = Place::new();
    let file = example("airline-support.openai-chat.json");
    let with_ledger = ["--summarizer", "ledger"];
    let document = select(&place, &file, "Summary", "4000", &with_ledger);
    assert_eq!(document["strategy"]["name"], "summarized");
    let summary = document["summary"]["text"].as_str().unwrap();
    let first = text_of(&document["view"][0]["message"]);
    assert_eq!(first, format!("Summary of earlier conversation: {summary}"));
    assert_eq!(document["view"][0]["message"]["role"], "system");
}

#[test]
fn a_summary_that_is_not_valid_leaves_the_placeholder_and_is_told() {
    let place = Place::new();
    // The notes are longer than the talk they would stand for, which is no summary.
    let messages: Vec<String> = (1..=12)
        .map(|at| format!(r#"{{"role":"user","content":"{at}"}}"#))
        .collect();
    let file = place.file("short.json", format!("[{}]", messages.join(",")));
    let document = select(
        &place,
        &file,
        "summarized",
        "500",
        &["--summarizer", "ledger"],
    );
    let first = text_of(&document["view"][0]["message"]);
    assert!(
        first.ends_with("[Summary of 2 earlier messages]"),
        "{first}"
    );
    let warning = document["warnings"][0].as_str().unwrap();
    assert!(
        warning.starts_with("there is no valid summary ("),
        "{warning}"
    );
}

#[test]
fn the_transcript_of_a_selection_reads_back() {
    let place = Place::new();
    let file = place.file("long.json", one_long_turn(12));
    for window in WINDOWS {
        let args = [
            "compact",
            &file,
            "-q",
            "--strategy",
            window,
            "--max-tokens",
            "600",
        ];
        let written = place.run(args).done().out;
        let document = select(&place, &file, window, "600", &[]);
        let again = place
            .run_with(["stats", "-", "--json", "--from", "openai-chat"], written)
            .done()
            .json();
        assert_eq!(again["tokens"], document["after"]["tokens"], "{window}");
        assert_eq!(again["events"], document["after"]["events"], "{window}");
    }
}

#[test]
fn a_selection_of_a_session_is_shown_and_never_recorded() {
    let (place, id) = with_talk(9);
    place
        .run(["compact", &id, "--last-turns", "6", "--summarizer", "none"])
        .done();
    let version =
        |place: &Place| place.run(["show", &id, "--json"]).done().json()["version"].clone();
    let before = version(&place);
    let planned = place
        .run([
            "plan",
            &id,
            "--strategy",
            "fixed",
            "--max-tokens",
            "80",
            "--json",
        ])
        .done()
        .json();
    assert_eq!(planned["outcome"], "compacted");
    assert!(planned["after"]["tokens"].as_u64().unwrap() <= 80);
    let dry = place
        .run([
            "compact",
            &id,
            "--strategy",
            "fixed",
            "--max-tokens",
            "80",
            "-n",
        ])
        .done();
    assert!(
        dry.out.contains("selected for one request from"),
        "{}",
        dry.out
    );
    let refused = place.run(["compact", &id, "--strategy", "fixed"]);
    assert_eq!((refused.code, refused.out.as_str()), (2, ""));
    assert!(refused.err.contains("records nothing"), "{}", refused.err);
    assert!(refused.err.contains("hint: --dry-run"), "{}", refused.err);
    assert_eq!(version(&place), before);
}

#[test]
fn what_a_selection_has_no_use_for_is_refused() {
    let place = Place::new();
    place.file("talk.json", common::talk(3));
    check(
        &place,
        &[
            (
                &[
                    "compact",
                    "talk.json",
                    "--strategy",
                    "fixed",
                    "--grain",
                    "step",
                ],
                2,
                &[
                    "--grain step does nothing with --strategy fixed",
                    "hint: leave --grain step out",
                ],
            ),
            (
                &[
                    "compact",
                    "talk.json",
                    "--strategy",
                    "sliding",
                    "--clear-results",
                ],
                2,
                &["--clear-results does nothing with --strategy sliding"],
            ),
            (
                &[
                    "compact",
                    "talk.json",
                    "--strategy",
                    "fixed",
                    "--when",
                    "turns>3",
                ],
                2,
                &["--when does nothing"],
            ),
            (
                &[
                    "compact",
                    "talk.json",
                    "--strategy",
                    "fixed",
                    "--summarizer",
                    "ledger",
                ],
                2,
                &["--summarizer does nothing"],
            ),
            (
                &[
                    "compact",
                    "talk.json",
                    "--strategy",
                    "fixed",
                    "--reserve",
                    "5",
                ],
                2,
                &["--reserve is a part of a token budget"],
            ),
            (
                &[
                    "compact",
                    "talk.json",
                    "--strategy",
                    "fixed",
                    "--max-tokens",
                    "0",
                ],
                2,
                &["--max-tokens must be greater than 0"],
            ),
            (
                &[
                    "compact",
                    "talk.json",
                    "--strategy",
                    "fixed",
                    "--max-turns",
                    "2",
                ],
                2,
                &["--max-turns is a setting of --strategy turn-window"],
            ),
            (
                &[
                    "plan",
                    "talk.json",
                    "--strategy",
                    "fixed",
                    "--save",
                    "plan.json",
                ],
                2,
                &["--save is for a pass"],
            ),
            (
                &[
                    "compact",
                    "talk.json",
                    "--strategy",
                    "fixed",
                    "--max-tokens",
                    "3",
                ],
                1,
                &[
                    "the newest message does not fit 3 tokens",
                    "hint: give it more with --max-tokens N",
                ],
            ),
        ],
    );
}
