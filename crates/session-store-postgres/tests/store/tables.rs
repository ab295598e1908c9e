//! Tables: who makes them, and who may use them.

use std::time::Duration;

use futures_util::future::join_all;
use session_log::Version;
use session_store::{
    Batch, Expected, NewSession, Scope, SearchQuery, SessionQuery, SessionStore as _,
    SessionStoreExt as _, StoreError,
};
use session_store_postgres::{Extras, Migrate, PostgresOptions, PostgresStore};
use session_store_testkit::make::{at, seq, sid, user};

use crate::common::{CLUSTER, RUNTIME, client, fresh_schema, query, run_sql};
use crate::{open, whole};
#[test]
fn tables_of_a_later_release_are_left_alone() {
    RUNTIME.block_on(async {
        let opened = open(PostgresOptions::default()).await;
        opened.sql("INSERT INTO {}.migration VALUES (99)").await;
        let options = PostgresOptions::default().with_schema(&opened.schema);
        let refused = PostgresStore::connect_with(&opened.url, &options).await;
        let error = refused.unwrap_err();
        assert!(matches!(error, StoreError::Failed { .. }));
        assert!(whole(&error).contains("version 99"));
    });
}

#[test]
fn whoever_only_checks_makes_no_tables() {
    RUNTIME.block_on(async {
        let url = CLUSTER.url("postgres");
        let run = PostgresOptions::default().with_schema(fresh_schema());
        let check = run.clone().with_migrate(Migrate::Check);
        let error = PostgresStore::connect_with(&url, &check).await.unwrap_err();
        assert!(matches!(error, StoreError::Failed { .. }));
        let made = format!(
            "SELECT 1 FROM pg_namespace WHERE nspname = '{}'",
            run.schema
        );
        assert!(query(&url, &made).await.is_empty());

        PostgresStore::connect_with(&url, &run).await.unwrap();
        PostgresStore::connect_with(&url, &check).await.unwrap();
    });
}

#[test]
fn any_number_may_open_a_fresh_store_at_once() {
    RUNTIME.block_on(async {
        for extras in [Extras::IfThere, Extras::Never] {
            let url = CLUSTER.url("postgres");
            let options = PostgresOptions::default()
                .with_schema(fresh_schema())
                .with_extras(extras);
            let open = |_| PostgresStore::connect_with(&url, &options);
            for opened in join_all((0..8).map(open)).await {
                let store = opened.unwrap();
                assert!(store.sessions(&SessionQuery::all()).await.is_ok());
            }
            let noted = format!("SELECT version FROM {}.migration", options.schema);
            assert_eq!(query(&url, &noted).await, ["1"], "{extras:?}");
        }
    });
}

#[test]
fn a_migration_lock_is_respected_until_its_time_is_over() {
    RUNTIME.block_on(async {
        let url = CLUSTER.url("postgres");
        let options = PostgresOptions::default()
            .with_schema(fresh_schema())
            .with_extras(Extras::Never)
            .with_patience(Duration::ZERO);
        let held = format!(
            "CREATE SCHEMA {0};\nCREATE TABLE {0}.migration_lock (id bigint PRIMARY KEY, \
             holder text NOT NULL, held_until timestamptz NOT NULL);\n\
             INSERT INTO {0}.migration_lock VALUES (1, 'somebody', 'infinity')",
            options.schema
        );
        run_sql(&url, &held).await;
        let error = PostgresStore::connect_with(&url, &options)
            .await
            .unwrap_err();
        assert!(error.is_retryable(), "{}", whole(&error));

        let over = format!(
            "UPDATE {}.migration_lock SET held_until = 'epoch'",
            options.schema
        );
        run_sql(&url, &over).await;
        PostgresStore::connect_with(&url, &options).await.unwrap();
        let left = format!("SELECT holder FROM {}.migration_lock", options.schema);
        assert!(query(&url, &left).await.is_empty());
    });
}

