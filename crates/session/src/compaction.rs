//! What a pass is asked to do.

use std::fmt;
use std::sync::Arc;

use compaction_core::{Clearing, Counts, Grain, Summarize, Trigger};
use session_summarizer::{BreakerSettings, Prompt, Summarizer};

use crate::ask::NoSummary;
use crate::breakers::Breakers;
use crate::report::Report;
use crate::settings::{InvalidSettings, check_pair, check_trigger};
use crate::strategy::{AnyStrategy, Target};

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

/// What a new summary is made of where there is one already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SummaryMode {
    /// Of the summary before and what this pass covers. It costs what the new part costs.
    #[default]
    Incremental,
    /// Of the log: of every event that the summary is to stand for. A summary of summaries drifts;
    /// this one does not, and it reads the whole past each time. Put a
    /// [`Chunked`](session_summarizer::Chunked) around the summarizer.
    Rebuilt,
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
    pub(crate) clearing: Option<Clearing>,
    pub(crate) tiers: Vec<AnyStrategy>,
    pub(crate) target: Option<u64>,
    pub(crate) on_conflict: OnConflict,
    pub(crate) summarizer: Option<Arc<dyn Summarizer>>,
    pub(crate) prompt: Prompt,
    pub(crate) min_retained: Option<u32>,
    pub(crate) summaries: SummaryMode,
    pub(crate) breakers: Arc<Breakers>,
    fall_back_above: Option<u64>,
    summary_tokens: Option<u64>,
    on_failure: Option<OnFailure>,
}

/// What is called with the report of a pass that got no valid summary.
#[derive(Clone)]
struct OnFailure(Arc<dyn Fn(&Report) + Send + Sync>);

impl fmt::Debug for OnFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnFailure")
    }
}

impl Compaction {
    /// Starts from a strategy: a [`Window`](compaction_core::Window), one of the named ones, or your own.
    pub fn builder(strategy: impl Into<AnyStrategy>) -> CompactionBuilder {
        CompactionBuilder {
            compaction: Self {
                trigger: Trigger::Always,
                strategy: strategy.into(),
                grain: Grain::Turn,
                overlap: 2,
                clearing: None,
                tiers: Vec::new(),
                target: None,
                on_conflict: OnConflict::Rebase,
                summarizer: None,
                prompt: Prompt::new(),
                min_retained: None,
                summaries: SummaryMode::Incremental,
                breakers: Arc::default(),
                fall_back_above: None,
                summary_tokens: None,
                on_failure: None,
            },
            shadow_prompt: None,
        }
    }

    pub(crate) fn summarize(&self) -> Summarize {
        match &self.summarizer {
            Some(_) => Summarize::WithOverlap(self.strategy.overlap().unwrap_or(self.overlap)),
            None => Summarize::No,
        }
    }

    /// Whether a view of this size needs no further tier.
    pub(crate) fn is_content(&self, counts: &Counts) -> bool {
        match (self.target, self.strategy.target()) {
            (Some(target), _) | (None, Target::Tokens(target)) => counts.tokens <= target,
            (None, _) => !self.trigger.check(counts).fired,
        }
    }

    /// The most tokens a summary may have: what the window keeps in reserve for it, or less.
    pub(crate) fn summary_budget(&self) -> Option<u64> {
        self.reserve().into_iter().chain(self.summary_tokens).min()
    }

    /// The tokens to ask for, so that the summary fits into the reserve together with the shadow
    /// prompt before it, which costs `prompt`, and is no longer than what it replaces. A reserve
    /// hardly larger than the prompt is halved.
    pub(crate) fn summary_wish(&self, prompt: u64, replaced: u64) -> Option<u64> {
        let room = |tokens: u64| tokens.saturating_sub(prompt.min(tokens / 2));
        let reserve = self.reserve().map(room);
        let wish = reserve.into_iter().chain(self.summary_tokens).min()?;
        Some(wish.min(replaced))
    }

    fn reserve(&self) -> Option<u64> {
        self.strategy.reserve().filter(|tokens| *tokens > 0)
    }

    /// Whether a view of this size is compacted without a summary when there is none to be had.
    pub(crate) fn falls_back(&self, tokens: u64) -> bool {
        self.fall_back_above.is_some_and(|limit| tokens > limit)
    }

    pub(crate) fn notify_failure(&self, report: &Report, why: NoSummary) {
        match &self.on_failure {
            Some(OnFailure(call)) if why == NoSummary::Failed => call(report),
            _ => {}
        }
    }
}

/// Makes a [`Compaction`].
#[derive(Clone, Debug)]
#[must_use = "nothing is checked before build"]
pub struct CompactionBuilder {
    compaction: Compaction,
    shadow_prompt: Option<String>,
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

    /// Clears old, large tool results first. Tiers and strategy only run when that does not reach
    /// the target. Default: nothing is cleared.
    pub fn clear_results(mut self, clearing: Clearing) -> Self {
        self.compaction.clearing = Some(clearing);
        self
    }

