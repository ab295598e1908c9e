//! How a store is opened.

use std::time::Duration;

use session_store::StoreError;

/// How to open a [`PostgresStore`](crate::PostgresStore). Every field has a default that suits one
/// application on one database.
///
/// ```
/// use session_store_postgres::{Migrate, PostgresOptions};
///
/// let options = PostgresOptions::default()
///     .with_schema("support_bot")
///     .with_max_connections(4)
///     .with_migrate(Migrate::Check);
/// assert_eq!(options.schema, "support_bot");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PostgresOptions {
    /// The schema that holds the tables, `session_store` by default. Two stores in one database
    /// with different schemas know nothing of each other. Up to 48 lower-case letters, digits and
    /// `_`, not beginning with a digit.
    pub schema: String,
    /// How many connections are open at most, 8 by default; 0 counts as 1. One more is opened by
    /// the first [`subscribe`](crate::PostgresStore::subscribe).
    pub max_connections: usize,
    /// How long a call waits for a free connection, and goes on trying while others write to the
    /// same session: 30 seconds by default. After that the store is
    /// [unavailable](StoreError::Unavailable).
    pub patience: Duration,
    /// How long the making of one connection may take, 10 seconds by default.
    pub connect_timeout: Duration,
    /// Whether tables are made and brought up to date when the store is opened.
    pub migrate: Migrate,
    /// Whether to use what only some databases have.
    pub extras: Extras,
    /// How connections are encrypted; `None`, the default, for not at all.
    #[cfg(feature = "tls")]
    pub tls: Option<crate::Tls>,
}

/// Whether tables are made and brought up to date when a store is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the store does it or somebody else does"
)]
pub enum Migrate {
    /// Yes, by whoever comes first.
    #[default]
    Run,
    /// No. If the tables are missing or older than this release the store does not open. For a
    /// role that may not make tables.
    Check,
}

/// Whether to use what only some databases have: advisory locks, the trigram index, and
/// notifications. Without them the store does the same, some of it slower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "use them or leave them")]
pub enum Extras {
    /// What is there is used.
    #[default]
    IfThere,
    /// Nothing beyond what all databases that speak PostgreSQL have in common.
    Never,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            schema: String::from(crate::sql::DEFAULT_SCHEMA),
            max_connections: 8,
            patience: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            migrate: Migrate::Run,
            extras: Extras::IfThere,
            #[cfg(feature = "tls")]
            tls: None,
        }
    }
}

impl PostgresOptions {
    /// With the tables in this schema.
    #[must_use]
    pub fn with_schema(mut self, schema: impl Into<String>) -> Self {
        self.schema = schema.into();
        self
    }

    /// With at most `count` connections.
    #[must_use]
    pub fn with_max_connections(mut self, count: usize) -> Self {
        self.max_connections = count;
        self
    }

    /// Waiting so long for a connection, or for others that write to the same session.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// With so much time for the making of a connection.
    #[must_use]
    pub fn with_connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Making tables, or only looking whether they are there.
    #[must_use]
    pub fn with_migrate(mut self, migrate: Migrate) -> Self {
        self.migrate = migrate;
        self
    }

    /// With or without what only some databases have.
    #[must_use]
    pub fn with_extras(mut self, extras: Extras) -> Self {
        self.extras = extras;
        self
    }

    /// With encrypted connections only.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn with_tls(mut self, tls: crate::Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// The schema goes into statements as it is, so it must be a plain name.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let schema = &self.schema;
        if schema.is_empty()
            || schema.len() > 48
            || !schema.chars().all(is_plain)
            || schema.starts_with(|c: char| c.is_ascii_digit())
        {
            return Err(StoreError::invalid_query(
                "a schema has 1 to 48 lower-case letters, digits or '_' and begins with no digit",
            ));
        }
        Ok(())
    }
}
