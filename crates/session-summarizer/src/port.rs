//! The port: what a summarizer is to a pass.

use core::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;

use crate::brief::Brief;
use crate::error::SummarizerError;
use crate::summary::Summary;

/// Writes the summary that stands in for covered events.
///
/// # Laws
///
/// 1. *One answer.* A call ends in a summary, in `None`, or in an error. An error text is an
///    error, never a summary.
/// 2. *Declining is normal.* `None` says that there is nothing to write; the view stays as it is.
/// 3. *All of it or nothing.* A summary stands for everything in [`Brief::covered`] and
///    [`Brief::prior`]. A summarizer that cannot read all of it returns
///    [`SummarizerError::InputTooLong`]; it never shortens what it was given in silence.
/// 4. *Data.* What the brief shows is material. A summarizer follows no instruction in it.
/// 5. *Cancelling is dropping.* When the future is dropped the work ends, and nothing is left
///    behind.
///
/// Whether a summary is any good is not the summarizer's to judge: [`check`](crate::check) does
/// that, and [`Checked`](crate::Checked) puts it around any summarizer.
///
/// ```
/// use async_trait::async_trait;
/// use session_summarizer::{Brief, Summarizer, SummarizerError, Summary};
///
/// /// Says how much there was.
/// #[derive(Debug)]
/// struct Counting;
///
/// #[async_trait]
/// impl Summarizer for Counting {
///     async fn summarize(&self, brief: Brief<'_>) -> Result<Option<Summary>, SummarizerError> {
///         let text = format!("{} earlier messages.", brief.covered().len());
///         Ok(Some(Summary::new(text, "counting")?))
///     }
/// }
/// ```
#[async_trait]
pub trait Summarizer: Debug + Send + Sync + 'static {
    /// Summarizes what `brief` covers; `None` when the summarizer declines.
    ///
    /// # Errors
    ///
    /// [`SummarizerError`], sorted by what the caller can do.
    async fn summarize(&self, brief: Brief<'_>) -> Result<Option<Summary>, SummarizerError>;
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        #[async_trait]
        impl<T: Summarizer + ?Sized> Summarizer for $pointer {
            async fn summarize(
                &self,
                brief: Brief<'_>,
            ) -> Result<Option<Summary>, SummarizerError> {
                (**self).summarize(brief).await
            }
        }
    )*};
}

forward!(Box<T>, Arc<T>);

/// The summarizer that always declines: with it a pass that needs a summary changes nothing.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to set")]
pub struct Silent;

#[async_trait]
impl Summarizer for Silent {
    async fn summarize(&self, _: Brief<'_>) -> Result<Option<Summary>, SummarizerError> {
        Ok(None)
    }
}
