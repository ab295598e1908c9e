//! When a pass runs.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use crate::outline::Outline;

/// The size of a view, kept up to date beside the log so that no trigger has to read it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Counts {
    /// Entries in the view.
    pub events: u64,
    /// Turns in the view, the running one included.
    pub turns: u64,
    /// Tokens in the view as a token window counts them: the latest system prompt, summaries,
    /// pins and the conversation, but no superseded system prompt.
    pub tokens: u64,
}

impl Counts {
    /// So many events, turns and tokens.
    #[must_use]
    pub fn new(events: u64, turns: u64, tokens: u64) -> Self {
        Self {
            events,
            turns,
            tokens,
        }
    }
}

impl From<&Outline> for Counts {
    fn from(outline: &Outline) -> Self {
        Self {
            events: outline.len() as u64,
            turns: outline.turns().len() as u64,
            tokens: outline.tokens(),
        }
    }
}

/// Decides whether a pass runs, on counters alone.
///
/// Any value is harmless: a count of zero fires early, `AnyOf` of nothing never fires, `AllOf` of
/// nothing always does. Whoever takes settings from people refuses such values before.
///
/// ```
/// use compaction_core::{Counts, Trigger};
///
/// let trigger = Trigger::AnyOf(vec![Trigger::TurnCount(20), Trigger::TokenCount(800)]);
/// let verdict = trigger.check(&Counts::new(7, 3, 900));
/// assert!(verdict.fired);
/// assert_eq!(verdict.to_string(), "3 turns are not more than 20 turns; 900 tokens are at least 800 tokens");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Trigger {
    /// Fires every time.
    Always,
    /// Fires at no time.
    Never,
    /// Fires on more than so many turns, the running one included.
    TurnCount(u64),
    /// Fires on more than so many events.
    EventCount(u64),
    /// Fires at or above so many tokens.
    TokenCount(u64),
    /// Fires at or above a fraction of the input a model can use.
    WindowFraction {
        /// The tokens of the model's context window.
        limit: u64,
        /// The tokens of it that are kept for the reply.
        reserve_output: u64,
        /// The fraction of what is left, in thousandths: 800 for 80 %.
        per_mille: u32,
    },
    /// Fires when one of them does; asked from left to right until one does.
    AnyOf(Vec<Trigger>),
    /// Fires when all of them do; asked from left to right until one does not.
    AllOf(Vec<Trigger>),
    /// Fires when a condition of the application holds.
    When(Condition),
}

/// A condition of the application, with the name it is explained by.
#[derive(Clone)]
pub struct Condition {
    name: String,
    holds: Arc<dyn Fn(&Counts) -> bool + Send + Sync>,
}

impl Condition {
    /// The condition `holds`, explained as `name`.
    ///
    /// ```
    /// use compaction_core::{Condition, Counts, Trigger};
    ///
    /// let trigger = Trigger::When(Condition::new("an even number of turns", |counts| {
    ///     counts.turns % 2 == 0
    /// }));
    /// assert!(trigger.check(&Counts::new(0, 4, 0)).fired);
    /// ```
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        holds: impl Fn(&Counts) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            holds: Arc::new(holds),
        }
    }
}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Condition({:?})", self.name)
    }
}

impl Trigger {
    /// Whether a pass runs on a view of this size, and why.
    #[must_use]
    pub fn check(&self, counts: &Counts) -> Verdict {
        let mut checks = Vec::new();
        let fired = self.ask(counts, &mut checks);
        Verdict {
            fired,
            counts: *counts,
            checks,
        }
    }

    fn ask(&self, counts: &Counts, checks: &mut Vec<Check>) -> bool {
        let holds = match self {
            Self::AnyOf(children) => return children.iter().any(|child| child.ask(counts, checks)),
            Self::AllOf(children) => return children.iter().all(|child| child.ask(counts, checks)),
            Self::Always => true,
            Self::Never => false,
            Self::TurnCount(limit) => counts.turns > *limit,
            Self::EventCount(limit) => counts.events > *limit,
            Self::TokenCount(limit) => counts.tokens >= *limit,
            Self::WindowFraction { .. } => counts.tokens >= self.token_threshold().unwrap_or(0),
            Self::When(condition) => (condition.holds)(counts),
        };
        checks.push(Check {
            trigger: self.clone(),
            holds,
        });
        holds
    }

    /// The tokens at which a token count or window fraction fires; `None` for other triggers.
    #[must_use]
    pub fn token_threshold(&self) -> Option<u64> {
        match self {
            Self::TokenCount(limit) => Some(*limit),
            Self::WindowFraction {
                limit,
                reserve_output,
                per_mille,
            } => {
                let usable = u128::from(limit.saturating_sub(*reserve_output));
                let threshold = (usable * u128::from(*per_mille)).div_ceil(1000);
                Some(u64::try_from(threshold).unwrap_or(u64::MAX))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Trigger {
    /// The trigger as a person would say it: `more than 20 turns`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, children: &[Self], word: &str| {
            for (index, child) in children.iter().enumerate() {
                let separator = if index == 0 { "" } else { word };
                write!(f, "{separator}{child}")?;
            }
            Ok(())
        };
        match self {
            Self::Always => f.write_str("always"),
            Self::Never => f.write_str("never"),
            Self::TurnCount(limit) => write!(f, "more than {limit} turns"),
            Self::EventCount(limit) => write!(f, "more than {limit} events"),
            Self::TokenCount(limit) => write!(f, "at least {limit} tokens"),
            Self::WindowFraction {
                limit,
                reserve_output,
                ..
            } => write!(
                f,
                "at least {} of {} usable tokens",
                self.token_threshold().unwrap_or(0),
                limit.saturating_sub(*reserve_output)
            ),
            Self::AnyOf(children) => list(f, children, " or "),
            Self::AllOf(children) => list(f, children, " and "),
            Self::When(condition) => f.write_str(&condition.name),
        }
    }
}

/// One question a trigger asked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Check {
    /// The trigger that asked, never an `AnyOf` or `AllOf`.
    pub trigger: Trigger,
    /// Whether it fired.
    pub holds: bool,
}

/// Whether a trigger fired, and why: the questions asked in order, up to the one that decided.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Verdict {
    /// Whether the pass runs.
    pub fired: bool,
    /// The size the questions were about.
    pub counts: Counts,
    /// What was asked.
    pub checks: Vec<Check>,
}

impl fmt::Display for Verdict {
    /// Says why, with the numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts {
            events,
            turns,
            tokens,
        } = self.counts;
        for (index, Check { trigger, holds }) in self.checks.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            let not = if *holds { "" } else { "not " };
            match trigger {
                Trigger::TurnCount(_) => write!(f, "{turns} turns are {not}{trigger}")?,
                Trigger::EventCount(_) => write!(f, "{events} events are {not}{trigger}")?,
                Trigger::TokenCount(_) | Trigger::WindowFraction { .. } => {
                    write!(f, "{tokens} tokens are {not}{trigger}")?;
                }
                _ => write!(f, "{not}{trigger}")?,
            }
        }
        Ok(())
    }
}
