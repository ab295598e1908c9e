//! What a strategy looks at.

use crate::entry::Entry;
use crate::outline::Outline;
use crate::policy::{Policy, Preamble, PriorSummary};
use crate::steps::Steps;

/// Where a pass may cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Grain {
    /// Between turns only.
    #[default]
    Turn,
    /// Also between the steps of the newest turn, when that turn alone is too large.
    Step,
}

/// Whether what is covered gets a summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Summarize {
    /// It does not; a summary of an earlier pass is carried on.
    #[default]
    No,
    /// It does; a summary of an earlier pass is handed over and covered by the new one.
    WithOverlap(
        /// How many of the first kept entries are shown for continuity.
        usize,
    ),
}

/// A conversation as a strategy sees it: the entries in view order and their outline.
///
/// ```
/// use compaction_core::{EntryKind::*, Outline, View};
///
/// let entries = [TurnStart, Continuation];
/// let outline = Outline::of(&entries, |_| 1);
/// let view = View::new(&entries, &outline);
/// assert_eq!(view.outline().turns().len(), 1);
/// ```
#[derive(Debug)]
pub struct View<'a, E> {
    entries: &'a [E],
    outline: &'a Outline,
    grain: Grain,
    summarize: Summarize,
    policy: Policy,
}

impl<E> Clone for View<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for View<'_, E> {}

impl<'a, E: Entry> View<'a, E> {
    /// The view of `entries`, cut at turns.
    ///
    /// `outline` is theirs: the same length, the same kinds. Where it is not, the outline is what
    /// counts, and positions are its positions.
    #[must_use]
    pub fn new(entries: &'a [E], outline: &'a Outline) -> Self {
        Self {
            entries,
            outline,
            grain: Grain::Turn,
            summarize: Summarize::No,
            policy: Policy::WINDOW,
        }
    }

    /// The same view, cut at another grain.
    #[must_use]
    pub fn with_grain(mut self, grain: Grain) -> Self {
        self.grain = grain;
        self
    }

    pub(crate) fn under(mut self, policy: Policy, summarize: Summarize) -> Self {
        self.policy = policy;
        self.summarize = summarize;
        self
    }

    /// The entries, in view order.
    #[must_use]
    pub fn entries(&self) -> &'a [E] {
        self.entries
    }

    /// The outline of the entries.
    #[must_use]
    pub fn outline(&self) -> &'a Outline {
        self.outline
    }

    /// Where the pass may cut.
    #[must_use]
    pub fn grain(&self) -> Grain {
        self.grain
    }

    /// Whether what the pass covers gets a summary.
    #[must_use]
    pub fn summarize(&self) -> Summarize {
        self.summarize
    }

    /// The policy of the pass.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Where the window begins to count: after the preamble where that is pinned, else at 0.
    #[must_use]
    pub fn floor(&self) -> usize {
        match self.policy.preamble {
            Preamble::Pinned => self.outline.preamble_end(),
            Preamble::Counted => 0,
        }
    }

    /// The tokens that stay whatever the window says: the latest system prompt, pins, a pinned
    /// preamble, and the summaries that are carried on.
    #[must_use]
    pub fn fixed_tokens(&self) -> u64 {
        let outline = self.outline;
        let preamble = outline
            .conversation_tokens(0)
            .saturating_sub(outline.conversation_tokens(self.floor()));
        let is_replaced = matches!(self.summarize, Summarize::WithOverlap(_))
            && self.policy.prior_summary == PriorSummary::Replaced;
        let summaries = if is_replaced {
            0
        } else {
            outline.summary_tokens()
        };
        outline
            .system_tokens()
            .saturating_add(outline.pin_tokens())
            .saturating_add(preamble)
            .saturating_add(summaries)
    }

    /// The places inside the newest turn where a pass of step grain may cut; `None` at turn grain
    /// and when there is no turn.
    #[must_use]
    pub fn steps(&self) -> Option<Steps> {
        match self.grain {
            Grain::Turn => None,
            Grain::Step => Steps::of_newest_turn(self.entries, self.outline),
        }
    }
}
