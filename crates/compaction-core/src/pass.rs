//! One compaction pass, as a question and an answer.

use alloc::boxed::Box;

use crate::entry::{Entry, EntryKind};
use crate::plan::{Plan, snap};
use crate::spans::Spans;
use crate::view::{Summarize, View};
use crate::window::Strategy;

/// Why a pass changes nothing. These are normal endings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Unchanged {
    /// The strategy keeps all there is.
    FitsWindow,
    /// There is no legal place that would cover anything: no turn at all, or the newest turn is
    /// all there is to cut.
    NoTurnToCut,
    /// The summarizer gave no summary.
    Declined,
}

/// How a pass ends.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(
    clippy::exhaustive_enums,
    reason = "a pass changes the view or it does not"
)]
pub enum Outcome {
    /// The view changes as planned.
    Compacted(Plan),
    /// The view stays as it is, and nothing is to be written.
    Unchanged(Unchanged),
}

/// What a pass needs next.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a pass that is not driven to its outcome does nothing"]
#[expect(
    clippy::exhaustive_enums,
    reason = "the driver loop must handle each case"
)]
pub enum Progress {
    /// Nothing: this is how it ends.
    Done(Outcome),
    /// A summary of some entries.
    NeedsSummary(Box<Pending>),
}

/// What a summary is wanted of, as positions in the view.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SummaryRequest {
    /// The prior summary, which the new one replaces.
    pub prior: Spans,
    /// What is covered and must be in the summary. System prompts and the prior summary are not
    /// among it.
    pub covered: Spans,
    /// The first kept entries, for continuity only.
    pub overlap: Spans,
}

/// The answer to a [`SummaryRequest`]. The text stays with whoever asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "there is a summary or there is none"
)]
pub enum SummaryReply {
    /// There is a summary, and it is valid.
    Provided,
    /// There is none: the view must stay as it is.
    Declined,
}

/// A pass that waits for a summary. It owns all it needs, so it can be sent, stored and resumed
/// later, once.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pending {
    plan: Plan,
    if_declined: Outcome,
    request: SummaryRequest,
}

impl Pending {
    /// What a summary is wanted of.
    #[must_use]
    pub fn request(&self) -> &SummaryRequest {
        &self.request
    }

    /// What the pass does if the summary is provided.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Goes on with the answer.
    pub fn resume(self, reply: SummaryReply) -> Progress {
        Progress::Done(match reply {
            SummaryReply::Provided => Outcome::Compacted(self.plan),
            SummaryReply::Declined => self.if_declined,
        })
    }
}

/// Runs one pass: asks `strategy` how far back to keep, snaps that to a legal cut, and says what
/// becomes of each entry. It reads no text, takes no time that depends on the log, and cannot
/// fail.
///
/// # Driving it
///
/// ```
/// use compaction_core::{compact, EntryKind::*, Outcome, Outline, Progress, Summarize};
/// use compaction_core::{SummaryReply, View, Window};
///
/// let entries = [System, TurnStart, Continuation, TurnStart, Continuation];
/// let outline = Outline::of(&entries, |_| 10);
/// let view = View::new(&entries, &outline);
///
/// let mut progress = compact(&view, &Window::Turns(1), Summarize::WithOverlap(2));
/// let outcome = loop {
///     progress = match progress {
///         Progress::Done(outcome) => break outcome,
///         Progress::NeedsSummary(pending) => {
///             assert_eq!(pending.request().covered.to_string(), "1..3");
///             pending.resume(SummaryReply::Provided) // after asking a model
///         }
///     };
/// };
/// let Outcome::Compacted(plan) = outcome else { panic!("there were two turns") };
/// assert_eq!(plan.pinned(), [0]);
/// assert_eq!(plan.kept().to_string(), "3..5");
/// ```
///
/// # Laws
///
/// They hold for every strategy, since any proposal is snapped:
///
/// 1. *Order*: kept entries keep their order.
/// 2. *Partition*: pinned, superseded, covered and kept are disjoint and complete, and a summary
///    is asked of exactly what is covered.
/// 3. *Turn start*: what is kept begins at a turn, or at step grain at a step of the newest turn
///    whose opening message is pinned and no call of which is parted from its result.
/// 4. *Newest*: the newest turn stays whole; at step grain its newest step does, and what waits
///    for a result.
/// 5. *Preamble*: what stands before the first turn stays, under policies that pin it.
/// 6. *System*: of the system prompts exactly the latest stays after a cut; none is summarized.
/// 7. *Pausing* changes no cut: the plan of a pass that was asked for a summary is the plan that
///    was made before it was asked.
/// 8. *Declining* changes nothing, but superseded system prompts under policies that drop them
///    always.
///
/// The built-in [`Window`](crate::Window)s promise three more, which others may claim:
///
/// 9. *Monotone*: a larger window keeps a superset.
/// 10. *Budget*: what a token window leaves fits its budget at the costs known when planning, or
///     it is the newest turn alone (at step grain its newest step) beside what is pinned.
/// 11. *Idempotent*: a second pass changes nothing; for token windows, while the summary costs no
///     more than the reserve.
pub fn compact<E: Entry>(
    view: &View<'_, E>,
    strategy: &(impl Strategy<E> + ?Sized),
    summarize: Summarize,
) -> Progress {
    let view = view.under(strategy.policy(), summarize);
    let proposal = strategy.keep_from(&view);
    let keeps_all = keeps_all(&view, proposal);
    let cut = snap(&view, proposal).filter(|_| !keeps_all);
    let Some(plan) = cut.and_then(|cut| Plan::of_cut(&view, cut)) else {
        let why = if keeps_all && !view.outline().turns().is_empty() {
            Unchanged::FitsWindow
        } else {
            Unchanged::NoTurnToCut
        };
        return Progress::Done(without_cut(&view, why));
    };
    let Summarize::WithOverlap(overlap) = summarize else {
        return Progress::Done(Outcome::Compacted(plan));
    };
    let request = SummaryRequest {
        prior: plan.prior().clone(),
        covered: plan.conversation(),
        overlap: plan
            .kept()
            .iter()
            .filter(|at| view.outline().kind(*at) != Some(EntryKind::System))
            .take(overlap)
            .collect(),
    };
    Progress::NeedsSummary(Box::new(Pending {
        plan,
        if_declined: without_cut(&view, Unchanged::Declined),
        request,
    }))
}

fn without_cut<E: Entry>(view: &View<'_, E>, why: Unchanged) -> Outcome {
    match Plan::without_cut(view) {
        Some(plan) => Outcome::Compacted(plan),
        None => Outcome::Unchanged(why),
    }
}

/// Whether no conversation entry that the window counts lies before the proposal.
fn keeps_all<E: Entry>(view: &View<'_, E>, proposal: usize) -> bool {
    let outline = view.outline();
    let floor = view.floor();
    proposal <= floor
        || outline.conversation_entries(floor) == outline.conversation_entries(proposal)
}
