//! Stores in PostgreSQL: each in a schema of its own, on the server that the environment names.

use std::process::{Command, Stdio};
use std::sync::{Arc, LazyLock};

use session_store::SessionStore;
use session_store_postgres::{PostgresOptions, PostgresStore};
use tokio::runtime::{Builder, Runtime};

use crate::failure::with_causes;

/// The environment variable with the connection string of the server to use.
pub const POSTGRES: &str = "SESSION_CONFORMANCE_POSTGRES";

/// Where connections live.
static RUNTIME: LazyLock<Result<Runtime, String>> = LazyLock::new(|| {
    let mut builder = Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build();
    runtime.map_err(|error| format!("no runtime for connections: {error}"))
});

/// The server, if there is one.
pub(super) fn url() -> Option<String> {
    std::env::var(POSTGRES)
        .ok()
        .filter(|url| !url.trim().is_empty())
}

pub(super) fn open(schema: &str) -> Result<Arc<dyn SessionStore>, String> {
    let url = url().ok_or_else(|| format!("{POSTGRES} names no server"))?;
    let runtime = RUNTIME.as_ref().map_err(Clone::clone)?;
    let options = PostgresOptions::default()
        .with_schema(schema)
        .with_max_connections(4);
    match runtime.block_on(PostgresStore::connect_with(&url, &options)) {
        Ok(store) => Ok(Arc::new(store)),
        Err(error) => Err(with_causes(&error)),
    }
}

/// Removes a schema. If the client program is not there, it stays.
pub(super) fn forget(schema: &str) {
    let _ = execute(&format!("DROP SCHEMA IF EXISTS {schema} CASCADE"));
}

/// Runs a statement with the client program of the server.
pub(crate) fn execute(statement: &str) -> Result<(), String> {
    let url = url().ok_or_else(|| format!("{POSTGRES} names no server"))?;
    let output = Command::new("psql")
        .args([
            "--no-psqlrc",
            "--quiet",
            "--set=ON_ERROR_STOP=1",
            "--command",
        ])
        .arg(statement)
        .arg(url)
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Err(format!("psql cannot be run: {error}")),
    }
}
