//! What a pass would do, as positions in the view.

use alloc::vec::Vec;

use crate::entry::{Entry, EntryKind};
use crate::outline::Outline;
use crate::policy::{Order, Superseded};
use crate::spans::Spans;
use crate::view::{Summarize, View};

/// A legal place to cut. Only the core makes one, by snapping what a strategy proposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cut {
    at: usize,
    is_inside_turn: bool,
}

impl Cut {
    /// The first kept entry: the start of a turn, or of a step inside the newest turn.
    #[must_use]
    pub fn at(self) -> usize {
        self.at
    }

    /// Whether the newest turn is cut inside, at a step.
    #[must_use]
    pub fn is_inside_turn(self) -> bool {
        self.is_inside_turn
    }
}

/// Snaps a proposal forward to the next legal place, and back to the newest one when there is
/// none further on. `None` when there is no turn.
pub(crate) fn snap<E: Entry>(view: &View<'_, E>, proposal: usize) -> Option<Cut> {
    let turns = view.outline().turns();
    let newest = view.outline().newest_turn()?;
    if let Some(steps) = (proposal > newest).then(|| view.steps()).flatten() {
        let starts = steps.starts();
        let next = starts.partition_point(|start| *start < proposal);
        let at = starts.get(next).or(starts.last());
        if let Some(at) = at.filter(|at| steps.covers_before(**at, view.outline())) {
            return Some(Cut {
                at: *at,
                is_inside_turn: true,
            });
        }
    }
    let next = turns.partition_point(|turn| *turn < proposal);
    Some(Cut {
        at: turns.get(next).copied().unwrap_or(newest),
        is_inside_turn: false,
    })
}

/// What a pass does to a view, as positions in it.
///
/// Pinned, superseded, covered and kept are disjoint, and together they are the whole view. The
/// view after the pass is what is pinned, in the order given, then the new summary if there is
/// one, then what is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Plan {
    cut: Option<Cut>,
    pinned: Vec<usize>,
    superseded: Spans,
    covered: Spans,
    prior: Spans,
    kept: Spans,
    pins: Vec<usize>,
    is_summarized: bool,
}

impl Plan {
    /// The plan of a cut; `None` when it would cover nothing. It costs what is pinned, not what is
    /// covered or kept.
    pub(crate) fn of_cut<E: Entry>(view: &View<'_, E>, cut: Cut) -> Option<Self> {
        let outline = view.outline();
        let is_summarized = matches!(view.summarize(), Summarize::WithOverlap(_));
        let (system, superseded) = match outline.systems().split_last() {
            Some((latest, earlier)) => (Some(*latest), earlier),
            None => (None, [].as_slice()),
        };
        let summaries = outline.summaries();
        let (pins, held) = pinned_before(view, cut);
        let rules = merged([outline.systems(), summaries]);
        let pinned = merged([&pins, &held]);

        let fixed = merged([&rules, &pinned]);
        let conversation = Spans::of(view.floor()..cut.at, &fixed);
        if conversation.is_empty() {
            return None;
        }
        let (prior, carried) = if is_summarized {
            (summaries, [].as_slice())
        } else {
            ([].as_slice(), summaries)
        };
        let preamble = Spans::of(0..view.floor(), &rules);
        let (pinned, kept) = match view.policy().order {
            Order::PinnedFirst => {
                let pinned = system
                    .into_iter()
                    .chain(preamble.iter())
                    .chain(carried.iter().copied())
                    .chain(pinned)
                    .collect();
                (pinned, Spans::of(cut.at..outline.len(), &rules))
            }
            Order::AsStored => {
                let mut pinned: Vec<_> = preamble.iter().chain(pinned).collect();
                let stay = system.iter().chain(carried).filter(|at| **at < cut.at);
                pinned.extend(stay);
                pinned.sort_unstable();
                let leave = merged([superseded, prior]);
                (pinned, Spans::of(cut.at..outline.len(), &leave))
            }
        };
        let prior: Spans = prior.iter().copied().collect();
        Some(Self {
            cut: Some(cut),
            pinned,
            superseded: superseded.iter().copied().collect(),
            covered: conversation.union(&prior),
            prior,
            kept,
            pins,
            is_summarized,
        })
    }

    /// The plan of a pass that cuts nothing, which under some policies still drops superseded
    /// system prompts; `None` when there is nothing to drop.
    pub(crate) fn without_cut<E: Entry>(view: &View<'_, E>) -> Option<Self> {
        let systems = view.outline().systems();
        let (_, superseded) = systems.split_last()?;
        if superseded.is_empty() || view.policy().superseded == Superseded::LeaveWithCut {
            return None;
        }
        Some(Self {
            cut: None,
            pinned: Vec::new(),
            kept: Spans::of(0..view.outline().len(), superseded),
            superseded: superseded.iter().copied().collect(),
            covered: Spans::new(),
            prior: Spans::new(),
            pins: Vec::new(),
            is_summarized: false,
        })
    }

