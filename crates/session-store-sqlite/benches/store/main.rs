//! What the store costs, against a plain loop over the same library in the same run.
//!
//! `cargo bench -p session-store-sqlite` prints a table, at its end each target with what was
//! measured; `append`, `view` or `search` behind `--` asks for a part of it, and `EVENTS` sets how long the longest log is (default 100,000; the targets speak of
//! 1,000,000). Ratios are what to look at: absolute times are the disk's.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr
)]

mod long;
mod table;

use std::path::Path;
use std::time::Instant;

use rusqlite::{Connection, params};
use session_log::{EventId, Message, NewEvent, SessionId, Timestamp, Version, wire};
use session_store::{Batch, Expected, NewSession, SessionStore as _};
use session_store_sqlite::{Durability, SqliteOptions, SqliteStore};
use session_store_testkit::block_on;
use session_store_testkit::make::{sid, tokens};

use crate::table::{Spent, line, now, ratio, target};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, path] = arguments.as_slice()
        && role == long::ALONE
    {
        return long::pass_alone(path);
    }
    let named: Vec<&str> = arguments.iter().map(String::as_str).collect();
    // What cargo itself says to a bench.
    let chosen = named.into_iter().find(|name| !name.starts_with("--"));
    let parts: &[Part] = match chosen {
        None => &[Part::Append, Part::View, Part::Search],
        Some("append") => &[Part::Append],
        Some("view") => &[Part::View],
        Some("search") => &[Part::Search],
        Some(other) => {
            eprintln!("there is no part {other}; there are: append, view, search");
            std::process::exit(2);
        }
    };
    let length = std::env::var("EVENTS").map_or(100_000, |length| length.parse().unwrap());
    let folder = tempfile::TempDir::new().unwrap();
    if parts.contains(&Part::Append) {
        append_to(folder.path());
    }
    if parts != [Part::Append] {
        let lengths: Vec<u64> = [1_000, 10_000, 100_000, 1_000_000]
            .into_iter()
            .filter(|step| *step < length)
            .chain([length])
            .collect();
        block_on(Box::pin(long::compare(folder.path(), &lengths, parts)));
    }
}

/// What can be measured alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Short appends against the plain loop, and many clients at once.
    Append,
    /// What an agent does in a long log: load the view, look at the head, compact, open.
    View,
    /// Words, rare and frequent, in a long log.
    Search,
}

fn append_to(folder: &Path) {
    let path = |name: &str| folder.join(name);
    let (raw, own) = (path("raw.db"), path("store.db"));
    appends(&raw, &own, Durability::Normal, 2_000);
    let (raw, own) = (path("raw-full.db"), path("full.db"));
    appends(&raw, &own, Durability::Full, 200);
    together(&path("together.db"));
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
            let what = format!("one append, {synchronous}, against the plain loop, {what}");
            target(&what, ratio(own, raw), 1.5, "×");
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
