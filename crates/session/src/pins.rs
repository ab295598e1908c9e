//! Pins: events that stay in every view until they are released.

use std::collections::BTreeSet;
use std::sync::Arc;

use compaction_core::pairs;
use session_log::{
    Event, EventBody, EventId, EventType, Message, NewEvent, Origin, Pin, Seq, SessionId,
};
use session_store::{Batch, EventQuery, Expected, SessionStoreExt as _};

use crate::error::Error;
use crate::sessions::{Sessions, fresh_id};

impl Sessions {
    /// Pins an event: it stays in every view, byte for byte, and no window counts it. A tool call
    /// is pinned with its result, and a result with its call, the other calls of the same message
    /// included; a result that comes later is pinned as it comes. An event that was covered comes
    /// back, and one that was cleared is shown whole.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownEvent`] when there is no such message, or it is a system prompt or a
    /// summary, which have rules of their own; [`Error::UnknownSession`], [`Error::Store`].
    pub async fn pin(&self, id: &SessionId, event: &EventId) -> Result<(), Error> {
        self.hold(id, event, Pin::hold).await
    }

    /// Releases a pinned event, with what was pinned along with it. Where the window would not
    /// keep it, it leaves the view at once.
    ///
    /// # Errors
    ///
    /// As [`pin`](Self::pin).
    pub async fn unpin(&self, id: &SessionId, event: &EventId) -> Result<(), Error> {
        self.hold(id, event, Pin::release).await
    }

    /// Appends a text and pins it: a note that stays in every view.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSession`] or [`Error::Store`].
    pub async fn pin_text(
        &self,
        id: &SessionId,
        text: impl Into<String> + Send,
    ) -> Result<Arc<Event>, Error> {
        let now = self.clock.now();
        let note = NewEvent::message(EventId::new(fresh_id())?, now, Message::user(text))
            .with_origin(Origin::Injected);
        let mut events = [note];
        self.count_all(&mut events);
        let [note] = events;
        let pin = EventId::new(fresh_id())?;
        // Both in one batch, so the note's place must be known: whoever is faster takes it.
        loop {
            let version = self.session(id).await?.head.version;
            let held = EventBody::Pin(Pin::hold(version.next_seq()));
            let batch = vec![note.clone(), NewEvent::new(pin.clone(), now, held)];
            let expected = Expected::Exact(version);
            let appended = self.store.append(id, expected, Batch::new(batch)).await?;
            let written = appended.done().map(|written| written.events);
            if let Some(note) = written.and_then(|events| events.into_iter().next()) {
                return Ok(note);
            }
        }
    }

    async fn hold(
        &self,
        id: &SessionId,
        event: &EventId,
        pin: impl Fn(Seq) -> Pin,
    ) -> Result<(), Error> {
        self.session(id).await?;
        let unknown = || Error::UnknownEvent {
            session: id.clone(),
            what: format!("message {event} that can be pinned"),
        };
        let found = self.store.event(id, event).await?.ok_or_else(unknown)?;
        let is_ruled = found
            .as_message()
            .is_none_or(|message| message.role.is_system())
            || matches!(found.origin, Origin::Summary { .. });
        if is_ruled {
            return Err(unknown());
        }
        let mut pins = Vec::new();
        for seq in self.partners(id, &found).await? {
            let body = EventBody::Pin(pin(seq));
            pins.push(NewEvent::new(
                EventId::new(fresh_id())?,
                self.clock.now(),
                body,
            ));
        }
        let _ = self
            .store
            .append(id, Expected::Any, Batch::new(pins))
            .await?;
        Ok(())
    }

    /// The event and all that hang together with it by calls and results.
    async fn partners(&self, id: &SessionId, event: &Event) -> Result<BTreeSet<Seq>, Error> {
        let is_linked = event.as_message().is_some_and(|message| {
            message.calls().next().is_some() || message.results().next().is_some()
        });
        if !is_linked {
            return Ok(BTreeSet::from([event.seq]));
        }
        let query = EventQuery::all().with_types([EventType::MESSAGE]);
        let log = self.store.read_all(id, query).await?;
        let at = log.iter().position(|other| other.seq == event.seq);
        let together = pairs(&log).together(at);
        let together = together.iter().filter_map(|at| log.get(*at));
        Ok(together.map(|event| event.seq).collect())
    }
}
