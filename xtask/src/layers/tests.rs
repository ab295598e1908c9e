//! Made-up workspaces in one line each: `a -> b c?` depends, `?` optionally; `a ~> b` in tests only;
//! `a + f=dep:b` has a feature; names with a capital come from a registry.

use serde::Deserialize;
use serde_json::json;

use super::graph::{Arrow, Graph};
use super::table::Table;
use super::{page, purity, rules};

/// A small map with one of everything.
fn table() -> Table {
    Table::deserialize(json!({
        "no-std": ["log"],
        "ports": ["store", "writer"],
        "facade": "all",
        "uses-test-kits": ["runner"],
        "may-use": {
            "all": ["log", "store", "store-sql", "writer"],
            "log": [],
            "runner": ["store", "store-testkit"],
            "store": ["log"],
            "store-sql": ["log", "store"],
            "store-testkit": ["store"],
            "writer": ["log"],
        },
        "tests-may-use": {"store": ["store-sql"]},
        "known-to-one": {"Sql": "store-sql", "Http": "writer-http"},
        "outside-tests": {"Runtime": ["store-sql"]},
    }))
    .unwrap()
}

const SOUND: &str = "all -> log store store-sql? writer; all + sql=dep:store-sql; log; \
    runner -> store store-testkit; store -> log; store ~> store-testkit store-sql; \
    store-sql -> store log Sql Runtime; store-testkit -> store; writer -> log; writer ~> Runtime";

fn graph(notation: &str) -> Graph {
    let mut graph = Graph::default();
    for clause in notation.split(';') {
        let mut words = clause.split_whitespace();
        let name = words.next().unwrap();
        let node = graph.crates.entry(name.to_owned()).or_default();
        let sign = words.next();
        for word in words {
            if sign == Some("+") {
                let (feature, switch) = word.split_once('=').unwrap();
                let switches = node.features.entry(feature.to_owned()).or_default();
                switches.push(switch.to_owned());
                continue;
            }
            let arrow = Arrow {
                to: word.trim_end_matches('?').to_owned(),
                optional: word.ends_with('?'),
                ours: word.starts_with(char::is_lowercase),
            };
            match sign {
                Some("~>") => node.tests.push(arrow),
                _ => node.normal.push(arrow),
            }
        }
    }
    graph
}

/// The sound map with `from` replaced by `to` gives exactly these findings.
#[track_caller]
fn check(from: &str, to: &str, expected: &[&str]) {
    assert!(SOUND.contains(from), "nothing to replace");
    let findings = rules::check(&graph(&SOUND.replacen(from, to, 1)), &table());
    assert_eq!(findings, expected);
}

#[test]
fn the_sound_map_passes() {
    check("", "", &[]);
}

#[test]
fn an_arrow_upwards_is_found() {
    check("; log;", "; log -> store;", &["`log` may not use `store`"]);
}

#[test]
fn an_adapter_may_not_know_another_adapter_or_the_facade() {
    check(
        "store-sql -> store log",
        "store-sql -> store log all store-ram",
        &[
            "`store-sql` may not use `all`",
            "`store-sql` may not use `store-ram`",
        ],
    );
}

#[test]
fn tests_have_arrows_of_their_own() {
    check(
        "writer ~> Runtime",
        "writer ~> store store-testkit",
        &["tests of `writer` may not use `store`"],
    );
}

#[test]
fn a_crate_without_a_line_is_found() {
    check("; log;", "; log; new;", &["`new` has no line in may-use"]);
}

#[test]
fn a_line_without_a_crate_is_found() {
    check(
        "; writer -> log; writer ~> Runtime",
        "",
        &["the table names `writer`, which is not in the workspace"],
    );
}

#[test]
fn a_test_kit_is_for_tests() {
    check(
        "writer -> log",
        "writer -> log store-testkit?",
        &[
            "`writer` may not use `store-testkit`",
            "`writer` has the test kit `store-testkit` as a normal dependency",
        ],
    );
}

#[test]
fn an_owned_foreign_crate_has_one_dependent_even_in_tests() {
    check(
        "writer ~> Runtime",
        "writer ~> Runtime Sql",
        &["`writer` knows `Sql`, which is only for `store-sql`"],
    );
    check(
        "writer -> log",
        "writer -> log Http",
        &["`writer` knows `Http`, which is only for `writer-http`"],
    );
}

#[test]
fn a_runtime_outside_of_tests_is_for_a_few() {
    check(
        "writer -> log",
        "writer -> log Runtime?",
        &["`writer` uses `Runtime` outside of tests"],
    );
}

#[test]
fn an_adapter_sees_exactly_one_port() {
    check(
        "store-sql -> store log",
        "store-sql -> log",
        &["the adapter `store-sql` must see the port `store` and no other, it sees none"],
    );
    check(
        "store-sql -> store log",
        "store-sql -> store log writer",
        &[
            "`store-sql` may not use `writer`",
            "the adapter `store-sql` must see the port `store` and no other, it sees store, writer",
        ],
    );
}

#[test]
fn the_facade_sees_an_adapter_only_behind_its_feature() {
    let finding = "`all` must see the adapter `store-sql` only behind a feature \
        `sql = [\"dep:store-sql\", …]`";
    check("store-sql? writer", "store-sql writer", &[finding]);
    check(
        "all + sql=dep:store-sql",
        "all + x=dep:store-sql",
        &[finding],
    );
}

const PAGE: &str = "\
Words | with | bars

| crate | may use | what it is |
|---|---|---|
| `all` | `log`, `store`, `writer`; behind a feature `store-sql` | it `all` |
| `log` | nothing | |
| `runner` | `store`, `store-testkit` | |
| `store` | `log` | |
| `store-sql` | `log`, `store` | |
| `store-testkit` | `store` | |
| `writer` | `log` | |

| word | meaning |
|---|---|
| `other` | `log` |
";

#[track_caller]
fn check_page(from: &str, to: &str, expected: &[&str]) {
    assert!(PAGE.contains(from), "nothing to replace");
    let findings = page::check(&PAGE.replacen(from, to, 1), &graph(SOUND), &table());
    assert_eq!(findings, expected);
}

#[test]
fn a_page_that_shows_the_map_passes() {
    check_page("", "", &[]);
}

#[test]
fn a_page_that_shows_another_map_is_found() {
    check_page(
        "| `store` | `log` | |",
        "| `store` | `writer` | |",
        &[
            "the page does not show that `store` may use `log`",
            "the page shows that `store` may use `writer`, the table does not",
        ],
    );
    check_page(
        "| `log` | nothing | |\n",
        "",
        &["the page has no row for `log`"],
    );
    check_page(
        "| `log` | nothing | |\n",
        "| `log` | nothing | |\n| `old` | nothing | |\n",
        &["the page shows `old`, which the table lacks"],
    );
}

#[test]
fn a_page_without_the_table_is_found() {
    check_page(
        "| crate | may use | what it is |",
        "| name | may use | what it is |",
        &[
            "the page has no row for `all`",
            "the page has no row for `log`",
            "the page has no row for `runner`",
            "the page has no row for `store`",
            "the page has no row for `store-sql`",
            "the page has no row for `store-testkit`",
            "the page has no row for `writer`",
        ],
    );
}

#[test]
fn std_and_async_are_found_in_code_only() {
    let source = "#![no_std]\n//! use std::io;\nuse std::io;\npub async fn f() { g(\"async\") }\n\
        #[cfg(test)]\nextern crate std;\n";
    assert_eq!(
        purity::impurities("lib.rs", source),
        ["lib.rs:3 names `std`", "lib.rs:4 names `async`"]
    );
}
