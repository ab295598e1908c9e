//! A folder with a database, and a session in it.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "not every test file uses all of it"
)]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use rusqlite::Connection;
use session_log::SessionId;
use session_store::{Batch, Expected, NewSession, SessionStore, attribute};
use session_store_sqlite::SqliteStore;
use session_store_testkit::block_on;
use session_store_testkit::make::{assistant, at, sid, tokens, user};
use tempfile::TempDir;

pub struct Folder(pub TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub fn path(&self) -> PathBuf {
        self.0.path().join("log.db")
    }
}

pub fn run(future: impl Future<Output = ()> + Send) {
    block_on(Box::pin(future));
}

/// A session with three events, the second of them a secret.
pub async fn fill(store: &SqliteStore) {
    let new = NewSession::new(sid("s1"), at(0))
        .with_owner("ann")
        .with_attribute(attribute::AGENT, "support");
    let _ = store.create(new).await.unwrap();
    let events = vec![
        user("u1", "one").with_tokens(tokens(3)),
        assistant("a1", "the secret is Zwetschgenmarmelade").with_tokens(tokens(5)),
        user("u2", "two").with_tokens(tokens(3)),
    ];
    let outcome = store
        .append(&sid("s1"), Expected::Any, Batch::new(events))
        .await;
    assert_eq!(outcome.unwrap().done().unwrap().new, 3);
}

/// Changes the file behind the store's back.
pub fn tamper(path: &Path, sql: &str) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(sql).unwrap();
}

pub static SID: LazyLock<SessionId> = LazyLock::new(|| sid("s1"));
