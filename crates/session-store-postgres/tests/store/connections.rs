//! Connections: what is said when there is none, and what becomes of one.

use std::time::Duration;

use futures_util::future::{Either, select};
use session_store::{
    Batch, EventQuery, Expected, NewSession, SessionStore as _, SessionStoreExt as _, StoreError,
};
use session_store_postgres::{PostgresOptions, PostgresStore};
use session_store_testkit::make::{at, eid, sid, user};

use crate::common::{CLUSTER, RUNTIME, client, fresh_schema};
use crate::{open, whole};
#[test]
fn no_error_and_no_debug_shows_a_password() {
    RUNTIME.block_on(async {
        let socket = CLUSTER.url("postgres");
        for url in [
            "hunter2",
            "postgres://ann:hunter2@",
            "postgres://ann:hunter2@db:port/app",
            "host=db user=ann password=hunter2 3",
            "host=db user=ann password=one hunter2=3",
            "user=ann password='hunter2",
            "postgres://ann:hunter2@127.0.0.1:1/app",
            "postgres://ann:hunter2@[::1]:1/app?sslmode=require",
            &format!("{socket} password=hunter2 options='-c nonsense=1'"),
        ] {
            let error = PostgresStore::connect(url).await.unwrap_err();
            let text = whole(&error);
            assert!(!text.contains("hunter2"), "{text}");
        }
        let options = PostgresOptions::default().with_schema(fresh_schema());
        let url = socket + " password=hunter2";
        let store = PostgresStore::connect_with(&url, &options).await.unwrap();
        let text = format!("{store:?}");
        assert!(
            text.contains(&options.schema) && !text.contains("hunter2"),
            "{text}"
        );
    });
}

#[test]
fn an_unreachable_database_may_be_tried_again_and_a_wrong_one_not() {
    RUNTIME.block_on(async {
        let unreachable = PostgresStore::connect("postgres://ann@127.0.0.1:1/app").await;
        assert!(unreachable.unwrap_err().is_retryable());
        for url in [CLUSTER.url("nowhere"), String::from("user=ann dbname=app")] {
            let error = PostgresStore::connect(&url).await.unwrap_err();
            assert!(
                matches!(error, StoreError::Failed { .. }),
                "{}",
                whole(&error)
            );
        }
    });
}

#[test]
fn outside_of_a_runtime_opening_says_what_is_missing() {
    session_store_testkit::block_on(Box::pin(async {
        let error = PostgresStore::connect("host=db").await.unwrap_err();
        assert!(whole(&error).contains("tokio runtime"));
    }));
}

/// Connections live in the runtime the store was opened in.
#[test]
fn when_its_runtime_has_ended_a_store_has_no_connections() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let opened = runtime.block_on(open(PostgresOptions::default()));
    runtime.block_on(opened.create("s1"));
    drop(runtime);
    session_store_testkit::block_on(Box::pin(async {
        let (store, id) = (&opened.store, sid("s1"));
        for _ in 0..2 {
            assert!(store.session(&id).await.is_err());
            let batch = Batch::from(user("e1", "hello"));
            assert!(store.append(&id, Expected::Any, batch).await.is_err());
            assert!(store.subscribe(&id).await.is_err());
        }
        store.close().await;
    }));
}

#[test]
fn a_dropped_append_takes_its_connection_and_its_transaction_with_it() {
    RUNTIME.block_on(async {
        let opened = open(PostgresOptions::default().with_max_connections(1)).await;
        opened.create("s1").await;
        let holder = client(&opened.url).await;
        let lock = format!(
            "BEGIN; SELECT 1 FROM {}.session WHERE id = 's1' FOR UPDATE",
            opened.schema
        );
        holder.batch_execute(&lock).await.unwrap();
        let (id, batch) = (sid("s1"), Batch::from(user("e1", "dropped")));
        let append = Box::pin(opened.store.append(&id, Expected::Any, batch));
        match select(append, Box::pin(opened.is_blocked())).await {
            Either::Left(_) => panic!("the session is locked"),
            Either::Right((_, append)) => drop(append),
        }
        // The only connection is there for others at once, and has no transaction open.
        let other = NewSession::new(sid("s2"), at(0));
        assert!(opened.store.create(other).await.unwrap().is_new());
        holder.batch_execute("ROLLBACK").await.unwrap();
        assert_eq!(opened.append("s1", "e2", "stays").await, 1);
        let log = opened.store.read_all(&id, EventQuery::all()).await.unwrap();
        assert_eq!(log[0].id, eid("e2"));
    });
}

#[test]
fn when_all_connections_are_busy_the_store_is_unavailable_for_now() {
    RUNTIME.block_on(async {
        let options = PostgresOptions::default()
            .with_max_connections(0)
            .with_patience(Duration::ZERO);
        let opened = open(options).await;
        opened.create("s1").await;
        let holder = client(&opened.url).await;
        let lock = format!(
            "BEGIN; SELECT 1 FROM {}.session WHERE id = 's1' FOR UPDATE",
            opened.schema
        );
        holder.batch_execute(&lock).await.unwrap();
        let (id, batch) = (sid("s1"), Batch::from(user("e1", "waits")));
        let append = Box::pin(opened.store.append(&id, Expected::Any, batch));
        let Either::Right((_, append)) = select(append, Box::pin(opened.is_blocked())).await else {
            panic!("the session is locked");
        };
        let error = opened.store.session(&id).await.unwrap_err();
        assert!(
            error.is_retryable() && whole(&error).contains("busy"),
            "{}",
            whole(&error)
        );
        holder.batch_execute("COMMIT").await.unwrap();
        assert_eq!(append.await.unwrap().done().unwrap().new, 1);
    });
}

#[test]
fn a_closed_store_fails_for_good() {
    RUNTIME.block_on(async {
        let opened = open(PostgresOptions::default()).await;
        opened.create("s1").await;
        let mut news = opened.store.subscribe(&sid("s1")).await.unwrap();
        opened.store.clone().close().await;
        assert_eq!(news.next().await, None);
        let error = opened.store.session(&sid("s1")).await.unwrap_err();
        assert!(matches!(error, StoreError::Failed { .. }));
        let error = opened.store.subscribe(&sid("s1")).await.unwrap_err();
        assert!(matches!(error, StoreError::Failed { .. }));
    });
}
