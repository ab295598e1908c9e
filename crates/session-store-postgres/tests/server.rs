//! The server comes and goes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use std::fmt::Debug;

use session_log::{EventBody, Message, Role, SessionId, Version};
use session_store::{
    Batch, BoundaryMark, Counters, Created, EventQuery, Expected, NewSession, Recount, Scope,
    SearchQuery, SessionPatch, SessionStore as _, SessionStoreExt as _, StoreError,
};
use session_store_postgres::PostgresStore;
use session_store_testkit::make::{at, boundary, revert, seq, sid, tokens, user};

use crate::common::{Cluster, RUNTIME, client, query, run_sql};

#[test]
fn a_store_survives_its_server_and_loses_nothing() {
    let cluster = Cluster::start("");
    RUNTIME.block_on(async {
        let url = cluster.url("postgres");
        let store = PostgresStore::connect(&url).await.unwrap();
        let id = sid("s1");
        let _ = store
            .create(NewSession::new(id.clone(), at(0)))
            .await
            .unwrap();
        let mut news = store.subscribe(&id).await.unwrap();

        // Writers say everything again until it is acknowledged, whatever they hear.
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let (store, id) = (store.clone(), id.clone());
                tokio::spawn(async move {
                    for number in 0..200 {
                        let event = user(&format!("{writer}/{number}"), "hello");
                        let batch = Batch::from(event);
                        loop {
                            let appended = store.append(&id, Expected::Any, batch.clone()).await;
                            match appended {
                                Ok(appended) => break drop(appended.done().unwrap()),
                                Err(error) => assert!(error.is_retryable(), "{error:?}"),
                            }
                        }
                    }
                })
            })
            .collect();
        for version in [50, 100, 150] {
            while news.version() < Version::new(version) {
                news.next().await.unwrap();
            }
            cluster.crash();
            let error = store.session(&id).await.unwrap_err();
            assert!(error.is_retryable(), "{error:?}");
            cluster.restart();
        }
        for writer in writers {
            writer.await.unwrap();
        }
        let log = store.read_all(&id, EventQuery::all()).await.unwrap();
        assert_eq!(log.len(), 800);
        for (event, place) in log.iter().zip(1_u64..) {
            assert_eq!(event.seq.as_u64(), place);
        }
        // What was missed while nobody could listen is told in the end.
        while news.version() < Version::new(800) {
            news.next().await.unwrap();
        }
    });
}

#[test]
fn connections_that_died_while_they_were_idle_are_not_noticed() {
    let cluster = Cluster::start("");
    RUNTIME.block_on(async {
        let store = PostgresStore::connect(&cluster.url("postgres"))
            .await
            .unwrap();
        let id = sid("s1");
        let _ = store
            .create(NewSession::new(id.clone(), at(0)))
            .await
            .unwrap();
        for round in 0..3 {
            cluster.crash();
            cluster.restart();
            let batch = Batch::from(user(&format!("e{round}"), "hello"));
            let appended = store.append(&id, Expected::Any, batch).await;
            assert_eq!(appended.unwrap().done().unwrap().new, 1);
        }
    });
}

/// Whatever statement is under way, the same call again finishes what the cut one began.
#[test]
fn connections_that_are_cut_at_any_moment_lose_and_double_nothing() {
    let cluster = Cluster::start("");
    RUNTIME.block_on(async {
        let url = cluster.url("postgres");
        let store = PostgresStore::connect(&url).await.unwrap();
        let id = sid("s1");
        let new = NewSession::new(id.clone(), at(0)).with_owner("ann");
        let _ = store.create(new).await.unwrap();
        let writer = {
            let (store, id) = (store.clone(), id.clone());
            tokio::spawn(async move { write_all(&store, &id).await })
        };
        let beside = client(&url).await;
        let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                   WHERE application_name = 'session-store-postgres'";
        let mut cuts = 0;
        for round in 0_u64.. {
            if writer.is_finished() || cuts > 60 {
                break;
            }
            // At another moment of a call each time.
            for _ in 0..round.wrapping_mul(7_919) % 3_000 {
                tokio::task::yield_now().await;
            }
            cuts += beside.query(cut, &[]).await.unwrap().len();
        }
        writer.await.unwrap();
        assert!(cuts > 5, "{cuts}");

        let log = store.read_all(&id, EventQuery::all()).await.unwrap();
        assert_eq!(log.len(), 3 * 60);
        for (event, place) in log.iter().zip(1_u64..) {
            assert_eq!(event.seq.as_u64(), place);
        }
        let head = store.head(&id).await.unwrap().unwrap();
        assert_eq!(head.version, Version::new(180));
        let folded = BoundaryMark::newest_live(log.iter().map(std::sync::Arc::as_ref));
        assert_eq!(head.boundary, folded);
        assert!(head.erasures >= 6, "{}", head.erasures);
        let query = SearchQuery::new(["plum"]);
        let hits = store.search_all(&Scope::Owner("ann".into()), query).await;
        assert_eq!(hits.unwrap().len(), 54);
    });
}

