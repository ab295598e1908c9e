//! The document of `compact --json`, field by field.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use common::{Place, talk};
use serde_json::{Value, json};

/// The document with what differs from run to run or is long replaced by its type.
fn shape(document: &Value) -> Value {
    let mut shape = document.clone();
    for list in ["pinned", "superseded", "covered", "cleared", "preserved"] {
        let ids = shape[list].as_array().unwrap();
        assert!(ids.iter().all(Value::is_string), "{list}");
        shape[list] = json!(ids.len());
    }
    assert!(shape["session"].is_string());
    shape["session"] = json!("…");
    let view = shape["view"].as_array().unwrap();
    for shown in view {
        let fields: Vec<&str> = shown
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(fields.len(), 4, "{fields:?}");
        assert!(shown["id"].is_string() && shown["role"].is_string());
        assert!(shown["synthetic"].is_boolean() && shown["message"].is_object());
    }
    shape["view"] = json!(view.len());
    shape
}

#[test]
fn a_compacted_file() {
    let place = Place::new();
    let file = place.file("talk.json", talk(6));
    let document = place
        .run([
            "compact",
            &file,
            "--last-turns",
            "4",
            "--encoding",
            "bytes4",
            "--json",
        ])
        .done()
        .json();
    // By hand: 5 for the system prompt of 17 bytes, 20 for each turn of 47 and 30 bytes.
    assert_eq!(
        shape(&document),
        json!({
            "outcome": "compacted", "reason": null, "session": "…", "version": 14,
            "trigger": {"fired": true, "why": "always"},
            "strategy": {"name": "window", "window": {"last_turns": 4}},
            "estimator": "bytes4",
            "before": {"events": 13, "turns": 6, "tokens": 125},
            "after": {"events": 9, "turns": 4, "tokens": 85},
            "pinned": 1, "superseded": 0, "covered": 4, "cleared": 0, "preserved": 8,
            "summary": null, "warnings": [], "view": 9
        })
    );
    assert_eq!(
        document["view"][0]["message"],
        json!({"role": "system", "content": "Be brief."})
    );
    assert_eq!(document["view"][0]["id"], document["pinned"][0]);
    assert_eq!(document["view"][1]["id"], document["preserved"][0]);
    let order: Vec<&str> = document
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(order.len(), 17);
}

#[test]
fn the_fields_stand_in_the_order_of_the_manual() {
    let place = Place::new();
    let file = place.file("talk.json", talk(2));
    let text = place.run(["compact", &file, "--json"]).done().out;
    let names = [
        "outcome",
        "reason",
        "session",
        "version",
        "trigger",
        "strategy",
        "estimator",
        "before",
        "after",
        "pinned",
        "superseded",
        "covered",
        "cleared",
        "preserved",
        "summary",
        "warnings",
        "view",
    ];
    let places: Vec<usize> = names
        .iter()
        .map(|name| text.find(&format!("\"{name}\":")).expect(name))
        .collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn each_outcome_names_its_reason() {
    let place = Place::new();
    let file = place.file("talk.json", talk(6));
    let alone = place.file("alone.json", talk(1));
    let nobody = place.file(
        "nobody.json",
        r#"[{"role":"assistant","content":"hello?"}]"#,
    );
    for (args, outcome, reason) in [
        (
            vec![&*file, "--last-turns", "9"],
            "unchanged",
            "fits_window",
        ),
        (vec![&alone, "--tokens", "3"], "unchanged", "no_turn_to_cut"),
        (
            vec![&nobody, "--tokens", "1"],
            "unchanged",
            "no_turn_to_cut",
        ),
        (
            vec![&file, "--last-turns", "2", "--when", "turns>6"],
            "not_triggered",
            "trigger_did_not_fire",
        ),
    ] {
        let document = place
            .run(["compact", "--json"].iter().chain(&args))
            .done()
            .json();
        assert_eq!(
            (document["outcome"].as_str(), document["reason"].as_str()),
            (Some(outcome), Some(reason)),
            "{args:?}"
        );
        assert_eq!(document["before"], document["after"], "{args:?}");
        for list in ["pinned", "superseded", "covered", "cleared", "preserved"] {
            assert_eq!(document[list], json!([]), "{args:?}");
        }
    }
}

#[test]
fn an_event_with_two_results_is_two_chat_messages_of_one_id() {
    let place = Place::new();
    let talk = r#"{"system":"s","messages":[
        {"role":"user","content":"look"},
        {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"tool_result","tool_use_id":"b","content":"2"}]}]}"#;
    let document = place
        .run_with(["compact", "-", "--json"], talk)
        .done()
        .json();
    let view = document["view"].as_array().unwrap();
    let ids: Vec<&str> = view
        .iter()
        .map(|shown| shown["id"].as_str().unwrap())
        .collect();
    assert_eq!(view.len(), 5);
    assert_eq!(ids[3], ids[4]);
    assert_eq!(
        view[3]["message"],
        json!({"role": "tool", "tool_call_id": "a", "content": "1"})
    );
    assert_eq!(
        view[4]["message"],
        json!({"role": "tool", "tool_call_id": "b", "content": "2"})
    );
}

#[test]
fn a_summary_is_told_and_stands_before_what_is_kept() {
    let place = Place::new();
    let file = place.file("talk.json", common::one_long_turn(6).replacen(
        '[',
        r#"[{"role":"user","content":"Fix src/login.rs, and never touch config.yml."},{"role":"assistant","content":"I fixed src/login.rs in commit 3f2a91c; 14 tests pass now, and the session of 2,500 users stays valid for 30 minutes after the last request they make."},"#,
        1,
    ));
    let document = place
        .run([
            "compact",
            &file,
            "--last-turns",
            "1",
            "--summarizer",
            "ledger",
            "--json",
        ])
        .done()
        .json();
    assert_eq!(document["outcome"], "compacted", "{document}");
    let summary = document["summary"]["text"].as_str().unwrap();
    assert!(summary.contains("config.yml"), "{summary}");
    assert_eq!(document["summary"]["model"], "ledger");
    let view = document["view"].as_array().unwrap();
    assert_eq!(
        (&view[0]["synthetic"], &view[1]["synthetic"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(view[1]["message"]["content"], summary);
    assert_eq!(view[2]["message"]["content"], "count the files");

    // The transcript has the summary too, and it is read as one.
    let text = place
        .run([
            "compact",
            &file,
            "--last-turns",
            "1",
            "--summarizer",
            "ledger",
            "-q",
            "--to",
            "jsonl",
        ])
        .done()
        .out;
    let again = place
        .run_with(["compact", "-", "--json"], text)
        .done()
        .json();
    assert_eq!(again["view"][1]["message"]["content"], summary);
    assert_eq!(again["view"][1]["synthetic"], true);
}
