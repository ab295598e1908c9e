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
}

impl<S> Checked<S> {
    /// Checks what `inner` returns, with sizes as `estimator` counts them.
    #[must_use]
    pub fn new(inner: S, estimator: impl TokenEstimator + 'static) -> Self {
        Self {
            inner,
            estimator: Arc::new(estimator),
            minimum: 0,
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

    fn judge(&self, summary: &Summary, brief: &Brief<'_>) -> Result<(), Fault> {
        check(
            summary,
            brief,
            Sizes::measure(summary, brief, &self.estimator),
        )?;
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
        let Some(summary) = self.inner.summarize(brief.clone()).await? else {
            return Ok(None);
        };
        self.judge(&summary, &brief)?;
        Ok(Some(summary))
    }
}

impl<S: fmt::Debug> fmt::Debug for Checked<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checked")
            .field("inner", &self.inner)
            .field("estimator", &self.estimator.name())
            .field("minimum", &self.minimum)
            .finish()
    }
}
