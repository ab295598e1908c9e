//! Who is asked how often, and how long is waited.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use core::future::{Future, pending};
use core::pin::pin;
use core::task::{Context, Waker};
use core::time::Duration;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use common::{BytesDiv4, halyard, now};
use proptest::prelude::*;
use session_summarizer::{
    Answer, Breaker, BreakerSettings, BreakerState, Brief, Checked, Fault, RetryPolicy, Retrying,
    Scripted, Silent, Summarizer, SummarizerError, Summary, VirtualTimer,
};

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn busy(retry_after: Option<u64>) -> Answer {
    SummarizerError::unavailable(retry_after.map(seconds)).into()
}

fn too_long() -> Answer {
    SummarizerError::InputTooLong { limit: None }.into()
}

/// What comes out of a model and a fallback with these answers: the text or the error, how often
/// each was asked, and the waits in seconds.
fn run(model: Vec<Answer>, fallback: Vec<Answer>) -> (String, usize, usize, Vec<u64>) {
    let (model, fallback) = (Scripted::new(model), Scripted::new(fallback));
    let timer = VirtualTimer::new();
    let retrying = Retrying::new(model.clone(), timer.clone()).with_fallback(fallback.clone());
    let talk = halyard();
    let outcome = match now(retrying.summarize(Brief::new(&talk))) {
        Ok(Some(summary)) => format!("{} x{}", summary.text(), summary.attempts()),
        Ok(None) => "declined".into(),
        Err(SummarizerError::Invalid { fault }) => fault.name().into(),
        Err(error) => format!("{error:?}")
            .split([' ', '{'])
            .next()
            .unwrap()
            .into(),
    };
    let waits = timer.waits().iter().map(Duration::as_secs).collect();
    (outcome, model.asked().len(), fallback.asked().len(), waits)
}

#[test]
fn what_may_pass_is_asked_again_and_what_will_not_goes_to_the_next() {
    let text = || Answer::text("SUM");
    let rejected = || Answer::from(SummarizerError::rejected("no such model"));
    let unauthorized = || Answer::from(SummarizerError::unauthorized());
    let blank = || Answer::text(" ");
    let timeout = || Answer::from(SummarizerError::Timeout { limit: seconds(9) });
    let cancelled = || Answer::from(SummarizerError::Cancelled);
    #[rustfmt::skip]
    let cases = [
        (vec![text()], vec![], ("SUM x1", 1, 0, vec![])),
        (vec![busy(None), text()], vec![], ("SUM x2", 2, 0, vec![1])),
        (vec![busy(None), busy(None), text()], vec![], ("SUM x3", 3, 0, vec![1, 2])),
        (vec![busy(Some(7)), text()], vec![], ("SUM x2", 2, 0, vec![7])),
        (vec![busy(Some(0)), text()], vec![], ("SUM x2", 2, 0, vec![1])),
        (vec![busy(Some(31))], vec![text()], ("SUM x2", 1, 1, vec![])),
        (vec![timeout(), text()], vec![], ("SUM x2", 2, 0, vec![1])),
        (vec![blank(), blank(), text()], vec![], ("SUM x3", 3, 0, vec![])),
        (vec![busy(None), busy(None), busy(None)], vec![text()], ("SUM x4", 3, 1, vec![1, 2])),
        (vec![rejected()], vec![text()], ("SUM x2", 1, 1, vec![])),
        (vec![unauthorized()], vec![text()], ("SUM x2", 1, 1, vec![])),
        (vec![too_long()], vec![text()], ("SUM x2", 1, 1, vec![])),
        (vec![too_long()], vec![too_long()], ("InputTooLong", 1, 1, vec![])),
        (vec![blank(), blank(), blank()], vec![blank(), blank(), blank()], ("blank", 3, 3, vec![])),
        (vec![rejected()], vec![unauthorized()], ("Unauthorized", 1, 1, vec![])),
        (vec![cancelled()], vec![], ("Cancelled", 1, 0, vec![])),
        (vec![Answer::Decline], vec![], ("declined", 1, 0, vec![])),
        (vec![busy(None), Answer::Decline], vec![], ("declined", 2, 0, vec![1])),
    ];
    for (model, fallback, (outcome, asked, fallback_asked, waits)) in cases {
        let name = format!("{model:?} {fallback:?}");
        let expected = (outcome.to_owned(), asked, fallback_asked, waits);
        assert_eq!(run(model, fallback), expected, "{name}");
    }
}

#[test]
fn an_invalid_summary_is_asked_for_again_and_named_in_the_end() {
    let model = Scripted::new(["Error: busy", "Refunds are idempotent, audit on 14 March."]);
    let checked = Checked::new(model, BytesDiv4);
    let talk = halyard();
    let retrying = Retrying::new(checked, VirtualTimer::new());
    let summary = now(retrying.summarize(Brief::new(&talk))).unwrap().unwrap();
    assert_eq!(summary.attempts(), 2);

    let hopeless = Checked::new(Scripted::always("Error: busy"), BytesDiv4);
    let retrying = Retrying::new(hopeless, VirtualTimer::new());
    let error = now(retrying.summarize(Brief::new(&talk))).unwrap_err();
    assert_eq!(error.fault(), Some(&Fault::ErrorText));
    assert_eq!(
        error.to_string(),
        "the summary is not valid: it is the text of an error"
    );
}

/// Never answers, and notes when it is dropped.
#[derive(Clone, Debug, Default)]
struct Stuck {
    asked: Arc<AtomicUsize>,
    dropped: Arc<AtomicUsize>,
}

