//! A process whose files may not grow any more, as on a full disk: it hears so, what it was told is
//! written is there, nothing else is, and when there is room again it goes on.

use std::path::Path;
use std::process::Command;

use session_log::{EventBody, Message, SessionId};
use session_store::{
    Batch, EventQuery, Expected, NewSession, Scope, SearchQuery, SessionStore,
    SessionStoreExt as _, StoreError,
};
use session_store_sqlite::SqliteStore;
use session_store_testkit::block_on;
use session_store_testkit::make::{at, seq, sid, user};

/// So many blocks of 512 bytes fit into a file.
const BLOCKS: &str = "3000";

/// A short append is written by who asks for it, a long one by the store's thread.
const SIZES: [(&str, usize); 2] = [("short", 8_000), ("long", 80_000)];

/// What the process does whose files may not grow.
pub(crate) fn work(path: &Path) {
    block_on(Box::pin(fill(path)));
}

pub(crate) fn a_full_disk_is_told_and_loses_nothing() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("log.db");
    // Without the trap a process is killed at its first write too many.
    let script = "trap '' XFSZ; ulimit -f $2; exec \"$0\" fill \"$1\"";
    let output = Command::new("sh")
        .args(["-c", script])
        .arg(std::env::current_exe().unwrap())
        .args([path.as_os_str(), BLOCKS.as_ref()])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    let said = String::from_utf8(output.stdout).unwrap();
    let counts: Vec<usize> = said.lines().map(|line| line.parse().unwrap()).collect();
    block_on(Box::pin(check(&path, &counts)));
}

/// Appends until nothing fits, then looks around, and says how much was acknowledged.
async fn fill(path: &Path) {
    let store = SqliteStore::open(path).unwrap();
    let mut counts = Vec::new();
    for (id, _) in SIZES {
        let _ = store.create(NewSession::new(sid(id), at(0))).await.unwrap();
    }
    for (id, size) in SIZES.into_iter().rev() {
        let mut count = 0;
        let error = loop {
            match append(&store, id, count, size).await {
                Ok(()) => count += 1,
                Err(error) => break error,
            }
            assert!(count < 1_000, "the disk is never full");
        };
        assert_failed(&error);
        counts.push(count);
    }
    // It stays like that, whatever is asked for, and reading goes on.
    let counts: Vec<usize> = counts.into_iter().rev().collect();
    for ((id, size), count) in SIZES.into_iter().zip(&counts) {
        for number in 100_000..100_010 {
            assert_failed(&append(&store, id, number, size).await.unwrap_err());
        }
        let log = store.read_all(&sid(id), EventQuery::all()).await.unwrap();
        assert_eq!(log.len(), *count);
        let query = SearchQuery::new(["plum 0 "]);
        let scope = Scope::Session(sid(id));
        assert_eq!(store.search_all(&scope, query).await.unwrap().len(), 1);
    }
    let findings = store.doctor().await.unwrap();
    assert_eq!(findings, []);
    for count in counts {
        println!("{count}");
    }
}

async fn append(
    store: &SqliteStore,
    id: &str,
    number: usize,
    size: usize,
) -> Result<(), StoreError> {
    let text = format!("plum {number} {}", "x".repeat(size));
    let batch = Batch::from(user(&format!("{id}/{number}"), &text));
    let appended = store.append(&sid(id), Expected::Any, batch).await?;
    assert_eq!(appended.done().unwrap().new, 1);
    Ok(())
}

fn assert_failed(error: &StoreError) {
    assert!(matches!(error, StoreError::Failed { .. }), "{error:?}");
}

async fn check(path: &Path, counts: &[usize]) {
    let store = SqliteStore::open(path).unwrap();
    assert_eq!(store.doctor().await.unwrap(), []);
    for ((id, size), count) in SIZES.into_iter().zip(counts) {
        let id: SessionId = sid(id);
        let log = store.read_all(&id, EventQuery::all()).await.unwrap();
        assert_eq!(log.len(), *count, "acknowledged, and nothing else");
        append(&store, id.as_str(), *count, size).await.unwrap();
        let tombstone = EventBody::Message(Message::user(""));
        store.erase(&id, seq(1), tombstone).await.unwrap();
    }
    assert_eq!(store.doctor().await.unwrap(), []);
}
