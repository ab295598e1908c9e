//! How a pass ended, told in ids and numbers.

use compaction_core::{Counts, Unchanged, Verdict};
use session_log::{EventId, Json, Seq, SessionId, Size, SummaryReceipt, Version};
use session_summarizer::Usage;

/// How a pass ended. None of these is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// The view changed, and one boundary was appended.
    Compacted,
    /// The strategy leaves the view as it is; nothing was written.
    Unchanged(Reason),
    /// The trigger did not fire; nothing was written.
    NotTriggered,
    /// The summarizer gave no summary; nothing was written.
    Declined,
    /// Something the pass relied on changed meanwhile; nothing was written. Try again.
    Stale,
}

impl Outcome {
    /// The lower-case word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Compacted => "compacted",
            Self::Unchanged(_) => "unchanged",
            Self::NotTriggered => "not_triggered",
            Self::Declined => "declined",
            Self::Stale => "stale",
        }
    }
}

/// Why a strategy leaves a view as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// All there is fits.
    FitsWindow,
    /// There is nowhere to cut: no turn at all, or only the newest one.
    NoTurnToCut,
}

impl Reason {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FitsWindow => "fits_window",
            Self::NoTurnToCut => "no_turn_to_cut",
        }
    }
}

impl From<Unchanged> for Outcome {
    fn from(unchanged: Unchanged) -> Self {
        match unchanged {
            Unchanged::FitsWindow => Self::Unchanged(Reason::FitsWindow),
            Unchanged::Declined => Self::Declined,
            _ => Self::Unchanged(Reason::NoTurnToCut),
        }
    }
}

/// Something about a pass that its owner should know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// What is pinned costs as much as the trigger fires on by itself, so the trigger fires for
    /// ever. Pin less, or fire later.
    PinnedExceedTrigger {
        /// The tokens of pinned events.
        pinned: u64,
        /// The tokens the trigger fires at.
        threshold: u64,
    },
    /// What is pinned has more turns than the trigger fires on by itself, so the trigger fires for
    /// ever. Pin less, or fire later.
    PinnedTurnsExceedTrigger {
        /// The turns of pinned events.
        pinned: u64,
        /// The turns above which the trigger fires.
        threshold: u64,
    },
    /// What is pinned has more events than the trigger fires on by itself, so the trigger fires for
    /// ever. Pin less, or fire later.
    PinnedEventsExceedTrigger {
        /// The pinned events.
        pinned: u64,
        /// The events above which the trigger fires.
        threshold: u64,
    },
    /// The view is still larger than the budget: the newest turn, or what is pinned, is.
    OverBudget {
        /// The tokens of the view.
        tokens: u64,
        /// The budget in tokens.
        budget: u64,
    },
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::PinnedExceedTrigger { pinned, threshold } => write!(
                f,
                "pinned events alone cost {pinned} tokens and the trigger fires at {threshold}: \
                 it fires for ever; pin less or fire later"
            ),
            Self::PinnedTurnsExceedTrigger { pinned, threshold } => write!(
                f,
                "pinned events alone are {pinned} turns and the trigger fires on more than \
                 {threshold}: it fires for ever; pin less or fire later"
            ),
            Self::PinnedEventsExceedTrigger { pinned, threshold } => write!(
                f,
                "pinned events alone are {pinned} and the trigger fires on more than {threshold}: \
                 it fires for ever; pin less or fire later"
            ),
            Self::OverBudget { tokens, budget } => write!(
                f,
                "the view still costs {tokens} tokens of a budget of {budget}: the newest turn and \
                 what is pinned stay whole"
            ),
        }
    }
}

/// The summary of a pass.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SummaryReport {
    /// Its text.
    pub text: String,
    /// Who wrote it and what it cost.
    pub receipt: SummaryReceipt,
}

impl std::fmt::Debug for SummaryReport {
    /// Says how long the text is, not what it says.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "SummaryReport({} bytes, {:?})",
            self.text.len(),
            self.receipt
        )
    }
}

/// How a pass ended: what became of each event of the view, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// The session.
    pub session: SessionId,
    /// The version of its log afterwards; for a plan, the version it was made at.
    pub version: Version,
    /// Whether the trigger fired.
    pub fired: bool,
    /// Why it did or did not, with the numbers.
    pub why: String,
    /// Name and settings of the strategy.
    pub strategy: Json,
    /// The name of the estimator that counted.
    pub estimator: String,
    /// The view before.
    pub before: Size,
    /// The view afterwards.
    pub after: Size,
    /// What leads the view, in view order.
    pub pinned: Vec<EventId>,
    /// System prompts that left because a later one replaced them.
    pub superseded: Vec<EventId>,
    /// What left the view; it is still in the log.
    pub covered: Vec<EventId>,
    /// Events whose tool results are shown as a short line.
    pub cleared: Vec<EventId>,
    /// What stayed where it was.
    pub preserved: Vec<EventId>,
    /// The summary, if one was made.
    pub summary: Option<SummaryReport>,
    /// The boundary that was written.
    pub boundary: Option<Seq>,
    /// Why there is no valid summary although one was wanted: `declined`; the name of the check that
    /// it failed; `resting`, when the summarizer failed too often lately and was not asked; `leased`,
    /// when another process is at a pass; or, where the plain window stood in, the name of the error.
    pub declined: Option<String>,
    /// Tokens of answers that came to nothing. What a summary cost is in its receipt, failed attempts
    /// before it included.
    pub lost: Usage,
    /// What the owner should know.
    pub warnings: Vec<Warning>,
}

impl Report {
    pub(crate) fn new(
        session: SessionId,
        version: Version,
        verdict: &Verdict,
        strategy: Json,
        estimator: &str,
    ) -> Self {
        let size = size(&verdict.counts);
        Self {
            outcome: Outcome::NotTriggered,
            session,
            version,
            fired: verdict.fired,
            why: verdict.to_string(),
            strategy,
            estimator: estimator.into(),
            before: size,
            after: size,
            pinned: Vec::new(),
            superseded: Vec::new(),
            covered: Vec::new(),
            cleared: Vec::new(),
            preserved: Vec::new(),
            summary: None,
            boundary: None,
            declined: None,
            lost: Usage::default(),
            warnings: Vec::new(),
        }
    }

    /// Why nothing changed, as a word; `None` when something did.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self.outcome {
            Outcome::Compacted => None,
            Outcome::Unchanged(reason) => Some(reason.as_str()),
            Outcome::NotTriggered => Some("trigger_did_not_fire"),
            Outcome::Declined => Some(self.declined.as_deref().unwrap_or("declined")),
            Outcome::Stale => Some("session_changed"),
        }
    }
}

pub(crate) fn size(counts: &Counts) -> Size {
    Size::new(counts.events, counts.turns, counts.tokens)
}
