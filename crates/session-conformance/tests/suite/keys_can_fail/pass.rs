//! Keys about a pass.

use serde_json::json;

use super::{Row, chat, summary, talk};

pub(super) fn rows() -> Vec<Row> {
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