struct Guard(Arc<AtomicUsize>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Summarizer for Stuck {
    async fn summarize(&self, _: Brief<'_>) -> Result<Option<Summary>, SummarizerError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let _guard = Guard(Arc::clone(&self.dropped));
        pending().await
    }
}

#[test]
fn a_summarizer_that_never_answers_is_given_up_in_time() {
    let stuck = Stuck::default();
    let timer = VirtualTimer::new();
    let mut policy = RetryPolicy::default();
    policy.attempts = 2;
    policy.attempt_limit = Some(seconds(10));
    policy.total_limit = Some(seconds(25));
    let retrying = Retrying::new(stuck.clone(), timer.clone())
        .with_fallback(stuck.clone())
        .with_policy(policy);
    let talk = halyard();
    let error = now(retrying.summarize(Brief::new(&talk))).unwrap_err();
    // Twice ten seconds with a second between; of the fallback's ten only four are left.
    assert_eq!(timer.waits(), [10, 1, 10, 4].map(seconds));
    let SummarizerError::Timeout { limit } = error else {
        panic!("{error:?}")
    };
    assert_eq!(limit, seconds(4));
    assert_eq!(stuck.asked.load(Ordering::SeqCst), 3);
    assert_eq!(stuck.dropped.load(Ordering::SeqCst), 3);
}

#[test]
fn a_wait_that_outlasts_the_time_left_is_not_begun() {
    let model = Scripted::new([busy(Some(7))]);
    let fallback = Scripted::new(["SUM"]);
    let timer = VirtualTimer::new();
    let mut policy = RetryPolicy::default();
    policy.total_limit = Some(seconds(5));
    let retrying = Retrying::new(model, timer.clone())
        .with_fallback(fallback)
        .with_policy(policy);
    let talk = halyard();
    let summary = now(retrying.summarize(Brief::new(&talk))).unwrap().unwrap();
    assert_eq!(summary.text(), "SUM");
    assert!(timer.waits().is_empty());
}

#[test]
fn dropping_the_future_ends_the_work() {
    let stuck = Stuck::default();
    let mut policy = RetryPolicy::default();
    policy.attempt_limit = None;
    policy.total_limit = None;
    let retrying = Retrying::new(stuck.clone(), VirtualTimer::new()).with_policy(policy);
    let talk = halyard();
    {
        let mut future = pin!(retrying.summarize(Brief::new(&talk)));
        let mut context = Context::from_waker(Waker::noop());
        assert!(future.as_mut().poll(&mut context).is_pending());
    }
    assert_eq!(stuck.dropped.load(Ordering::SeqCst), 1);
    assert_eq!(stuck.asked.load(Ordering::SeqCst), 1);
}

#[test]
fn silence_is_kept() {
    let retrying = Retrying::new(Silent, VirtualTimer::new());
    assert!(
        now(retrying.summarize(Brief::new(halyard())))
            .unwrap()
            .is_none()
    );
}

#[test]
fn every_error_says_what_to_do_and_keeps_its_cause_to_itself() {
    let cause = std::io::Error::other("SECRET");
    let cases = [
        (SummarizerError::unavailable(None).with_cause(cause), true),
        (SummarizerError::Timeout { limit: seconds(1) }, true),
        (SummarizerError::invalid(Fault::Blank), true),
        (SummarizerError::InputTooLong { limit: Some(9) }, false),
        (SummarizerError::rejected("no such model"), false),
        (SummarizerError::unauthorized(), false),
        (SummarizerError::Cancelled, false),
    ];
    for (error, is_retryable) in cases {
        assert_eq!(error.is_retryable(), is_retryable, "{error}");
        let text = error.to_string();
        assert!(
            text.starts_with(char::is_lowercase) && !text.ends_with('.'),
            "{text}"
        );
        assert!(!text.contains("SECRET"), "{text}");
    }
    let error = SummarizerError::unauthorized().with_cause(std::io::Error::other("SECRET"));
    let source = core::error::Error::source(&error).unwrap();
    assert_eq!(source.to_string(), "SECRET");
}

proptest! {
    /// With any settings: it opens after so many failures in a row and not before, each rest ends,
    /// rests do not shrink until a success, and one success closes it for good.
    #[test]
    fn a_breaker_opens_rests_longer_and_closes(
        failures in 0_u32..6,
        first_rest in 0_u64..5,
        longest_rest in 0_u64..40,
        start in prop_oneof![0_u64..1000, Just(u64::MAX - 3)],
    ) {
        let mut settings = BreakerSettings::default();
        settings.failures = failures;
        settings.first_rest = first_rest;
        settings.longest_rest = longest_rest;
        let mut breaker = Breaker::new(settings);
        let mut turn = start;
        for _ in 1..failures.max(1) {
            prop_assert_eq!(breaker.state(turn), BreakerState::Closed);
            breaker.failed(turn);
        }
        prop_assert!(breaker.allows(turn));
        let mut rest_before = 0;
        for _ in 0..8 {
            breaker.failed(turn);
            let BreakerState::Open { until } = breaker.state(turn) else {
                // Only at the end of all numbers there is no later turn to rest until.
                prop_assert_eq!(turn, u64::MAX);
                break;
            };
            let rest = until - turn - 1;
            prop_assert!(rest <= longest_rest.max(1));
            if until < u64::MAX {
                let twice = (rest_before * 2).max(first_rest.max(1));
                prop_assert_eq!(rest, twice.min(longest_rest.max(1)));
            }
            prop_assert!(!breaker.allows(until - 1));
            prop_assert_eq!(breaker.state(until), BreakerState::HalfOpen);
            rest_before = rest;
            turn = until;
        }
        breaker.succeeded();
        prop_assert_eq!(breaker, Breaker::new(settings));
        prop_assert!(breaker.allows(turn));
    }
}
