//! The server comes and goes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use session_log::Version;
use session_store::{
    Batch, EventQuery, Expected, NewSession, SessionStore as _, SessionStoreExt as _,
};
use session_store_postgres::PostgresStore;
use session_store_testkit::make::{at, sid, user};

use crate::common::{Cluster, RUNTIME};

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
