//! The driver: the one loop that waits between the steps of a pass. It knows no protocol; the
//! core says what comes next.

use std::sync::Arc;

use compaction_core::{
    Counts, Outcome as CoreOutcome, Outline, Progress, Summarize, SummaryReply, SummaryRequest,
    Unchanged, Verdict, View as CoreView, compact,
};
use session_log::{Event, SessionId, View};
use session_store::Session;
use session_summarizer::{Brief, SummarizerError};

use crate::ask::{Answer, NoSummary};
use crate::compaction::{Compaction, SummaryMode};
use crate::draft::{Draft, warnings};
use crate::error::Error;
use crate::plan::PassPlan;
use crate::report::{Outcome, Report};
use crate::sessions::Sessions;
use crate::spans::record_report;
use crate::strategy::AnyStrategy;

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
    #[tracing::instrument(
        skip_all,
        fields(
            gen_ai.conversation.id = %id,
            compaction.outcome,
            compaction.reason,
            compaction.tokens.before,
            compaction.tokens.after,
            compaction.covered,
        )
    )]
    pub async fn compact(&self, id: &SessionId, compaction: &Compaction) -> Result<Report, Error> {
        let _flight = self.flights.board(id).await;
        let report = match self.prepare(id, compaction).await? {
            Prepared::Plan(plan) => self.commit(&plan, compaction.on_conflict).await?,
            Prepared::Nothing(report) => *report,
        };
        record_report(&report);
        Ok(report)
    }

    /// Plans one pass and writes nothing. The summary, where one is wanted, is made here.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSession`], [`Error::DamagedView`], [`Error::Summarizer`],
    /// [`Error::Store`].
    #[tracing::instrument(skip_all, fields(gen_ai.conversation.id = %id))]
    pub async fn prepare(
        &self,
        id: &SessionId,
        compaction: &Compaction,
    ) -> Result<Prepared, Error> {
        let session = self.session(id).await?;
        if let Some(verdict) = self.verdict_by_counts(&session, compaction)
            && !verdict.fired
        {
            let report = self.report(&session, &verdict, compaction);
            return Ok(Prepared::Nothing(Box::new(report)));
        }
        let Looked {
            session,
            view,
            costs,
            outline,
        } = self.look_at(id).await?;
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
        let core = CoreView::new(view.events(), &outline).with_grain(compaction.grain);
        let mut draft = Draft::new(&session, &view, &outline, &costs);
        draft.cleared = cleared;
        match gentler_measure(compaction, &core, &mut draft) {
            Some(Measure::Clearing) => {}
            Some(Measure::Tier(tier)) => report.strategy = tier.describe(),
            None => {
                let outcome = self.run(compaction, &core, &mut draft, &mut report).await?;
                draft.plan = match outcome {
                    CoreOutcome::Compacted(plan) => Some(plan),
                    // What was cleared on the way is worth a boundary.
                    CoreOutcome::Unchanged(why)
                        if why != Unchanged::Declined && !draft.cleared.is_empty() =>
                    {
                        None
                    }
                    CoreOutcome::Unchanged(why) => {
                        report.outcome = Outcome::from(why);
                        report.warnings = warnings(compaction, &outline);
                        return Ok(Prepared::Nothing(Box::new(report)));
                    }
                };
            }
        }
        let plan = self.draw_up(compaction, &draft, report)?;
        Ok(Prepared::Plan(Box::new(plan)))
    }

    /// The report of a pass that has nothing to do; `None` when it has. It plans nothing.
    pub(crate) async fn nothing_due(
        &self,
        id: &SessionId,
        compaction: &Compaction,
    ) -> Result<Option<Report>, Error> {
        let session = self.session(id).await?;
        if let Some(verdict) = self.verdict_by_counts(&session, compaction) {
            return Ok((!verdict.fired).then(|| self.report(&session, &verdict, compaction)));
        }
        let looked = self.look_at(id).await?;
        let (session, view) = (&looked.session, &looked.view);
        let verdict = compaction.trigger.check(&Counts::from(&looked.outline));
        let is_due = verdict.fired || self.behind_stale_summary(session, view).await?.is_some();
        Ok((!is_due).then(|| self.report(session, &verdict, compaction)))
    }

    /// What the trigger says of the counts kept with the session, where they tell whether a pass
    /// has anything to do.
    fn verdict_by_counts(&self, session: &Session, compaction: &Compaction) -> Option<Verdict> {
        // After an erasure the view has to be looked at, whatever the trigger says.
        if session.head.erasures > 0 && session.head.boundary.is_some() {
            return None;
        }
        Some(compaction.trigger.check(&self.stored_counts(session)?))
    }

    /// Loads the view, which must be whole, and keeps what was counted of it.
    async fn look_at(&self, id: &SessionId) -> Result<Looked, Error> {
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
        Ok(Looked {
            session,
            view,
            costs,
            outline,
        })
    }

    /// Runs the strategy to its end, with the summary it wants or, where there is none, without.
    async fn run(
        &self,
        compaction: &Compaction,
        core: &CoreView<'_, Arc<Event>>,
        draft: &mut Draft<'_>,
        report: &mut Report,
    ) -> Result<CoreOutcome, Error> {
        let strategy = compaction.strategy.as_core();
        let falls_back = compaction.falls_back(report.before.tokens);
        let mut without = None;
        let mut progress = compact(core, strategy, compaction.summarize());
        let outcome = loop {
            progress = match progress {
                Progress::Done(outcome) => break outcome,
                Progress::NeedsSummary(pending) => {
                    let asked = self.ask_for(compaction, draft, pending.request(), report);
                    let answer = asked.await;
                    match answer_or_fall_back(answer, falls_back, report)? {
                        Answer::Summary(summary) => {
                            draft.summary = Some(*summary);
                            pending.resume(SummaryReply::Provided)
                        }
                        Answer::Without(why) => {
                            without = Some(why);
                            pending.resume(SummaryReply::Declined)
                        }
                    }
                }
            };
        };
        if let Some(why) = without {
            report.outcome = Outcome::Declined;
            compaction.notify_failure(report, why);
            if falls_back && let Progress::Done(plain) = compact(core, strategy, Summarize::No) {
                return Ok(plain);
            }
        }
        Ok(outcome)
    }

    /// Asks for the summary that a strategy wants.
    async fn ask_for(
        &self,
        compaction: &Compaction,
        draft: &Draft<'_>,
        request: &SummaryRequest,
        report: &mut Report,
    ) -> Result<Answer, Error> {
        let view = draft.view;
        let hidden = match (compaction.summaries, view.boundary()) {
            (SummaryMode::Rebuilt, Some(_)) => self.hidden(draft.session, view).await?,
            _ => Vec::new(),
        };
        let brief = match compaction.summaries {
            SummaryMode::Incremental => Brief::of_view(view, request),
            SummaryMode::Rebuilt => Brief::of_log(view, request, &hidden),
        };
        let replaced = replaced(draft.costs, request);
        self.ask(compaction, view, brief, replaced, report).await
    }
}

