//! Keys about anything else.

use serde_json::{Value, json};

use super::{Row, chat, talk};

fn file(lines: &[&str]) -> Value {
    json!({"op": "jsonl", "raw_lines": lines})
}

fn perf() -> Value {
    json!({"op": "perf", "covered_events": 100, "active_events": 40, "measure": ["view", "compact"]})
}

pub(super) fn rows() -> Vec<Row> {
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
