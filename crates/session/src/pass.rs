//! The driver: the one loop that waits between the steps of a pass. It knows no protocol; the
//! core says what comes next.

use std::sync::Arc;

use compaction_core::{
    Counts, Outcome as CoreOutcome, Outline, Plan, Progress, SummaryReply, Verdict,
    View as CoreView, compact,
};
use session_log::{
    Event, EventBody, EventId, NewEvent, Receipt, SessionId, TokenCount, View, boundary_of,
};
use session_store::{Counters, Recount, Session};

use crate::compaction::Compaction;
use crate::error::Error;
use crate::plan::PassPlan;
use crate::report::{Outcome, Report, Warning, size};
use crate::sessions::{Sessions, fresh_id};
use crate::strategy::Target;

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
    /// Runs one pass: prepares it, and commits the plan if there is one.
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
    /// [`Error::UnknownSession`], [`Error::DamagedView`], [`Error::Store`].
    pub async fn prepare(
        &self,
        id: &SessionId,
        compaction: &Compaction,
    ) -> Result<Prepared, Error> {
        let session = self.session(id).await?;
        if let Some(counts) = self.counts(&session) {
            let verdict = compaction.trigger.check(&counts);
            if !verdict.fired {
                return Ok(Prepared::Nothing(Box::new(
                    self.report(&session, &verdict, compaction),
                )));
            }
        }

        let (session, view) = self.load(id).await?;
        if !view.missing().is_empty() {
            return Err(Error::DamagedView {
                session: id.clone(),
                missing: view.missing().len(),
            });
        }
        let costs: Vec<u64> = view
            .events()
            .iter()
            .map(|event| self.cost(&view, event))
            .collect();
        let mut in_order = costs.iter().copied();
        let outline = view.outline(|_| in_order.next().unwrap_or_default());
        self.keep_counts(&session, &view, &costs, &outline).await?;
        let verdict = compaction.trigger.check(&Counts::from(&outline));
        let mut report = self.report(&session, &verdict, compaction);
        if !verdict.fired {
            return Ok(Prepared::Nothing(Box::new(report)));
        }

        let core = CoreView::new(view.events(), &outline).with_grain(compaction.grain);
        let strategy = compaction.strategy.as_core();
        let mut progress = compact(&core, strategy, compaction.summarize());
        let outcome = loop {
            progress = match progress {
                Progress::Done(outcome) => break outcome,
                Progress::NeedsSummary(pending) => pending.resume(SummaryReply::Declined),
            };
        };
        match outcome {
            CoreOutcome::Unchanged(why) => {
                report.outcome = Outcome::from(why);
                report.warnings = warnings(compaction, &outline, report.after.tokens);
                Ok(Prepared::Nothing(Box::new(report)))
            }
            CoreOutcome::Compacted(plan) => {
                let draft = Draft {
                    session: &session,
                    view: &view,
                    outline: &outline,
                    costs: &costs,
                    plan: &plan,
                };
                let plan = self.draw_up(compaction, &draft, report)?;
                Ok(Prepared::Plan(Box::new(plan)))
            }
        }
    }

    /// Turns positions into a boundary, and says what it will do.
    fn draw_up(
        &self,
        compaction: &Compaction,
        draft: &Draft<'_>,
        mut report: Report,
    ) -> Result<PassPlan, Error> {
        let Draft {
            session,
            view,
            outline,
            costs,
            plan,
        } = *draft;
        let after = outline_after(outline, costs, plan);
        report.outcome = Outcome::Compacted;
        report.after = size(&Counts::from(&after));
        report.warnings = warnings(compaction, &after, report.after.tokens);
        report.pinned = ids(view, plan.pinned().iter().copied());
        report.superseded = ids(view, plan.superseded().iter());
        report.covered = ids(view, plan.covered().iter());
        report.preserved = ids(view, plan.kept().iter());

        let trigger = session_log::Json::string(&compaction.trigger.to_string());
        let mut receipt = Receipt::new(trigger, report.strategy.clone(), self.estimator.name());
        receipt.before = report.before;
        receipt.after = report.after;
        let boundary = boundary_of(view, plan, Vec::new(), receipt);
        let id = EventId::new(fresh_id())?;
        let body = EventBody::Compaction(Box::new(boundary));
        Ok(PassPlan {
            based_on: view.version(),
            erasures: session.head.erasures,
            events: vec![NewEvent::new(id, self.clock.now(), body)],
            counters: self.counters_after(&report),
            report,
        })
    }

    fn report(&self, session: &Session, verdict: &Verdict, compaction: &Compaction) -> Report {
        Report::new(
            session.id.clone(),
            session.head.version,
            verdict,
            compaction.strategy.describe(),
            self.estimator.name(),
        )
    }

    /// The size of the view as the store keeps it, if it is known in tokens of this estimator.
    fn counts(&self, session: &Session) -> Option<Counts> {
        let counters = session.head.counters.as_ref()?;
        let tokens = match &counters.tokens {
            Some(count) if count.estimator == self.estimator.name() => count.tokens,
            None if counters.events == 0 => 0,
            _ => return None,
        };
        Some(Counts::new(counters.events, counters.turns, tokens))
    }

    fn counters_after(&self, report: &Report) -> Counters {
        let tokens = TokenCount::new(self.estimator.name(), report.after.tokens);
        Counters::new(report.after.events, report.after.turns, Some(tokens))
    }

    /// Stores counts that had to be made, so that the next trigger reads one row.
    async fn keep_counts(
        &self,
        session: &Session,
        view: &View,
        costs: &[u64],
        outline: &Outline,
    ) -> Result<(), Error> {
        let name = self.estimator.name();
        let is_counted = |event: &Event| {
            event
                .tokens
                .as_ref()
                .is_some_and(|count| count.estimator == name)
        };
        if self.counts(session).is_some() && view.events().iter().all(|event| is_counted(event)) {
            return Ok(());
        }
        let counts = view
            .events()
            .iter()
            .zip(costs)
            .filter(|(event, _)| !is_counted(event) && !view.is_cleared(event.seq))
            .map(|(event, tokens)| (event.seq, TokenCount::new(name, *tokens)))
            .collect();
        let Counts {
            events,
            turns,
            tokens,
            ..
        } = Counts::from(outline);
        let counters = Counters::new(events, turns, Some(TokenCount::new(name, tokens)));
        let recount = Recount::new(counts).with_counters(counters);
        self.store
            .recount(&session.id, session.head.version, recount)
            .await?;
        Ok(())
    }
}

