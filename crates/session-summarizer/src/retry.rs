//! Asking again, and asking others.

use core::future::{Future, poll_fn};
use core::pin::pin;
use core::task::Poll;
use core::time::Duration;
use std::sync::Arc;

use async_trait::async_trait;

use crate::brief::Brief;
use crate::error::SummarizerError;
use crate::port::Summarizer;
use crate::summary::Summary;
use crate::tally::Tally;
use crate::timer::Timer;

/// How often and how patiently a summarizer is asked.
///
/// ```
/// use std::time::Duration;
/// use session_summarizer::RetryPolicy;
///
/// let mut policy = RetryPolicy::default();
/// policy.attempts = 5;
/// assert_eq!(policy.wait_after(1), Duration::from_secs(1));
/// assert_eq!(policy.wait_after(3), Duration::from_secs(4));
/// assert_eq!(policy.wait_after(60), policy.longest_wait);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// How often each summarizer is asked. Zero counts as one. Default: 3, since what fails three
    /// times in a row fails for a reason.
    pub attempts: u32,
    /// The wait after the first failure; each further one doubles it. Default: one second, the
    /// shortest wait that providers ask for.
    pub first_wait: Duration,
    /// The longest wait. A provider that asks for a longer one is not waited for: the next
    /// summarizer is asked. Default: 30 seconds, about what a person waits for.
    pub longest_wait: Duration,
    /// How long one answer may take. Default: two minutes, twice what a long summary takes.
    pub attempt_limit: Option<Duration>,
    /// How long all of it may take, waits included. Default: five minutes.
    pub total_limit: Option<Duration>,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 3,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(30),
            attempt_limit: Some(Duration::from_secs(120)),
            total_limit: Some(Duration::from_secs(300)),
        }
    }
}

impl RetryPolicy {
    /// The wait after so many failures in a row, when the provider asks for none.
    #[must_use]
    pub fn wait_after(&self, failures: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        self.first_wait
            .saturating_mul(doubled)
            .min(self.longest_wait)
    }
}

/// Asks a summarizer again when asking again can help, then the fallbacks, in order.
///
/// - What may pass is asked again after a wait: the one the provider asks for, else a doubling one.
/// - An answer that is no valid summary is asked for again at once, but for a refusal and what a
///   filter stopped: the next summarizer is asked, since the same one would say the same.
/// - What will not pass (a rejected request, bad credentials, too long an input) goes to the next
///   summarizer at once. The same over-long input is never sent twice.
/// - A summarizer that declines is done: `None` is an answer.
/// - Dropping the future ends everything; nothing runs on.
///
/// The summary's attempts, usage and time are those of all of it: tokens of failed attempts were
/// paid too. When nobody has a summary, the error is the last one, and what was paid is noted in the
/// [`Tally`] of the brief.
///
/// ```
/// # use session_log::Message;
/// use std::time::Duration;
/// use session_summarizer::{
///     Answer, Brief, Retrying, Scripted, Summarizer, SummarizerError, VirtualTimer,
/// };
///
/// let busy = SummarizerError::unavailable(None);
/// let model = Scripted::new([Answer::Error(busy), Answer::text("The gate is fixed.")]);
/// let timer = VirtualTimer::new();
/// let summarizer = Retrying::new(model, timer.clone());
/// let talk = [Message::user("Fix the gate.")];
/// # let pass = async {
/// let summary = summarizer.summarize(Brief::new(&talk)).await.unwrap().unwrap();
/// assert_eq!(summary.attempts(), 2);
/// assert_eq!(timer.waits(), [Duration::from_secs(1)]);
/// # };
/// # let mut pass = std::pin::pin!(pass);
/// # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
/// # assert!(std::future::Future::poll(pass.as_mut(), &mut context).is_ready());
/// ```
#[derive(Clone, Debug)]
pub struct Retrying {
    summarizers: Vec<Arc<dyn Summarizer>>,
    timer: Arc<dyn Timer>,
    policy: RetryPolicy,
}

