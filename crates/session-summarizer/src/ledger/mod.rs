//! A summarizer that needs no model: it takes down what code can find.

mod page;
mod read;
mod text;

use core::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use compaction_core::TokenEstimator;

use self::page::Page;
pub(crate) use self::page::split as split_ledger;
use crate::brief::Brief;
use crate::check::{is_hollow, room_tokens};
use crate::error::SummarizerError;
use crate::port::Summarizer;
use crate::summary::Summary;

/// Takes down goal, the person's own words, decisions and rules, open calls, errors, files,
/// commands, numbers, identifiers and links, by code alone.
///
/// The same brief gives the same bytes. The ledger is never longer than the brief's budget (or
/// [`DEFAULT_BUDGET`](Self::DEFAULT_BUDGET)) nor than what it replaces; what does not fit is
/// counted. Where its own ledger is the prior summary, it goes on writing in it: nothing stands in
/// it twice, and a call that was open is closed when its result comes. Of another prior summary
/// the first lines are carried. It declines when not even the goal fits.
///
/// ```
/// # use session_log::Message;
/// # struct Characters;
/// # impl compaction_core::TokenEstimator for Characters {
/// #     fn name(&self) -> &str { "characters" }
/// #     fn estimate(&self, text: &str) -> u64 { text.chars().count() as u64 }
/// # }
/// use session_log::ToolCall;
/// use session_summarizer::{Brief, Ledger};
///
/// let talk = [
///     Message::user("Fix the login. Never touch config.yml, it belongs to the other team."),
///     Message::tool_calls([ToolCall::new("k1", "shell", r#"{"command":"cargo test -q"}"#)]),
///     Message::tool_result("k1", "test login ... ok\nerror: test logout failed, expected 200"),
///     Message::assistant("The login works now. The logout in src/auth.rs still fails, since the \
///         server answers with 500 when there is no session left to end. I will look at the order \
///         in which sessions are ended and at who ends them."),
/// ];
/// let ledger = Ledger::new(Characters).write(&Brief::new(&talk)).unwrap();
/// assert_eq!(ledger.lines().collect::<Vec<_>>(), [
///     "# Ledger",
///     "## Goal",
///     "- Fix the login. Never touch config.yml, it belongs to the other team.",
///     "## Errors, word by word",
///     "- error: test logout failed, expected 200",
///     "## Files and paths",
///     "- config.yml",
///     "- src/auth.rs",
///     "## Commands",
///     "- cargo test -q",
///     "## Numbers",
///     "- the server answers with 500 when there is no",
/// ]);
/// ```
#[derive(Clone)]
pub struct Ledger {
    estimator: Arc<dyn TokenEstimator>,
}

impl Ledger {
    /// The most tokens of a ledger whose brief names no budget: what a page of notes costs.
    pub const DEFAULT_BUDGET: u64 = 1_000;

    /// The name by which receipts know it.
    pub const NAME: &'static str = "ledger";

    /// A ledger whose size is counted by `estimator`.
    #[must_use]
    pub fn new(estimator: impl TokenEstimator + 'static) -> Self {
        Self {
            estimator: Arc::new(estimator),
        }
    }

    /// The ledger of what `brief` covers; `None` when there is nothing to take down or no room.
    #[must_use]
    pub fn write(&self, brief: &Brief<'_>) -> Option<String> {
        let budget = brief.budget().unwrap_or(Self::DEFAULT_BUDGET);
        self.write_within(brief, budget)
    }

    /// The same, within `budget` tokens whatever the brief says.
    pub(crate) fn write_within(&self, brief: &Brief<'_>, budget: u64) -> Option<String> {
        let budget = budget.min(room_tokens(brief, &self.estimator));
        self.fit(&read::page_of(brief), budget)
            // Nothing but signs was said: there is nothing to go on from.
            .filter(|text| !is_hollow(text, None))
    }

    pub(crate) fn estimator(&self) -> &dyn TokenEstimator {
        &*self.estimator
    }

    pub(crate) fn tokens(&self, text: &str) -> u64 {
        self.estimator.estimate(text)
    }

    /// As much of `page` as fits, the most useful first.
    fn fit(&self, page: &Page, budget: u64) -> Option<String> {
        let ranking = page.ranking();
        let rendered = |count: usize| page.render(&ranking, count);
        let fits = |count: usize| self.estimator.estimate(&rendered(count)) <= budget;

        // The longest run of the ranking that fits, found by halving: an estimate grows with the
        // text. Where it does not quite, the last step walks back.
        let (mut low, mut high) = (0, ranking.len());
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if fits(middle) {
                low = middle;
            } else {
                high = middle.saturating_sub(1);
            }
        }
        (1..=low).rev().find(|count| fits(*count)).map(rendered)
    }
}

#[async_trait]
impl Summarizer for Ledger {
    async fn summarize(&self, brief: Brief<'_>) -> Result<Option<Summary>, SummarizerError> {
        match self.write(&brief) {
            Some(text) => Ok(Some(Summary::new(text, Self::NAME)?)),
            None => Ok(None),
        }
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger")
            .field("estimator", &self.estimator.name())
            .finish()
    }
}