/// Three events at a time, every tenth of the first ones erased; again and again until it is done.
async fn write_all(store: &PostgresStore, id: &SessionId) {
    for number in 0..60_u64 {
        let place = 3 * number + 2;
        let batch = Batch::new(vec![
            user(&format!("{number}/u"), "plum"),
            boundary(&format!("{number}/b"), place, &[1]),
            revert(&format!("{number}/r"), place - number % 2),
        ]);
        while let Err(error) = store.append(id, Expected::Any, batch.clone()).await {
            assert!(error.is_retryable(), "{error:?}");
        }
        if number % 10 == 0 {
            let empty = || EventBody::Message(Message::user(""));
            while let Err(error) = store.erase(id, seq(place - 1), empty()).await {
                assert!(error.is_retryable(), "{error:?}");
            }
        }
    }
}

/// A commit waits for a standby that does not exist: it is written, and nobody was told. There the
/// connection is cut.
#[test]
fn what_was_done_when_the_connection_broke_in_a_commit_can_be_said_again() {
    let cluster = Cluster::start("-c synchronous_standby_names=nobody");
    RUNTIME.block_on(Box::pin(async {
        let url = cluster.url("postgres");
        let alone = format!("{url} options='-c synchronous_commit=local'");
        let store = PostgresStore::connect(&alone).await.unwrap();
        let waiting = PostgresStore::connect(&url).await.unwrap();
        let id = sid("s1");

        let new = NewSession::new(id.clone(), at(0)).with_owner("ann");
        let (there, said) = (waiting.clone(), new.clone());
        lose(&url, async move { there.create(said).await }).await;
        let done = store.session(&id).await.unwrap().unwrap();
        let again = store.create(new).await.unwrap();
        assert!(matches!(again, Created::Exists(session) if session == done));

        let batch = Batch::new(vec![user("u1", "one"), user("u2", "two")]);
        let (there, on, said) = (waiting.clone(), id.clone(), batch.clone());
        let expected = Expected::Exact(Version::new(0));
        lose(&url, async move { there.append(&on, expected, said).await }).await;
        let log = store.read_all(&id, EventQuery::all()).await.unwrap();
        assert_eq!(log.len(), 2);
        for expected in [expected, Expected::Any] {
            let again = store.append(&id, expected, batch.clone()).await.unwrap();
            let again = again.done().unwrap();
            assert_eq!((again.new, &again.events), (0, &log));
            assert_eq!(again.head.version, Version::new(2));
        }

        let patch = SessionPatch::new().with_expiry(Some(at(5)));
        let (there, on, said) = (waiting.clone(), id.clone(), patch.clone());
        lose(&url, async move { there.update(&on, said).await }).await;
        let done = store.session(&id).await.unwrap().unwrap();
        assert_eq!(done.expires_at, Some(at(5)));
        assert_eq!(store.update(&id, patch).await.unwrap(), done);

        let version = done.head.version;
        let recount = Recount::new(vec![(seq(1), tokens(7))]).with_counters(Counters::new(
            2,
            2,
            Some(tokens(9)),
        ));
        let (there, on, said) = (waiting.clone(), id.clone(), recount.clone());
        lose(&url, async move { there.recount(&on, version, said).await }).await;
        let done = store.load(&id).await.unwrap();
        assert!(store.recount(&id, version, recount).await.unwrap());
        assert_eq!(store.load(&id).await.unwrap(), done);
        assert_eq!(done.unwrap().1[0].tokens, Some(tokens(7)));

        let empty = EventBody::Message(Message::new(Role::User, Vec::new()));
        let (there, on, said) = (waiting.clone(), id.clone(), empty.clone());
        lose(&url, async move { there.erase(&on, seq(2), said).await }).await;
        let done = store.session(&id).await.unwrap().unwrap().head;
        let log = store.read_all(&id, EventQuery::all()).await.unwrap();
        assert_eq!((done.erasures, &log[1].body), (1, &empty));
        let again = store.erase(&id, seq(2), empty).await.unwrap();
        assert_eq!((again.version, again.erasures), (done.version, 2));
        let same = store.read_all(&id, EventQuery::all()).await.unwrap();
        assert_eq!(same, log);

        let (there, on) = (waiting.clone(), id.clone());
        lose(&url, async move { there.delete(&on).await }).await;
        assert_eq!(store.session(&id).await.unwrap(), None);
        assert!(!store.delete(&id).await.unwrap());

        // A sweep ends where the connection broke; the next one does the rest.
        for name in ["old", "older"] {
            let new = NewSession::new(sid(name), at(0)).with_expiry(at(1));
            let _ = store.create(new).await.unwrap();
        }
        let there = waiting.clone();
        lose(&url, async move { there.sweep(at(2)).await }).await;
        assert_eq!(store.sweep(at(2)).await.unwrap(), 1);
        assert_eq!(store.sweep(at(2)).await.unwrap(), 0);
    }));
}

