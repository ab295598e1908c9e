//! A session as a JSON document.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::value::RawValue;
use session::{Event, EventId};
use session_log::wire;

use crate::commands::show::Shown;
use crate::commands::show::list::{State, states};
use crate::failure::Failure;
use crate::output::json::{ShownJson, raw, shown};
use crate::output::text::instant;

#[derive(Debug, Serialize)]
struct SessionJson<'a> {
    session: &'a str,
    version: u64,
    boundary: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    view: Option<Vec<ShownJson<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<Vec<EventJson<'a>>>,
    damaged: Vec<DamageJson<'a>>,
}

/// An event of the log, with its stored record.
#[derive(Debug, Serialize)]
struct EventJson<'a> {
    seq: u64,
    id: &'a str,
    r#type: String,
    time: Option<String>,
    state: Option<&'static str>,
    record: Option<Box<RawValue>>,
}

#[derive(Debug, Serialize)]
struct DamageJson<'a> {
    seq: u64,
    reason: &'a str,
}

/// The document.
pub(super) fn document(it: &Shown) -> Result<String, Failure> {
    let states = states(it);
    crate::output::json::document(&SessionJson {
        session: it.session.id.as_str(),
        version: it.view.version().as_u64(),
        boundary: it.view.boundary().map(|event| event.seq.as_u64()),
        view: it.log.is_none().then(|| shown(&it.view)),
        log: it
            .log
            .as_ref()
            .map(|log| log.iter().map(|event| event_json(event, &states)).collect()),
        damaged: it
            .damaged
            .iter()
            .map(|damage| DamageJson {
                seq: damage.seq.as_u64(),
                reason: &damage.reason,
            })
            .collect(),
    })
}

fn event_json<'a>(event: &'a Event, states: &HashMap<EventId, State>) -> EventJson<'a> {
    EventJson {
        seq: event.seq.as_u64(),
        id: event.id.as_str(),
        r#type: event.event_type().to_string(),
        time: instant(event.timestamp),
        state: states.get(&event.id).map(|state| state.name()),
        record: wire::encode(&event.clone().into_new())
            .ok()
            .map(|record| raw(&record)),
    }
}
