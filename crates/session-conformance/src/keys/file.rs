//! What reading a file or a damaged store reports, and what a search finds.

use serde_json::{Value, json};

use super::{Checked, Key, Shape, equal, nothing};
use crate::case::names;
use crate::seen::{FileSeen, Reported, Seen};

pub(super) const KEYS: &[Key] = &[
    Key::new("reported", Shape::Reports, reported),
    Key::new("warnings", Shape::Texts, warnings),
    Key::new("found", Shape::TextsOrMap, found),
];

fn file(seen: &Seen) -> Result<&FileSeen, String> {
    seen.file
        .as_ref()
        .ok_or_else(|| nothing("nothing was read that could be reported"))
}

/// Each expected report came, and no other did.
fn reported(seen: &Seen, expected: &Value) -> Checked {
    let came = &file(seen)?.reported;
    let mut left: Vec<&Reported> = came.iter().collect();
    for wanted in expected.as_array().into_iter().flatten() {
        let Some(at) = left.iter().position(|report| is_report(report, wanted)) else {
            return Err(format!("expected {wanted}, came {}", shown(came)));
        };
        left.remove(at);
    }
    match left.is_empty() {
        true => Ok(()),
        false => Err(format!("expected {expected}, came {}", shown(came))),
    }
}

fn is_report(report: &Reported, wanted: &Value) -> bool {
    if let Some(id) = wanted.as_str() {
        return report.event.as_deref() == Some(id);
    }
    let line = wanted.get("line").and_then(Value::as_u64);
    let why = wanted.get("why").and_then(Value::as_str);
    let plain = |text: &str| text.to_lowercase().replace(['_', '-'], " ");
    let is_why = |why: &str| {
        let mut words = report.why.iter();
        words.any(|word| plain(word).contains(&plain(why)))
    };
    report.line == line && why.is_none_or(is_why)
}

fn shown(reports: &[Reported]) -> Value {
    let each = |report: &Reported| match &report.event {
        Some(event) => json!(event),
        None => json!({"line": report.line, "why": report.why.first()}),
    };
    reports.iter().map(each).collect()
}

/// Each expected warning is one whose words all stand in a warning that came.
fn warnings(seen: &Seen, expected: &Value) -> Checked {
    let came = &file(seen)?.warnings;
    let has_words = |warning: &String, wanted: &str| {
        let warning = warning.to_lowercase();
        let mut words = wanted.split_whitespace();
        words.all(|word| warning.contains(&word.to_lowercase()))
    };
    for wanted in names(expected) {
        if !came.iter().any(|warning| has_words(warning, wanted)) {
            return Err(format!("expected {wanted:?}, came {}", json!(came)));
        }
    }
    match names(expected).is_empty() && !came.is_empty() {
        true => Err(format!("expected none, came {}", json!(came))),
        false => Ok(()),
    }
}

/// The ids found; or, by query, those that are named.
fn found(seen: &Seen, expected: &Value) -> Checked {
    let came = seen.facts.get("found");
    let came = came.ok_or_else(|| nothing("nothing was searched"))?;
    let Value::Object(wanted) = expected else {
        return equal(came.clone(), expected);
    };
    for (query, ids) in wanted {
        let Some(found) = came.get(query) else {
            return Err(nothing(&format!("{query:?} was not searched")));
        };
        equal(found.clone(), ids).map_err(|came| format!("{query:?}: {came}"))?;
    }
    Ok(())
}
