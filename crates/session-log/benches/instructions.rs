//! Makes a view of so many events, for a counter of instructions to watch.
//!
//! `cargo xtask bench instructions` runs it under Valgrind, which counts what happens inside
//! [`measured`] alone, and checks how the counts grow.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a bench stops when asked for nonsense"
)]

use std::env;
use std::hint::black_box;
use std::sync::Arc;

use session_log::{
    Boundary, Event, EventBody, EventId, Json, Message, NewEvent, Receipt, Seq, Timestamp, Version,
    View, ViewQuery,
};

/// How many events stay behind a boundary.
const KEPT: u64 = 100;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [work, size] = arguments.as_slice() else {
        return; // nothing asked: `cargo bench` runs every bench without a word
    };
    let Ok(size) = size.parse::<u64>() else {
        panic!("`{size}` is no number of events");
    };
    let view = match work.as_str() {
        "fold" => {
            let log: Vec<_> = (1..=size).map(message).collect();
            measured(|| View::fold(black_box(log)))
        }
        "load" => {
            let kept_from = Seq::FIRST.plus(size.saturating_sub(KEPT));
            let receipt = Receipt::new(Json::null(), Json::null(), "none");
            let boundary = Boundary::new(kept_from, receipt);
            let boundary = event(size + 1, EventBody::Compaction(Box::new(boundary)));
            // What a store reads for it.
            let from = ViewQuery::of(Some(&boundary)).from.as_u64();
            let mut log: Vec<_> = (from..=size).map(message).collect();
            log.push(Arc::clone(&boundary));
            let version = Version::from(boundary.seq);
            measured(|| View::assemble(version, Some(boundary), black_box(log)))
        }
        _ => panic!("there is no work `{work}`"),
    };
    black_box(view);
}

/// What is counted: the counter looks for a function of this name.
#[inline(never)]
fn measured<T>(work: impl FnOnce() -> T) -> T {
    black_box(work())
}

fn message(seq: u64) -> Arc<Event> {
    let message = match seq % 2 {
        0 => Message::assistant("a"),
        _ => Message::user("u"),
    };
    event(seq, EventBody::Message(message))
}

fn event(seq: u64, body: EventBody) -> Arc<Event> {
    let id = EventId::new(format!("e{seq}")).unwrap();
    let event = NewEvent::new(id, Timestamp::from_millis(0), body);
    Arc::new(event.at(Seq::new(seq).unwrap()))
}
