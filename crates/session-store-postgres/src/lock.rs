//! One process at a time brings the tables up to date.

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use session_store::StoreError;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;
use tokio_postgres::Client;

use crate::connect::Connector;
use crate::fault::{Fault, Trouble};
use crate::options::{Extras, PostgresOptions};
use crate::sql::Schema;

const MAKE: &str = "\
    CREATE TABLE IF NOT EXISTS session_store.migration_lock (id bigint NOT NULL PRIMARY KEY, \
    holder text NOT NULL, held_until timestamp with time zone NOT NULL)";

/// The row is taken when it is not there, or when whoever took it has let its time run out.
const TAKE: &str = "\
    INSERT INTO session_store.migration_lock (id, holder, held_until) \
    VALUES (1, $1, now() + interval '5 minutes') \
    ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until \
    WHERE migration_lock.held_until < now()";

const RELEASE: &str = "DELETE FROM session_store.migration_lock WHERE id = 1 AND holder = $1";

/// How long to wait before looking again.
const PAUSE: Duration = Duration::from_millis(50);

/// The right to bring the tables up to date.
pub(crate) enum Lock {
    /// An advisory lock, which ends with its connection.
    Advisory { key: i64 },
    /// A row, where there are no advisory locks or none that hold.
    Row { release: String, holder: String },
}

impl Lock {
    /// Takes the lock over `client`, or waits for it.
    pub(crate) async fn take(
        client: &Client,
        connector: &Connector,
        options: &PostgresOptions,
        schema: &Schema,
    ) -> Result<Self, Fault> {
        let deadline = Instant::now().checked_add(options.patience);
        if options.extras == Extras::IfThere
            && let Some(lock) = Self::advisory(client, connector, schema, deadline).await?
        {
            return Ok(lock);
        }
        Self::row(client, schema, deadline).await
    }

    async fn advisory(
        client: &Client,
        connector: &Connector,
        schema: &Schema,
        deadline: Option<Instant>,
    ) -> Result<Option<Self>, Fault> {
        let key = key(schema);
        loop {
            match try_advisory(client, key).await? {
                None => return Ok(None),
                Some(true) => break,
                Some(false) => wait(deadline).await?,
            }
        }
        // There are databases that have the function and grant the lock to everybody.
        let other = connector.client().await?;
        let is_shared = try_advisory(&other, key).await?;
        drop(other);
        let lock = Self::Advisory { key };
        if is_shared == Some(true) {
            lock.release(client).await;
            return Ok(None);
        }
        Ok(Some(lock))
    }

    async fn row(
        client: &Client,
        schema: &Schema,
        deadline: Option<Instant>,
    ) -> Result<Self, Fault> {
        crate::migrate::make(client, &schema.sql(MAKE)).await?;
        let holder = format!("{:016x}", RandomState::new().hash_one(schema.name()));
        let take = schema.sql(TAKE);
        loop {
            match client.execute(&*take, &[&holder]).await {
                Ok(0) => {}
                Ok(_) => break,
                Err(error) => match Fault::from(error) {
                    Fault::Again(_) => {}
                    fault => return Err(fault),
                },
            }
            wait(deadline).await?;
        }
        let release = schema.sql(RELEASE).into_owned();
        Ok(Self::Row { release, holder })
    }

    /// Lets others go on. Should it fail, the lock ends with the connection or by its time.
    pub(crate) async fn release(self, client: &Client) {
        let _ = match self {
            Self::Advisory { key } => {
                let unlock = "SELECT pg_catalog.pg_advisory_unlock($1)";
                client.query_opt(unlock, &[&key]).await.map(|_| ())
            }
            Self::Row { release, holder } => {
                client.execute(&*release, &[&holder]).await.map(|_| ())
            }
        };
    }
}

/// Whether the lock was taken; `None` when there are no such locks.
async fn try_advisory(client: &Client, key: i64) -> Result<Option<bool>, Fault> {
    let lock = "SELECT pg_catalog.pg_try_advisory_lock($1)";
    match client.query_one(lock, &[&key]).await {
        Ok(row) => Ok(Some(row.try_get(0)?)),
        Err(error) if error.code().is_some() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

async fn wait(deadline: Option<Instant>) -> Result<(), Fault> {
    if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
        return Err(StoreError::unavailable(Trouble::MigrationHeld).into());
    }
    tokio::time::sleep(PAUSE).await;
    Ok(())
}

/// A number that stands for the schema of this store among all advisory locks of the database.
fn key(schema: &Schema) -> i64 {
    let digest = Sha256::new()
        .chain_update("session-store-postgres migration of ")
        .chain_update(schema.name())
        .finalize();
    let bytes = digest.iter().take(8);
    bytes.fold(0, |key, byte| (key << 8) | i64::from(*byte))
}
