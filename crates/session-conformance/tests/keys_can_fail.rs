//! Every key of `expect` passes where it is right and fails where it is wrong.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

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

fn file(lines: &[&str]) -> Value {
    json!({"op": "jsonl", "raw_lines": lines})
}

fn perf() -> Value {
    json!({"op": "perf", "covered_events": 100, "active_events": 40, "measure": ["view", "compact"]})
}

/// What is done, the key, what is right, and what is wrong.
struct Row(Value, Value, &'static str, Value, Value);

fn rows() -> Vec<Row> {
    let mut rows = view_rows();
    rows.extend(pass_rows());
    rows.extend(token_rows());
    rows.extend(error_rows());
    rows.extend(other_rows());
    rows
}

fn view_rows() -> Vec<Row> {
    let view = json!(["s1", "S1.u", "S1.a", "u2", "a2"]);
    let row = |key, right, wrong| Row(talk(), summary(), key, right, wrong);
    vec![
        row(
            "view",
            view.clone(),
            json!(["s1", "S1.a", "S1.u", "u2", "a2"]),
        ),
        row(
            "covered",
            json!(["a1", "u1", "c1", "t1"]),
            json!(["u1", "c1", "t1"]),
        ),
        row(
            "log",
            json!(["s1", "u1", "c1", "t1", "a1", "u2", "a2", "S1.u", "S1.a"]),
            view,
        ),
        row("turns", json!(1), json!(2)),
        row("event_count", json!(7), json!(9)),
        row("log_count", json!(9), json!(7)),
        row("view_count", json!(5), json!(6)),
        row(
            "events",
            json!(["s1", "u1", "c1", "t1", "a1", "u2", "a2"]),
            json!(["s1", "u1", "c1", "t1", "a1", "u2"]),
        ),
        row("version", json!(10), json!(9)),
        row("boundaries_written", json!(1), json!(0)),
        row("boundary_event_bytes_at_most", json!(4000), json!(40)),
        row("summary_turns_in_view", json!(1), json!(0)),
        row("first_in_view", json!("system"), json!("summary")),
        row(
            "export_roles",
            json!(["system", "user", "assistant", "user", "assistant"]),
            json!(["user", "assistant", "user", "assistant"]),
        ),
        row("pairs", json!([["c1", "t1"]]), json!([["t1", "c1"]])),
        row("tool_calls", json!(["k1"]), json!(["k2"])),
        row("tool_results", json!(["k1"]), json!([])),
        row(
            "texts",
            json!(["Be brief.", "Book room 9.", "Done."]),
            json!(["Book room 9.", "Done."]),
        ),
        row(
            "texts_in_order",
            json!(["Be brief.", "Book room 9.", "Done."]),
            json!(["Be brief.", "Done.", "Book room 9."]),
        ),
        Row(
            chat(),
            json!({"op": "view"}),
            "log_texts_in_order",
            (1..=4)
                .flat_map(|turn| {
                    ["question", "answer"].map(|what| format!("this is {what} number {turn}"))
                })
                .collect(),
            json!(["this is question number 1"]),
        ),
        row("summary_is_synthetic", json!(true), json!(false)),
        row(
            "byte_equal",
            json!(["c1", "t1", "u1"]),
            json!(["c1", "S1.a"]),
        ),
        row(
            "content_of",
            json!({"c1": null, "t1": "2 rooms are free"}),
            json!({"c1": ""}),
        ),
    ]
}

fn pass_rows() -> Vec<Row> {
    let row = |key, right, wrong| Row(talk(), summary(), key, right, wrong);
    let blank =
        json!({"op": "compact", "window": {"last_turns": 1}, "summarizer": {"returns": " "}});
    let each_turn = json!({"op": "loop", "per_turn_compact": {
        "trigger": {"turns_over": 1}, "window": {"last_turns": 1}, "summarizer": {"returns": "SUM"}}});
    let limited = json!({"op": "compact", "window": {"last_turns": 1}, "estimator": {"each": 100},
                         "summarizer": {"returns": "SUM", "max_input_tokens": 1200}});
    vec![
        row("written", json!(true), json!(false)),
        row("fired", json!(true), json!(false)),
        row("outcome", json!("compacted"), json!("unchanged")),
        Row(
            talk(),
            blank.clone(),
            "reason",
            json!("blank"),
            json!("fits_window"),
        ),
        Row(talk(), blank, "failure_callback_calls", json!(1), json!(0)),
        row("pinned", json!(["s1"]), json!([])),
        row("superseded", json!([]), json!(["s1"])),
        row("preserved", json!(["u2", "a2"]), json!(["u2"])),
        row("tokens_before", json!(70), json!(60)),
        row("tokens_after", json!(50), json!(70)),
        row("tokens_saved_negative", json!(false), json!(true)),
        row("summarizer_calls", json!(1), json!(2)),
        row(
            "summarizer_input_ids",
            json!(["u1", "c1", "t1", "a1"]),
            json!(["u1", "c1", "t1"]),
        ),
        row(
            "summarizer_input_contains",
            json!(["rooms", "2 rooms are free"]),
            json!(["Be brief."]),
        ),
        row(
            "summarizer_input_excludes",
            json!(["Be brief."]),
            json!(["rooms"]),
        ),
        Row(
            chat(),
            limited.clone(),
            "each_summarizer_input_tokens_at_most",
            json!(1200),
            json!(100),
        ),
        Row(
            chat(),
            limited,
            "covered_all_shown_to_summarizer",
            json!(true),
            json!(false),
        ),
        Row(
            chat(),
            each_turn.clone(),
            "prior_summary_occurrences_in_each_input",
            json!(1),
            json!(2),
        ),
        Row(
            chat(),
            each_turn,
            "passes_at_turns",
            json!([2, 3, 4]),
            json!([2, 3]),
        ),
        row("result_summary_text", json!("SUM"), json!("MUS")),
        row(
            "request",
            json!({"messages_after_system": 1, "role": "user", "tools": 0}),
            json!({"messages_after_system": 5}),
        ),
    ]
}

fn token_rows() -> Vec<Row> {
    let picture = |times: u32| {
        json!([{"_id": "u1", "role": "user", "content": [
            {"type": "image_url", "image_url": {"url": ""}}],
            "_gen": {"field": "content.0.image_url.url", "prefix": "data:image/png;base64,",
                     "repeat": "iVBORw0K", "times": times}}])
    };
    let count = json!({"op": "count", "estimator": {"each": 10, "by_id": {"a2": 30}}});
    let row = |key, right, wrong| Row(chat(), count.clone(), key, right, wrong);
    vec![
        row("tokens", json!(100), json!(80)),
        row("at_least", json!(100), json!(101)),
        row("at_most", json!(100), json!(99)),
        row("each_at_least", json!(10), json!(11)),
        row("each_at_most", json!(30), json!(29)),
        row("per_event_at_least", json!(10), json!(11)),
        row("per_event_at_most", json!(30), json!(29)),
        row("by_id_at_least", json!({"a2": 30}), json!({"a2": 31})),
        row("by_id_at_most", json!({"a2": 30}), json!({"a2": 29})),
        Row(
            picture(4096),
            json!({"op": "count"}),
            "independent_of_payload_size",
            json!(true),
            json!(false),
        ),
    ]
}

fn error_rows() -> Vec<Row> {
    let failing = json!({"op": "compact", "window": {"last_turns": 1},
                         "summarizer": {"fails": "the line went dead"}});
    let swept = json!({"op": "steps", "steps": [
        {"do": "create", "ttl_s": 1}, {"do": "advance", "seconds": 2}, {"do": "sweep"},
        {"do": "append", "ids": ["u1"]}]});
    vec![
        Row(
            talk(),
            failing.clone(),
            "error",
            json!("summarizer"),
            json!("invalid_window"),
        ),
        Row(talk(), failing.clone(), "errors", json!(1), json!(0)),
        Row(
            talk(),
            failing.clone(),
            "error_names",
            json!("went dead"),
            json!("u9"),
        ),
        Row(talk(), failing, "session_usable", json!(true), json!(false)),
        Row(
            talk(),
            swept.clone(),
            "last_append",
            json!("error_not_found_or_expired"),
            json!("ok"),
        ),
        Row(talk(), swept, "sessions", json!(0), json!(1)),
        Row(talk(), summary(), "error", Value::Null, json!("summarizer")),
    ]
}

fn other_rows() -> Vec<Row> {
    let torn = [
        "{\"_id\":\"e1\",\"role\":\"user\",\"content\":\"one\"}\n",
        "{\"_id\":\"e2\",\"ro",
    ];
    let surrogate = ["{\"_id\":\"e1\",\"role\":\"user\",\"content\":\"broken \\ud99c half\"}\n"];
    let isolation = json!({"op": "isolation", "actions": ["list as bo", "view s as bo"]});
    let owned = json!([
        {"_id": "u1", "role": "user", "content": "plum", "_user": "ann", "_session": "s"},
        {"_id": "u2", "role": "user", "content": "fig", "_user": "bo", "_session": "s2"}
    ]);
    let batch = json!({"op": "steps", "steps": [
        {"do": "append", "ids": ["u1"]},
        {"do": "append_batch", "ids": ["u2", "a2"], "fail_at": 2}]});
    let writers = json!({"op": "concurrency", "processes": 2, "appends_each": 10, "readers": 1});
    let ids = json!({"op": "ids", "session_ids": ["../x", ""], "actions": ["create", "delete"]});
    let prefix = json!({"op": "hash_prefix", "window": {"last_turns": 1},
                        "trigger": {"turns_over": 2}});
    let migrate =
        json!({"op": "migrate", "from_schema": "previous", "then": ["view", "append u9"]});
    let empty = || json!([]);
    vec![
        Row(
            empty(),
            file(&torn),
            "reported",
            json!([{"line": 2, "why": "torn"}]),
            json!([{"line": 2, "why": "surrogate"}]),
        ),
        Row(
            empty(),
            file(&torn),
            "reported",
            json!([{"line": 2}]),
            json!([]),
        ),
        Row(
            empty(),
            file(&surrogate),
            "warnings",
            json!(["surrogate"]),
            json!(["missing parent"]),
        ),
        Row(
            talk(),
            json!({"op": "search", "query": "ROOM"}),
            "found",
            json!(["u1", "c1", "t1", "a1", "u2"]),
            json!(["u1"]),
        ),
        Row(
            talk(),
            json!({"op": "search_many", "queries": ["friday", "%"]}),
            "found",
            json!({"friday": ["u1"], "%": []}),
            json!({"friday": ["u1"], "%": ["u1"]}),
        ),
        Row(
            owned.clone(),
            isolation.clone(),
            "listed",
            json!(["s2"]),
            json!(["s"]),
        ),
        Row(owned, isolation, "denied", json!(["view s"]), json!([])),
        Row(
            talk(),
            batch.clone(),
            "version_after",
            json!([1, 1]),
            json!([1, 3]),
        ),
        Row(
            talk(),
            batch,
            "version_unchanged_by_failed_batch",
            json!(true),
            json!(false),
        ),
        Row(empty(), writers.clone(), "events", json!(20), json!(40)),
        Row(empty(), writers.clone(), "lost", json!(0), json!(1)),
        Row(
            empty(),
            writers,
            "per_session_order_kept",
            json!(true),
            json!(false),
        ),
        Row(
            talk(),
            ids.clone(),
            "files_outside_base",
            json!(0),
            json!(1),
        ),
        Row(
            talk(),
            ids,
            "each",
            json!("works_as_opaque_text_or_clear_error"),
            json!("works"),
        ),
        Row(
            chat(),
            prefix.clone(),
            "prefix_stable",
            json!(true),
            json!(false),
        ),
        Row(
            chat(),
            prefix.clone(),
            "hash_equal",
            json!(true),
            json!(false),
        ),
        Row(
            chat(),
            prefix,
            "prefix_changes_at_turns",
            json!([3]),
            json!([]),
        ),
        Row(
            empty(),
            perf(),
            "growth",
            json!("linear"),
            json!("quadratic"),
        ),
        Row(
            empty(),
            perf(),
            "time_ms_at_most",
            json!(60_000),
            Value::Null,
        ),
        Row(
            empty(),
            perf(),
            "rows_read_by_compact_at_most",
            json!(1000),
            json!(1),
        ),
        Row(
            empty(),
            perf(),
            "time_ratio_to_fresh_session_at_most",
            json!(1000),
            json!(0),
        ),
        Row(
            talk(),
            migrate.clone(),
            "view_after_open",
            json!(["s1", "u1", "c1", "t1", "a1", "u2", "a2"]),
            json!(["s1"]),
        ),
        Row(talk(), migrate, "old_rows_kept", json!(true), json!(false)),
        Row(
            talk(),
            json!({"op": "cli", "commands": ["list", "show --width 20"]}),
            "exit",
            json!(0),
            json!(2),
        ),
    ]
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
