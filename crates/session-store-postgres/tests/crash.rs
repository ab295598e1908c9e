//! A process that appends is killed at a random moment, again and again.
//!
//! After each kill every acknowledged append must be there, no batch may be half there, the head
//! must be what the log folds to, and the same batch again must go in or change nothing.
//! `CRASH_ROUNDS` sets how often; the default is 10. For a release it is more:
//! `CRASH_ROUNDS=200 cargo test -p session-store-postgres --test crash`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stdout, clippy::indexing_slicing)]

mod common;

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use session_log::Version;
use session_store::{
    Batch, BoundaryMark, Counters, EventQuery, Expected, NewSession, Scope, SearchQuery,
    SessionStore as _, SessionStoreExt as _,
};
use session_store_postgres::PostgresStore;
use session_store_testkit::make::{assistant, at, boundary, revert, sid, tokens, user};

use crate::common::{CLUSTER, RUNTIME};

const SIZE: u64 = 4;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, role, url, next] = arguments.as_slice()
        && role == "append-until-killed"
    {
        return RUNTIME.block_on(append_until_killed(url, next.parse().unwrap()));
    }
    let rounds = std::env::var("CRASH_ROUNDS").map_or(10, |rounds| rounds.parse().unwrap());
    let url = CLUSTER.url("postgres");
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut next = 0;
    for round in 0..rounds {
        let mut child = start(&url, next);
        let acknowledged = kill_after(&mut child, random.below(40), random.below(200_000));
        next = RUNTIME.block_on(check(
            &url,
            acknowledged.map_or(next, |last| last + 1),
            round,
        ));
    }
    println!("{rounds} kills, {next} batches appended, none lost and none torn");
    println!("test result: ok. {rounds} passed; 0 failed");
}

fn start(url: &str, next: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["append-until-killed", url, &next.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Appends batch after batch and says the number of each that was acknowledged.
async fn append_until_killed(url: &str, next: u64) {
    let store = open(url).await;
    for number in next.. {
        let version = store.head(&sid("s1")).await.unwrap().unwrap().version;
        append(&store, "s1", batch(number, version)).await;
        append(&store, "plain", turn(number)).await;
        let mut out = std::io::stdout().lock();
        writeln!(out, "{number}").unwrap();
        out.flush().unwrap();
    }
}

async fn open(url: &str) -> PostgresStore {
    let store = PostgresStore::connect(url).await.unwrap();
    for id in ["s1", "plain"] {
        let _ = store.create(NewSession::new(sid(id), at(0))).await.unwrap();
    }
    store
}

/// How many of the batch were new.
async fn append(store: &PostgresStore, id: &str, batch: Batch) -> usize {
    let appended = store.append(&sid(id), Expected::Any, batch).await;
    appended.unwrap().done().unwrap().new
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
        assistant(&format!("{number}/r"), "after the boundary")
    };
    Batch::new(vec![
        user(&format!("{number}/u"), &format!("batch number {number}.")),
        assistant(&format!("{number}/a"), &"text ".repeat(200)),
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

/// Checks the store, in which at least the batches before `acknowledged` must be; gives the number
/// of the next batch.
async fn check(url: &str, acknowledged: u64, round: u32) -> u64 {
    let store = open(url).await;
    // The server may still be at work for the dead process. It is done when this has gone in, or
    // has changed nothing.
    let head = store.head(&sid("s1")).await.unwrap().unwrap();
    let last = head.version.as_u64() / SIZE;
    append(&store, "s1", batch(last, head.version)).await;
    let log = store.read_all(&sid("s1"), EventQuery::all()).await.unwrap();
    let next = u64::try_from(log.len()).unwrap() / SIZE;
    assert_eq!(
        next * SIZE,
        u64::try_from(log.len()).unwrap(),
        "torn in round {round}"
    );
    assert!(
        acknowledged <= next,
        "{acknowledged} were acknowledged in round {round}"
    );
    for (event, place) in log.iter().zip(0_u64..) {
        assert_eq!(event.seq.as_u64(), place + 1);
        assert!(event.id.as_str().starts_with(&format!("{}/", place / SIZE)));
    }

    // The head is what the log folds to.
    let head = store.head(&sid("s1")).await.unwrap().unwrap();
    assert_eq!(head.version.as_u64(), next * SIZE);
    assert_eq!(
        head.boundary,
        BoundaryMark::newest_live(log.iter().map(Arc::as_ref))
    );

    // Where there is no boundary the counters were kept by every append. Whatever was under way
    // can simply be said again.
    for number in acknowledged..next {
        append(&store, "plain", turn(number)).await;
    }
    let head = store.head(&sid("plain")).await.unwrap().unwrap();
    assert_eq!(head.version.as_u64(), 2 * next);
    let counters = Counters::new(2 * next, next, Some(tokens(12 * next)));
    assert_eq!(head.counters, Some(counters), "in round {round}");

    let query = SearchQuery::new([format!("number {}.", next - 1)]);
    let hits = store.search_all(&Scope::Session(sid("s1")), query).await;
    assert_eq!(hits.unwrap().len(), 1);
    next
}

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}
