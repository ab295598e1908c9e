//! What is special to this store: tables, connections, damage, and what its columns cannot hold.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

#[path = "../common/mod.rs"]
mod common;

mod connections;
mod cost;
mod news;
mod pages;
mod rows;
mod tables;

use std::error::Error;
use std::fmt::Write as _;

use session_store::{Batch, Expected, NewSession, SessionStore as _, StoreError};
use session_store_postgres::{PostgresOptions, PostgresStore};
use session_store_testkit::make::{at, sid, user};

use crate::common::{CLUSTER, client, fresh_schema, query, run_sql};

/// A store and where its tables are.
struct Open {
    store: PostgresStore,
    schema: String,
    url: String,
}

async fn open(options: PostgresOptions) -> Open {
    let (schema, url) = (fresh_schema(), CLUSTER.url("postgres"));
    let options = options.with_schema(&schema);
    let store = PostgresStore::connect_with(&url, &options).await.unwrap();
    Open { store, schema, url }
}

impl Open {
    async fn create(&self, id: &str) {
        let new = NewSession::new(sid(id), at(0));
        assert!(self.store.create(new).await.unwrap().is_new());
    }

    async fn append(&self, id: &str, event: &str, text: &str) -> u64 {
        let batch = Batch::from(user(event, text));
        let appended = self.store.append(&sid(id), Expected::Any, batch).await;
        appended.unwrap().done().unwrap().head.version.as_u64()
    }

    async fn sql(&self, statement: &str) {
        run_sql(&self.url, &statement.replace("{}", &self.schema)).await;
    }

    async fn query(&self, statement: &str) -> Vec<String> {
        query(&self.url, &statement.replace("{}", &self.schema)).await
    }

    /// Waits until a statement of this store waits for a row.
    async fn is_blocked(&self) {
        let client = client(&self.url).await;
        let waits = format!(
            "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' \
             AND query LIKE '%\"{}\".session%'",
            self.schema
        );
        while client.query(&waits, &[]).await.unwrap().is_empty() {}
    }
}

/// An error with everything behind it, as a program would print it.
fn whole(error: &StoreError) -> String {
    let mut text = format!("{error:?} {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        let _ = write!(text, " {cause:?} {cause}");
        source = cause.source();
    }
    text
}
