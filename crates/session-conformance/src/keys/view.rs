//! What is in the view, and what is in the log.

use std::sync::Arc;

use compaction_core::{Entry as _, EntryKind, pairs};
use serde_json::{Value, json};
use session_log::{Event, Message, Origin, Part};

use super::{Checked, Key, Shape, at_most, count, equal, nothing};
use crate::case::names;
use crate::export;
use crate::seen::{Seen, Snapshot};

pub(super) const KEYS: &[Key] = &[
    Key::new("view", Shape::View, view),
    Key::new("covered", Shape::Texts, covered),
    Key::new("log", Shape::Texts, |seen, expected| {
        let after = after(seen)?;
        equal(after.names_of(after.messages()), expected)
    }),
    Key::new("turns", Shape::Number, turns),
    Key::new("event_count", Shape::Number, |seen, expected| {
        equal(count(said(after(seen)?).count()), expected)
    }),
    Key::new("log_count", Shape::Number, |seen, expected| {
        equal(count(after(seen)?.messages().count()), expected)
    }),
    Key::new("view_count", Shape::Number, |seen, expected| {
        equal(count(after(seen)?.view.events().len()), expected)
    }),
    Key::new("events", Shape::NumberOrTexts, events),
    Key::new("version", Shape::Number, |seen, expected| {
        equal(after(seen)?.version, expected)
    }),
    Key::new("boundaries_written", Shape::Number, |seen, expected| {
        let before = seen.before.as_ref();
        let before = before.map_or(0, |before| before.boundaries().count());
        let written = after(seen)?.boundaries().count().saturating_sub(before);
        equal(count(written), expected)
    }),
    Key::new(
        "boundary_event_bytes_at_most",
        Shape::Number,
        boundary_bytes,
    ),
    Key::new("summary_turns_in_view", Shape::Number, |seen, expected| {
        equal(count(after(seen)?.summary_turns()), expected)
    }),
    Key::new("first_in_view", Shape::Text, first_in_view),
    Key::new("export_roles", Shape::Texts, export_roles),
    Key::new("pairs", Shape::Pairs, call_pairs),
    Key::new("tool_calls", Shape::Texts, |seen, expected| {
        let calls = |message: &Message| ids(message.calls().map(|call| &call.id));
        equal(of_messages(after(seen)?, calls), expected)
    }),
    Key::new("tool_results", Shape::Texts, |seen, expected| {
        let results = |message: &Message| ids(message.results().map(|result| &result.call_id));
        equal(of_messages(after(seen)?, results), expected)
    }),
    Key::new("texts", Shape::Texts, view_texts),
    Key::new("texts_in_order", Shape::Texts, view_texts),
    Key::new("log_texts_in_order", Shape::Texts, |seen, expected| {
        equal(texts(after(seen)?.messages()), expected)
    }),
    Key::new("summary_is_synthetic", Shape::Flag, summary_is_synthetic),
];

pub(super) fn after(seen: &Seen) -> Result<&Arc<Snapshot>, String> {
    seen.after
        .as_ref()
        .ok_or_else(|| nothing("there is no session"))
}

/// The view of the session; or what a branch sees of it, where a branch looked.
fn view(seen: &Seen, expected: &Value) -> Checked {
    if let Some(view) = seen.facts.get("view") {
        return equal(view.clone(), expected);
    }
    let came = after(seen)?.view_names();
    if *expected != "unchanged" {
        return equal(came, expected);
    }
    let before = seen.before.as_ref();
    let before = before.ok_or_else(|| nothing("there is no view before"))?;
    equal(came, &json!(before.view_names()))
}

/// What left the view, in log order. Where there is a view before, it is compared with that, else
/// with the log. If there was one pass, its report must say the same.
fn covered(seen: &Seen, expected: &Value) -> Checked {
    let after = after(seen)?;
    let stays = after.view_names();
    let all = match &seen.before {
        Some(before) => before.view_names(),
        None => after.names_of(after.messages()),
    };
    let place = |name: &String| {
        after
            .log
            .iter()
            .position(|event| after.name(&event.id) == *name)
    };
    let in_log_order = |mut names: Vec<String>| {
        names.sort_by_key(|name| (place(name).is_none(), place(name), name.clone()));
        names
    };
    let left = in_log_order(
        all.into_iter()
            .filter(|name| !stays.contains(name))
            .collect(),
    );
    if let [pass] = seen.passes.as_slice()
        && let Some(report) = &pass.report
        && seen.steps.is_empty()
    {
        let ids = report.covered.iter().chain(&report.superseded);
        let told = in_log_order(ids.map(|id| after.name(id)).collect());
        if told != left {
            return Err(format!(
                "the report says that {} left, the view that {} did",
                json!(told),
                json!(left)
            ));
        }
    }
    let wanted = names(expected).into_iter().map(str::to_owned).collect();
    equal(left, &json!(in_log_order(wanted)))
}

