//! Short appends, which are written where they are polled.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use std::task::{Context, Waker};

use rusqlite::Connection;
use session_store::{Batch, Expected, SessionPatch, SessionStore, SessionStoreExt as _};
use session_store_sqlite::{SqliteOptions, SqliteStore};
use session_store_testkit::make::user;

use crate::common::{Folder, SID, fill, run};

async fn append(store: &SqliteStore, number: u32) {
    let batch = Batch::from(user(&format!("x{number}"), "hello"));
    let outcome = store.append(&SID, Expected::Any, batch).await.unwrap();
    assert_eq!(outcome.done().unwrap().new, 1);
}

/// Waits until the store's thread has done all it had to do.
async fn wait_for_thread(store: &SqliteStore) {
    for _ in 0..2 {
        store.update(&SID, SessionPatch::new()).await.unwrap();
    }
}

#[test]
fn most_are_there_after_the_first_poll() {
    let folder = Folder::new();
    run(async {
        let store = SqliteStore::open(folder.path()).unwrap();
        fill(&store).await;
        let other = Connection::open(folder.path()).unwrap();
        let mut at_once = 0;
        for number in 0..60 {
            let batch = Batch::from(user(&format!("x{number}"), "hello"));
            let mut append = store.append(&SID, Expected::Any, batch);
            let first = {
                let mut context = Context::from_waker(Waker::noop());
                append.as_mut().poll(&mut context)
            };
            if first.is_ready() {
                at_once += 1;
                let last = "SELECT id FROM event ORDER BY row DESC LIMIT 1";
                let last: String = other.query_row(last, [], |row| row.get(0)).unwrap();
                assert_eq!(last, format!("x{number}"));
            } else {
                let _ = append.await.unwrap();
            }
        }
        // The rest met the store's thread at work.
        assert!(at_once > 30, "{at_once}");
    });
}

#[test]
fn a_refused_one_leaves_no_transaction_open() {
    let folder = Folder::new();
    run(async {
        let store = SqliteStore::open(folder.path()).unwrap();
        fill(&store).await;
        for number in 0..200 {
            let batch = Batch::new(vec![
                user(&format!("y{number}"), "hello"),
                user("u1", "something else"),
            ]);
            assert!(store.append(&SID, Expected::Any, batch).await.is_err());
            let other = Connection::open(folder.path()).unwrap();
            other.execute_batch("BEGIN IMMEDIATE; ROLLBACK").unwrap();
        }
        assert_eq!(store.head(&SID).await.unwrap().unwrap().version.as_u64(), 3);
    });
}

#[test]
fn the_log_file_stays_small_when_there_are_no_others() {
    let folder = Folder::new();
    run(async {
        let store = SqliteStore::open(folder.path()).unwrap();
        fill(&store).await;
        for number in 0..3_000 {
            append(&store, number).await;
        }
        let log = folder.path().with_extension("db-wal");
        // A thousand pages, and what is written before the store's thread has its turn.
        assert!(std::fs::metadata(log).unwrap().len() < 10 << 20);
    });
}

#[test]
fn the_index_follows_when_there_are_no_others() {
    let folder = Folder::new();
    let options = SqliteOptions::default().with_index_after(1);
    run(async {
        let store = SqliteStore::open_with(folder.path(), options).unwrap();
        fill(&store).await;
        for number in 0..200 {
            append(&store, number).await;
        }
        wait_for_thread(&store).await;
        let other = Connection::open(folder.path()).unwrap();
        let count = "SELECT count(*) FROM search_index";
        let count: i64 = other.query_row(count, [], |row| row.get(0)).unwrap();
        assert!(count > 100, "{count}");
    });
}
