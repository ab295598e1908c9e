//! Random histories against the plain model, with and without the search index.

#![allow(clippy::unwrap_used)]

use session_store::SessionStore;
use session_store_sqlite::{SqliteOptions, SqliteStore};
use session_store_testkit::{Kept, block_on, model};
use tempfile::TempDir;

fn open(options: SqliteOptions) -> impl SessionStore {
    let folder = TempDir::new().unwrap();
    let store = SqliteStore::open_with(folder.path().join("log.db"), options).unwrap();
    Kept::new(store, folder)
}

#[test]
fn the_store_answers_like_the_model() {
    model::check(|| open(SqliteOptions::default()), block_on, 48);
}

#[test]
fn with_the_index_it_answers_the_same() {
    let options = SqliteOptions::default().with_index_after(1);
    model::check(|| open(options.clone()), block_on, 48);
}
