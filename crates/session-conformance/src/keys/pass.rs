//! How passes went, and what the summarizer was asked.

use serde_json::{Value, json};
use session_summarizer::{CONVERSATION_MARKER, PRIOR_MARKER, UPCOMING_MARKER};

use super::{Checked, Key, Shape, at_most, count, equal, nothing};
use crate::case::names;
use crate::seen::{PassSeen, Seen};

pub(super) const KEYS: &[Key] = &[
    Key::new("written", Shape::Flag, |seen, expected| {
        some_pass(seen)?;
        equal(seen.passes.iter().any(PassSeen::is_written), expected)
    }),
    Key::new("fired", Shape::Flag, |seen, expected| {
        some_pass(seen)?;
        let fired: Option<Vec<bool>> = seen.passes.iter().map(PassSeen::is_fired).collect();
        let fired = fired.ok_or_else(|| nothing("a pass failed before it could tell"))?;
        equal(fired.contains(&true), expected)
    }),
    Key::new("reason", Shape::Text, reason),
    Key::new("outcome", Shape::Text, |seen, expected| {
        equal(report(seen)?.outcome.as_str(), expected)
    }),
    Key::new("pinned", Shape::Texts, |seen, expected| {
        of_report(seen, expected, |report| &report.pinned)
    }),
    Key::new("superseded", Shape::Texts, |seen, expected| {
        of_report(seen, expected, |report| &report.superseded)
    }),
    Key::new("preserved", Shape::Texts, |seen, expected| {
        of_report(seen, expected, |report| &report.preserved)
    }),
    Key::new("tokens_before", Shape::Number, |seen, expected| {
        equal(report(seen)?.before.tokens, expected)
    }),
    Key::new("tokens_after", Shape::Number, |seen, expected| {
        equal(report(seen)?.after.tokens, expected)
    }),
    Key::new("tokens_saved_negative", Shape::Flag, |seen, expected| {
        let report = report(seen)?;
        equal(report.after.tokens > report.before.tokens, expected)
    }),
    Key::new("summarizer_calls", Shape::Number, |seen, expected| {
        some_pass(seen)?;
        equal(count(seen.calls().count()), expected)
    }),
    Key::new("summarizer_input_ids", Shape::Texts, |seen, expected| {
        let asked = asked(seen)?;
        equal(asked.input_names(), expected)
    }),
    Key::new("summarizer_input_contains", Shape::Texts, input_contains),
    Key::new("summarizer_input_excludes", Shape::Texts, input_excludes),
    Key::new(
        "each_summarizer_input_tokens_at_most",
        Shape::Number,
        |seen, expected| {
            asked(seen)?;
            let largest = seen.calls().map(|call| call.tokens).max();
            at_most(largest.unwrap_or(u64::MAX), expected)
        },
    ),
    Key::new(
        "covered_all_shown_to_summarizer",
        Shape::Flag,
        covered_is_shown,
    ),
    Key::new(
        "prior_summary_occurrences_in_each_input",
        Shape::Number,
        prior_occurrences,
    ),
    Key::new("failure_callback_calls", Shape::Number, |seen, expected| {
        some_pass(seen)?;
        let calls: u64 = seen.passes.iter().map(|pass| pass.failure_callbacks).sum();
        equal(calls, expected)
    }),
    Key::new(
        "result_summary_text",
        Shape::TextOrNull,
        |seen, expected| {
            let summary = report(seen)?.summary.as_ref();
            equal(json!(summary.map(|summary| &summary.text)), expected)
        },
    ),
    Key::new("request", Shape::Request, request),
    Key::new("passes_at_turns", Shape::Numbers, |seen, expected| {
        some_pass(seen)?;
        let written = seen.passes.iter().filter(|pass| pass.is_written());
        let turns: Option<Vec<u64>> = written.map(|pass| pass.turn).collect();
        let turns = turns.ok_or_else(|| nothing("the passes do not follow turns"))?;
        equal(turns, expected)
    }),
];

fn some_pass(seen: &Seen) -> Result<&PassSeen, String> {
    seen.pass().ok_or_else(|| nothing("no pass was run"))
}

fn report(seen: &Seen) -> Result<&session::Report, String> {
    let pass = some_pass(seen)?;
    let report = pass.report.as_ref();
    report.ok_or_else(|| nothing("the pass failed and has no report"))
}

/// The last pass that asked the summarizer.
fn asked(seen: &Seen) -> Result<&PassSeen, String> {
    let asked = seen.passes.iter().rfind(|pass| !pass.calls.is_empty());
    asked.ok_or_else(|| nothing("the summarizer was not asked"))
}