struct Draft<'a> {
    session: &'a Session,
    view: &'a View,
    outline: &'a Outline,
    costs: &'a [u64],
    plan: &'a Plan,
}

fn ids(view: &View, positions: impl Iterator<Item = usize>) -> Vec<EventId> {
    positions
        .filter_map(|at| view.events().get(at))
        .map(|event: &Arc<Event>| event.id.clone())
        .collect()
}

/// The outline of the view as the plan leaves it.
fn outline_after(outline: &Outline, costs: &[u64], plan: &Plan) -> Outline {
    let mut after = Outline::new();
    for at in plan.view_order() {
        if let (Some(kind), Some(tokens)) = (outline.kind(at), costs.get(at)) {
            if outline.is_pinned(at) {
                after.push_pinned(kind, *tokens);
            } else {
                after.push(kind, *tokens);
            }
        }
    }
    after
}

fn warnings(compaction: &Compaction, after: &Outline, tokens: u64) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let preamble = after
        .conversation_tokens(0)
        .saturating_sub(after.conversation_tokens(after.preamble_end()));
    let pinned = after
        .system_tokens()
        .saturating_add(after.pin_tokens())
        .saturating_add(preamble);
    if let Some(threshold) = compaction.trigger.token_threshold()
        && pinned >= threshold
    {
        warnings.push(Warning::PinnedExceedTrigger { pinned, threshold });
    }
    if let Target::Tokens(budget) = compaction.strategy.target()
        && tokens > budget
    {
        warnings.push(Warning::OverBudget { tokens, budget });
    }
    warnings
}
