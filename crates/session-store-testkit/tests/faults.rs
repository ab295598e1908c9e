//! The store that fails on purpose fails as it says.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use session_store::{
    Batch, EventQuery, Expected, NewSession, SessionStore, SessionStoreExt as _, StoreError,
};
use session_store_memory::MemoryStore;
use session_store_testkit::make::{at, sid, user};
use session_store_testkit::{Fault, FaultyStore, block_on};

/// A store with an empty session, whose second call fails.
fn faulty(fault: Fault) -> FaultyStore<MemoryStore> {
    let store = FaultyStore::new(MemoryStore::new()).with_fault(2, fault);
    block_on(Box::pin(async {
        let new = NewSession::new(sid("s1"), at(0));
        assert!(store.create(new).await.unwrap().is_new());
    }));
    store
}

fn events_inside(store: &FaultyStore<MemoryStore>) -> usize {
    let mut count = 0;
    block_on(Box::pin(async {
        let log = store.inner().read_all(&sid("s1"), EventQuery::all()).await;
        count = log.unwrap().len();
    }));
    count
}

/// Appends once; tells whether an answer came, and which.
fn append(store: &FaultyStore<MemoryStore>) -> Option<Result<usize, StoreError>> {
    let id = sid("s1");
    let batch = Batch::from(user("e1", "hello"));
    let call = pin!(store.append(&id, Expected::Any, batch));
    let mut context = Context::from_waker(Waker::noop());
    match call.poll(&mut context) {
        Poll::Ready(answer) => Some(answer.map(|appended| appended.done().unwrap().new)),
        Poll::Pending => None,
    }
}

#[test]
fn every_fault_leaves_what_it_says_and_the_next_call_works() {
    for (fault, is_answered, is_done) in [
        (Fault::Refused, true, false),
        (Fault::AnswerLost, true, true),
        (Fault::Hangs, false, true),
        (Fault::Dropped { polls: 0 }, false, false),
        (Fault::Dropped { polls: 1 }, false, true),
    ] {
        let store = faulty(fault);
        match append(&store) {
            Some(answer) => assert!(is_answered && answer.unwrap_err().is_retryable()),
            None => assert!(!is_answered, "{fault:?}"),
        }
        assert_eq!(events_inside(&store), usize::from(is_done), "{fault:?}");
        let again = append(&store).expect("only the second call fails").unwrap();
        assert_eq!(again, usize::from(!is_done));
        assert_eq!((events_inside(&store), store.calls()), (1, 3));
    }
}

#[test]
fn without_faults_it_is_the_store_inside() {
    session_store_testkit::model::check(|| FaultyStore::new(MemoryStore::new()), block_on, 32);
}

session_store_testkit::store_laws!(|| FaultyStore::new(MemoryStore::new()));
