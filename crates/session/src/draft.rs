//! From the core's answer to a plan that can be shown, stored and committed.

use std::collections::BTreeSet;
use std::sync::Arc;

use compaction_core::{Counts, EntryKind, Outline, Plan, Preamble, Trigger, Verdict};
use session_log::{
    Covered, Event, EventBody, EventId, Json, Message, NewEvent, Origin, Receipt, View,
    boundary_keeping, boundary_of,
};
use session_store::Session;

use crate::cleared::{Cleared, add_cleared};
use crate::compaction::Compaction;
use crate::erasure::is_summary;
use crate::error::Error;
use crate::plan::PassPlan;
use crate::report::{Outcome, Report, SummaryReport, Warning, size};
use crate::sessions::{Sessions, fresh_id};
use crate::strategy::Target;

/// What a plan is drawn up from.
pub(crate) struct Draft<'a> {
    pub(crate) session: &'a Session,
    pub(crate) view: &'a View,
    pub(crate) outline: &'a Outline,
    pub(crate) costs: &'a [u64],
    pub(crate) cleared: Cleared,
    /// What the strategy wants; `None` for a pass that only clears, or makes a summary again.
    pub(crate) plan: Option<Plan>,
    /// Whether the summary in the view goes although nothing else does.
    pub(crate) is_rebuilt: bool,
    pub(crate) summary: Option<SummaryReport>,
}

impl<'a> Draft<'a> {
    /// A draft that changes nothing yet.
    pub(crate) fn new(
        session: &'a Session,
        view: &'a View,
        outline: &'a Outline,
        costs: &'a [u64],
    ) -> Self {
        Self {
            session,
            view,
            outline,
            costs,
            cleared: Cleared::default(),
            plan: None,
            is_rebuilt: false,
            summary: None,
        }
    }

    /// The size of the view as the plan leaves it, without a new summary.
    pub(crate) fn counts_after(&self) -> Counts {
        Counts::from(&outline_after(self, &[]))
    }

    /// The positions of the view that stay, in view order.
    fn stays(&self) -> Vec<usize> {
        let is_stale = |at: &usize| {
            let event = self.view.events().get(*at);
            self.is_rebuilt && event.is_some_and(|event| is_summary(event))
        };
        match &self.plan {
            Some(plan) => plan.view_order().collect(),
            None => (0..self.view.events().len())
                .filter(|at| !is_stale(at))
                .collect(),
        }
    }
}

impl Sessions {
    /// Turns positions into a boundary, and says what it will do.
    pub(crate) fn draw_up(
        &self,
        compaction: &Compaction,
        draft: &Draft<'_>,
        mut report: Report,
    ) -> Result<PassPlan, Error> {
        let Draft { view, cleared, .. } = draft;
        let id = EventId::new(fresh_id())?;
        let now = self.clock.now();
        let mut events = Vec::new();
        if let Some(summary) = &draft.summary {
            let half = |name: &str, message| -> Result<NewEvent, Error> {
                let part = EventId::new(format!("{id}/{name}"))?;
                let origin = Origin::Summary {
                    boundary: Some(id.clone()),
                };
                Ok(NewEvent::message(part, now, message).with_origin(origin))
            };
            events.push(half("prompt", Message::user(compaction.prompt.shadow()))?);
            events.push(half("summary", Message::assistant(summary.text.as_str()))?);
            self.count_all(&mut events);
        }

        let after = outline_after(draft, &events);
        let counts = Counts::from(&after);
        report.outcome = Outcome::Compacted;
        report.after = size(&counts);
        report.warnings = warnings(compaction, &after);
        let shown = match &draft.plan {
            Some(plan) => {
                report.pinned = ids(view, plan.pinned().iter().copied());
                report.superseded = ids(view, plan.superseded().iter());
                report.covered = ids(view, plan.covered().iter());
                report.preserved = ids(view, plan.kept().iter());
                cleared.shown(|at| plan.pinned().contains(&at) || plan.kept().contains(at))
            }
            None => {
                let stays = draft.stays();
                let leaves = (0..view.events().len()).filter(|at| !stays.contains(at));
                report.covered = ids(view, leaves);
                report.preserved = ids(view, stays.iter().copied());
                cleared.shown(|at| stays.contains(&at))
            }
        };
        report.cleared = ids(view, shown.iter().copied());
        report.summary.clone_from(&draft.summary);

        let trigger = Json::string(&compaction.trigger.to_string());
        let mut receipt = Receipt::new(trigger, report.strategy.clone(), self.estimator());
        receipt.before = report.before;
        receipt.after = report.after;
        receipt.erasures = draft.session.head.erasures;
        receipt.summary = report
            .summary
            .as_ref()
            .map(|summary| summary.receipt.clone());
        let summary_ids = events.iter().map(|event| event.id.clone()).collect();
        let mut boundary = match &draft.plan {
            Some(plan) => boundary_of(view, plan, summary_ids, receipt),
            None => {
                let mut boundary = boundary_keeping(view, receipt);
                let stays = draft.stays();
                let seqs = stays.iter().filter_map(|at| view.events().get(*at));
                let stays: BTreeSet<_> = seqs.map(|event| event.seq).collect();
                boundary.pinned.retain(|seq| stays.contains(seq));
                let leaves = view.events().iter().map(|event| (event.seq, &event.id));
                let leaves = leaves.filter(|(seq, _)| !stays.contains(seq));
                boundary.receipt.covered = Covered::of(leaves);
                boundary.summary = summary_ids;
                boundary
            }
        };
        let seqs = shown.iter().filter_map(|at| view.events().get(*at));
        add_cleared(&mut boundary, seqs.map(|event| event.seq));
        let body = EventBody::Compaction(Box::new(boundary));
        events.insert(0, NewEvent::new(id, now, body));
        Ok(PassPlan {
            based_on: view.version(),
            erasures: draft.session.head.erasures,
            counters: self.counters(&counts),
            events,
            report,
        })
    }