/// The other half of not knowing: the server ends the connection in the commit, and nothing is
/// there.
#[test]
fn what_was_not_done_when_the_connection_broke_in_a_commit_is_done_by_the_next_call() {
    let cluster = Cluster::start("");
    RUNTIME.block_on(Box::pin(async {
        let url = cluster.url("postgres");
        let store = PostgresStore::connect(&url).await.unwrap();
        let id = sid("s1");
        let new = NewSession::new(id.clone(), at(0));
        let _ = store.create(new).await.unwrap();
        let at_commit = "\
            CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS \
            'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';\n\
            CREATE CONSTRAINT TRIGGER leave AFTER INSERT ON session_store.event \
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION leave()";
        run_sql(&url, at_commit).await;

        let batch = Batch::new(vec![user("u1", "one"), user("u2", "two")]);
        let cut = store.append(&id, Expected::Any, batch.clone()).await;
        check_uncertain(&cut.unwrap_err());
        let log = store.read_all(&id, EventQuery::all()).await.unwrap();
        assert_eq!(log, []);
        run_sql(&url, "DROP TRIGGER leave ON session_store.event").await;
        let again = store.append(&id, Expected::Exact(Version::new(0)), batch);
        assert_eq!(again.await.unwrap().done().unwrap().new, 2);
    }));
}

/// The server cannot write its log in the commit and gives itself up.
#[test]
fn what_a_server_that_panicked_in_a_commit_did_is_found_out_by_the_next_call() {
    // Nothing but the commit writes the log, and nobody starts the server again.
    let cluster = Cluster::start("-c wal_writer_delay=10s -c restart_after_crash=off");
    RUNTIME.block_on(Box::pin(async {
        let url = cluster.url("postgres");
        let store = PostgresStore::connect(&url).await.unwrap();
        let id = sid("s1");
        let new = NewSession::new(id.clone(), at(0));
        let _ = store.create(new).await.unwrap();
        let batch = Batch::from(user("u1", "one"));
        let appended = store.append(&id, Expected::Any, batch.clone()).await;
        assert_eq!(appended.unwrap().done().unwrap().new, 1);

        query(&url, "SELECT pg_switch_wal()::text").await;
        let log = cluster.data().join("pg_wal");
        let away = cluster.data().join("pg_wal.away");
        std::fs::rename(&log, &away).unwrap();
        let more = Batch::from(user("u2", "two"));
        let cut = store.append(&id, Expected::Any, more.clone()).await;
        let error = cut.unwrap_err();
        check_uncertain(&error);
        assert!(format!("{error:?}").contains("PANIC"), "{error:?}");

        while cluster.data().join("postmaster.pid").exists() {
            tokio::task::yield_now().await;
        }
        std::fs::rename(&away, &log).unwrap();
        cluster.restart();
        for (batch, new) in [(batch, 0), (more, 1)] {
            let again = store.append(&id, Expected::Any, batch).await.unwrap();
            assert_eq!(again.done().unwrap().new, new);
        }
        let log = store.read_all(&id, EventQuery::all()).await.unwrap();
        assert_eq!(log.len(), 2);
    }));
}

#[track_caller]
fn check_uncertain(error: &StoreError) {
    assert!(matches!(error, StoreError::Unavailable { .. }), "{error:?}");
    assert!(format!("{error:?}").contains("Uncertain"), "{error:?}");
}

/// Cuts the connection of the call while it waits for the answer to its commit.
async fn lose<T: Debug + Send + 'static>(
    url: &str,
    call: impl Future<Output = Result<T, StoreError>> + Send + 'static,
) {
    let call = tokio::spawn(call);
    let cut = "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity \
               WHERE wait_event = 'SyncRep'";
    while query(url, cut).await.is_empty() {
        assert!(!call.is_finished(), "{call:?} did not wait");
    }
    check_uncertain(&call.await.unwrap().unwrap_err());
}
