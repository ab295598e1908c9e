//! What the store costs, against a plain loop over the same library in the same run.
//!
//! `cargo bench -p session-store-sqlite` prints a table; `EVENTS` sets how long the long log is
//! (default 100,000). Ratios are what to look at: absolute times are the disk's.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};
use session_log::{EventId, Message, NewEvent, SessionId, Timestamp, Version, wire};
use session_store::{
    Batch, Expected, NewSession, Scope, SearchQuery, SessionStore, SessionStoreExt as _,
};
use session_store_sqlite::{Durability, SqliteOptions, SqliteStore};
use session_store_testkit::block_on;
use session_store_testkit::make::{boundary, sid, tokens};

fn main() {
    let length = std::env::var("EVENTS").map_or(100_000, |length| length.parse().unwrap());
    let folder = tempfile::TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    appends(
        &path("raw.db"),
        &path("store.db"),
        Durability::Normal,
        2_000,
    );
    appends(
        &path("raw-full.db"),
        &path("full.db"),
        Durability::Full,
        200,
    );
    together(&path("together.db"));
    for length in [1_000, length] {
        long_log(&path(&format!("{length}.db")), length);
    }
}

fn line(what: &str, took: Duration, count: u32) {
    let micros = took.as_secs_f64() * 1e6 / f64::from(count);
    println!("{what:<60} {micros:>12.1} µs");
}