/// A session, its view, and what that costs.
struct Looked {
    session: Session,
    view: View,
    costs: Vec<u64>,
    outline: Outline,
}

/// What is enough by itself, so that the strategy need not run.
enum Measure<'a> {
    Clearing,
    Tier(&'a AnyStrategy),
}

/// The gentlest measure that brings the view down to its target. Where it is a tier, its plan is
/// then the draft's.
fn gentler_measure<'a>(
    compaction: &'a Compaction,
    core: &CoreView<'_, Arc<Event>>,
    draft: &mut Draft<'_>,
) -> Option<Measure<'a>> {
    if !draft.cleared.is_empty() && compaction.is_content(&Counts::from(draft.outline)) {
        return Some(Measure::Clearing);
    }
    tier_that_is_enough(compaction, core, draft).map(Measure::Tier)
}

/// The answer, where an error is none either when the plain window may stand in.
pub(crate) fn answer_or_fall_back(
    answer: Result<Answer, Error>,
    falls_back: bool,
    report: &mut Report,
) -> Result<Answer, Error> {
    match answer {
        Err(Error::Summarizer(error))
            if falls_back && !matches!(error, SummarizerError::Cancelled) =>
        {
            report.declined = Some(error.name().into());
            Ok(Answer::Without(NoSummary::Failed))
        }
        answer => answer,
    }
}

fn tier_that_is_enough<'a>(
    compaction: &'a Compaction,
    core: &CoreView<'_, Arc<Event>>,
    draft: &mut Draft<'_>,
) -> Option<&'a AnyStrategy> {
    compaction.tiers.iter().find(|tier| {
        draft.plan = match compact(core, tier.as_core(), Summarize::No) {
            Progress::Done(CoreOutcome::Compacted(plan)) => Some(plan),
            _ => None,
        };
        draft.plan.is_some() && compaction.is_content(&draft.counts_after())
    })
}

/// The tokens of what a summary takes the place of.
fn replaced(costs: &[u64], request: &SummaryRequest) -> u64 {
    let positions = request.covered.iter().chain(request.prior.iter());
    positions
        .filter_map(|at| costs.get(at).copied())
        .fold(0, u64::saturating_add)
}
