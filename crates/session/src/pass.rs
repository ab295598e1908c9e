//! The driver: the one loop that waits between the steps of a pass. It knows no protocol; the
//! core says what comes next.

use std::time::Instant;

use compaction_core::{
    Counts, Outcome as CoreOutcome, Progress, Summarize, SummaryReply, SummaryRequest, Unchanged,
    View as CoreView, compact,
};
use session_log::{Message, SessionId};
use session_summarizer::{Brief, Fault, Retention, Sizes, SummarizerError, check};

use crate::compaction::Compaction;
use crate::draft::{Draft, warnings};
use crate::error::Error;
use crate::plan::PassPlan;
use crate::report::{Outcome, Report, SummaryReport};
use crate::sessions::Sessions;

/// What came of preparing a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a plan does nothing until it is committed"]
#[expect(
    clippy::exhaustive_enums,
    reason = "there is something to do or there is not"
)]
pub enum Prepared {
    /// There is something to do, and this is it.
    Plan(Box<PassPlan>),
    /// There is nothing to do, for the reason the report gives.
    Nothing(Box<Report>),
}

impl Prepared {
    /// What the pass would do, or why it does nothing.
    #[must_use]
    pub fn report(&self) -> &Report {
        match self {
            Self::Plan(plan) => plan.report(),
            Self::Nothing(report) => report,
        }
    }
}

impl Sessions {
    /// Runs one pass: prepares it, and commits the plan if there is one. One pass of a session
    /// runs at a time; another waits for it.
    ///
    /// # Errors
    ///
    /// As [`prepare`](Self::prepare) and [`commit`](Self::commit).
    pub async fn compact(&self, id: &SessionId, compaction: &Compaction) -> Result<Report, Error> {
        let _flight = self.flights.board(id).await;
        match self.prepare(id, compaction).await? {
            Prepared::Plan(plan) => self.commit(&plan, compaction.on_conflict).await,
            Prepared::Nothing(report) => Ok(*report),
        }
    }

    /// Plans one pass and writes nothing. The summary, where one is wanted, is made here.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSession`], [`Error::DamagedView`], [`Error::Summarizer`],
    /// [`Error::Store`].
    pub async fn prepare(
        &self,
        id: &SessionId,
        compaction: &Compaction,
    ) -> Result<Prepared, Error> {
        let session = self.session(id).await?;
        // After an erasure the view has to be looked at, whatever the trigger says.
        let may_be_stale = session.head.erasures > 0 && session.head.boundary.is_some();
        if let (false, Some(counts)) = (may_be_stale, self.stored_counts(&session)) {
            let verdict = compaction.trigger.check(&counts);
            if !verdict.fired {
                let report = self.report(&session, &verdict, compaction);
                return Ok(Prepared::Nothing(Box::new(report)));
            }
        }

        let (session, view) = self.load(id).await?;
        if !view.missing().is_empty() {
            return Err(Error::DamagedView {
                session: id.clone(),
                missing: view.missing().len(),
            });
        }
        let costs = self.costs(&view);
        let outline = view.outline_at(&costs);
        self.keep_counts(&session, &view, &costs, &outline).await?;
        let verdict = compaction.trigger.check(&Counts::from(&outline));
        let mut report = self.report(&session, &verdict, compaction);
        if let Some(hidden) = self.behind_stale_summary(&session, &view).await? {
            let base = Draft::new(&session, &view, &outline, &costs);
            return self.rebuild(compaction, base, &hidden, report).await;
        }
        if !verdict.fired {
            return Ok(Prepared::Nothing(Box::new(report)));
        }

        let cleared = self.clear(compaction, &view, &outline, &costs);
        let costs = cleared.costs(&costs);
        let outline = view.outline_at(&costs);
        let mut draft = Draft::new(&session, &view, &outline, &costs);
        draft.cleared = cleared.clone();
        if !cleared.is_empty() && compaction.is_content(&Counts::from(&outline)) {
            let plan = self.draw_up(compaction, &draft, report)?;
            return Ok(Prepared::Plan(Box::new(plan)));
        }

        let core = CoreView::new(view.events(), &outline).with_grain(compaction.grain);
        for tier in &compaction.tiers {
            draft.plan = match compact(&core, tier.as_core(), Summarize::No) {
                Progress::Done(CoreOutcome::Compacted(plan)) => Some(plan),
                _ => continue,
            };
            if compaction.is_content(&draft.counts_after()) {
                report.strategy = tier.describe();
                let plan = self.draw_up(compaction, &draft, report)?;
                return Ok(Prepared::Plan(Box::new(plan)));
            }
        }
        let strategy = compaction.strategy.as_core();
        let mut progress = compact(&core, strategy, compaction.summarize());
        let outcome = loop {
            progress = match progress {
                Progress::Done(outcome) => break outcome,
                Progress::NeedsSummary(pending) => {
                    let request = pending.request();
                    let brief = Brief::of_view(&view, request);
                    let replaced = replaced(&costs, request);
                    match self.ask(compaction, brief, replaced).await? {
                        Answer::Summary(answer) => {
                            draft.summary = Some(*answer);
                            pending.resume(SummaryReply::Provided)
                        }
                        Answer::Declined(why) => {
                            report.declined = Some(why);
                            pending.resume(SummaryReply::Declined)
                        }
                    }
                }
            };
        };
        if report.declined.is_some() {
            compaction.notify_failure(&report);
        }
        draft.plan = match outcome {
            CoreOutcome::Compacted(plan) => Some(plan),
            CoreOutcome::Unchanged(why) if cleared.is_empty() || why == Unchanged::Declined => {
                report.outcome = Outcome::from(why);
                report.warnings = warnings(compaction, &outline);
                return Ok(Prepared::Nothing(Box::new(report)));
            }
            CoreOutcome::Unchanged(_) => None,
        };
        let plan = self.draw_up(compaction, &draft, report)?;
        Ok(Prepared::Plan(Box::new(plan)))
    }

