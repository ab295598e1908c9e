//! What is asked for: a pass over a session, or a selection of messages for one request.
//!
//! A selection records nothing. It is shown as a pass is, so that both can be compared.

mod summary;

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use session::{
    Compaction, ContextWindow, Event, EventId, Message, NewEvent, Outcome, PairPolicy, Reason,
    Report, Selecting, Seq, SessionId, Sessions, Summarizer, TokenEstimator, Trigger, View, Weight,
    Window,
};
use session_log::{EventBody, Json, Origin, Size, TokenCount, latest_system};

use crate::commands::pass::Pass;
use crate::failure::Failure;
use crate::job::summary::Earlier;
use crate::output::fates::cost;
use crate::output::text::{counted, number};
use crate::output::transcript;

/// The id of the message that stands for what was summarized.
const SUMMARY_ID: &str = "summary-of-earlier-messages";

/// What is asked for.
#[derive(Debug)]
pub(crate) enum Job {
    /// A pass, which a session can record.
    Pass(Box<Compaction>),
    /// A selection, which nobody records.
    Selection(Selection),
}

impl Job {
    /// Says what would be done with the view of a session.
    pub(crate) async fn plan(&self, sessions: &Sessions, id: &SessionId) -> Result<Pass, Failure> {
        match self {
            Self::Pass(compaction) => Pass::plan(sessions, id, compaction).await,
            Self::Selection(selection) => selection.select(sessions, id).await,
        }
    }

    /// Does it.
    pub(crate) async fn run(&self, sessions: &Sessions, id: &SessionId) -> Result<Pass, Failure> {
        self.plan(sessions, id).await?.land(sessions).await
    }
}

/// A context window and what it needs.
pub(crate) struct Selection {
    pub(crate) window: ContextWindow,
    /// In tokens.
    pub(crate) budget: u64,
    pub(crate) summarizer: Option<Arc<dyn Summarizer>>,
    pub(crate) estimator: Arc<dyn TokenEstimator>,
}

impl fmt::Debug for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Selection")
            .field("window", &self.window)
            .field("budget", &self.budget)
            .field("estimator", &self.estimator.name())
            .finish_non_exhaustive()
    }
}

impl Selection {
    async fn select(&self, sessions: &Sessions, id: &SessionId) -> Result<Pass, Failure> {
        let mut report = self.report(sessions, id).await?;
        let before = sessions.view_at(id, report.version).await?;
        let events = alone(sessions, &before);
        let tokens = |event: &Event| event.tokens.as_ref().map_or(0, |count| count.tokens);
        let weigh = |event: &Event| {
            let message = event.as_message();
            let characters = message.map_or(0, |message| message.text().chars().count());
            Weight::of_tokens(tokens(event))
                .with_characters(u64::try_from(characters).unwrap_or(u64::MAX))
        };
        let selecting = self
            .window
            .select(&events, self.budget, PairPolicy::Atomic, weigh);
        let mut notes = Vec::new();
        let mut summary = None;
        let selection = match selecting {
            Selecting::Done(selection) => selection,
            Selecting::NeedsSummary(pending) => {
                let older: Vec<&Event> = pending
                    .older()
                    .iter()
                    .filter_map(|at| events.get(at))
                    .collect();
                let earlier = Earlier::of(self, &older, pending.placeholder()).await?;
                notes.extend(earlier.note);
                report.summary = earlier.report;
                let event = summary_event(sessions, &older, earlier.text);
                let selection = pending.resume(event.as_ref().map_or(0, tokens));
                summary = event.filter(|_| !selection.summarized().is_empty());
                if summary.is_none() {
                    report.summary = None;
                    notes.push("the summary alone exceeds the budget, so there is none".into());
                }
                selection
            }
        };
        if selection.omits_newest() {
            return Err(self.too_small(events.last().map_or(0, tokens)));
        }
        let kept: Vec<Event> = selection
            .kept()
            .iter()
            .filter_map(|at| events.get(at).cloned())
            .collect();
        let ids: HashSet<&EventId> = kept.iter().map(|event| &event.id).collect();
        let is_kept = |event: &Event| ids.contains(&event.id);
        if let Some(system) = latest_system(&events).filter(|event| !is_kept(event)) {
            notes.push(format!(
                "the system prompt ({}) is not among what was selected: send it beside it",
                counted(tokens(system), "token")
            ));
        }
        let left_out = events.iter().filter(|event| !is_kept(event));
        report.covered = left_out.map(|event| event.id.clone()).collect();
        report.preserved = kept.iter().map(|event| event.id.clone()).collect();
        if !report.covered.is_empty() {
            report.outcome = Outcome::Compacted;
        }
        let shown = summary.into_iter().chain(kept).map(Arc::new);
        let after = View::assemble(before.version(), None, shown);
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let turns = after.outline(tokens).turns().len();
        let events = number(after.events().len());
        report.after = Size::new(events, number(turns), selection.tokens());
        Ok(Pass {
            report,
            before,
            after,
            plan: None,
            selected_by: Some(self.window),
            notes,
        })
    }

    /// A report in which nothing has changed yet.
    async fn report(&self, sessions: &Sessions, id: &SessionId) -> Result<Report, Failure> {
        let nothing = Compaction::builder(Window::Turns(1))
            .when(Trigger::Never)
            .build()
            .map_err(session::Error::from)?;
        let mut report = sessions.prepare(id, &nothing).await?.report().clone();
        report.outcome = Outcome::Unchanged(Reason::FitsWindow);
        report.fired = true;
        report.why = "always".into();
        let (name, budget) = (self.window.name(), self.budget);
        report.strategy = Json::new(format!(r#"{{"name":"{name}","max_tokens":{budget}}}"#))
            .unwrap_or_else(|_| Json::null());
        report.warnings.clear();
        Ok(report)
    }

    fn too_small(&self, newest: u64) -> Failure {
        let budget = number(self.budget);
        Failure::work(format!(
            "the newest message does not fit {budget} tokens, and a request without it answers nothing"
        ))
        .with_detail(format!(
            "it costs {} by {}; a call and its result go together",
            counted(newest, "token"),
            self.estimator.name()
        ))
        .with_hint("give it more with --max-tokens N")
    }
}

/// The events of a view as it shows them, counted, and without the boundary it was folded from.
fn alone(sessions: &Sessions, view: &View) -> Vec<Event> {
    let seqs = view.events().iter().map(|event| event.seq);
    let costs = view
        .events()
        .iter()
        .map(|event| cost(sessions, view, event));
    let as_shown = transcript::as_log(view).into_iter();
    let counted = as_shown.zip(seqs).zip(costs);
    counted
        .map(|((mut event, seq), tokens)| {
            event.tokens = Some(TokenCount::new(sessions.estimator(), tokens));
            event.at(seq)
        })
        .collect()
}

/// The system message that stands for the older events.
fn summary_event(sessions: &Sessions, older: &[&Event], text: String) -> Option<Event> {
    let last = older.last()?;
    let message = Message::system(text);
    let tokens = sessions.tokens_of(&message);
    let id = EventId::new(SUMMARY_ID).ok()?;
    let mut event = NewEvent::new(id, last.timestamp, EventBody::Message(message))
        .with_origin(Origin::Summary { boundary: None });
    event.tokens = Some(TokenCount::new(sessions.estimator(), tokens));
    Some(event.at(Seq::FIRST))
}