/// The time all threads of this process have had a processor; nothing where the system does not
/// tell.
fn cpu() -> Duration {
    // The system books a thread's time when it is switched.
    std::thread::yield_now();
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let nanos = tasks.filter_map(|task| {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanos.sum())
}

/// A stretch of time, on the wall and on the processors.
#[derive(Default)]
struct Spent {
    wall: Duration,
    cpu: Duration,
}

impl Spent {
    fn measure(&mut self, begin: (Instant, Duration)) {
        self.wall += begin.0.elapsed();
        self.cpu += cpu() - begin.1;
    }

    fn line(&self, what: &str, count: u32) {
        line(what, self.wall, count);
        line(&format!("{what}, on the processor"), self.cpu, count);
    }
}

fn now() -> (Instant, Duration) {
    (Instant::now(), cpu())
}

/// About as long as a message is.
fn event(number: u64) -> NewEvent {
    let text = format!(
        "Message number {number}: the invoice of the third quarter is checked, room {} is booked \
        for the meeting on Friday, and the report goes to everybody who was there last time.",
        number % 977
    );
    let id = EventId::new(format!("0198c0de-0000-7000-8000-{number:012}")).unwrap();
    let message = if number.is_multiple_of(2) {
        Message::user(text)
    } else {
        Message::assistant(text)
    };
    NewEvent::message(id, Timestamp::from_millis(0), message).with_tokens(tokens(40))
}

/// One append a transaction: a plain loop that writes the row and the version, and the store.
fn appends(raw: &Path, own: &Path, durability: Durability, count: u32) {
    let connection = Connection::open(raw).unwrap();
    let synchronous = match durability {
        Durability::Normal => "NORMAL",
        Durability::Full => "FULL",
    };
    connection
        .execute_batch(&format!(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = {synchronous};
            CREATE TABLE session (id TEXT PRIMARY KEY, version INTEGER);
            INSERT INTO session VALUES ('s1', 0);
            CREATE TABLE event (row INTEGER PRIMARY KEY, session TEXT, seq INTEGER,
                id TEXT UNIQUE, tokens INTEGER, record TEXT, UNIQUE (session, seq));"
        ))
        .unwrap();
    let options = SqliteOptions::default().with_durability(durability);
    let store = SqliteStore::open_with(own, options).unwrap();
    block_on(Box::pin(async move {
        let _ = store.create(new_session()).await.unwrap();
        let (mut raw_took, mut own_took) = (Spent::default(), Spent::default());
        // In turns, so that a busy machine hits both.
        for turn in 0..u64::from(count) / 50 {
            let numbers = turn * 50..(turn + 1) * 50;
            let begin = now();
            for number in numbers.clone() {
                plain_append(&connection, number);
            }
            raw_took.measure(begin);
            let begin = now();
            for number in numbers {
                let expected = Expected::Exact(Version::new(number));
                let outcome = store
                    .append(&id(), expected, Batch::from(event(number)))
                    .await;
                assert_eq!(outcome.unwrap().done().unwrap().new, 1);
            }
            own_took.measure(begin);
        }
        raw_took.line(&format!("one append, {synchronous}: plain loop"), count);
        own_took.line(&format!("one append, {synchronous}: store"), count);
        for (what, own, raw) in [
            ("wall", own_took.wall, raw_took.wall),
            ("processor", own_took.cpu, raw_took.cpu),
        ] {
            let ratio = own.as_secs_f64() / raw.as_secs_f64();
            println!("{:<60} {ratio:>12.2} ×", format!("  ratio, {what}"));
        }

        let batch = |from: u64| Batch::new((from..from + 100).map(event).collect());
        let begin = Instant::now();
        for hundred in 0..20_u64 {
            let batch = batch(1_000_000 + hundred * 100);
            let outcome = store.append(&id(), Expected::Any, batch).await;
            assert_eq!(outcome.unwrap().done().unwrap().new, 100);
        }
        line(
            &format!("an event in batches of 100, {synchronous}"),
            begin.elapsed(),
            2_000,
        );
    }));
}

fn plain_append(connection: &Connection, number: u64) {
    let event = event(number);
    let record = wire::encode(&event).unwrap();
    let seq = i64::try_from(number).unwrap() + 1;
    let run = |sql: &str| connection.prepare_cached(sql).unwrap().execute([]).unwrap();
    run("BEGIN IMMEDIATE");
    connection
        .prepare_cached(
            "INSERT INTO event (session, seq, id, tokens, record) VALUES ('s1', ?1, ?2, 40, ?3)",
        )
        .unwrap()
        .execute(params![seq, event.id.as_str(), record])
        .unwrap();
    connection
        .prepare_cached("UPDATE session SET version = ?1 WHERE id = 's1'")
        .unwrap()
        .execute([seq])
        .unwrap();
    run("COMMIT");
}

/// Many clients that wait for the disk share the wait.
fn together(path: &Path) {
    let options = SqliteOptions::default().with_durability(Durability::Full);
    let store = SqliteStore::open_with(path, options).unwrap();
    for clients in [1_u32, 16, 64] {
        let each = 50;
        let begin = Instant::now();
        std::thread::scope(|scope| {
            for client in 0..clients {
                let store = store.clone();
                scope.spawn(move || {
                    block_on(Box::pin(async move {
                        let id = SessionId::new(format!("{clients}/{client}")).unwrap();
                        let new = NewSession::new(id.clone(), Timestamp::from_millis(0));
                        let _ = store.create(new).await.unwrap();
                        for number in 0..each {
                            let place = u64::from((clients * 1_000 + client) * 1_000 + number);
                            let batch = Batch::from(event(place));
                            let outcome = store.append(&id, Expected::Any, batch).await;
                            assert_eq!(outcome.unwrap().done().unwrap().new, 1);
                        }
                    }));
                });
            }
        });
        line(
            &format!("an append of {clients} clients at once, FULL"),
            begin.elapsed(),
            clients * each,
        );
    }
}

fn id() -> SessionId {
    sid("s1")
}

fn new_session() -> NewSession {
    NewSession::new(id(), Timestamp::from_millis(0)).with_owner("ann")
}

fn long_log(path: &Path, length: u64) {
    block_on(Box::pin(async {
        let store = SqliteStore::open(path).unwrap();
        let _ = store.create(new_session()).await.unwrap();
        let begin = Instant::now();
        let mut next = 0;
        while next < length {
            let end = (next + 500).min(length);
            let mut events: Vec<NewEvent> = (next..end).map(event).collect();
            if next == 0 {
                let needle = Message::user("a needle in the stack");
                let at = Timestamp::from_millis(0);
                events.push(NewEvent::message(
                    EventId::new("needle").unwrap(),
                    at,
                    needle,
                ));
            }
            let outcome = store.append(&id(), Expected::Any, Batch::new(events)).await;
            assert!(outcome.unwrap().done().is_some());
            next = end;
        }
        let count = u32::try_from(length).unwrap();
        line(
            &format!("{length}: an event, imported"),
            begin.elapsed(),
            count,
        );
        let begin = Instant::now();
        store.update_index().await.unwrap();
        line(
            &format!("{length}: an event, rest of the index"),
            begin.elapsed(),
            count,
        );

        let head = store.head(&id()).await.unwrap().unwrap();
        let kept = head.version.as_u64() - 99;
        let batch = Batch::from(boundary("b1", kept, &[1, 2]));
        assert!(
            store
                .append(&id(), Expected::Any, batch)
                .await
                .unwrap()
                .done()
                .is_some()
        );
        let rounds = 300;
        let begin = Instant::now();
        for _ in 0..rounds {
            let (_, events) = store.load(&id()).await.unwrap().unwrap();
            assert_eq!(events.len(), 103);
        }
        line(
            &format!("{length}: load a view of 100"),
            begin.elapsed(),
            rounds,
        );
        let begin = Instant::now();
        for _ in 0..rounds {
            assert!(store.head(&id()).await.unwrap().is_some());
        }
        line(&format!("{length}: read the head"), begin.elapsed(), rounds);
        for (word, most) in [
            ("needle", 20),
            ("room 976", 20),
            ("invoice", 20),
            ("qx", 3),
            ("xyzzy plugh", 20),
        ] {
            for scope in [Scope::Session(id()), Scope::Owner("ann".into())] {
                let query = SearchQuery::new([word]);
                let begin = Instant::now();
                let mut hits = 0;
                for _ in 0..most {
                    hits = store.search(&scope, &query).await.unwrap().items.len();
                }
                let name = match scope {
                    Scope::Session(_) => "session",
                    _ => "owner",
                };
                let what = format!("{length}: a page of {word:?} in the {name}, {hits} hits");
                line(&what, begin.elapsed(), most);
            }
        }
        drop(store);
        let begin = Instant::now();
        let store = SqliteStore::open(path).unwrap();
        line(&format!("{length}: open"), begin.elapsed(), 1);
        drop(store);
    }));
    let bytes = std::fs::metadata(path).unwrap().len();
    println!(
        "{:<60} {:>12} bytes an event",
        format!("{length}: the file"),
        bytes / length
    );
}
