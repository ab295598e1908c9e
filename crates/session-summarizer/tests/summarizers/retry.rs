//! Who is asked how often, and how long is waited.

use core::future::pending;
use core::pin::pin;
use core::task::{Context, Waker};
use core::time::Duration;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use proptest::prelude::*;
use session_summarizer::{
    Answer, Breaker, BreakerSettings, BreakerState, Brief, Checked, Fault, RetryPolicy, Retrying,
    Scripted, Silent, Summarizer, SummarizerError, Summary, Tally, Usage, VirtualTimer,
};

use crate::common::{BytesDiv4, halyard, now};

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
    let invalid = |fault| Answer::from(SummarizerError::invalid(fault));
    let filtered = || invalid(Fault::Filtered);
    let refused = || invalid(Fault::Refusal);
    let cut = || invalid(Fault::CutOff);
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
        (vec![filtered()], vec![text()], ("SUM x2", 1, 1, vec![])),
        (vec![refused()], vec![text()], ("SUM x2", 1, 1, vec![])),
        (vec![cut(), filtered()], vec![refused()], ("refusal", 2, 1, vec![])),
        (vec![cut(), cut(), text()], vec![], ("SUM x3", 3, 0, vec![])),
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

/// Tokens of answers that were refused were paid: the summary that comes in the end has them in its
/// account, and where none comes they are in the tally.
#[test]
fn what_failed_attempts_cost_is_reported() {
    let paid = |text: &str, read, wrote| {
        let summary = Summary::new(text, "m").unwrap();
        Answer::Summary(summary.with_usage(Some(read), Some(wrote)))
    };
    let talk = halyard();
    let run = |model: Vec<Answer>, fallback: Vec<Answer>| {
        let tally = Tally::new();
        let model = Checked::new(Scripted::new(model), BytesDiv4);
        let fallback = Checked::new(Scripted::new(fallback), BytesDiv4);
        let retrying = Retrying::new(model, VirtualTimer::new()).with_fallback(fallback);
        let answer = now(retrying.summarize(Brief::new(&talk).with_tally(&tally)));
        let usage = answer.map(|it| it.map(|it| it.usage()));
        (usage.ok().flatten(), tally.usage())
    };
    let usage = |read, wrote| Usage::new(Some(read), Some(wrote));
    let good = "Refunds are idempotent, audit on 14 March.";

    let (summary, lost) = run(
        vec![
            paid("Error: busy", 1_000, 4),
            busy(None),
            paid(good, 1_100, 12),
        ],
        vec![],
    );
    assert_eq!((summary, lost), (Some(usage(2_100, 16)), Usage::default()));

    let (summary, lost) = run(
        vec![paid("I'm sorry, I can't.", 1_000, 5)],
        vec![paid(good, 900, 12)],
    );
    assert_eq!((summary, lost), (Some(usage(1_900, 17)), Usage::default()));

    let rejected = || Answer::from(SummarizerError::rejected("no such model"));
    let (summary, lost) = run(
        vec![paid("I'm sorry, I can't.", 1_000, 5)],
        vec![rejected()],
    );
    assert_eq!((summary, lost), (None, usage(1_000, 5)));

    let (summary, lost) = run(vec![paid("Error: busy", 7, 1), Answer::Decline], vec![]);
    assert_eq!((summary, lost), (None, usage(7, 1)));
}

#[test]
fn a_summary_may_be_neither_too_thin_nor_too_long_for_who_asked() {
    let talk = halyard();
    let text = "The person and the assistant talked about refunds in Halyard.";
    let run = |share, most, budget: Option<u64>| {
        let model = Scripted::new([text]);
        let mut checked = Checked::new(model.clone(), BytesDiv4).with_least_share(share);
        if let Some(most) = most {
            checked = checked.with_most_tokens(most);
        }
        let mut brief = Brief::new(&talk);
        if let Some(budget) = budget {
            brief = brief.with_budget(budget);
        }
        let fault = now(checked.summarize(brief)).err();
        let fault = fault.and_then(|error| error.fault().map(Fault::to_string));
        (fault.unwrap_or_default(), model.asked()[0].budget)
    };
    // Sixteen tokens stand for a thousand.
    assert_eq!(run(0, None, None), (String::new(), None));
    assert_eq!(run(5, None, None), (String::new(), None));
    let (fault, _) = run(100, None, None);
    assert!(
        fault.starts_with("16 tokens are fewer than the "),
        "{fault}"
    );
    assert_eq!(run(100, None, Some(64)), (String::new(), Some(64)));
    assert_eq!(run(0, Some(16), Some(999)), (String::new(), Some(16)));
    let too_long = "16 tokens are more than the 15 allowed";
    assert_eq!(run(0, Some(15), None), (too_long.into(), Some(15)));
    assert_eq!(run(0, Some(99), Some(15)), (too_long.into(), Some(15)));
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
        (SummarizerError::invalid(Fault::Filtered), false),
        (SummarizerError::invalid(Fault::Refusal), false),
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
        let is_word = |c: char| c.is_ascii_lowercase() || c == '_';
        assert!(error.name().chars().all(is_word), "{}", error.name());
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
