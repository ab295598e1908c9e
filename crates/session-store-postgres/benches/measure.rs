//! What the store costs, beside the same statements without it. `cargo bench -p
//! session-store-postgres` starts a server of its own, with `fsync`, and prints a table, and each
//! target with what was measured; `EVENTS` sets how long the longest log is (default 1,000,000).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
#![allow(clippy::print_stdout, clippy::panic)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::future::Future;
use std::time::Instant;

use futures_util::future::join_all;
use session_store::{
    Batch, Expected, NewSession, Scope, SearchQuery, SessionStore as _, SessionStoreExt as _,
};
use session_store_postgres::{Extras, PostgresOptions, PostgresStore};
use session_store_testkit::make::{assistant, at, boundary, sid, user};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Statement};

use crate::common::{Cluster, RUNTIME, client, query, run_sql};

const TEXT: &str = "The quick brown fox jumps over the lazy dog and asks for a room with a view. ";

fn main() {
    for (options, said) in [
        ("-c fsync=on", "with the disk"),
        ("-c fsync=off", "without the disk"),
    ] {
        let cluster = Cluster::start(options);
        let url = cluster.url("postgres");
        RUNTIME.block_on(async {
            let version = query(&url, "SHOW server_version").await;
            println!("\nPostgreSQL {}, {said}: middle of all times", version[0]);
            appends(&url).await;
        });
    }
    let cluster = Cluster::start("");
    let url = cluster.url("postgres");
    RUNTIME.block_on(async {
        println!("\nlong logs");
        long_logs(&url).await;
    });
}

/// Says how long `work` takes: the middle of so many times, so that a busy machine matters less.
async fn time<F: Future<Output = ()>>(what: &str, count: u32, work: impl FnMut(u32) -> F) -> f64 {
    line(what, times(count, work).await, 1)
}

