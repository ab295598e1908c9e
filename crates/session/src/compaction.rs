//! What a pass is asked to do.

use compaction_core::{Grain, Summarize, Trigger};

use crate::settings::{InvalidSettings, check_pair, check_trigger};
use crate::strategy::AnyStrategy;

/// What happens to a finished plan when the log has grown since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnConflict {
    /// It lands all the same, unless somebody compacted, undid, pinned or erased meanwhile: what
    /// was only appended stays in the view after what was kept.
    #[default]
    Rebase,
    /// It does not land; the outcome is [`Outcome::Stale`](crate::Outcome::Stale).
    Skip,
}

/// When and how a session is compacted. It holds no session, so one value serves all.
///
/// ```
/// use session::{Compaction, Trigger, Window};
///
/// let compaction = Compaction::builder(Window::Tokens { budget: 60_000, reserve: 2_000 })
///     .when(Trigger::TokenCount(100_000))
///     .build()
///     .unwrap();
///
/// // Settings that can never work are refused when they are made, not when they are used.
/// let refused = Compaction::builder(Window::Turns(30)).when(Trigger::TurnCount(20)).build();
/// assert_eq!(
///     refused.unwrap_err().to_string(),
///     "the trigger fires on more than 20 turns, but the strategy leaves up to 30 turns alone; \
///      keep less or fire later"
/// );
/// # let _ = compaction;
/// ```
#[derive(Clone, Debug)]
pub struct Compaction {
    pub(crate) trigger: Trigger,
    pub(crate) strategy: AnyStrategy,
    pub(crate) grain: Grain,
    pub(crate) overlap: usize,
    pub(crate) on_conflict: OnConflict,
}

impl Compaction {
    /// Starts from a strategy: a [`Window`], one of the named ones, or your own.
    pub fn builder(strategy: impl Into<AnyStrategy>) -> CompactionBuilder {
        CompactionBuilder {
            compaction: Self {
                trigger: Trigger::Always,
                strategy: strategy.into(),
                grain: Grain::Turn,
                overlap: 2,
                on_conflict: OnConflict::Rebase,
            },
        }
    }

    pub(crate) fn summarize(&self) -> Summarize {
        Summarize::No
    }
}

/// Makes a [`Compaction`].
#[derive(Clone, Debug)]
#[must_use = "nothing is checked before build"]
pub struct CompactionBuilder {
    compaction: Compaction,
}

impl CompactionBuilder {
    /// Runs only when `trigger` fires. Default: [`Trigger::Always`].
    pub fn when(mut self, trigger: Trigger) -> Self {
        self.compaction.trigger = trigger;
        self
    }

    /// May cut inside the newest turn too. Default: [`Grain::Turn`].
    pub fn grain(mut self, grain: Grain) -> Self {
        self.compaction.grain = grain;
        self
    }

    /// Shows the summarizer the first `events` kept ones, for continuity. Default: 2.
    pub fn overlap(mut self, events: usize) -> Self {
        self.compaction.overlap = events;
        self
    }

    /// What to do when the log has grown meanwhile. Default: [`OnConflict::Rebase`].
    pub fn on_conflict(mut self, on_conflict: OnConflict) -> Self {
        self.compaction.on_conflict = on_conflict;
        self
    }

    /// Checks the settings together.
    ///
    /// # Errors
    ///
    /// [`InvalidSettings`] that says which can never work and what to change.
    pub fn build(self) -> Result<Compaction, InvalidSettings> {
        let Compaction {
            trigger, strategy, ..
        } = &self.compaction;
        strategy.check()?;
        check_trigger(trigger)?;
        check_pair(trigger, strategy.target())?;
        Ok(self.compaction)
    }
}
