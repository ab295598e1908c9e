//! Several processes with several threads each append to the same two sessions, while others read:
//! nobody hears of a conflict they did not ask for, and no place is missing or taken twice.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stdout)]

mod common;

use std::collections::BTreeSet;
use std::process::{Child, Command};

use futures_util::future::join_all;
use session_log::{EventId, NewEvent};
use session_store::{
    Appended, Batch, EventQuery, Expected, NewSession, SessionStore as _, SessionStoreExt as _,
};
use session_store_postgres::PostgresStore;
use session_store_testkit::make::{at, sid, user};

use crate::common::{CLUSTER, RUNTIME};

const PROCESSES: usize = 2;
const TASKS: usize = 6;
const APPENDS: usize = 40;
const SESSIONS: [&str; 2] = ["s1", "s2"];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, role, url, process] = arguments.as_slice()
        && role == "append"
    {
        return RUNTIME.block_on(work(url, process));
    }
    let strict = " options='-c default_transaction_isolation=serializable'";
    let strict = CLUSTER.url("template1") + strict;
    for url in [CLUSTER.url("postgres"), strict] {
        // No process finds tables: they make them together.
        let started: Vec<Child> = (0..PROCESSES).map(|process| start(&url, process)).collect();
        for mut child in started {
            assert!(child.wait().unwrap().success(), "a process heard an error");
        }
        RUNTIME.block_on(check(&url));
    }
    println!("test result: ok. 2 passed; 0 failed");
}

fn start(url: &str, process: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["append", url, &process.to_string()])
        .spawn()
        .unwrap()
}

/// One process. Every second append says at which version it may happen and tries until it lands;
/// every event but one in four is sent twice, as after an answer that was lost.
async fn work(url: &str, process: &str) {
    let store = PostgresStore::connect(url).await.unwrap();
    for id in SESSIONS {
        let _ = store.create(NewSession::new(sid(id), at(0))).await.unwrap();
    }
    let tasks = (0..TASKS).map(|task| {
        let store = store.clone();
        let process = process.to_owned();
        tokio::spawn(async move {
            for number in 0..APPENDS {
                for session in SESSIONS {
                    let id = format!("{session}/{process}/{task}/{number}");
                    let event = user(&id, "hello");
                    append(&store, session, &event, number % 2 == 0).await;
                    if number % 4 > 0 {
                        let again = Batch::from(event);
                        let again = store.append(&sid(session), Expected::Any, again).await;
                        assert_eq!(again.unwrap().done().unwrap().new, 0);
                    }
                }
                let query = EventQuery::all().newest(5);
                let page = store.read(&sid("s1"), &query).await.unwrap();
                assert!(!page.items.is_empty());
            }
        })
    });
    for task in join_all(tasks).await {
        task.unwrap();
    }
}

async fn append(store: &PostgresStore, session: &str, event: &NewEvent, is_exact: bool) {
    let id = sid(session);
    loop {
        let head = store.head(&id).await.unwrap().unwrap();
        let expected = if is_exact {
            Expected::Exact(head.version)
        } else {
            Expected::Any
        };
        let batch = Batch::from(event.clone());
        match store.append(&id, expected, batch).await.unwrap() {
            Appended::Done(written) => {
                assert_eq!(written.new, 1);
                return;
            }
            Appended::Conflict { actual } => assert!(is_exact && actual > head.version),
        }
    }
}

async fn check(url: &str) {
    let store = PostgresStore::connect(url).await.unwrap();
    for session in SESSIONS {
        let log = store
            .read_all(&sid(session), EventQuery::all())
            .await
            .unwrap();
        let count = PROCESSES * TASKS * APPENDS;
        assert_eq!(log.len(), count);
        for (event, place) in log.iter().zip(1_u64..) {
            assert_eq!(event.seq.as_u64(), place);
        }
        let ids: BTreeSet<&EventId> = log.iter().map(|event| &event.id).collect();
        assert_eq!(ids.len(), count);
    }
}
