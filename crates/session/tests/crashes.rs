//! An agent loop that is killed at any call of the store, and begun again.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use common::{Always, Characters, block_on};
use session::{
    Compaction, Error, EventType, Harness, MemoryStore, Message, SessionId, Sessions, ToolCall,
    Trigger, View, Window,
};
use session_store_testkit::{Fault, FaultyStore};

type Store = Arc<FaultyStore<MemoryStore>>;

/// What a process gets done in its life: `None` when it hangs and is killed.
fn live<T>(work: impl Future<Output = T>) -> Option<T> {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

fn harness(store: Store) -> Harness {
    let compaction = Compaction::builder(Window::Turns(1))
        .when(Trigger::TurnCount(2))
        .summarizer(Always("SUM"))
        .build()
        .unwrap();
    Harness::new(Sessions::new(store, Characters)).with_compaction(compaction)
}

/// Three turns, each with a call, as far as they are not there yet.
async fn work(store: Store, session: &SessionId) -> Result<(), Error> {
    let harness = harness(store);
    for number in 1..=3 {
        let question = Message::user(format!("question {number}"));
        let name = format!("turn {number}");
        let mut turn = harness.begin_turn(session, &name, question).await?;
        while !turn.is_answered() {
            let calls = turn.open_calls();
            let reply = match (calls.first(), turn.recorded().len()) {
                (Some(call), _) => Message::tool_result(call.id.as_str(), "7"),
                (None, 0) => Message::tool_calls([ToolCall::new("k", "tool", "{}")]),
                (None, _) => Message::assistant(format!("answer {number}")),
            };
            turn.record(reply).await?;
        }
        let end = turn.finish().await?;
        // Passes are tried again after the next turn; here the process is begun again.
        end.compaction.transpose()?;
    }
    Ok(())
}

#[test]
fn whatever_kills_it_each_message_is_stored_once_and_in_order() {
    let mut ways = BTreeSet::new();
    for fault in [
        Fault::Refused,
        Fault::AnswerLost,
        Fault::Hangs,
        Fault::Dropped { polls: 0 },
        Fault::Dropped { polls: 1 },
    ] {
        for nth in 1..=200 {
            let store = Arc::new(FaultyStore::new(MemoryStore::new()));
            let sessions = Sessions::new(store.clone(), Characters);
            let session = block_on(sessions.create()).unwrap().id;
            store.set_fault(store.calls() + nth, fault);
            let mut lives = 1;
            while !matches!(live(work(store.clone(), &session)), Some(Ok(()))) {
                lives += 1;
                assert!(lives < 4, "{fault:?} {nth}");
            }
            ways.insert(lives);
            let sessions = Sessions::new(MemoryStore::clone(store.inner()), Characters);
            let log = block_on(sessions.log(&session)).unwrap();
            let said = log.iter().filter(|event| {
                event.event_type() == EventType::MESSAGE && !event.origin.is_synthetic()
            });
            let said: Vec<_> = said.map(|event| event.id.to_string()).collect();
            let expected: Vec<_> = (1..=3)
                .flat_map(|turn| (0..4).map(move |place| format!("turn {turn}/{place}")))
                .collect();
            assert_eq!(said, expected, "{fault:?} {nth}");
            let view = block_on(sessions.view(&session)).unwrap();
            assert_eq!(view, View::fold(log), "{fault:?} {nth}");
            assert_eq!(view.events().len(), 2 + 4, "{fault:?} {nth}");
        }
    }
    assert_eq!(ways, BTreeSet::from([1, 2]));
}