    /// Asks for the summary, and takes only a valid one.
    pub(crate) async fn ask(
        &self,
        compaction: &Compaction,
        brief: Brief<'_>,
        replaced: u64,
    ) -> Result<Answer, Error> {
        let Some(summarizer) = &compaction.summarizer else {
            return Ok(Answer::Declined("no_summarizer".into()));
        };
        let brief = brief.with_prompt(&compaction.prompt);
        let brief = match compaction.summary_budget() {
            Some(tokens) => brief.with_budget(tokens),
            None => brief,
        };
        let started = Instant::now();
        let summary = match summarizer.summarize(brief.clone()).await {
            Ok(Some(summary)) => summary,
            Ok(None) => return Ok(Answer::Declined("declined".into())),
            Err(SummarizerError::Invalid { fault }) => return Ok(Answer::from(&fault)),
            Err(error) => return Err(Error::Summarizer(error)),
        };
        let message = Message::assistant(summary.text());
        let sizes = Sizes::new(self.tokens_of(&message), replaced);
        if let Err(fault) = check(&summary, &brief, sizes) {
            return Ok(Answer::from(&fault));
        }
        let retained = Retention::of_brief(&brief, summary.text())
            .total()
            .per_mille();
        if let (Some(minimum), Some(per_mille)) = (compaction.min_retained, retained)
            && per_mille < minimum
        {
            return Ok(Answer::from(&Fault::Forgetful { per_mille, minimum }));
        }
        let mut receipt = summary.receipt();
        receipt.retained_per_mille = retained;
        if receipt.duration_ms.is_none() {
            receipt.duration_ms = u64::try_from(started.elapsed().as_millis()).ok();
        }
        Ok(Answer::Summary(Box::new(SummaryReport {
            text: summary.text().into(),
            receipt,
        })))
    }
}

/// The tokens of what a summary takes the place of.
fn replaced(costs: &[u64], request: &SummaryRequest) -> u64 {
    let positions = request.covered.iter().chain(request.prior.iter());
    positions
        .filter_map(|at| costs.get(at).copied())
        .fold(0, u64::saturating_add)
}

pub(crate) enum Answer {
    Summary(Box<SummaryReport>),
    Declined(String),
}

impl From<&Fault> for Answer {
    fn from(fault: &Fault) -> Self {
        Self::Declined(fault.name().into())
    }
}
