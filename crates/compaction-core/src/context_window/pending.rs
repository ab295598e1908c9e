//! A selection that waits for a summary.

use alloc::format;
use alloc::string::String;

use crate::context_window::units::Units;
use crate::context_window::{SUMMARIZED_RECENT, Selection, fixed};
use crate::spans::Spans;

/// A selection that waits for a summary. It owns all it needs, so it can be sent and resumed
/// later, once.
///
/// ```
/// use compaction_core::{ContextWindow, EntryKind, PairPolicy, Selecting, Weight};
///
/// let entries = [EntryKind::TurnStart; 12];
/// let selecting = ContextWindow::Summarized
///     .select(&entries, 100, PairPolicy::Atomic, |_| Weight::of_tokens(10));
/// let Selecting::NeedsSummary(pending) = selecting else { panic!("12 are more than 10") };
/// assert_eq!(pending.older().to_string(), "0..2");
/// let message = pending.placeholder(); // or `Summary of earlier conversation: ` and a summary
/// assert_eq!(message, "Summary of earlier conversation: [Summary of 2 earlier messages]");
///
/// let selection = pending.resume(15); // what the message costs
/// assert_eq!(selection.summarized().to_string(), "0..2");
/// assert_eq!(selection.kept().to_string(), "4..12"); // the newest 8 of the last 10
/// assert_eq!(selection.tokens(), 95);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingSelection {
    units: Units,
    older: Spans,
    budget: u64,
}

impl PendingSelection {
    /// What a summary in a system message begins with.
    pub const SUMMARY_PREFIX: &str = "Summary of earlier conversation: ";

    pub(super) fn new(units: Units, older: Spans, budget: u64) -> Self {
        Self {
            units,
            older,
            budget,
        }
    }

    /// The entries that the summary is to stand for.
    ///
    /// They are all but the last 10, and but calls and results that go together with one of these.
    #[must_use]
    pub fn older(&self) -> &Spans {
        &self.older
    }

    /// The text of the system message when there is nobody to write a summary, or when that failed
    /// and the request is to be sent all the same.
    #[must_use]
    pub fn placeholder(&self) -> String {
        let prefix = Self::SUMMARY_PREFIX;
        let count = self.older.len();
        format!("{prefix}[Summary of {count} earlier messages]")
    }

    /// Ends the selection with a summary whose system message costs `summary_tokens`, its prefix
    /// included.
    #[must_use]
    pub fn resume(self, summary_tokens: u64) -> Selection {
        let Self {
            mut units,
            older,
            budget,
        } = self;
        let Some(mut left) = budget.checked_sub(summary_tokens) else {
            return fixed(units, budget);
        };
        units.take_newest(SUMMARIZED_RECENT, &mut left);
        units.into_selection(older, budget - left)
    }
}