#[test]
fn a_role_that_may_make_nothing_can_use_the_tables() {
    RUNTIME.block_on(async {
        let opened = open(PostgresOptions::default()).await;
        opened
            .sql(
                "CREATE ROLE r{} LOGIN;\nGRANT USAGE ON SCHEMA {} TO r{};\n\
                 GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {} TO r{}",
            )
            .await;
        let url = opened
            .url
            .replace("user=postgres", &format!("user=r{}", opened.schema));
        let options = PostgresOptions::default().with_schema(&opened.schema);
        let store = PostgresStore::connect_with(&url, &options).await.unwrap();
        let new = NewSession::new(sid("s1"), at(0)).with_attribute("a", "b");
        let _ = store.create(new).await.unwrap();
        let batch = Batch::from(user("e1", "hello"));
        let _ = store
            .append(&sid("s1"), Expected::Any, batch)
            .await
            .unwrap();
        assert!(store.delete(&sid("s1")).await.unwrap());
    });
}

#[test]
fn a_schema_is_a_plain_name_and_may_be_a_word_of_sql() {
    RUNTIME.block_on(async {
        let url = CLUSTER.url("postgres");
        for name in ["", "a b", "a\"b", "a.b", "A", "1a", "é", &"x".repeat(49)] {
            let options = PostgresOptions::default().with_schema(name);
            let error = PostgresStore::connect_with(&url, &options)
                .await
                .unwrap_err();
            assert!(matches!(error, StoreError::InvalidQuery { .. }), "{name}");
        }
        let options = PostgresOptions::default().with_schema("user");
        let store = PostgresStore::connect_with(&url, &options).await.unwrap();
        let _ = store
            .create(NewSession::new(sid("s1"), at(0)))
            .await
            .unwrap();
        let _ = store.subscribe(&sid("s1")).await.unwrap();
    });
}

#[test]
fn the_tables_of_the_first_release_open_and_read() {
    RUNTIME.block_on(async {
        let today = open(PostgresOptions::default()).await;
        let (url, schema) = (&today.url, fresh_schema());
        let dump =
            include_str!("../fixtures/v1.sql").replace("session_store.", &format!("{schema}."));
        let make = format!("CREATE SCHEMA {schema};\n{dump}");
        client(url).await.batch_execute(&make).await.unwrap();
        let options = PostgresOptions::default()
            .with_schema(&schema)
            .with_migrate(Migrate::Check);
        let store = PostgresStore::connect_with(url, &options).await.unwrap();
        let (session, view) = store.load(&sid("s1")).await.unwrap().unwrap();
        assert_eq!(session.owner.as_deref(), Some("ann"));
        assert_eq!(session.attributes["agent"], "support");
        assert_eq!(session.head.version, Version::new(6));
        assert_eq!(session.head.boundary.unwrap().seq, seq(4));
        let shown: Vec<u64> = view.iter().map(|event| event.seq.as_u64()).collect();
        assert_eq!(shown, [1, 3, 4, 5, 6]);
        let scope = Scope::Owner("ann".into());
        let hits = store
            .search_all(&scope, SearchQuery::new(["plum"]))
            .await
            .unwrap();
        assert_eq!(hits.len(), 1);

        // The tables that are made today are the same.
        let columns = |schema: &str| {
            format!(
                "SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable) \
                 FROM information_schema.columns WHERE table_schema = '{schema}' \
                 ORDER BY table_name, column_name"
            )
        };
        let indexes = |schema: &str| {
            format!(
                "SELECT replace(indexdef, '{schema}.', '') FROM pg_indexes \
                 WHERE schemaname = '{schema}' ORDER BY indexdef"
            )
        };
        for of in [columns as fn(&str) -> String, indexes] {
            let old = query(url, &of(&schema)).await;
            assert_eq!(old, query(url, &of(&today.schema)).await);
        }
    });
}

#[test]
fn a_database_that_cannot_hold_every_character_is_refused() {
    RUNTIME.block_on(async {
        let first = CLUSTER.url("postgres");
        let latin = "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'";
        run_sql(&first, latin).await;
        let error = PostgresStore::connect(&CLUSTER.url("latin"))
            .await
            .unwrap_err();
        assert!(matches!(error, StoreError::Failed { .. }));
        assert!(whole(&error).contains("LATIN1"));
    });
}