    pub(crate) fn report(
        &self,
        session: &Session,
        verdict: &Verdict,
        compaction: &Compaction,
    ) -> Report {
        Report::new(
            session.id.clone(),
            session.head.version,
            verdict,
            compaction.strategy.describe(),
            self.estimator(),
        )
    }
}

fn ids(view: &View, positions: impl Iterator<Item = usize>) -> Vec<EventId> {
    positions
        .filter_map(|at| view.events().get(at))
        .map(|event: &Arc<Event>| event.id.clone())
        .collect()
}

/// The outline of the view as the plan leaves it, with the new summary turn.
fn outline_after(draft: &Draft<'_>, summary: &[NewEvent]) -> Outline {
    let cost = |at: usize| draft.costs.get(at).copied().unwrap_or_default();
    let tokens = |event: &NewEvent| event.tokens.as_ref().map_or(0, |count| count.tokens);
    let summary = summary.iter().map(tokens);
    if let Some(plan) = &draft.plan {
        return plan.outline_after(draft.outline, cost, summary);
    }
    let mut after = Outline::new();
    for at in draft.stays() {
        after.push_from(draft.outline, at, cost(at));
    }
    for tokens in summary {
        after.push(EntryKind::Summary, tokens);
    }
    after
}

/// What the owner of a view of this shape should know.
pub(crate) fn warnings(compaction: &Compaction, outline: &Outline) -> Vec<Warning> {
    let mut warnings = Vec::new();
    warnings.extend(fires_for_ever(
        &compaction.trigger,
        &pinned(compaction, outline),
    ));
    if let Target::Tokens(budget) = compaction.strategy.target()
        && outline.tokens() > budget
    {
        let tokens = outline.tokens();
        warnings.push(Warning::OverBudget { tokens, budget });
    }
    warnings
}

/// What stays whatever a window says: the latest system prompt, pins, and the preamble where that is
/// pinned.
fn pinned(compaction: &Compaction, outline: &Outline) -> Counts {
    let preamble = match compaction.strategy.as_core().policy().preamble {
        Preamble::Pinned => outline.preamble_end(),
        _ => 0,
    };
    let events = outline
        .conversation_entries(0)
        .saturating_sub(outline.conversation_entries(preamble))
        .saturating_add(outline.pins().len())
        .saturating_add(outline.systems().len().min(1));
    let opens_turn = |at: &&usize| outline.kind(**at) == Some(EntryKind::TurnStart);
    let turns = outline.pins().iter().filter(opens_turn).count();
    let tokens = outline
        .conversation_tokens(0)
        .saturating_sub(outline.conversation_tokens(preamble))
        .saturating_add(outline.system_tokens())
        .saturating_add(outline.pin_tokens());
    Counts::new(events as u64, turns as u64, tokens)
}

/// Whether the trigger fires on what is pinned by itself, so that no pass brings it to rest.
fn fires_for_ever(trigger: &Trigger, pinned: &Counts) -> Option<Warning> {
    match trigger {
        Trigger::AnyOf(children) => children
            .iter()
            .find_map(|child| fires_for_ever(child, pinned)),
        Trigger::AllOf(children) => {
            let all = children.iter().map(|child| fires_for_ever(child, pinned));
            let all: Option<Vec<_>> = all.collect();
            all?.into_iter().next()
        }
        Trigger::TurnCount(threshold) => {
            let (pinned, threshold) = (pinned.turns, *threshold);
            (pinned > threshold).then_some(Warning::PinnedTurnsExceedTrigger { pinned, threshold })
        }
        Trigger::EventCount(threshold) => {
            let (pinned, threshold) = (pinned.events, *threshold);
            (pinned > threshold).then_some(Warning::PinnedEventsExceedTrigger { pinned, threshold })
        }
        other => {
            let threshold = other.token_threshold()?;
            let pinned = pinned.tokens;
            (pinned >= threshold).then_some(Warning::PinnedExceedTrigger { pinned, threshold })
        }
    }
}
