//! Commands that only look: plans, counts, comparisons.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use common::{Place, example, examples, talk};
use serde_json::Value;

#[test]
fn a_dry_run_is_the_plan() {
    let place = Place::new();
    let file = example("airline-support.openai-chat.json");
    let plan = place.run(["plan", &file, "--last-turns", "2"]).done();
    let dry = place
        .run([
            "compact",
            &file,
            "--last-turns",
            "2",
            "--dry-run",
            "-o",
            "x.json",
        ])
        .done();
    assert_eq!(dry.out, plan.out);
    assert!(plan.out.starts_with("would compact "), "{}", plan.out);
    assert!(place.names().is_empty());

    let planned = place
        .run(["plan", &file, "--last-turns", "2", "--json"])
        .done()
        .json();
    let mut done = place
        .run(["compact", &file, "--last-turns", "2", "--json"])
        .done()
        .json();
    // One event more is in the log once the boundary is written.
    assert_eq!(
        done["version"].as_u64().unwrap(),
        planned["version"].as_u64().unwrap() + 1
    );
    done["version"] = planned["version"].clone();
    assert_eq!(done, planned);
}

#[test]
fn stats_add_up() {
    let place = Place::new();
    for path in examples() {
        let document = place
            .run(["stats", path.to_str().unwrap(), "--json", "--top", "3"])
            .done()
            .json();
        let whole = document["tokens"].as_u64().unwrap();
        for list in ["roles", "kinds"] {
            let parts = document[list].as_array().unwrap().iter();
            let sum: u64 = parts.map(|part| part["tokens"].as_u64().unwrap()).sum();
            assert!(
                sum.abs_diff(whole) <= whole / 100,
                "{} {list}: {sum} of {whole}",
                path.display()
            );
        }
        let events: u64 = document["roles"]
            .as_array()
            .unwrap()
            .iter()
            .map(|role| role["events"].as_u64().unwrap())
            .sum();
        assert_eq!(events, document["events"].as_u64().unwrap());
        for list in ["largest_results", "biggest_turns"] {
            let sizes: Vec<u64> = document[list]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| it["tokens"].as_u64().unwrap())
                .collect();
            assert!(
                sizes.len() <= 3 && sizes.is_sorted_by(|a, b| a >= b),
                "{list}: {sizes:?}"
            );
        }
    }
    let file = place.file("talk.json", talk(4));
    let document = place
        .run(["stats", &file, "--json", "--encoding", "chars4"])
        .done()
        .json();
    assert_eq!(document["biggest_turns"].as_array().unwrap().len(), 4);
    assert_eq!(
        (&document["turns"], &document["steps"]),
        (&serde_json::json!(4), &serde_json::json!(0))
    );
    let roles: Vec<&str> = document["roles"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["system", "user", "assistant"]);
}

#[test]
fn a_comparison_has_a_row_for_each_window_and_counts_the_facts_that_stay() {
    let place = Place::new();
    let file = example("agentic-session.claude-code.jsonl");
    let document = place
        .run(["compare", &file, "--json", "--encoding", "bytes4"])
        .done()
        .json();
    let rows = document["rows"].as_array().unwrap();
    let row = |options: &str| {
        rows.iter()
            .find(|row| row["options"] == options)
            .expect(options)
    };
    let number = |row: &Value, path: &str| row.pointer(path).unwrap().as_u64().unwrap();
    for row in rows {
        for kind in ["urls", "paths", "commands", "ids", "numbers", "all"] {
            let share = &row["facts"][kind];
            assert!(share["kept"].as_u64() <= share["of"].as_u64(), "{row}");
        }
        if row["outcome"] == "unchanged" {
            assert_eq!(
                row["facts"]["all"]["kept"], row["facts"]["all"]["of"],
                "{row}"
            );
            assert_eq!(row["tool_results"]["kept"], row["tool_results"]["of"]);
        }
        assert!(
            number(row, "/after/tokens") <= document["before"]["tokens"].as_u64().unwrap(),
            "{row}"
        );
    }
    // More room keeps more, and notes keep more than nothing does.
    assert!(
        number(row("--tokens 2k"), "/facts/all/kept")
            <= number(row("--tokens 32k"), "/facts/all/kept")
    );
    let plain = number(row("--tokens 8k"), "/facts/all/kept");
    assert!(
        plain
            < number(
                row("--tokens 8k --reserve 1k --summarizer ledger"),
                "/facts/all/kept"
            )
    );

    let results = |options: &str| number(row(options), "/tool_results/kept");
    assert!(results("--last-turns 1") < results("--tokens 32k"));

    // The options of each row do what the row says.
    let options: Vec<&str> = row("--last-turns 4 --summarizer ledger")["options"]
        .as_str()
        .unwrap()
        .split(' ')
        .collect();
    let args = ["compact", &file, "--json", "--encoding", "bytes4"];
    let done = place.run(args.iter().chain(&options)).done().json();
    assert_eq!(
        done["after"],
        row("--last-turns 4 --summarizer ledger")["after"]
    );

    let text = place
        .run(["compare", &file, "--encoding", "bytes4"])
        .done()
        .out;
    assert_eq!(
        text.lines().filter(|line| line.contains("--")).count(),
        rows.len(),
        "{text}"
    );
}