async fn times<F: Future<Output = ()>>(count: u32, mut work: impl FnMut(u32) -> F) -> Vec<f64> {
    let mut times = Vec::new();
    for number in 0..count {
        let start = Instant::now();
        work(number).await;
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    times
}

fn line(what: &str, mut times: Vec<f64>, events: u32) -> f64 {
    times.sort_by(f64::total_cmp);
    let middle = times[times.len() / 2] / f64::from(events);
    println!("{what:<58} {middle:>10.0} µs");
    middle
}

/// A figure beside the most it should be.
fn target(what: &str, measured: f64, most: f64, unit: &str) {
    let verdict = if measured <= most { "met" } else { "MISSED" };
    let what = format!("target: {what}");
    println!("{what:<58} {measured:>10.2} {unit}, at most {most}: {verdict}");
}

async fn open(url: &str, schema: &str, extras: Extras) -> PostgresStore {
    let options = PostgresOptions::default()
        .with_schema(schema)
        .with_extras(extras)
        .with_max_connections(16);
    let store = PostgresStore::connect_with(url, &options).await.unwrap();
    for number in 0..16 {
        let new = NewSession::new(sid(&format!("s{number}")), at(0)).with_owner("ann");
        let _ = store.create(new).await.unwrap();
    }
    store
}

async fn append(store: &PostgresStore, session: &str, from: u32, size: u32) {
    let event = |number| user(&format!("{session}/{}", from + number), TEXT);
    let batch = Batch::new((0..size).map(event).collect());
    let appended = store.append(&sid(session), Expected::Any, batch).await;
    assert!(appended.unwrap().done().is_some());
}

async fn appends(url: &str) {
    let full = open(url, "full", Extras::IfThere).await;
    let plain = open(url, "plain", Extras::Never).await;
    let by_hand = ByHand::new(url).await;
    let (mut hand, mut own) = (Vec::new(), Vec::new());
    // In turns, so that a busy machine hits both.
    for turn in 0..20 {
        let one = |number| by_hand.append(turn * 50 + number);
        hand.extend(times(50, one).await);
        let one = |number| append(&plain, "s1", turn * 50 + number, 1);
        own.extend(times(50, one).await);
    }
    let hand = line("lock, insert, update and commit by hand", hand, 1);
    let own = line("one append, without trigrams and notifications", own, 1);
    target("the same against by hand", own / hand, 1.5, "×");
    let one = |number| append(&full, "s1", number, 1);
    time("one append", 1_000, one).await;
    let what = "an event in batches of 100";
    let many = |number| append(&plain, "s1", 10_000 + 100 * number, 100);
    line(
        &format!("{what}, without them"),
        times(100, many).await,
        100,
    );
    let many = |number| append(&full, "s1", 10_000 + 100 * number, 100);
    line(what, times(100, many).await, 100);
    let clients = (0..16).map(|client| {
        let (store, session) = (full.clone(), format!("s{client}"));
        tokio::spawn(async move {
            let one = |number| append(&store, &session, 100_000 + number, 1);
            times(200, one).await
        })
    });
    let start = Instant::now();
    join_all(clients).await;
    let rate = 16.0 * 200.0 / start.elapsed().as_secs_f64();
    println!("{:<58} {rate:>10.0} a second", "16 clients on 16 sessions");
}

/// What an append does, in so many statements one after the other.
struct ByHand {
    client: Client,
    lock: Statement,
    insert: Statement,
    update: Statement,
}

impl ByHand {
    async fn new(url: &str) -> Self {
        let tables = "CREATE TABLE one (id text PRIMARY KEY, version bigint);\n\
                      CREATE TABLE many (id text, seq bigint, event text UNIQUE, record text, \
                      PRIMARY KEY (id, seq));\nINSERT INTO one VALUES ('s1', 0)";
        run_sql(url, tables).await;
        let client = client(url).await;
        let lock = "SELECT version FROM one WHERE id = $1 FOR UPDATE";
        let insert = "INSERT INTO many VALUES ($1, $2, $3, $4)";
        let update = "UPDATE one SET version = $2 WHERE id = $1";
        Self {
            lock: client.prepare(lock).await.unwrap(),
            insert: client.prepare(insert).await.unwrap(),
            update: client.prepare(update).await.unwrap(),
            client,
        }
    }

    async fn append(&self, number: u32) {
        let (client, event) = (&self.client, format!("e{number}"));
        let number = i64::from(number);
        client.batch_execute("BEGIN").await.unwrap();
        client.query(&self.lock, &[&"s1"]).await.unwrap();
        let values: [&(dyn ToSql + Sync); 4] = [&"s1", &number, &event, &TEXT];
        client.execute(&self.insert, &values).await.unwrap();
        let values: [&(dyn ToSql + Sync); 2] = [&"s1", &number];
        client.execute(&self.update, &values).await.unwrap();
        client.batch_execute("COMMIT").await.unwrap();
    }
}

async fn long_logs(url: &str) {
    let longest: u32 = std::env::var("EVENTS").map_or(1_000_000, |it| it.parse().unwrap());
    let mut shortest = None;
    for (schema, length) in [("log3", 1_000_u32), ("log5", 100_000), ("log6", 1_000_000)] {
        if length > longest {
            continue;
        }
        let store = open(url, schema, Extras::IfThere).await;
        append(&store, "s1", 1, 1).await;
        // Events that differ, as fast as the server can make them.
        let copies = format!(
            "INSERT INTO {schema}.event SELECT session_id, n, 'copy ' || n, owner_key, n, \
             event_type, role, kind, is_synthetic, branch, tokens, estimator, \
             folded || md5(n::text), record FROM {schema}.event, generate_series(2, {length}) AS n;\n\
             UPDATE {schema}.session SET version = {length} WHERE id = 's1';\n\
             VACUUM ANALYZE {schema}.event"
        );
        run_sql(url, &copies).await;
        let tail = (0..100).map(|number| assistant(&format!("tail {number}"), TEXT));
        let kept = u64::from(length) + 1;
        let mut events = vec![boundary("boundary", kept, &[1])];
        events.extend(tail);
        events.push(user("needle", "a needle in it"));
        let batch = Batch::new(events);
        let appended = store.append(&sid("s1"), Expected::Any, batch).await;
        assert!(appended.unwrap().done().is_some());

        let of = |what: &str| format!("{what}, log of {length}");
        let store = &store;
        let load = |_| async {
            let (_, events) = store.load(&sid("s1")).await.unwrap().unwrap();
            assert_eq!(events.len(), 103);
        };
        let took = time(&of("load a view of 103 events"), 200, load).await;
        match shortest {
            Some(first) => target(&of("against the shortest log"), took / first, 1.3, "×"),
            None => shortest = Some(took),
        }
        for (what, word, found) in [
            ("search a rare word", "needle", 1),
            ("search two rare letters, one page", "xq", 0),
        ] {
            for scope in [Scope::Session(sid("s1")), Scope::Owner("ann".into())] {
                let query = SearchQuery::new([word]);
                let by = match scope {
                    Scope::Owner(_) => " by owner",
                    _ => "",
                };
                let search = |_| async {
                    let page = store.search(&scope, &query).await.unwrap();
                    assert!(page.items.len() == found || page.next.is_some());
                };
                let what = of(&format!("{what}{by}"));
                let took = time(&what, 20, search).await;
                if word == "needle" {
                    target(&what, took / 1e3, 20.0, "ms");
                }
            }
        }
        let all = SearchQuery::new(["fox"]).with_limit(100);
        let search = |_| async {
            let page = store.search(&Scope::Session(sid("s1")), &all).await;
            assert_eq!(page.unwrap().items.len(), 100);
        };
        time(&of("search a word in every event, 100 hits"), 20, search).await;
        let open = |_| async {
            open(url, schema, Extras::IfThere).await;
        };
        time(&of("open, and look for 16 sessions"), 5, open).await;
    }
}
