//! Several processes with several threads each append to one session of one file, while others
//! read: nobody hears of a busy database, and no place is missing or taken twice. And one process
//! meets a full disk.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

#[cfg(unix)]
#[path = "processes/full.rs"]
mod full;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command};

use session_log::{EventId, Message, NewEvent};
use session_store::{
    Appended, Batch, EventQuery, Expected, NewSession, SessionStore, SessionStoreExt as _,
};
use session_store_sqlite::SqliteStore;
use session_store_testkit::block_on;
use session_store_testkit::make::{at, sid};

const PROCESSES: usize = 3;
const THREADS: usize = 4;
const APPENDS: usize = 50;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, role, path, process] = arguments.as_slice()
        && role == "append"
    {
        return work(Path::new(path), process);
    }
    #[cfg(unix)]
    {
        if let [_, role, path] = arguments.as_slice()
            && role == "fill"
        {
            return full::work(Path::new(path));
        }
        full::a_full_disk_is_told_and_loses_nothing();
    }
    many_processes_append_to_one_session();
    println!(
        "test result: ok. {} passed; 0 failed",
        if cfg!(unix) { 2 } else { 1 }
    );
}

fn many_processes_append_to_one_session() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("log.db");
    // No process finds a database: they make it together.
    let started: Vec<Child> = (0..PROCESSES)
        .map(|process| {
            Command::new(std::env::current_exe().unwrap())
                .arg("append")
                .arg(&path)
                .arg(process.to_string())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in started {
        assert!(child.wait().unwrap().success(), "a process heard an error");
    }
    block_on(Box::pin(check(&path)));
}

/// One process: every second append says at which version it may happen and tries until it lands.
fn work(path: &Path, process: &str) {
    let store = SqliteStore::open(path).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let store = store.clone();
            scope.spawn(move || {
                block_on(Box::pin(async move {
                    let new = NewSession::new(sid("s1"), at(0));
                    let _ = store.create(new).await.unwrap();
                    for number in 0..APPENDS {
                        let id = EventId::new(format!("{process}/{thread}/{number}")).unwrap();
                        let event = NewEvent::message(id, at(0), Message::user("hello"));
                        append(&store, event, number % 2 == 0).await;
                        let query = EventQuery::all().newest(5);
                        let page = store.read(&sid("s1"), &query).await.unwrap();
                        assert!(!page.items.is_empty());
                    }
                }));
            });
        }
    });
}

async fn append(store: &SqliteStore, event: NewEvent, is_exact: bool) {
    loop {
        let head = store.head(&sid("s1")).await.unwrap().unwrap();
        let expected = if is_exact {
            Expected::Exact(head.version)
        } else {
            Expected::Any
        };
        let batch = Batch::from(event.clone());
        match store.append(&sid("s1"), expected, batch).await.unwrap() {
            Appended::Done(written) => {
                assert_eq!(written.new, 1);
                return;
            }
            Appended::Conflict { actual } => assert!(is_exact && actual > head.version),
        }
    }
}

async fn check(path: &Path) {
    let store = SqliteStore::open(path).unwrap();
    let log = store.read_all(&sid("s1"), EventQuery::all()).await.unwrap();
    let count = PROCESSES * THREADS * APPENDS;
    assert_eq!(log.len(), count);
    for (event, place) in log.iter().zip(1_u64..) {
        assert_eq!(event.seq.as_u64(), place);
    }
    let ids: BTreeSet<&EventId> = log.iter().map(|event| &event.id).collect();
    assert_eq!(ids.len(), count);
    assert_eq!(store.doctor().await.unwrap(), []);
}
