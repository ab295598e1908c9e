//! A summarizer whose summaries are checked.

use core::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use compaction_core::TokenEstimator;

use crate::brief::Brief;
use crate::check::{Sizes, check};
use crate::error::SummarizerError;
use crate::fault::Fault;
use crate::port::Summarizer;
use crate::retention::Retention;
use crate::summary::Summary;

/// Lets only valid summaries of another summarizer pass; for others it returns
/// [`SummarizerError::Invalid`], which names the fault and may be retried.
///
/// ```
/// # use session_log::Message;
/// # struct Characters;
/// # impl compaction_core::TokenEstimator for Characters {
/// #     fn name(&self) -> &str { "characters" }
/// #     fn estimate(&self, text: &str) -> u64 { text.chars().count() as u64 }
/// # }
/// use session_summarizer::{Brief, Checked, Scripted, Summarizer};
///
/// let model = Scripted::new(["Error: connection refused"]);
/// let summarizer = Checked::new(model, Characters);
/// let talk = [Message::user("What is the plan for today?"), Message::assistant("Rest.")];
/// # let pass = async {
/// let error = summarizer.summarize(Brief::new(&talk)).await.unwrap_err();
/// assert_eq!(error.fault().unwrap().name(), "error_text");
/// # };
/// # let mut pass = std::pin::pin!(pass);
/// # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
/// # assert!(std::future::Future::poll(pass.as_mut(), &mut context).is_ready());
/// ```
#[derive(Clone)]
pub struct Checked<S> {
    inner: S,
    estimator: Arc<dyn TokenEstimator>,
    minimum: u32,
    share: u32,
    most_tokens: Option<u64>,
}

impl<S> Checked<S> {
    /// Checks what `inner` returns, with sizes as `estimator` counts them.
    #[must_use]
    pub fn new(inner: S, estimator: impl TokenEstimator + 'static) -> Self {
        Self {
            inner,
            estimator: Arc::new(estimator),
            minimum: 0,
            share: 0,
            most_tokens: None,
        }
    }

    /// Also refuses summaries in which less than `per_mille` thousandths of the paths, commands,
    /// ids and numbers survive, as [`Retention`] counts them. None is asked for by default: how
    /// much a summary should keep depends on its budget.
    #[must_use]
    pub fn with_retention(mut self, per_mille: u32) -> Self {
        self.minimum = per_mille;
        self
    }

    /// Also refuses summaries of fewer tokens than `per_mille` thousandths of what they replace, as
    /// small models write them ("The conversation was about refunds."). Where the brief has a budget,
    /// a quarter of it is enough. None is asked for by default, since a short summary of little is
    /// sound; five thousandths are a floor that every sound summary we measured is far above.
    #[must_use]
    pub fn with_least_share(mut self, per_mille: u32) -> Self {
        self.share = per_mille;
        self
    }

    /// Asks for summaries of at most `tokens` and refuses longer ones, whatever larger budget a brief
    /// has.
    #[must_use]
    pub fn with_most_tokens(mut self, tokens: u64) -> Self {
        self.most_tokens = Some(tokens);
        self
    }

    fn judge(&self, summary: &Summary, brief: &Brief<'_>) -> Result<(), Fault> {
        let sizes = Sizes::measure(summary, brief, &self.estimator);
        check(summary, brief, sizes)?;
        let least = sizes.replaced.saturating_mul(u64::from(self.share)) / 1000;
        let least = least.min(brief.budget().map_or(u64::MAX, |budget| budget / 4));
        if sizes.summary < least {
            return Err(Fault::Thin {
                summary: sizes.summary,
                least,
            });
        }
        if self.minimum == 0 {
            return Ok(());
        }
        let retention = Retention::of_brief(brief, summary.text());
        match retention.total().per_mille() {
            Some(per_mille) if per_mille < self.minimum => Err(Fault::Forgetful {
                per_mille,
                minimum: self.minimum,
            }),
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl<S: Summarizer> Summarizer for Checked<S> {
    async fn summarize(&self, brief: Brief<'_>) -> Result<Option<Summary>, SummarizerError> {
        let brief = match (self.most_tokens, brief.budget()) {
            (Some(most), budget) => brief.with_budget(budget.unwrap_or(u64::MAX).min(most)),
            (None, _) => brief,
        };
        let Some(summary) = self.inner.summarize(brief.clone()).await? else {
            return Ok(None);
        };
        match self.judge(&summary, &brief) {
            Ok(()) => Ok(Some(summary)),
            Err(fault) => {
                brief.lost(summary.usage());
                Err(fault.into())
            }
        }
    }
}

impl<S: fmt::Debug> fmt::Debug for Checked<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checked")
            .field("inner", &self.inner)
            .field("estimator", &self.estimator.name())
            .field("minimum", &self.minimum)
            .field("share", &self.share)
            .field("most_tokens", &self.most_tokens)
            .finish()
    }
}
