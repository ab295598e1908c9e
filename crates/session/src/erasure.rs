//! Erasure: what an event said is gone, and summaries of it are made again.

use std::sync::Arc;

use compaction_core::{Entry as _, EntryKind};
use session_log::{Event, EventId, EventType, Origin, SessionId, View, is_erased, tombstone};
use session_store::{EventQuery, Head, Session, SessionStoreExt as _};
use session_summarizer::{Brief, Shown};

use crate::ask::Answer;
use crate::compaction::Compaction;
use crate::draft::Draft;
use crate::error::Error;
use crate::pass::{Prepared, answer_or_fall_back};
use crate::report::{Outcome, Report};
use crate::sessions::Sessions;

impl Sessions {
    /// Erases what an event says, for good: a tombstone stays in its place, with size and digest.
    ///
    /// A summary that covers the event is stale from now on, and so is a summary that is erased
    /// itself. The next pass makes it again from the log, whether its trigger fires or not; a pass
    /// without a summarizer drops it, and so does one that may fall back to the plain window
    /// ([`fall_back_above`](crate::CompactionBuilder::fall_back_above)) and gets none.
    ///
    /// Erasing again what is erased leaves the tombstone as it is.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownEvent`] when there is no such event or it has nothing to erase;
    /// [`Error::UnknownSession`], [`Error::Store`].
    pub async fn erase(&self, id: &SessionId, event: &EventId) -> Result<Head, Error> {
        self.session(id).await?;
        let unknown = || Error::UnknownEvent {
            session: id.clone(),
            what: format!("event {event} that can be erased"),
        };
        let found = self.store.event(id, event).await?.ok_or_else(unknown)?;
        let tombstone = tombstone(&found).ok_or_else(unknown)?;
        Ok(self.store.erase(id, found.seq, tombstone).await?)
    }

    /// What the summary in the view has to be made of again, if it covers something that was
    /// erased since: every event that the view hides, in log order.
    ///
    /// It reads no event unless something of the session was erased.
    pub(crate) async fn behind_stale_summary(
        &self,
        session: &Session,
        view: &View,
    ) -> Result<Option<Vec<Arc<Event>>>, Error> {
        let Some(boundary) = view.boundary() else {
            return Ok(None);
        };
        let known = boundary
            .as_boundary()
            .map_or(0, |boundary| boundary.receipt.erasures);
        let summary: Vec<_> = view.events().iter().filter(|it| is_summary(it)).collect();
        if summary.is_empty() || session.head.erasures <= known {
            return Ok(None);
        }
        let hidden = self.hidden(session, view).await?;
        // The summary may be what was erased: then nothing tells any more of what it hides.
        let is_stale = hidden
            .iter()
            .chain(summary)
            .any(|event| event.as_message().is_some_and(is_erased));
        Ok(is_stale.then_some(hidden))
    }

    /// Makes the summary of the view again, from the log, and leaves the rest of the view alone.
    pub(crate) async fn rebuild(
        &self,
        compaction: &Compaction,
        mut draft: Draft<'_>,
        hidden: &[Arc<Event>],
        mut report: Report,
    ) -> Result<Prepared, Error> {
        draft.is_rebuilt = true;
        if compaction.summarizer.is_some() {
            let shown = hidden.iter().filter_map(|event| Shown::of_event(event));
            let tokens = hidden.iter().filter_map(|event| event.as_message());
            let tokens = tokens.map(|message| self.tokens_of(message));
            let replaced = tokens.fold(0, u64::saturating_add);
            let brief = Brief::new(shown);
            let asked = self.ask(compaction, draft.view, brief, replaced, &mut report);
            let answer = asked.await;
            let falls_back = compaction.falls_back(report.before.tokens);
            match answer_or_fall_back(answer, falls_back, &mut report)? {
                Answer::Summary(summary) => draft.summary = Some(*summary),
                Answer::Without(why) => {
                    report.outcome = Outcome::Declined;
                    compaction.notify_failure(&report, why);
                    if !falls_back {
                        return Ok(Prepared::Nothing(Box::new(report)));
                    }
                }
            }
        }
        let plan = self.draw_up(compaction, &draft, report)?;
        Ok(Prepared::Plan(Box::new(plan)))
    }

    /// Every message that the view hides and a summary has to tell of, in log order. Summaries that
    /// a pass wrote are left out, since what they tell is there itself; others are all there is.
    pub(crate) async fn hidden(
        &self,
        session: &Session,
        view: &View,
    ) -> Result<Vec<Arc<Event>>, Error> {
        let shown: std::collections::BTreeSet<_> =
            view.events().iter().map(|event| event.seq).collect();
        let messages = EventQuery::all().with_types([EventType::MESSAGE]);
        let messages = match session_log::Seq::new(session.head.version.as_u64()) {
            Some(last) => messages.with_to(last),
            None => messages,
        };
        let mut hidden = self.store.read_all(&session.id, messages).await?;
        hidden.retain(|event| {
            !shown.contains(&event.seq) && event.kind() != EntryKind::System && !is_summary(event)
        });
        Ok(hidden)
    }
}

/// Whether the event is half of a summary turn that a pass wrote.
pub(crate) fn is_summary(event: &Event) -> bool {
    matches!(event.origin, Origin::Summary { boundary: Some(_) })
}
