//! The text that stands for what a context window leaves out.

use session::{
    Compaction, Event, EventId, Expected, MemoryStore, Message, NewEvent, PendingSelection,
    Prepared, RecursiveSummarization, SessionId, SummaryReport,
};
use session_log::EventBody;

use crate::failure::Failure;
use crate::job::Selection;
use crate::store::service;

/// What stands for the older events.
#[derive(Debug)]
pub(super) struct Earlier {
    pub(super) text: String,
    /// The summary, if somebody wrote a valid one.
    pub(super) report: Option<SummaryReport>,
    /// Why there is none, if one was wanted.
    pub(super) note: Option<String>,
}

impl Earlier {
    /// Has `older` summarized; where there is nobody to do it, or what they write is not valid, the
    /// text is `placeholder`.
    pub(super) async fn of(
        selection: &Selection,
        older: &[&Event],
        placeholder: String,
    ) -> Result<Self, Failure> {
        let Some(summarizer) = &selection.summarizer else {
            return Ok(Self {
                text: placeholder,
                report: None,
                note: None,
            });
        };
        // A pass checks what summarizers write, so one is planned over a session of these events
        // alone, with a message behind them that it may keep.
        let sessions = service(MemoryStore::new(), selection.estimator.clone());
        let id = SessionId::new("older").map_err(session::Error::from)?;
        sessions
            .find_or_create(sessions.describe(id.clone()))
            .await?;
        let behind = EventId::new("behind").map_err(session::Error::from)?;
        let time = older
            .last()
            .map(|event| event.timestamp)
            .unwrap_or_default();
        let behind = NewEvent::new(behind, time, EventBody::Message(Message::user("…")));
        let events = older.iter().map(|event| Event::clone(event).into_new());
        let batch = events.chain([behind]).collect();
        // Nobody else writes to it, so there is no conflict.
        let _ = sessions.append_events(&id, Expected::Any, batch).await?;
        let keep_one = RecursiveSummarization {
            max_events_to_keep: 1,
            overlap_size: 0,
        };
        let compaction = Compaction::builder(keep_one)
            .summarizer(summarizer.clone())
            .build()
            .map_err(session::Error::from)?;
        let prepared = sessions.prepare(&id, &compaction).await?;
        if let Prepared::Plan(plan) = &prepared
            && let Some(summary) = &plan.report().summary
        {
            return Ok(Self {
                text: format!("{}{}", PendingSelection::SUMMARY_PREFIX, summary.text),
                report: Some(summary.clone()),
                note: None,
            });
        }
        let why = prepared.report().reason().unwrap_or("declined");
        Ok(Self {
            text: placeholder,
            report: None,
            note: Some(format!(
                "there is no valid summary ({why}), so a placeholder stands for what was left out"
            )),
        })
    }
}
