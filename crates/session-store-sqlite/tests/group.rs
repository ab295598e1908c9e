//! Appends that wait together share a transaction, and nothing else.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod common;

use std::task::{Context, Waker};
use std::time::Duration;

use rusqlite::Connection;
use session_store::{
    Appended, Batch, EventQuery, Expected, SessionStore, SessionStoreExt as _, StoreError,
};
use session_store_sqlite::{SqliteOptions, SqliteStore};
use session_store_testkit::make::{boundary, user};

use crate::common::{Folder, SID, fill, run};

/// Starts these appends while another connection holds the database, so that they wait together,
/// lets go, and gives the answers.
async fn append_together(
    store: &SqliteStore,
    folder: &Folder,
    batches: Vec<(Expected, Batch)>,
) -> Vec<Result<Appended, StoreError>> {
    let mut appends: Vec<_> = batches
        .into_iter()
        .map(|(expected, batch)| store.append(&SID, expected, batch))
        .collect();
    {
        let holder = Connection::open(folder.path()).unwrap();
        holder.execute_batch("BEGIN IMMEDIATE").unwrap();
        let mut context = Context::from_waker(Waker::noop());
        for append in &mut appends {
            assert!(append.as_mut().poll(&mut context).is_pending());
        }
        holder.execute_batch("ROLLBACK").unwrap();
    }
    let mut answers = Vec::new();
    for append in appends {
        answers.push(append.await);
    }
    answers
}

#[test]
fn what_is_refused_takes_nothing_else_with_it() {
    let folder = Folder::new();
    run(async {
        let store = SqliteStore::open(folder.path()).unwrap();
        fill(&store).await;
        let version = store.head(&SID).await.unwrap().unwrap().version;
        let batches = (0..60).map(|number| {
            let fresh = user(&format!("x{number}"), "hello");
            match number % 4 {
                0 => (Expected::Any, Batch::from(fresh)),
                // Two new events, then one that clashes: all three are refused.
                1 => {
                    let more = boundary(&format!("b{number}"), 1, &[]);
                    let clash = user("u1", "something else");
                    (Expected::Any, Batch::new(vec![fresh, more, clash]))
                }
                2 => (Expected::Exact(version), Batch::from(fresh)),
                _ => (Expected::Any, Batch::from(user("u1", "one"))),
            }
        });
        let answers = append_together(&store, &folder, batches.collect()).await;
        let mut landed = Vec::new();
        for (number, answer) in answers.into_iter().enumerate() {
            match (number % 4, answer) {
                (0, Ok(Appended::Done(written))) => {
                    assert_eq!(written.new, 1);
                    landed.push(written.events[0].id.clone());
                }
                (1, Err(error)) => assert!(matches!(error, StoreError::EventDiffers { .. })),
                // The first append has moved the version.
                (2, Ok(Appended::Conflict { actual })) => assert!(actual > version),
                (3, Ok(Appended::Done(written))) => assert_eq!(written.new, 0),
                (kind, answer) => assert!(answer.is_err() && kind > 3, "{kind}: {answer:?}"),
            }
        }
        let log = store.read_all(&SID, EventQuery::all()).await.unwrap();
        let new: Vec<_> = log[3..].iter().map(|event| event.id.clone()).collect();
        assert_eq!(new, landed);
        assert_eq!(store.head(&SID).await.unwrap().unwrap().boundary, None);
        assert_eq!(store.doctor().await.unwrap(), []);
    });
}

#[test]
fn when_the_database_cannot_be_had_everybody_hears_so_and_nothing_comes_later() {
    let folder = Folder::new();
    let options = SqliteOptions::default().with_busy_timeout(Duration::ZERO);
    run(async {
        let store = SqliteStore::open_with(folder.path(), options).unwrap();
        fill(&store).await;
        let holder = Connection::open(folder.path()).unwrap();
        holder.execute_batch("BEGIN IMMEDIATE").unwrap();
        for number in 0..20 {
            let batch = Batch::from(user(&format!("x{number}"), "hello"));
            let error = store.append(&SID, Expected::Any, batch).await.unwrap_err();
            assert!(error.is_retryable(), "{error}");
        }
        holder.execute_batch("ROLLBACK").unwrap();
        let log = store.read_all(&SID, EventQuery::all()).await.unwrap();
        assert_eq!(log.len(), 3);
        let again = Batch::from(user("x0", "hello"));
        let outcome = store.append(&SID, Expected::Any, again).await.unwrap();
        assert_eq!(outcome.done().unwrap().new, 1);
    });
}
