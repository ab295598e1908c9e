//! `--pin` and `--unpin`: what stays in the view whatever the window.

use session::{EventId, SessionId, Sessions};

use crate::failure::Failure;
use crate::output::text::line;

/// What is to be pinned and released.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pins {
    /// Places or ids of events, and texts to add as notes.
    pub(crate) held: Vec<String>,
    /// Places or ids of events.
    pub(crate) released: Vec<String>,
}

impl Pins {
    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty() && self.released.is_empty()
    }

    /// Pins and releases in a session. A text that is pinned already is not added again.
    pub(crate) async fn apply(&self, sessions: &Sessions, id: &SessionId) -> Result<(), Failure> {
        for wanted in &self.held {
            match event(sessions, id, wanted).await? {
                Some(event) => sessions.pin(id, &event).await?,
                None if wanted.contains(char::is_whitespace) => note(sessions, id, wanted).await?,
                None => return Err(unknown(id, wanted)),
            }
        }
        for wanted in &self.released {
            match event(sessions, id, wanted).await? {
                Some(event) => sessions.unpin(id, &event).await?,
                None => return Err(unknown(id, wanted)),
            }
        }
        Ok(())
    }
}

/// The event at a place, or with an id.
async fn event(
    sessions: &Sessions,
    id: &SessionId,
    wanted: &str,
) -> Result<Option<EventId>, Failure> {
    let seq = wanted.trim_start_matches('#').parse::<u64>().ok();
    let log = sessions.log(id).await?;
    let by_id = log.iter().find(|event| event.id.as_str() == wanted);
    let by_seq = || log.iter().find(|event| Some(event.seq.as_u64()) == seq);
    Ok(by_id.or_else(by_seq).map(|event| event.id.clone()))
}

async fn note(sessions: &Sessions, id: &SessionId, text: &str) -> Result<(), Failure> {
    let view = sessions.view(id).await?;
    let mut held = view
        .events()
        .iter()
        .filter(|event| view.held().contains(&event.seq));
    let is_there = held.any(|event| event.as_message().is_some_and(|it| it.text() == text));
    if !is_there {
        sessions.pin_text(id, text).await?;
    }
    Ok(())
}

fn unknown(id: &SessionId, wanted: &str) -> Failure {
    Failure::usage(format!("{id} has no event {}", line(wanted, 80))).with_hint(
        "`stats` and `show --log` name events; a text of several words is pinned as a note",
    )
}