impl Retrying {
    /// Asks `summarizer` under the default policy, without fallbacks.
    #[must_use]
    pub fn new(summarizer: impl Summarizer, timer: impl Timer) -> Self {
        Self {
            summarizers: vec![Arc::new(summarizer)],
            timer: Arc::new(timer),
            policy: RetryPolicy::default(),
        }
    }

    /// Asks `summarizer` too, when all before it failed.
    #[must_use]
    pub fn with_fallback(mut self, summarizer: impl Summarizer) -> Self {
        self.summarizers.push(Arc::new(summarizer));
        self
    }

    /// Asks under this policy.
    #[must_use]
    pub fn with_policy(mut self, policy: RetryPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Asks once, for as long as one answer may take and as there is time.
    async fn ask(
        &self,
        summarizer: &dyn Summarizer,
        brief: Brief<'_>,
        left: Option<Duration>,
    ) -> Result<Option<Summary>, SummarizerError> {
        let limit = match (self.policy.attempt_limit, left) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (some, None) | (None, some) => some,
        };
        let answer = summarizer.summarize(brief);
        match limit {
            None => answer.await,
            Some(limit) => within(answer, self.timer.sleep(limit))
                .await
                .unwrap_or(Err(SummarizerError::Timeout { limit })),
        }
    }
}

#[async_trait]
impl Summarizer for Retrying {
    async fn summarize(&self, brief: Brief<'_>) -> Result<Option<Summary>, SummarizerError> {
        let tally = Tally::new();
        let answer = self.persist(brief.clone().with_tally(&tally)).await;
        match answer {
            Ok(Some(summary)) => Ok(Some(summary.with_more_usage(tally.usage()))),
            other => {
                brief.lost(tally.usage());
                other
            }
        }
    }
}

impl Retrying {
    /// Asks until there is an answer, or nobody is left to ask.
    async fn persist(&self, brief: Brief<'_>) -> Result<Option<Summary>, SummarizerError> {
        let started = self.timer.now();
        let elapsed = || self.timer.now().saturating_sub(started);
        let left = || {
            let limit = self.policy.total_limit?;
            Some(limit.saturating_sub(elapsed()))
        };
        let mut failed: u64 = 0;
        let mut last = SummarizerError::Cancelled;
        for summarizer in &self.summarizers {
            for attempt in 1..=self.policy.attempts.max(1) {
                let error = match self.ask(&**summarizer, brief.clone(), left()).await {
                    Ok(None) => return Ok(None),
                    Ok(Some(summary)) => {
                        let attempts = summary.attempts().saturating_add(failed);
                        let summary = summary.with_attempts(attempts).with_duration(elapsed());
                        return Ok(Some(summary));
                    }
                    Err(error) => error,
                };
                failed = failed.saturating_add(1);
                let is_last = attempt >= self.policy.attempts;
                let wait = self.wait(&error, attempt);
                last = error;
                if matches!(last, SummarizerError::Cancelled) || left() == Some(Duration::ZERO) {
                    return Err(last);
                }
                let Some(wait) = wait.filter(|_| !is_last) else {
                    break;
                };
                if left().is_some_and(|left| left <= wait) {
                    break;
                }
                if !wait.is_zero() {
                    self.timer.sleep(wait).await;
                }
            }
        }
        Err(last)
    }

    /// How long to wait before the same summarizer is asked again; `None` when it is not.
    fn wait(&self, error: &SummarizerError, failures: u32) -> Option<Duration> {
        if !error.is_retryable() {
            return None;
        }
        if error.fault().is_some() {
            return Some(Duration::ZERO);
        }
        match error.retry_after() {
            Some(asked) if asked > self.policy.longest_wait => None,
            Some(asked) if !asked.is_zero() => Some(asked),
            _ => Some(self.policy.wait_after(failures)),
        }
    }
}

/// The output of `work`, unless `limit` is over first. Work that is done at the same moment counts.
async fn within<T>(work: impl Future<Output = T>, limit: impl Future<Output = ()>) -> Option<T> {
    let mut work = pin!(work);
    let mut limit = pin!(limit);
    poll_fn(|context| {
        if let Poll::Ready(output) = work.as_mut().poll(context) {
            return Poll::Ready(Some(output));
        }
        limit.as_mut().poll(context).map(|()| None)
    })
    .await
}
