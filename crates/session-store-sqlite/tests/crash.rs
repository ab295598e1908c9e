//! A process that appends is killed at a random moment, again and again.
//!
//! After each kill every acknowledged append must be there, no batch may be half there, the head
//! must be what the log folds to, and the next append must work. `CRASH_ROUNDS` sets how often;
//! the default is 30. For a release it is more:
//! `CRASH_ROUNDS=200 cargo test -p session-store-sqlite --test crash`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::print_stdout)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use session_log::{SessionId, Version};
use session_store::{
    Batch, BoundaryMark, Counters, EventQuery, Expected, NewSession, Scope, SearchQuery,
    SessionStore, SessionStoreExt as _,
};
use session_store_sqlite::{Durability, SqliteOptions, SqliteStore};
use session_store_testkit::block_on;
use session_store_testkit::make::{assistant, at, boundary, revert, sid, tokens, user};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, role, path, start, durability] = arguments.as_slice()
        && role == "append-until-killed"
    {
        let start = start.parse().unwrap();
        return block_on(Box::pin(append_until_killed(
            Path::new(path),
            start,
            durability,
        )));
    }
    let rounds = std::env::var("CRASH_ROUNDS").map_or(30, |rounds| rounds.parse().unwrap());
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("log.db");
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut acknowledged = 0;
    let mut appended = 0;
    for round in 0..rounds {
        let durability = if round % 5 == 4 { "full" } else { "normal" };
        let mut child = start(&path, appended, durability);
        let acks = kill_after(&mut child, random.below(40), random.below(5_000));
        acknowledged = acks.unwrap_or(acknowledged);
        appended = check(&path, acknowledged, round);
    }
    println!("{rounds} kills, {appended} batches appended, none lost and none torn");
    println!("test result: ok. {rounds} passed; 0 failed");
}

fn options(durability: &str) -> SqliteOptions {
    // The index is kept busy too, so that kills hit its transactions as well.
    let options = SqliteOptions::default().with_index_after(8);
    match durability {
        "full" => options.with_durability(Durability::Full),
        _ => options,
    }
}

fn start(path: &Path, next: u64, durability: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .arg("append-until-killed")
        .arg(path)
        .arg(next.to_string())
        .arg(durability)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Appends batch after batch and says the number of each that was acknowledged.
async fn append_until_killed(path: &Path, start: u64, durability: &str) {
    let store = SqliteStore::open_with(path, options(durability)).unwrap();
    for id in [session(), plain()] {
        let _ = store.create(NewSession::new(id, at(0))).await.unwrap();
    }
    for number in start.. {
        let version = store.head(&session()).await.unwrap().unwrap().version;
        let batch = batch(number, version);
        let outcome = store.append(&session(), Expected::Any, batch).await;
        assert_eq!(outcome.unwrap().done().unwrap().new, SIZE);
        let outcome = store.append(&plain(), Expected::Any, turn(number)).await;
        assert_eq!(outcome.unwrap().done().unwrap().new, 2);
        let mut out = std::io::stdout().lock();
        writeln!(out, "{number}").unwrap();
        out.flush().unwrap();
    }
}

const SIZE: usize = 4;

fn session() -> SessionId {
    sid("s1")
}

fn plain() -> SessionId {
    sid("plain")
}

fn turn(number: u64) -> Batch {
    Batch::new(vec![
        user(&format!("plain {number}/u"), "hello").with_tokens(tokens(5)),
        assistant(&format!("plain {number}/a"), "hello").with_tokens(tokens(7)),
    ])
}

/// Every batch moves the head: a boundary in each, and every third one is taken back at once.
fn batch(number: u64, version: Version) -> Batch {
    let place = version.next_seq().as_u64();
    let last = if number.is_multiple_of(3) {
        revert(&format!("{number}/r"), place + 2)
    } else {
        assistant(&format!("{number}/r"), "after the boundary").with_tokens(tokens(3))
    };
    Batch::new(vec![
        user(&format!("{number}/u"), &format!("batch number {number}")).with_tokens(tokens(5)),
        assistant(&format!("{number}/a"), &"text ".repeat(200)).with_tokens(tokens(7)),
        boundary(&format!("{number}/b"), place, &[1]),
        last,
    ])
}

/// Kills the child when it has acknowledged so many batches and a little later; gives the last
/// acknowledgement that came through.
fn kill_after(child: &mut Child, acks: u64, spin: u64) -> Option<u64> {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut last = None;
    for _ in 0..acks {
        last = Some(lines.next().unwrap().unwrap().parse().unwrap());
    }
    for _ in 0..spin {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // What it said before it died counts; a torn last line does not.
    for line in lines.map_while(Result::ok) {
        last = line.parse().ok().or(last);
    }
    last
}

/// Checks the database and appends to it; gives the number of the next batch.
fn check(path: &Path, acknowledged: u64, round: usize) -> u64 {
    let mut next = 0;
    block_on(Box::pin(async {
        let store = SqliteStore::open_with(path, options("normal")).unwrap();
        let created = store.create(NewSession::new(session(), at(0))).await;
        let head = created.unwrap().into_session().head;
        let log = store.read_all(&session(), EventQuery::all()).await.unwrap();
        assert_eq!(log.len() % SIZE, 0, "half a batch in round {round}");
        for (batch, number) in log.chunks(SIZE).zip(0_u64..) {
            let own = format!("{number}/");
            let is_own =
                |event: &std::sync::Arc<session_log::Event>| event.id.as_str().starts_with(&own);
            assert!(batch.iter().all(is_own), "batch {number} in round {round}");
        }
        next = u64::try_from(log.len() / SIZE).unwrap();
        assert!(
            log.is_empty() || next > acknowledged,
            "batch {acknowledged} was acknowledged, {next} are there in round {round}"
        );

        // The head is what the log folds to, and what one more append makes of it.
        let folded = BoundaryMark::newest_live(log.iter().map(std::sync::Arc::as_ref));
        assert_eq!(head.version.as_u64(), u64::try_from(log.len()).unwrap());
        assert_eq!(head.boundary, folded);
        let batch = batch(next, head.version);
        let expected = Expected::Exact(head.version);
        let outcome = store.append(&session(), expected, batch).await;
        assert_eq!(outcome.unwrap().done().unwrap().new, SIZE);

        // Where there is no boundary the counters were kept by every append.
        let created = store.create(NewSession::new(plain(), at(0))).await;
        let head = created.unwrap().into_session().head;
        let turns = head.version.as_u64() / 2;
        assert_eq!(head.version.as_u64() % 2, 0, "half a turn in round {round}");
        assert!(log.is_empty() || turns > acknowledged, "a turn is lost");
        let sum = Some(tokens(12 * turns)).filter(|_| turns > 0);
        let counters = Counters::new(2 * turns, turns, sum);
        assert_eq!(head.counters, Some(counters));
        // Whatever was under way when the process died can simply be said again.
        for number in turns..=next {
            let again = store.append(&plain(), Expected::Any, turn(number)).await;
            assert_eq!(again.unwrap().done().unwrap().new, 2);
        }

        // Found by the index or beside it, each once.
        let word = format!("number {next}");
        let query = SearchQuery::new([word]).with_limit(100_000);
        let scope = Scope::Session(session());
        let hits = store.search_all(&scope, query).await.unwrap();
        let ends = |hit: &&session_store::Hit| hit.event.id.as_str() == format!("{next}/u");
        assert_eq!(hits.iter().filter(ends).count(), 1);
        let findings = store.doctor().await.unwrap();
        assert_eq!(findings, [], "in round {round}");
        next += 1;
    }));
    next
}

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}
