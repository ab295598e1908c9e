//! What a run's events are called, so that storing a run twice stores it once.
//!
//! Rig hands over whole messages, without an id of the run. What tells two runs apart is where
//! they began: rig loads the conversation before each run, and the version it loaded is part of
//! the name. Two runs of the same words after each other began at different versions and are both
//! stored; a run that is stored again began where it began.
//!
//! A name is `rig/<version>/<digest of session and messages>/<place>`. When the version is not
//! known, since the process began anew, a run whose digest the newest run of the view has is that
//! run, and any other begins at the end of the log.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use session::{Error, EventId, Message, NewEvent, SessionId, Timestamp, Version, View};
use session_log::wire;
use sha2::{Digest as _, Sha256};

/// For how many conversations it is remembered where their runs began; for one more, any is
/// forgotten.
const REMEMBERED: usize = 10_000;

/// Where the newest run of each conversation began. It is not forgotten when the run is stored: it
/// may be stored again, after others.
#[derive(Debug, Default)]
pub(crate) struct Runs(Mutex<BTreeMap<SessionId, Version>>);

impl Runs {
    /// A run began, with the conversation as it was at `version`.
    pub(crate) fn begin(&self, id: &SessionId, version: Version) {
        let mut begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if begun.len() >= REMEMBERED && !begun.contains_key(id) {
            begun.pop_first();
        }
        begun.insert(id.clone(), version);
    }

    /// Where the newest run began.
    pub(crate) fn began(&self, id: &SessionId) -> Option<Version> {
        let begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        begun.get(id).copied()
    }

    /// There is nothing left of the conversation.
    pub(crate) fn forget(&self, id: &SessionId) {
        let mut begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        begun.remove(id);
    }
}

/// Where a run of these messages began, by the newest run in the view.
pub(crate) fn began_in(view: &View, digest: &str) -> Version {
    let stored = view.events().iter().rev().find_map(|event| {
        let mut parts = event.id.as_str().strip_prefix("rig/")?.split('/');
        let version = parts.next()?.parse().ok()?;
        Some((Version::new(version), parts.next()? == digest))
    });
    match stored {
        Some((version, true)) => version,
        _ => view.version(),
    }
}

/// Names the messages of a run without its version.
pub(crate) fn digest_of(id: &SessionId, messages: &[Message]) -> Result<String, Error> {
    let mut hash = Sha256::new();
    hash.update(id.as_str());
    let nameless = EventId::new("-")?;
    for message in messages {
        let event = NewEvent::message(nameless.clone(), Timestamp::default(), message.clone());
        let record = wire::encode(&event).unwrap_or_default();
        hash.update([0]);
        hash.update(record);
    }
    let digest = hash.finalize();
    Ok(digest
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

/// The events of a run.
pub(crate) fn events_of(
    version: Version,
    digest: &str,
    now: Timestamp,
    messages: Vec<Message>,
) -> Result<Vec<NewEvent>, Error> {
    let named = messages.into_iter().enumerate().map(|(place, message)| {
        let id = EventId::new(format!("rig/{version}/{digest}/{place}"))?;
        Ok(NewEvent::message(id, now, message))
    });
    named.collect()
}
