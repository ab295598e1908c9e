//! What the tests share: an estimator, a way to wait without a runtime, a recorded conversation.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "each test file uses a part of it"
)]

use core::future::Future;
use core::pin::pin;
use core::task::{Context, Poll, Waker};

use compaction_core::TokenEstimator;
use session_log::{Message, Role};

/// One token for each four bytes begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BytesDiv4;

impl TokenEstimator for BytesDiv4 {
    fn name(&self) -> &str {
        "bytes4"
    }

    fn estimate(&self, text: &str) -> u64 {
        (text.len() as u64).div_ceil(4)
    }
}

/// Runs a future that never waits for the outside.
pub(crate) fn now<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..10_000 {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
    panic!("the future waits for something that never comes");
}

/// Thirty messages about a billing service, as they were sent to the models whose summaries are
/// recorded.
pub(crate) fn halyard() -> Vec<Message> {
    let text = include_str!("../data/halyard.json");
    let records: serde_json::Value = serde_json::from_str(text).unwrap();
    let message = |record: &serde_json::Value| {
        let role = record["role"].as_str().unwrap();
        let content = record["content"].as_str().unwrap();
        match Role::from_name(role) {
            Role::User => Message::user(content),
            _ => Message::assistant(content),
        }
    };
    records.as_array().unwrap().iter().map(message).collect()
}
