//! What one kind of operation sees and no other.

use serde_json::Value;

use super::{Checked, Key, Shape, equal, nothing};
use crate::seen::Seen;

pub(super) const KEYS: &[Key] = &[
    Key::new("sessions", Shape::Number, |s, e| same(s, "sessions", e)),
    Key::new("listed", Shape::Texts, |s, e| same(s, "listed", e)),
    Key::new("denied", Shape::Texts, |s, e| same(s, "denied", e)),
    Key::new("exit", Shape::Number, exit),
    Key::new("lost", Shape::Number, |s, e| same(s, "lost", e)),
    Key::new("per_session_order_kept", Shape::Flag, |s, e| {
        same(s, "per_session_order_kept", e)
    }),
    Key::new("version_after", Shape::Numbers, |s, e| {
        same(s, "version_after", e)
    }),
    Key::new("version_unchanged_by_failed_batch", Shape::Flag, |s, e| {
        same(s, "version_unchanged_by_failed_batch", e)
    }),
    Key::new("view_after_open", Shape::Texts, |s, e| {
        same(s, "view_after_open", e)
    }),
    Key::new("old_rows_kept", Shape::Flag, |s, e| {
        same(s, "old_rows_kept", e)
    }),
    Key::new("files_outside_base", Shape::Number, |s, e| {
        same(s, "files_outside_base", e)
    }),
    Key::new("each", Shape::Text, each),
    Key::new("growth", Shape::Text, |s, e| same(s, "growth", e)),
    Key::new("prefix_stable", Shape::Flag, |s, e| {
        same(s, "prefix_stable", e)
    }),
    Key::new("hash_equal", Shape::Flag, |s, e| {
        same(s, "prefix_stable", e)
    }),
    Key::new("prefix_changes_at_turns", Shape::Numbers, |s, e| {
        same(s, "prefix_changes_at_turns", e)
    }),
    Key::new("time_ms_at_most", Shape::Number, |s, e| {
        most(s, "time_ms", e)
    }),
    Key::new("rows_read_by_compact_at_most", Shape::Number, |s, e| {
        most(s, "rows_read_by_compact", e)
    }),
    Key::new(
        "time_ratio_to_fresh_session_at_most",
        Shape::Number,
        |s, e| most(s, "time_ratio_to_fresh_session", e),
    ),
];

fn fact<'a>(seen: &'a Seen, name: &str) -> Result<&'a Value, String> {
    seen.facts
        .get(name)
        .ok_or_else(|| nothing("this operation does not see it"))
}

fn same(seen: &Seen, name: &str, expected: &Value) -> Checked {
    equal(fact(seen, name)?.clone(), expected)
}

/// What is true of each: one of several words for it.
fn each(seen: &Seen, expected: &Value) -> Checked {
    match fact(seen, "each")? {
        Value::Array(words) if words.contains(expected) => Ok(()),
        came => equal(came.clone(), expected),
    }
}

/// The code of the first command that did not end well.
fn exit(seen: &Seen, expected: &Value) -> Checked {
    same(seen, "exit", expected).map_err(|came| match seen.facts.get("exit_said") {
        Some(Value::String(said)) if !said.is_empty() => format!("{came} ({said})"),
        _ => came,
    })
}

fn most(seen: &Seen, name: &str, expected: &Value) -> Checked {
    let came = fact(seen, name)?;
    match (came.as_f64(), expected.as_f64()) {
        (Some(came), Some(most)) if came <= most => Ok(()),
        _ => Err(format!("expected at most {expected}, came {came}")),
    }
}