fn of_report(
    seen: &Seen,
    expected: &Value,
    list: impl Fn(&session::Report) -> &Vec<session::EventId>,
) -> Checked {
    let pass = some_pass(seen)?;
    let ids = list(report(seen)?).iter();
    equal(
        ids.map(|id| pass.after.name(id)).collect::<Vec<_>>(),
        expected,
    )
}

/// Other words for why nothing changed.
const REASONS: [(&str, &[&str]); 7] = [
    ("fits_window", &["fits", "fits_window"]),
    (
        "no_turn_to_cut",
        &["no_turn_to_cut", "nothing_to_cut", "nothing_left_to_cut"],
    ),
    (
        "trigger_did_not_fire",
        &["not_triggered", "trigger_did_not_fire"],
    ),
    ("session_changed", &["stale", "conflict", "session_changed"]),
    ("blank", &["blank", "blank_summary"]),
    ("inflated", &["no_gain", "inflated", "summary_larger"]),
    ("cut_off", &["cut_off", "truncated", "length"]),
];

fn reason(seen: &Seen, expected: &Value) -> Checked {
    let came = report(seen)?.reason().unwrap_or_default();
    let also = REASONS.iter().find(|(name, _)| *name == came);
    let also = also.map_or(&[] as &[&str], |(_, names)| names);
    match expected.as_str() {
        Some(wanted) if wanted == came || also.contains(&wanted) => Ok(()),
        _ => equal(came, expected),
    }
}

fn input_contains(seen: &Seen, expected: &Value) -> Checked {
    let shown = shown(asked(seen)?);
    let mut missing = names(expected);
    missing.retain(|text| !shown.iter().any(|input| input.contains(text)));
    match missing.is_empty() {
        true => Ok(()),
        false => Err(format!("the summarizer was not shown {}", json!(missing))),
    }
}

fn input_excludes(seen: &Seen, expected: &Value) -> Checked {
    let shown = shown(asked(seen)?);
    let mut found = names(expected);
    found.retain(|text| shown.iter().any(|input| input.contains(text)));
    match found.is_empty() {
        true => Ok(()),
        false => Err(format!("the summarizer was shown {}", json!(found))),
    }
}

fn shown(pass: &PassSeen) -> Vec<&str> {
    let requests = pass.calls.iter().map(|call| &call.request);
    requests.map(|request| request.user.as_str()).collect()
}

/// Whether each event that left was shown. System prompts never are.
fn covered_is_shown(seen: &Seen, expected: &Value) -> Checked {
    let pass = asked(seen)?;
    let shown = pass.input_names();
    let report = pass.report.as_ref();
    let report = report.ok_or_else(|| nothing("the pass failed and covered nothing"))?;
    let is_shown = |id| shown.contains(&pass.before.name(id));
    equal(
        !report.covered.is_empty() && report.covered.iter().all(is_shown),
        expected,
    )
}

/// How often the prior summary stands in what the summarizer was shown, where there is one.
fn prior_occurrences(seen: &Seen, expected: &Value) -> Checked {
    asked(seen)?;
    let mut has_prior = false;
    for call in seen.calls() {
        for prior in &call.prior {
            has_prior = true;
            let shown = without_markers(&call.request.user);
            equal(count(shown.matches(prior).count()), expected)?;
        }
    }
    match has_prior {
        true => Ok(()),
        false => Err(nothing("no input had a prior summary")),
    }
}

/// The text without the lines that say what comes next: they speak of summaries, too.
fn without_markers(text: &str) -> String {
    let is_marker =
        |line: &&str| [PRIOR_MARKER, CONVERSATION_MARKER, UPCOMING_MARKER].contains(line);
    let lines: Vec<&str> = text.split('\n').filter(|line| !is_marker(line)).collect();
    lines.join("\n")
}

/// What must be known of a request.
const REQUEST: [&str; 3] = ["messages_after_system", "role", "tools"];

pub(super) fn is_request(value: &Value) -> bool {
    let fields = value.as_object();
    fields.is_some_and(|fields| fields.keys().all(|name| REQUEST.contains(&name.as_str())))
}

/// A request is one system prompt, one user message, and no tools; what is counted here is what
/// there is of each.
fn request(seen: &Seen, expected: &Value) -> Checked {
    for call in &asked(seen)?.calls {
        let messages = [&call.request.user]
            .into_iter()
            .filter(|text| !text.trim().is_empty())
            .count();
        if call.request.system.trim().is_empty() {
            return Err("the request has no system prompt".into());
        }
        let came = json!({"messages_after_system": messages, "role": "user", "tools": 0});
        for name in REQUEST {
            if let (Some(wanted), Some(came)) = (expected.get(name), came.get(name)) {
                equal(came.clone(), wanted).map_err(|came| format!("{name}: {came}"))?;
            }
        }
    }
    Ok(())
}
