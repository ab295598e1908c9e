//! A summarizer made of a closure.

use core::fmt;
use core::future::Future;

use async_trait::async_trait;

use crate::brief::Brief;
use crate::error::SummarizerError;
use crate::port::Summarizer;
use crate::prompt::Request;
use crate::summary::Summary;

/// Asks a closure: this is how any client of any model is plugged in.
///
/// The closure gets the brief as text and owns it, so it can be sent anywhere.
///
/// ```
/// # use session_log::Message;
/// use session_summarizer::{Brief, FnSummarizer, Request, Summarizer, Summary};
///
/// let summarizer = FnSummarizer::new("my-client", |request: Request| async move {
///     // let answer = client.chat(request.system, request.user).await?;
///     let answer = format!("{} bytes were said.", request.user.len());
///     Ok(Some(Summary::new(answer, "my-model")?))
/// });
/// let talk = [Message::user("hi")];
/// # let pass = async {
/// let summary = summarizer.summarize(Brief::new(&talk)).await.unwrap().unwrap();
/// assert_eq!(summary.model(), "my-model");
/// # };
/// # let mut pass = std::pin::pin!(pass);
/// # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
/// # assert!(std::future::Future::poll(pass.as_mut(), &mut context).is_ready());
/// ```
#[derive(Clone)]
pub struct FnSummarizer<F> {
    name: String,
    ask: F,
}

impl<F> FnSummarizer<F> {
    /// Asks `ask`; `name` is what [`Debug`](fmt::Debug) shows.
    #[must_use]
    pub fn new<A>(name: impl Into<String>, ask: F) -> Self
    where
        F: Fn(Request) -> A + Send + Sync + 'static,
        A: Future<Output = Result<Option<Summary>, SummarizerError>> + Send,
    {
        Self {
            name: name.into(),
            ask,
        }
    }
}

#[async_trait]
impl<F, A> Summarizer for FnSummarizer<F>
where
    F: Fn(Request) -> A + Send + Sync + 'static,
    A: Future<Output = Result<Option<Summary>, SummarizerError>> + Send,
{
    async fn summarize(&self, brief: Brief<'_>) -> Result<Option<Summary>, SummarizerError> {
        (self.ask)(brief.request()).await
    }
}

impl<F> fmt::Debug for FnSummarizer<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FnSummarizer").field(&self.name).finish()
    }
}
