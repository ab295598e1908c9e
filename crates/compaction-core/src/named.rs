//! The four named strategies of the older design: the same windows under the older policy.

use core::fmt;

use crate::entry::Entry;
use crate::policy::Policy;
use crate::view::{Summarize, View};
use crate::window::{Strategy, Window};

/// Keeps the last so many events.
///
/// As in the whole older design, kept events stay in log order, the preamble counts and can be
/// covered, and superseded system prompts leave with every pass.
///
/// ```
/// use compaction_core::{compact, EntryKind::*, Outcome, Outline, Progress};
/// use compaction_core::{SlidingWindow, Summarize, View};
///
/// let entries = [Continuation, TurnStart, System, TurnStart, Continuation];
/// let outline = Outline::of(&entries, |_| 1);
/// let view = View::new(&entries, &outline);
/// let strategy = SlidingWindow { max_events: 2 };
/// let Progress::Done(Outcome::Compacted(plan)) = compact(&view, &strategy, Summarize::No) else {
///     panic!("four events are more than two")
/// };
/// assert_eq!(plan.covered().to_string(), "0..2"); // the preamble too
/// assert_eq!(plan.pinned(), [2]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(
    clippy::exhaustive_structs,
    reason = "a strategy is its setting, and people write it out"
)]
pub struct SlidingWindow {
    /// Events kept at most. 20 by default: about ten turns of plain talk. Zero keeps the newest
    /// turn.
    pub max_events: usize,
}

impl Default for SlidingWindow {
    fn default() -> Self {
        Self { max_events: 20 }
    }
}

impl<E: Entry> Strategy<E> for SlidingWindow {
    fn keep_from(&self, view: &View<'_, E>) -> usize {
        Window::Events(self.max_events).keep_from(view)
    }

    fn policy(&self) -> Policy {
        Policy::ARCHIVE
    }
}

impl fmt::Display for SlidingWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sliding window of {} events", self.max_events)
    }
}

/// Keeps the last so many turns. Of the named strategies only this one keeps the preamble.
///
/// ```
/// use compaction_core::{compact, EntryKind::*, Outcome, Outline, Progress};
/// use compaction_core::{Summarize, TurnWindow, View};
///
/// let entries = [Continuation, TurnStart, TurnStart];
/// let outline = Outline::of(&entries, |_| 1);
/// let view = View::new(&entries, &outline);
/// let strategy = TurnWindow { max_turns: 1 };
/// let Progress::Done(Outcome::Compacted(plan)) = compact(&view, &strategy, Summarize::No) else {
///     panic!("two turns are more than one")
/// };
/// assert_eq!(plan.pinned(), [0]);
/// assert_eq!(plan.covered().to_string(), "1..2");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(
    clippy::exhaustive_structs,
    reason = "a strategy is its setting, and people write it out"
)]
pub struct TurnWindow {
    /// Turns kept at most. 10 by default: what a person still has in mind. Zero keeps the newest
    /// turn.
    pub max_turns: usize,
}

impl Default for TurnWindow {
    fn default() -> Self {
        Self { max_turns: 10 }
    }
}

impl<E: Entry> Strategy<E> for TurnWindow {
    fn keep_from(&self, view: &View<'_, E>) -> usize {
        Window::Turns(self.max_turns).keep_from(view)
    }

    fn policy(&self) -> Policy {
        Policy::ARCHIVE_TURNS
    }
}

impl fmt::Display for TurnWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "turn window of {} turns", self.max_turns)
    }
}

/// Keeps the newest events that fit a token budget, after what the system prompt and summaries
/// take of it.
///
/// ```
/// use compaction_core::{EntryKind::*, Outline, Strategy, TokenCount, View};
///
/// let entries = [TurnStart, TurnStart];
/// let outline = Outline::of(&entries, |_| 3000);
/// let view = View::new(&entries, &outline);
/// assert_eq!(TokenCount::default().keep_from(&view), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(
    clippy::exhaustive_structs,
    reason = "a strategy is its setting, and people write it out"
)]
pub struct TokenCount {
    /// Tokens the view may hold. 4000 by default: half of the smallest context window in use.
    /// Zero keeps the newest turn.
    pub max_tokens: u64,
}

impl Default for TokenCount {
    fn default() -> Self {
        Self { max_tokens: 4000 }
    }
}

impl<E: Entry> Strategy<E> for TokenCount {
    fn keep_from(&self, view: &View<'_, E>) -> usize {
        let window = Window::Tokens {
            budget: self.max_tokens,
            reserve: 0,
        };
        window.keep_from(view)
    }

    fn policy(&self) -> Policy {
        Policy::ARCHIVE
    }
}

impl fmt::Display for TokenCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "token count of {} tokens", self.max_tokens)
    }
}

/// Keeps the last so many events and has the rest summarized, the prior summary included.
///
/// This is the half that cuts. Whoever drives the pass has the summary made.
///
/// ```
/// use compaction_core::{compact, EntryKind::*, Outline, Progress, RecursiveSummarization, View};
///
/// let entries = [TurnStart, Continuation, TurnStart, Continuation];
/// let outline = Outline::of(&entries, |_| 1);
/// let view = View::new(&entries, &outline);
/// let strategy = RecursiveSummarization { max_events_to_keep: 2, overlap_size: 1 };
/// let Progress::NeedsSummary(pending) = compact(&view, &strategy, strategy.summarize()) else {
///     panic!("four events are more than two")
/// };
/// assert_eq!(pending.request().covered.to_string(), "0..2");
/// assert_eq!(pending.request().overlap.to_string(), "2..3");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(
    clippy::exhaustive_structs,
    reason = "a strategy is its settings, and people write them out"
)]
pub struct RecursiveSummarization {
    /// Events kept at most, beside the summary. 10 by default: half of a sliding window, since
    /// the summary carries the rest. Zero keeps the newest turn.
    pub max_events_to_keep: usize,
    /// How many of the first kept events are shown to the summarizer for continuity. 2 by
    /// default: a question and its reply.
    pub overlap_size: usize,
}

impl RecursiveSummarization {
    /// How the pass is to be run.
    #[must_use]
    pub fn summarize(&self) -> Summarize {
        Summarize::WithOverlap(self.overlap_size)
    }
}

impl Default for RecursiveSummarization {
    fn default() -> Self {
        Self {
            max_events_to_keep: 10,
            overlap_size: 2,
        }
    }
}

impl<E: Entry> Strategy<E> for RecursiveSummarization {
    fn keep_from(&self, view: &View<'_, E>) -> usize {
        Window::Events(self.max_events_to_keep).keep_from(view)
    }

    fn policy(&self) -> Policy {
        Policy::ARCHIVE
    }
}

impl fmt::Display for RecursiveSummarization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            max_events_to_keep,
            overlap_size,
        } = self;
        write!(
            f,
            "recursive summarization, {max_events_to_keep} events kept, overlap of {overlap_size}"
        )
    }
}
