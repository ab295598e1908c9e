//! Tables: made and brought up to date by numbered migrations, by one process at a time.
//!
//! Every statement of a migration stands alone and can be run again without harm, because not
//! every database can make tables in a transaction, or has a lock that holds.

use std::time::Duration;

use session_store::StoreError;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Error};

use crate::connect::Connector;
use crate::fault::{Fault, Trouble};
use crate::features::Features;
use crate::lock::Lock;
use crate::options::{Extras, Migrate, PostgresOptions};
use crate::sql::Schema;

/// Every schema version there ever was, in order.
const MIGRATIONS: &[&str] = &[include_str!("../migrations/0001_sessions_and_events.sql")];

const MAKE_SCHEMA: &str = "CREATE SCHEMA IF NOT EXISTS session_store";

const MAKE_HISTORY: &str = "\
    CREATE TABLE IF NOT EXISTS session_store.migration (version bigint NOT NULL PRIMARY KEY)";

const NOTE: &str = "\
    INSERT INTO session_store.migration (version) VALUES ($1) ON CONFLICT (version) DO NOTHING";

/// How often a statement is tried again when somebody else made the same thing at the same time.
const MAX_ATTEMPTS: usize = 20;

/// How long to wait before that.
const PAUSE: Duration = Duration::from_millis(10);

/// Makes sure that the tables are those of this release, and finds out what the database can do.
pub(crate) async fn prepare(
    connector: &Connector,
    options: &PostgresOptions,
    schema: &Schema,
) -> Result<Features, StoreError> {
    let prepared = async {
        let client = connector.client().await?;
        bring_up_to_date(&client, connector, options, schema).await?;
        find_features(&client, options, schema).await
    };
    prepared.await.map_err(Fault::into_error)
}

async fn bring_up_to_date(
    client: &Client,
    connector: &Connector,
    options: &PostgresOptions,
    schema: &Schema,
) -> Result<(), Fault> {
    let needed = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    let found = version(client, schema).await?;
    if found == needed {
        return Ok(());
    }
    if found > needed {
        let known = needed;
        return Err(StoreError::failed(Trouble::TablesNewer { found, known }).into());
    }
    if options.migrate == Migrate::Check {
        return Err(StoreError::failed(Trouble::TablesMissing { found, needed }).into());
    }
    let encoding: String = client
        .query_one("SHOW server_encoding", &[])
        .await?
        .try_get(0)?;
    if encoding != "UTF8" {
        return Err(StoreError::failed(Trouble::Encoding { encoding }).into());
    }
    let make_schema = MAKE_SCHEMA.replace("session_store", &format!("\"{}\"", schema.name()));
    if !has_schema(client, schema).await? {
        make(client, &make_schema).await?;
    }
    let lock = Lock::take(client, connector, options, schema).await?;
    let result = migrate(client, options, schema).await;
    lock.release(client).await;
    result
}

async fn migrate(client: &Client, options: &PostgresOptions, schema: &Schema) -> Result<(), Fault> {
    make(client, &schema.sql(MAKE_HISTORY)).await?;
    let found = version(client, schema).await?;
    let collation = if compares_bytewise(client).await? {
        ""
    } else {
        "COLLATE \"C\""
    };
    for (migration, number) in MIGRATIONS.iter().zip(1_i64..) {
        if number <= found {
            continue;
        }
        for statement in statements(migration) {
            let statement = statement.replace("/*bytewise*/", collation);
            make(client, &schema.sql(&statement)).await?;
        }
        if number == 1 && options.extras == Extras::IfThere {
            make_trigram_index(client, schema).await;
        }
        client.execute(&*schema.sql(NOTE), &[&number]).await?;
    }
    Ok(())
}

/// The statements of a migration, without the comment before them.
fn statements(migration: &str) -> impl Iterator<Item = &str> {
    let statements = migration.split(';').map(|statement| {
        let lines = statement.split_inclusive('\n');
        let comment = lines.take_while(|line| line.starts_with("--") || line.trim().is_empty());
        let skipped: usize = comment.map(str::len).sum();
        statement.get(skipped..).unwrap_or_default().trim()
    });
    statements.filter(|statement| !statement.is_empty())
}

/// Runs a statement that makes something. That somebody else made it in the same moment is no
/// error, whatever the database calls it.
pub(crate) async fn make(client: &Client, statement: &str) -> Result<(), Fault> {
    let mut attempts = 0_usize;
    loop {
        let Err(error) = client.batch_execute(statement).await else {
            return Ok(());
        };
        attempts = attempts.saturating_add(1);
        if attempts > MAX_ATTEMPTS {
            return Err(error.into());
        }
        match (error.code(), in_background(statement)) {
            // Some databases make indexes in the background and say so in the statement.
            (Some(&SqlState::FEATURE_NOT_SUPPORTED), Some(statement)) => {
                return Ok(client.batch_execute(&statement).await?);
            }
            (Some(code), _) if is_made_twice(code) => {
                tokio::time::sleep(PAUSE).await;
            }
            _ => return Err(error.into()),
        }
    }
}

