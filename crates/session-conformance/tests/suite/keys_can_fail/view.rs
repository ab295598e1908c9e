//! Keys about the view.

use serde_json::json;

use super::{Row, chat, summary, talk};

pub(super) fn rows() -> Vec<Row> {
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
