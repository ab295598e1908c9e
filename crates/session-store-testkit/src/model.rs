//! Random calls against a store and against a plain model, which must give the same answers.
//!
//! The model keeps `Vec`s and works everything out from the beginning each time. It shares no code
//! with the stores but the types, so a fault in the port's own arithmetic shows too.

mod calls;
mod plain;

use std::fmt;
use std::sync::Arc;

use proptest::test_runner::{Config, TestCaseError, TestRunner};
use session_store::{SessionStore, SessionStoreExt as _};

use crate::lab::Run;

use self::calls::{Call, calls};
use self::plain::Plain;

/// Makes `cases` random histories of calls and checks that the store that `open` gives answers
/// each call, and stands at the end, like the model.
///
/// ```
/// use session_store_memory::MemoryStore;
/// use session_store_testkit::{block_on, model};
///
/// model::check(MemoryStore::new, block_on, 16);
/// ```
///
/// # Panics
///
/// With the shortest history found in which they differ.
pub fn check<S: SessionStore>(open: impl Fn() -> S, run: Run, cases: u32) {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let result = TestRunner::new(config).run(&calls(), |history| {
        let store = open();
        let mut difference = None;
        run(Box::pin(async {
            difference = follow(&store, &history).await;
        }));
        match difference {
            Some(difference) => Err(TestCaseError::fail(difference)),
            None => Ok(()),
        }
    });
    if let Err(failure) = result {
        panic!("the store and the model differ: {failure}");
    }
}

/// Makes the calls one after the other and tells the first difference.
async fn follow(store: &impl SessionStore, history: &[Call]) -> Option<String> {
    let mut model = Plain::default();
    for (number, call) in history.iter().enumerate() {
        let expected = model.answer(call);
        let answer = call.make(store).await;
        if answer != expected {
            return Some(format!(
                "call {number} was answered with\n{answer}\nthe model says\n{expected}"
            ));
        }
    }
    for id in calls::session_ids() {
        let session = store.session(&id).await;
        let log = store.read_all(&id, session_store::EventQuery::all()).await;
        let standing = show(session.map(|it| (it, in_full(&log.unwrap_or_default()))));
        let expected = model.standing(&id);
        if standing != expected {
            return Some(format!(
                "{id} stands at\n{standing}\nthe model at\n{expected}"
            ));
        }
    }
    None
}

/// An answer as text, the same for the same answer. It names errors by what they say.
fn show<T: fmt::Debug>(answer: Result<T, session_store::StoreError>) -> String {
    match answer {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => format!("error: {error}"),
    }
}

/// An event in full, since `Debug` shows no text.
fn in_full(events: &[Arc<session_log::Event>]) -> Vec<String> {
    let line = |event: &Arc<session_log::Event>| {
        let record = session_log::wire::encode(&session_log::Event::clone(event).into_new());
        format!("{} {}", event.seq, record.unwrap_or_default())
    };
    events.iter().map(line).collect()
}
