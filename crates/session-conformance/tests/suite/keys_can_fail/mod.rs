//! Every key of `expect` passes where it is right and fails where it is wrong.

mod errors;
mod other;
mod pass;
mod tokens;
mod view;

use std::collections::BTreeSet;

use serde_json::{Value, json};
use session_conformance::{Case, Options, StoreKind, Verdict, keys, run_case};

/// A talk with a system prompt, a tool call and two turns.
fn talk() -> Value {
    json!([
        {"_id": "s1", "role": "system", "content": "Be brief."},
        {"_id": "u1", "role": "user", "content": "Which rooms are free on Friday, please?"},
        {"_id": "c1", "role": "assistant", "content": null, "tool_calls": [
            {"id": "k1", "type": "function", "function": {"name": "rooms", "arguments": "{}"}}]},
        {"_id": "t1", "role": "tool", "tool_call_id": "k1", "content": "2 rooms are free"},
        {"_id": "a1", "role": "assistant", "content": "Room 4 and room 9 are free."},
        {"_id": "u2", "role": "user", "content": "Book room 9."},
        {"_id": "a2", "role": "assistant", "content": "Done."}
    ])
}

fn chat() -> Value {
    let turns = (1..=4).flat_map(|turn| {
        [
            json!({"_id": format!("u{turn}"), "role": "user",
                   "content": format!("this is question number {turn}")}),
            json!({"_id": format!("a{turn}"), "role": "assistant",
                   "content": format!("this is answer number {turn}")}),
        ]
    });
    turns.collect()
}

fn summary() -> Value {
    json!({"op": "compact", "window": {"last_turns": 1}, "estimator": {"each": 10},
           "summarizer": {"returns": "SUM"}})
}

/// What is done, the key, what is right, and what is wrong.
struct Row(Value, Value, &'static str, Value, Value);

fn rows() -> Vec<Row> {
    let mut rows = view::rows();
    rows.extend(pass::rows());
    rows.extend(tokens::rows());
    rows.extend(errors::rows());
    rows.extend(other::rows());
    rows
}

#[track_caller]
fn verdict(row: &Row, expected: &Value) -> Verdict {
    let Row(input, settings, key, _, _) = row;
    let mut expect = json!({*key: expected});
    if settings["op"] == "compact"
        && settings["summarizer"]["fails"].is_string()
        && *key != "errors"
    {
        expect["errors"] = json!(1);
    }
    if settings["steps"][2]["do"] == "sweep" && *key != "last_append" {
        expect["last_append"] = json!("not_found");
    }
    let case = json!({"id": *key, "input": input, "settings": settings, "expect": expect});
    let case = match Case::parse(&case.to_string()) {
        Ok(case) => case,
        Err(error) => return Verdict::Failed(format!("{key}: {error}")),
    };
    let needs_file = matches!(settings["op"].as_str(), Some("migrate" | "cli"));
    let store = match needs_file {
        true => StoreKind::Sqlite,
        false => StoreKind::Memory,
    };
    let program = env!("CARGO_BIN_EXE_session-conformance");
    let options = Options::default().on(store).with_program(program);
    run_case(&case, &options.counting_rows())
}

#[test]
fn every_key_passes_where_it_is_right_and_fails_where_it_is_wrong() {
    for row in rows() {
        let Row(_, _, key, right, wrong) = &row;
        assert_eq!(verdict(&row, right), Verdict::Passed, "{key}: {right}");
        match verdict(&row, wrong) {
            Verdict::Failed(reason) => assert!(reason.contains(key), "{key}: {reason}"),
            other => panic!("{key}: {wrong} gives {other:?}"),
        }
    }
}

#[test]
fn there_is_a_row_for_every_key() {
    let tried: BTreeSet<&str> = rows().iter().map(|row| row.2).collect();
    let known: BTreeSet<&str> = keys().map(|key| key.name).collect();
    assert_eq!(tried, known);
}

/// A key that has nothing to look at must not pass.
#[test]
fn no_key_passes_over_nothing() {
    for row in rows() {
        let Row(_, settings, key, right, _) = &row;
        // An empty session has a view, a log and a version of nothing, and no errors.
        let op = match settings["op"].as_str() {
            Some("count" | "search" | "search_many" | "jsonl") => "view",
            _ => "count",
        };
        let row = Row(
            json!([]),
            json!({"op": op}),
            key,
            right.clone(),
            Value::Null,
        );
        if matches!((*key, right), ("error", Value::Null)) {
            continue;
        }
        // Counting takes no time at all and says so.
        if *key == "time_ms_at_most" {
            continue;
        }
        let verdict = verdict(&row, right);
        assert!(matches!(verdict, Verdict::Failed(_)), "{key}: {verdict:?}");
    }
}
