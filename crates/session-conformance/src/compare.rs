//! What two stores must show alike.

use serde_json::{Value, json};

use crate::seen::{Seen, Snapshot};

/// Everything that was seen, in names and texts: without ids that are fresh each time.
pub(crate) fn digest(seen: &Seen) -> Value {
    let passes = seen.passes.iter().map(|pass| {
        let names = |ids: &[session::EventId]| {
            let ids = ids.iter();
            ids.map(|id| pass.after.name(id)).collect::<Vec<_>>()
        };
        match &pass.report {
            None => json!("failed"),
            Some(report) => json!({
                "outcome": report.outcome.as_str(),
                "fired": report.fired,
                "before": report.before.tokens,
                "after": report.after.tokens,
                "covered": names(&report.covered),
                "superseded": names(&report.superseded),
                "pinned": names(&report.pinned),
                "shown": pass.input_names(),
            }),
        }
    });
    let failures = seen.failures.iter().map(|failure| failure.kind());
    let mut facts = serde_json::Map::new();
    for (name, fact) in &seen.facts {
        // Times differ, and so may how much is read.
        if !name.starts_with("time") && !name.starts_with("rows") {
            facts.insert((*name).into(), fact.clone());
        }
    }
    json!({
        "session": seen.after.as_ref().map(|after| session(after)),
        "passes": passes.collect::<Vec<_>>(),
        "failures": failures.collect::<Vec<_>>(),
        "facts": facts,
        "steps": seen.steps.iter().map(digest).collect::<Vec<_>>(),
        "export": seen.export.as_ref().map(|export| &export.messages)
            .filter(|_| seen.export.as_ref().is_some_and(|export| export.format != "jsonl")),
    })
}

fn session(snapshot: &Snapshot) -> Value {
    let log: Vec<Value> = snapshot
        .log
        .iter()
        .map(|event| {
            let message = event.as_message().map(|_| crate::export::one(event));
            json!({
                "id": match event.as_message() {
                    Some(_) => json!(snapshot.name(&event.id)),
                    None => json!(event.event_type().as_str()),
                },
                "at": event.timestamp.as_millis(),
                "says": message.and_then(Result::ok),
                "tokens": event.tokens.as_ref().map(|count| count.tokens),
            })
        })
        .collect();
    json!({
        "version": snapshot.version,
        "log": log,
        "view": snapshot.view_names(),
    })
}

/// The first place at which two values differ.
pub(crate) fn difference(one: &Value, other: &Value) -> Option<String> {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let names = one.keys().chain(other.keys());
            names.into_iter().find_map(|name| {
                let none = Value::Null;
                let (a, b) = (one.get(name), other.get(name));
                let place = difference(a.unwrap_or(&none), b.unwrap_or(&none))?;
                Some(format!("{name}.{place}"))
            })
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let pairs = one.iter().zip(other).enumerate();
            pairs
                .into_iter()
                .find_map(|(at, (one, other))| Some(format!("{at}.{}", difference(one, other)?)))
        }
        (one, other) if one == other => None,
        (one, other) => Some(format!("({one} and {other})")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named_by_its_place() {
        let one = json!({"a": [1, {"b": "x"}], "c": 1});
        assert_eq!(difference(&one, &one), None);
        let other = json!({"a": [1, {"b": "y"}], "c": 1});
        assert_eq!(difference(&one, &other).unwrap(), "a.1.b.(\"x\" and \"y\")");
        let shorter = json!({"a": [1], "c": 1});
        assert!(difference(&one, &shorter).is_some());
        assert!(difference(&json!({}), &one).is_some());
    }
}
