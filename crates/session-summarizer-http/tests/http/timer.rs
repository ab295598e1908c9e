//! Retrying in a tokio runtime whose clock stands still until everybody waits.

use std::time::Duration;

use session_log::Message;
use session_summarizer::{
    Answer, Brief, RetryPolicy, Retrying, Scripted, Summarizer, SummarizerError, Summary, Timer,
};
use session_summarizer_http::TokioTimer;

/// Never answers.
#[derive(Debug)]
struct Stuck;

#[async_trait::async_trait]
impl Summarizer for Stuck {
    async fn summarize(&self, _: Brief<'_>) -> Result<Option<Summary>, SummarizerError> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn waits_and_limits_are_kept_in_the_time_of_tokio() {
    let talk = [Message::user("Fix the gate.")];
    let seconds = Duration::from_secs;
    let timer = TokioTimer::new();
    let busy = SummarizerError::unavailable(Some(seconds(7)));
    let model = Scripted::new([Answer::Error(busy), Answer::text("Fixed.")]);
    let retrying = Retrying::new(model, timer);
    let summary = retrying
        .summarize(Brief::new(&talk))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(summary.attempts(), 2);
    assert_eq!(timer.now().as_secs(), 7);

    let mut policy = RetryPolicy::default();
    policy.attempts = 1;
    policy.attempt_limit = Some(seconds(20));
    let retrying = Retrying::new(Stuck, timer).with_policy(policy);
    let error = retrying.summarize(Brief::new(&talk)).await.unwrap_err();
    assert!(
        matches!(error, SummarizerError::Timeout { .. }),
        "{error:?}"
    );
    assert_eq!(timer.now().as_secs(), 27);
}
