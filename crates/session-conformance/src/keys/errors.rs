//! What went wrong, and that nothing did.

use serde_json::{Value, json};

use super::{Checked, Key, Shape, count, equal, nothing};
use crate::failure::Failure;
use crate::seen::Seen;

pub(super) const KEYS: &[Key] = &[
    Key::new("error", Shape::TextOrNull, error),
    Key::new("errors", Shape::Number, |seen, expected| {
        equal(count(unwanted(seen).count()), expected)
    }),
    Key::new("error_names", Shape::Text, |seen, expected| {
        let wanted = expected.as_str().unwrap_or_default();
        let failure = last(seen)?;
        match failure.message.contains(wanted) {
            true => Ok(()),
            false => Err(format!(
                "the error does not name {wanted}: {}",
                failure.message
            )),
        }
    }),
    Key::new("last_append", Shape::Text, last_append),
    Key::new("session_usable", Shape::Flag, |seen, expected| {
        let usable = seen.facts.get("session_usable");
        let usable = usable.ok_or_else(|| nothing("no pass failed"))?;
        equal(usable.clone(), expected)
    }),
];

/// What went wrong without the runner's doing.
pub(crate) fn unwanted(seen: &Seen) -> impl Iterator<Item = &Failure> {
    seen.failures.iter().filter(|failure| !failure.is_wanted)
}

/// The last error; one that the runner made come, where there is no other.
fn last(seen: &Seen) -> Result<&Failure, String> {
    let last = unwanted(seen).last().or(seen.failures.last());
    last.ok_or_else(|| "expected an error, none came".into())
}

fn error(seen: &Seen, expected: &Value) -> Checked {
    let Some(wanted) = expected.as_str() else {
        return match unwanted(seen).next() {
            None => Ok(()),
            Some(failure) => Err(format!("expected no error, came {}", failure.message)),
        };
    };
    let failure = last(seen)?;
    match failure.is(wanted) {
        true => Ok(()),
        false => Err(format!(
            "expected an error {wanted}, came {}: {}",
            failure.kind(),
            failure.message
        )),
    }
}

/// `ok`, or the error of the last append.
fn last_append(seen: &Seen, expected: &Value) -> Checked {
    let came = seen.facts.get("last_append");
    let came = came.ok_or_else(|| nothing("nothing was appended"))?;
    let wanted = expected.as_str().unwrap_or_default();
    if came == "ok" || wanted == "ok" {
        return equal(came.clone(), expected);
    }
    let failure = last(seen)?;
    match failure.is(wanted) {
        true => Ok(()),
        false => equal(json!(failure.kind()), expected),
    }
}