    /// Where the view is cut; `None` for a pass that only drops superseded system prompts.
    #[must_use]
    pub fn cut(&self) -> Option<Cut> {
        self.cut
    }

    /// What leads the view, in view order.
    #[must_use]
    pub fn pinned(&self) -> &[usize] {
        &self.pinned
    }

    /// The part of [`pinned`](Self::pinned) that would be covered if nobody had pinned it.
    #[must_use]
    pub fn pins(&self) -> &[usize] {
        &self.pins
    }

    /// System prompts that a later one replaced: they leave the view without being summarized.
    #[must_use]
    pub fn superseded(&self) -> &Spans {
        &self.superseded
    }

    /// What leaves the view: conversation before the cut, and with a summarizer the prior summary.
    #[must_use]
    pub fn covered(&self) -> &Spans {
        &self.covered
    }

    /// The part of [`covered`](Self::covered) that is the prior summary.
    #[must_use]
    pub fn prior(&self) -> &Spans {
        &self.prior
    }

    /// The part of [`covered`](Self::covered) that is conversation: all but the prior summary.
    #[must_use]
    pub fn conversation(&self) -> Spans {
        self.covered.without(&self.prior)
    }

    /// What stays where it is, after the pinned entries and the new summary.
    #[must_use]
    pub fn kept(&self) -> &Spans {
        &self.kept
    }

    /// Whether a new summary stands between the pinned and the kept entries.
    #[must_use]
    pub fn is_summarized(&self) -> bool {
        self.is_summarized
    }

    /// The outline of the view after the pass, where `cost` tells the tokens of an entry by its
    /// position before, and `summary` those of each entry of the new summary turn.
    ///
    /// So a driver can try several strategies in order, the cheapest first, and take the first
    /// that brings the view down to a target:
    ///
    /// ```
    /// use compaction_core::{compact, EntryKind::*, Outcome, Outline, Progress, Summarize, View};
    /// use compaction_core::Window;
    ///
    /// let entries = [TurnStart, Continuation, TurnStart, Continuation, TurnStart, Continuation];
    /// let outline = Outline::of(&entries, |_| 10);
    /// let view = View::new(&entries, &outline);
    ///
    /// let tiers = [Window::Turns(4), Window::Turns(2), Window::Turns(1)];
    /// let reaches = |tier: &Window| match compact(&view, tier, Summarize::No) {
    ///     Progress::Done(Outcome::Compacted(plan)) => {
    ///         plan.outline_after(&outline, |_| 10, []).tokens() <= 40
    ///     }
    ///     _ => outline.tokens() <= 40,
    /// };
    /// assert_eq!(tiers.into_iter().find(reaches), Some(Window::Turns(2)));
    /// ```
    #[must_use]
    pub fn outline_after(
        &self,
        before: &Outline,
        mut cost: impl FnMut(usize) -> u64,
        summary: impl IntoIterator<Item = u64>,
    ) -> Outline {
        let mut after = Outline::new();
        for at in &self.pinned {
            after.push_from(before, *at, cost(*at));
        }
        for tokens in summary {
            after.push(EntryKind::Summary, tokens);
        }
        for at in self.kept.iter() {
            after.push_from(before, at, cost(at));
        }
        after
    }

    /// The view after the pass, without its new summary.
    pub fn view_order(&self) -> impl Iterator<Item = usize> + '_ {
        self.pinned.iter().copied().chain(self.kept.iter())
    }
}

/// The entries that would be covered but are pinned, and those that a cut inside the turn holds.
fn pinned_before<E: Entry>(view: &View<'_, E>, cut: Cut) -> (Vec<usize>, Vec<usize>) {
    let held: Vec<_> = match view.steps() {
        Some(steps) if cut.is_inside_turn => steps.held(cut.at).collect(),
        _ => Vec::new(),
    };
    let pins = view.outline().pins().iter().copied();
    let pins = pins
        .skip_while(|at| *at < view.floor())
        .take_while(|at| *at < cut.at)
        .filter(|at| held.binary_search(at).is_err())
        .collect();
    (pins, held)
}

fn merged<const N: usize>(positions: [&[usize]; N]) -> Vec<usize> {
    let mut merged = positions.concat();
    merged.sort_unstable();
    merged
}