fn in_background(statement: &str) -> Option<String> {
    let rest = statement.strip_prefix("CREATE INDEX ")?;
    Some(format!("CREATE INDEX ASYNC {rest}"))
}

fn is_made_twice(code: &SqlState) -> bool {
    [
        SqlState::UNIQUE_VIOLATION,
        SqlState::DUPLICATE_TABLE,
        SqlState::DUPLICATE_OBJECT,
        SqlState::DUPLICATE_SCHEMA,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::INTERNAL_ERROR,
    ]
    .contains(code)
}

/// The version of the tables, 0 when there are none.
async fn version(client: &Client, schema: &Schema) -> Result<i64, Fault> {
    let history = client
        .query_opt(
            "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'migration'",
            &[&schema.name()],
        )
        .await?;
    if history.is_none() {
        return Ok(0);
    }
    let newest = schema.sql("SELECT max(version) FROM session_store.migration");
    let newest: Option<i64> = client.query_one(&*newest, &[]).await?.try_get(0)?;
    Ok(newest.unwrap_or(0))
}

async fn has_schema(client: &Client, schema: &Schema) -> Result<bool, Fault> {
    let found = client
        .query_opt(
            "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1",
            &[&schema.name()],
        )
        .await?;
    Ok(found.is_some())
}

/// Whether text is compared byte by byte without saying so. The name of the collation does not
/// tell: some databases have the name of a language and compare bytes all the same.
async fn compares_bytewise(client: &Client) -> Result<bool, Fault> {
    let answer = client.query_one(
        "SELECT 'B' < 'a' AND 'z' < 'é' AND 'a_' < 'aa' AND 'a-b' < 'ab' AND 'a b' < 'aa' \
         AND '\u{FFFD}' < '\u{1F600}'",
        &[],
    );
    Ok(answer.await?.try_get(0)?)
}

/// Makes the index for searching where that can be done; without it searches are slower.
async fn make_trigram_index(client: &Client, schema: &Schema) {
    let _ = client
        .batch_execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        .await;
    let place = client.query_opt(
        "SELECT space.nspname FROM pg_catalog.pg_opclass AS class \
         JOIN pg_catalog.pg_namespace AS space ON space.oid = class.opcnamespace \
         WHERE class.opcname = 'gin_trgm_ops'",
        &[],
    );
    let Ok(Some(row)) = place.await else {
        return;
    };
    let Ok(space) = row.try_get::<_, &str>(0) else {
        return;
    };
    let space = space.replace('"', "\"\"");
    let index = format!(
        "CREATE INDEX IF NOT EXISTS event_by_trigram ON session_store.event \
         USING gin (folded \"{space}\".gin_trgm_ops)"
    );
    let _ = client.batch_execute(&schema.sql(&index)).await;
}

async fn find_features(
    client: &Client,
    options: &PostgresOptions,
    schema: &Schema,
) -> Result<Features, Fault> {
    if options.extras == Extras::Never {
        return Ok(Features::NONE);
    }
    let index = client
        .query_opt(
            "SELECT 1 FROM pg_catalog.pg_indexes \
             WHERE schemaname = $1 AND indexname = 'event_by_trigram'",
            &[&schema.name()],
        )
        .await;
    let letters = client.query_one("SELECT lower('É') = 'é'", &[]).await;
    let notify = client
        .execute("SELECT pg_catalog.pg_notify($1, '')", &[&schema.name()])
        .await;
    Ok(Features {
        trigram_index: known(index)?.flatten().is_some(),
        all_letters: match known(letters)? {
            Some(row) => row.try_get(0)?,
            None => false,
        },
        notifications: known(notify)?.is_some(),
    })
}

/// What the database answered; `None` when it said that it cannot.
fn known<T>(answer: Result<T, Error>) -> Result<Option<T>, Fault> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.code().is_some() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_migration_is_taken_apart_into_its_statements() {
        let migration = "-- What it is.\n\nCREATE a;\n-- And\nCREATE b (\n    c\n);\n";
        let found: Vec<&str> = statements(migration).collect();
        assert_eq!(found, ["CREATE a", "CREATE b (\n    c\n)"]);
        for migration in MIGRATIONS {
            for statement in statements(migration) {
                assert!(statement.starts_with("CREATE "), "{statement}");
                assert!(statement.contains(" IF NOT EXISTS "), "{statement}");
            }
        }
    }

    #[test]
    fn only_an_index_is_made_in_the_background() {
        let index = in_background("CREATE INDEX IF NOT EXISTS a ON b (c)");
        assert_eq!(
            index.as_deref(),
            Some("CREATE INDEX ASYNC IF NOT EXISTS a ON b (c)")
        );
        assert_eq!(in_background("CREATE TABLE a"), None);
    }
}
