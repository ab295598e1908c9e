//! Several statements that see the same log.

use std::ops::Deref;

use rusqlite::Connection;
use session_store::StoreError;

use crate::pen::{batch, rollback};

/// A connection in a transaction that only reads, until it is dropped.
#[derive(Debug)]
pub(crate) struct Snapshot<'a>(&'a Connection);

impl<'a> Snapshot<'a> {
    pub(crate) fn begin(connection: &'a Connection) -> Result<Self, StoreError> {
        // rusqlite's own transactions are parsed anew each time.
        match batch(connection, "BEGIN") {
            Ok(()) => Ok(Self(connection)),
            Err(reason) => Err(reason.into_store_error()),
        }
    }
}

impl Deref for Snapshot<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.0
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        rollback(self.0);
    }
}
