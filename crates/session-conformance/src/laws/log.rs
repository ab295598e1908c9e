//! Laws of the log.

use std::collections::BTreeSet;

use session_log::{Event, Origin};

use super::states;
use crate::export;
use crate::seen::Seen;

/// Token counts are no part of what an event says: they are made again for another estimator.
pub(super) fn append_only(seen: &Seen) -> Result<(), String> {
    let states = states(seen)?;
    for pair in states.windows(2) {
        let [before, after] = pair else { continue };
        for (place, event) in before.log.iter().enumerate() {
            let name = before.name(&event.id);
            let Some(still) = after.log.get(place) else {
                return Err(format!("{name} is not in the log any more"));
            };
            if !is_same(event, still) {
                return Err(format!(
                    "{name} was at place {} of the log, now {} is there and differs",
                    event.seq,
                    after.name(&still.id)
                ));
            }
        }
    }
    for state in states {
        let mut expected = 1_u64;
        for event in &state.log {
            if event.seq.as_u64() != expected {
                return Err(format!("place {expected} of the log is missing"));
            }
            expected = expected.saturating_add(1);
        }
    }
    Ok(())
}

fn is_same(before: &Event, after: &Event) -> bool {
    let plain = |event: &Event| {
        let mut event = event.clone();
        event.tokens = None;
        event
    };
    plain(before) == plain(after)
}

/// Every message is one of the input or half of a summary turn, and an export has only messages
/// that are in the log.
pub(super) fn no_invented_events(seen: &Seen) -> Result<(), String> {
    let inputs: BTreeSet<&str> = seen
        .records
        .all
        .iter()
        .map(|record| record.id.as_str())
        .collect();
    for state in states(seen)? {
        for event in state.messages() {
            let is_summary = matches!(event.origin, Origin::Summary { .. });
            if !is_summary && !inputs.contains(event.id.as_str()) {
                return Err(format!("nobody put {} into the log", event.id));
            }
        }
        for event in state.view.events() {
            if !state.log.iter().any(|logged| logged.id == event.id) {
                return Err(format!("{} is in the view and not in the log", event.id));
            }
        }
        nothing_new_in_the_request(state)?;
    }
    Ok(())
}

fn nothing_new_in_the_request(state: &crate::seen::Snapshot) -> Result<(), String> {
    let request = export::request(&state.view, "openai")?;
    let mut texts = Vec::new();
    for event in state.view.events() {
        texts.extend(export::one(event).ok());
    }
    let roles = |role: &str| {
        let messages = request.messages.iter();
        messages.filter(|it| it["role"] == role).count()
    };
    let tools = state
        .view
        .events()
        .iter()
        .filter_map(|event| event.as_message())
        .map(|message| message.results().count())
        .sum();
    if roles("tool") > tools {
        return Err("the request has results that nobody returned".into());
    }
    let said = |role: &str| texts.iter().filter(|it| it["role"] == role).count();
    for role in ["user", "assistant", "system", "developer"] {
        if roles(role) > said(role) {
            return Err(format!("the request has a {role} message that nobody sent"));
        }
    }
    Ok(())
}