/// The turns of what was read from a file, or else of the view.
fn turns(seen: &Seen, expected: &Value) -> Checked {
    let after = after(seen)?;
    let events = match seen.file {
        Some(_) => after.log.as_slice(),
        None => after.view.events(),
    };
    let turns = events
        .iter()
        .filter(|event| event.kind() == EntryKind::TurnStart);
    equal(count(turns.count()), expected)
}

/// The logged messages without what passes made.
fn said(snapshot: &Snapshot) -> impl Iterator<Item = &Arc<Event>> {
    let is_made =
        |event: &&Arc<Event>| matches!(event.origin, Origin::Summary { boundary: Some(_) });
    snapshot.messages().filter(move |event| !is_made(event))
}

/// The ids of what was said, or how many events a run of writers left.
fn events(seen: &Seen, expected: &Value) -> Checked {
    if let Some(events) = seen.facts.get("events") {
        return equal(events.clone(), expected);
    }
    let after = after(seen)?;
    match expected.is_number() {
        true => equal(count(said(after).count()), expected),
        false => equal(after.names_of(said(after)), expected),
    }
}

fn boundary_bytes(seen: &Seen, expected: &Value) -> Checked {
    let mut largest = None;
    for event in after(seen)?.boundaries() {
        let record = session_log::wire::encode(&Event::clone(event).into_new());
        let record = record.map_err(|error| error.to_string())?;
        largest = largest.max(Some(count(record.len())));
    }
    match largest {
        Some(bytes) => at_most(bytes, expected),
        None => Err(nothing("no boundary was written")),
    }
}

/// `summary`, or the id or the role of the first event.
fn first_in_view(seen: &Seen, expected: &Value) -> Checked {
    let after = after(seen)?;
    let Some(first) = after.view.events().first() else {
        return Err(nothing("the view is empty"));
    };
    let name = after.name(&first.id);
    let role = first
        .as_message()
        .map(|message| message.role.as_str().to_owned());
    let is_summary = first.kind() == EntryKind::Summary;
    match expected.as_str() {
        Some("summary") if is_summary => Ok(()),
        Some(wanted) if wanted == name => Ok(()),
        Some(wanted) if !is_summary && role.as_deref() == Some(wanted) => Ok(()),
        _ => equal(name, expected),
    }
}

fn export_roles(seen: &Seen, expected: &Value) -> Checked {
    let messages = match &seen.export {
        Some(export) => export.messages.clone(),
        None => export::request(&after(seen)?.view, "openai")?.messages,
    };
    let roles: Vec<Value> = messages
        .iter()
        .map(|message| message.get("role").cloned().unwrap_or_default())
        .collect();
    equal(roles, expected)
}

fn call_pairs(seen: &Seen, expected: &Value) -> Checked {
    let after = after(seen)?;
    let events: Vec<&Arc<Event>> = after.messages().collect();
    let name = |at: usize| events.get(at).map(|event| after.name(&event.id));
    let found: Vec<Value> = pairs(&events)
        .calls
        .iter()
        .filter_map(|pair| Some(json!([name(pair.call)?, name(pair.result?.0)?])))
        .collect();
    equal(found, expected)
}

fn of_messages(snapshot: &Snapshot, each: impl Fn(&Message) -> Vec<String>) -> Vec<String> {
    let messages = snapshot.messages().filter_map(|event| event.as_message());
    messages.flat_map(each).collect()
}

fn ids<'a>(ids: impl Iterator<Item = &'a String>) -> Vec<String> {
    ids.cloned().collect()
}

fn view_texts(seen: &Seen, expected: &Value) -> Checked {
    equal(texts(after(seen)?.view.events()), expected)
}

/// What was said and what tools returned, without what nobody said.
fn texts<'a>(events: impl IntoIterator<Item = &'a Arc<Event>>) -> Vec<String> {
    events
        .into_iter()
        .filter(|event| event.origin == Origin::Real)
        .filter_map(|event| event.as_message())
        .flat_map(|message| {
            let said = message.text().into_owned();
            let returned = message.results().map(|result| text_of(&result.parts));
            std::iter::once(said).chain(returned).collect::<Vec<_>>()
        })
        .filter(|text| !text.is_empty())
        .collect()
}

fn text_of(parts: &[Part]) -> String {
    let texts: Vec<&str> = parts.iter().filter_map(Part::as_text).collect();
    texts.join("\n")
}

/// Whether there is a summary, and all of its events are synthetic and open no turn.
fn summary_is_synthetic(seen: &Seen, expected: &Value) -> Checked {
    let after = after(seen)?;
    let boundaries = after.boundaries().filter_map(|event| event.as_boundary());
    let of_boundaries: Vec<_> = boundaries.flat_map(|boundary| &boundary.summary).collect();
    let summaries: Vec<&Arc<Event>> = after
        .messages()
        .filter(|event| event.origin.is_synthetic() || of_boundaries.contains(&&event.id))
        .collect();
    let is_right =
        |event: &&Arc<Event>| event.origin.is_synthetic() && event.kind() != EntryKind::TurnStart;
    equal(
        !summaries.is_empty() && summaries.iter().all(is_right),
        expected,
    )
}
