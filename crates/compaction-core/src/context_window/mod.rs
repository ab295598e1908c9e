//! Selecting messages for one request, which is not compaction: nothing is recorded.

mod name;
mod pending;
mod units;

use alloc::boxed::Box;

use crate::context_window::units::Units;
use crate::entry::{Entry, EntryKind};
use crate::spans::Spans;

pub use crate::context_window::name::UnknownContextWindow;
pub use crate::context_window::pending::PendingSelection;

/// Which messages of a conversation go into one request.
///
/// A pure selection: it keeps no state, records nothing, and may drop what a person said last if
/// that does not fit. To shrink a conversation for good use [`compact`](crate::compact).
///
/// ```
/// use compaction_core::{ContextWindow, EntryKind::*, PairPolicy, Selecting, Weight};
///
/// let entries = [System, TurnStart, Continuation, TurnStart];
/// let window = ContextWindow::for_name("fixed")?;
/// let selecting = window.select(&entries, 30, PairPolicy::Atomic, |_| Weight::of_tokens(10));
/// let Selecting::Done(selection) = selecting else { panic!("only `Summarized` asks") };
/// assert_eq!(selection.kept().to_string(), "1..4");
/// assert_eq!(selection.tokens(), 30);
/// # Ok::<(), compaction_core::UnknownContextWindow>(())
/// ```
///
/// # Laws
///
/// 1. A selection never costs more than the budget.
/// 2. What is kept is in the order of the conversation.
/// 3. Under [`PairPolicy::Atomic`] a call and its results are all kept, all summarized, or all
///    left out.
/// 4. The newest entry is left out only when it does not fit, with what goes together with it and
///    the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[expect(
    clippy::exhaustive_enums,
    reason = "three windows, each with a name that settings use"
)]
pub enum ContextWindow {
    /// From the newest back while the sum fits; it stops at the first that does not.
    Fixed,
    /// The last 5 from the newest back, then older ones by importance, each that still fits.
    ///
    /// Importance is 1, and 10 more for a system prompt, 5 for making tool calls, 1 for opening a
    /// turn, and one for each 500 characters, 5 at most. Of equals the newer comes first. A group
    /// of calls and results is as important as its most important member.
    Sliding,
    /// A summary of all but the last 10, then these, as many of the newest as fit beside it.
    ///
    /// Up to 10 entries are selected as by `Fixed`, and so are all when the summary alone exceeds
    /// the budget.
    Summarized,
}

/// What becomes of a tool call and its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[expect(clippy::exhaustive_enums, reason = "they stay together or they do not")]
pub enum PairPolicy {
    /// They stay or go together: providers reject one without the other. A group is met where its
    /// newest member stands.
    #[default]
    Atomic,
    /// Each entry is taken for itself, to reproduce the sums of other implementations.
    Independent,
}

/// What an entry weighs in a selection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Weight {
    /// The tokens it costs.
    pub tokens: u64,
    /// The characters of its text, which make it more important to `Sliding`.
    pub characters: u64,
}

impl Weight {
    /// So many tokens, and no characters: length does not count.
    #[must_use]
    pub fn of_tokens(tokens: u64) -> Self {
        Self {
            tokens,
            characters: 0,
        }
    }

    /// The same with so many characters.
    #[must_use]
    pub fn with_characters(mut self, characters: u64) -> Self {
        self.characters = characters;
        self
    }
}

/// What a selection needs next.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a selection that is not driven to its end selects nothing"]
#[expect(
    clippy::exhaustive_enums,
    reason = "whoever selects must handle each case"
)]
pub enum Selecting {
    /// Nothing: this is what is selected.
    Done(Selection),
    /// A summary of the older entries. Only `Summarized` asks.
    NeedsSummary(Box<PendingSelection>),
}

/// What is selected, as positions in the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Selection {
    summarized: Spans,
    kept: Spans,
    tokens: u64,
    omits_newest: bool,
}

impl Selection {
    /// The entries that a summary stands for, in front of what is kept; none without a summary.
    #[must_use]
    pub fn summarized(&self) -> &Spans {
        &self.summarized
    }

    /// The entries that go into the request, in order.
    #[must_use]
    pub fn kept(&self) -> &Spans {
        &self.kept
    }

    /// The tokens of what is kept and of the summary.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Whether the newest entry is left out since it does not fit. A request without it answers
    /// nothing: ask with a larger budget or not at all.
    #[must_use]
    pub fn omits_newest(&self) -> bool {
        self.omits_newest
    }
}

/// How many of the newest entries `Sliding` takes first.
const SLIDING_RECENT: usize = 5;

/// How many of the newest entries `Summarized` leaves out of the summary.
const SUMMARIZED_RECENT: usize = 10;

impl ContextWindow {
    /// Selects from `entries`, oldest first, what goes into a request of at most `budget` tokens.
    ///
    /// It takes time in the order of n log n, and asks `weigh` once for each entry.
    pub fn select<E: Entry>(
        self,
        entries: &[E],
        budget: u64,
        pairs: PairPolicy,
        weigh: impl FnMut(&E) -> Weight,
    ) -> Selecting {
        let weights = entries.iter().map(weigh).collect();
        let units = Units::new(entries, weights, pairs);
        match self {
            Self::Sliding if entries.len() > SLIDING_RECENT => {
                Selecting::Done(sliding(entries, units, budget))
            }
            Self::Summarized if entries.len() > SUMMARIZED_RECENT => {
                let older = units.older_than_the_last(SUMMARIZED_RECENT);
                if older.is_empty() {
                    return Selecting::Done(fixed(units, budget));
                }
                Selecting::NeedsSummary(Box::new(PendingSelection::new(units, older, budget)))
            }
            _ => Selecting::Done(fixed(units, budget)),
        }
    }
}

fn fixed(mut units: Units, budget: u64) -> Selection {
    let len = units.len();
    let mut left = budget;
    units.take_newest(len, &mut left);
    units.into_selection(Spans::new(), budget - left)
}

fn sliding<E: Entry>(entries: &[E], mut units: Units, budget: u64) -> Selection {
    let mut left = budget;
    if units.take_newest(SLIDING_RECENT, &mut left) {
        let by_importance = units.by_importance(|position, weight| {
            importance(entries.get(position).map(Entry::kind), weight.characters)
        });
        for unit in by_importance {
            units.take(unit, &mut left);
        }
    }
    units.into_selection(Spans::new(), budget - left)
}

/// The importance of an entry in thousandths, so that each character counts.
fn importance(kind: Option<EntryKind>, characters: u64) -> u64 {
    let by_kind = match kind {
        Some(EntryKind::System) => 10_000,
        Some(EntryKind::StepStart) => 5000,
        Some(EntryKind::TurnStart) => 1000,
        Some(EntryKind::Summary | EntryKind::Continuation) | None => 0,
    };
    let by_length = characters.saturating_mul(2).min(5000);
    1000 + by_kind + by_length
}
