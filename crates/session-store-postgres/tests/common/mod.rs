//! What the tests have in common: a server, a runtime, and statements beside the store.

#![allow(dead_code, reason = "each test file uses a part of it")]

mod cluster;

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use session_store_postgres::{PostgresOptions, PostgresStore};
use tokio::runtime::{Builder, Runtime};

pub(crate) use cluster::Cluster;

/// The server of this test binary.
pub(crate) static CLUSTER: LazyLock<Cluster> = LazyLock::new(|| Cluster::start(""));

/// Where connections live.
pub(crate) static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().unwrap()
});

/// Opens a store with tables of its own.
pub(crate) fn open(url: &str, options: PostgresOptions) -> PostgresStore {
    let options = options.with_schema(fresh_schema());
    let opened = PostgresStore::connect_with(url, &options);
    RUNTIME.block_on(opened).unwrap()
}

/// The name of a schema that no other test of this binary has.
pub(crate) fn fresh_schema() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("t{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Runs statements beside the store.
pub(crate) async fn run_sql(url: &str, statements: &str) {
    let client = client(url).await;
    for statement in statements.split(";\n") {
        client.batch_execute(statement.trim()).await.unwrap();
    }
}

/// The first column of the rows, as text.
pub(crate) async fn query(url: &str, statement: &str) -> Vec<String> {
    let rows = client(url).await.simple_query(statement).await.unwrap();
    let texts = rows.iter().filter_map(|message| match message {
        tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    });
    texts.collect()
}

/// A connection beside the store.
pub(crate) async fn client(url: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    client
}