    /// Tries this strategy first, without a summary; may be called several times, and they are
    /// tried in order. The pass takes the first that reaches the target, else it goes on to the
    /// strategy of the builder. Default: none.
    ///
    /// ```
    /// use compaction_tokens::Chars4;
    /// use session::{Compaction, Ledger, Trigger, Window};
    ///
    /// // Old turns simply go while that is enough. When the newest ones are long, they are
    /// // summarized.
    /// let compaction = Compaction::builder(Window::Turns(2))
    ///     .when(Trigger::TokenCount(50_000))
    ///     .target(40_000)
    ///     .tier(Window::Turns(10))
    ///     .summarizer(Ledger::new(Chars4))
    ///     .build()
    ///     .unwrap();
    /// # let _ = compaction;
    /// ```
    pub fn tier(mut self, strategy: impl Into<AnyStrategy>) -> Self {
        self.compaction.tiers.push(strategy.into());
        self
    }

    /// The tokens a view may have for a pass to be content with an earlier tier. Default: the
    /// budget of a token window; with other strategies, the size at which the trigger does not
    /// fire any more.
    pub fn target(mut self, tokens: u64) -> Self {
        self.compaction.target = Some(tokens);
        self
    }

    /// Puts a summary in the place of what is covered. Default: no summary.
    pub fn summarizer(mut self, summarizer: impl Summarizer) -> Self {
        self.compaction.summarizer = Some(Arc::new(summarizer));
        self
    }

    /// Asks for the summary in other words. Messages in it are rendered as the service renders them,
    /// unless the prompt has a format of its own.
    pub fn prompt(mut self, prompt: Prompt) -> Self {
        self.compaction.prompt = prompt;
        self
    }

    /// What the summary answers in the view, in the person's name. Default: what the
    /// [`prompt`](Self::prompt) says, which is [`SHADOW_PROMPT`](session_summarizer::SHADOW_PROMPT)
    /// unless it was given another one.
    pub fn shadow_prompt(mut self, text: impl Into<String>) -> Self {
        self.shadow_prompt = Some(text.into());
        self
    }

    /// Takes only summaries in which so many thousandths of the paths, commands, ids and numbers
    /// survive. Default: no minimum.
    pub fn min_retained(mut self, per_mille: u32) -> Self {
        self.compaction.min_retained = Some(per_mille);
        self
    }

    /// Calls `call` with the report of each pass that got no valid summary.
    pub fn on_failure(mut self, call: impl Fn(&Report) + Send + Sync + 'static) -> Self {
        self.compaction.on_failure = Some(OnFailure(Arc::new(call)));
        self
    }

    /// Takes summaries of at most `tokens`, and asks for such. Default: what a token window keeps in
    /// reserve; with other windows a summary may be as long as what it replaces.
    pub fn summary_tokens(mut self, tokens: u64) -> Self {
        self.compaction.summary_tokens = Some(tokens);
        self
    }

    /// Makes summaries of the summary before, or of the log. Default: [`SummaryMode::Incremental`].
    pub fn summaries(mut self, mode: SummaryMode) -> Self {
        self.compaction.summaries = mode;
        self
    }

    /// Leaves a session's summarizer alone when it fails again and again: for so many turns, then it
    /// is tried once more. Meanwhile passes are declined, `resting`. What is remembered is remembered
    /// by this value and its clones, not in the log. Default: [`BreakerSettings::default`].
    pub fn breaker(mut self, settings: BreakerSettings) -> Self {
        self.compaction.breakers = Arc::new(Breakers::new(settings));
        self
    }

    /// Lets the plain window cut a view of more than `tokens` when there is no valid summary for it,
    /// because the summarizer fails or rests. What it covers then is in no summary; the summary before
    /// is carried on. Default: the view grows until there is a summary.
    pub fn fall_back_above(mut self, tokens: u64) -> Self {
        self.compaction.fall_back_above = Some(tokens);
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
        if strategy.overlap().is_some() && self.compaction.summarizer.is_none() {
            return Err(InvalidSettings::NoSummarizer {
                strategy: strategy.name().into(),
            });
        }
        if self.compaction.target == Some(0) {
            return Err(InvalidSettings::Zero {
                setting: "the target",
            });
        }
        for tier in &self.compaction.tiers {
            tier.check()?;
        }
        let has_target = self.compaction.target.is_some()
            || matches!(strategy.target(), Target::Tokens(_))
            || !matches!(trigger, Trigger::Always);
        if !self.compaction.tiers.is_empty() && !has_target {
            return Err(InvalidSettings::NoTarget);
        }
        if self.compaction.summary_tokens == Some(0) {
            return Err(InvalidSettings::Zero {
                setting: "the tokens of a summary",
            });
        }
        if self.compaction.fall_back_above == Some(0) {
            return Err(InvalidSettings::Zero {
                setting: "the limit to fall back above",
            });
        }
        if let Some(per_mille) = self.compaction.min_retained.filter(|it| *it > 1000) {
            return Err(InvalidSettings::MoreThanAll { per_mille });
        }
        check_trigger(trigger)?;
        check_pair(trigger, strategy.target())?;
        let mut compaction = self.compaction;
        // Told as a conversation, a brief has the summary turn that the view has.
        if let Some(shadow) = self.shadow_prompt {
            let Ok(prompt) = compaction.prompt.with_shadow(shadow) else {
                return Err(InvalidSettings::Blank {
                    setting: "the shadow prompt",
                });
            };
            compaction.prompt = prompt;
        }
        Ok(compaction)
    }
}
