//! Every law of the port, for the store itself and behind pointers.

#![allow(clippy::unwrap_used)]

use session_store::SessionStore;
use session_store_sqlite::{Durability, SqliteOptions, SqliteStore};
use session_store_testkit::Kept;
use tempfile::TempDir;

/// A store in a folder that goes with it.
fn open(options: SqliteOptions) -> impl SessionStore {
    let folder = TempDir::new().unwrap();
    let store = SqliteStore::open_with(folder.path().join("log.db"), options).unwrap();
    Kept::new(store, folder)
}

fn open_default() -> impl SessionStore {
    open(SqliteOptions::default())
}

session_store_testkit::store_laws!(open_default);

/// With everything in the search index at once, one reader, and a wait for the disk.
mod eager {
    use super::{Durability, SessionStore, SqliteOptions, open};

    fn open_eager() -> impl SessionStore {
        open(
            SqliteOptions::default()
                .with_index_after(1)
                .with_readers(1)
                .with_durability(Durability::Full),
        )
    }

    session_store_testkit::store_laws!(open_eager);
}
