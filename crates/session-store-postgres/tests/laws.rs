//! Every law of the port, for the store itself and behind pointers, in databases of two sorts.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use std::sync::LazyLock;

use session_store_postgres::{Extras, PostgresOptions, PostgresStore};
use session_store_testkit::{BoxFuture, check_law, laws};

use crate::common::{CLUSTER, RUNTIME, open, query, run_sql};

/// A database in which text is ordered as people do it, where the server can have one: what the
/// store orders byte by byte must not depend on it.
static LINGUISTIC: LazyLock<String> = LazyLock::new(|| {
    RUNTIME.block_on(async {
        let first = CLUSTER.url("postgres");
        let version = query(&first, "SHOW server_version_num").await;
        let provider = if version[0].parse::<u32>().unwrap() >= 150_000 {
            "LOCALE_PROVIDER icu ICU_LOCALE 'en'"
        } else {
            ""
        };
        let statement = format!("CREATE DATABASE linguistic TEMPLATE template0 {provider}");
        run_sql(&first, &statement).await;
    });
    CLUSTER.url("linguistic")
});

fn run(future: BoxFuture<'_>) {
    RUNTIME.block_on(future);
}

/// With all that PostgreSQL has.
mod with_extras {
    use super::{LINGUISTIC, PostgresOptions, PostgresStore, open};

    fn fresh() -> PostgresStore {
        let store = open(&LINGUISTIC, PostgresOptions::default());
        assert!(store.features().trigram_index && store.features().notifications);
        store
    }

    session_store_testkit::store_laws!(fresh, run = super::run);
}

/// With what all databases that speak PostgreSQL have, transactions that refuse to overlap, two
/// connections, and an executor that knows nothing of tokio.
mod portable {
    use super::{CLUSTER, Extras, PostgresOptions, PostgresStore, open};

    fn fresh() -> PostgresStore {
        let strict = " options='-c default_transaction_isolation=serializable'";
        let url = CLUSTER.url("postgres") + strict;
        let options = PostgresOptions::default()
            .with_extras(Extras::Never)
            .with_max_connections(2);
        open(&url, options)
    }

    session_store_testkit::store_laws!(fresh);
}

/// The laws on what happens at once, in transactions that see the database as it was when they
/// began.
mod on_snapshots {
    use super::{CLUSTER, PostgresOptions, PostgresStore, check_law, laws, open, run};

    fn fresh() -> PostgresStore {
        let strict = r" options='-c default_transaction_isolation=repeatable\\ read'";
        open(
            &(CLUSTER.url("postgres") + strict),
            PostgresOptions::default(),
        )
    }

    #[test]
    fn law_01_create_once() {
        check_law(fresh, run, laws::law_01_create_once);
    }

    #[test]
    fn law_08_contiguous() {
        check_law(fresh, run, laws::law_08_contiguous);
    }

    #[test]
    fn law_10_expected() {
        check_law(fresh, run, laws::law_10_expected);
    }

    #[test]
    fn law_11_again() {
        check_law(fresh, run, laws::law_11_again);
    }

    #[test]
    fn law_26_dropped_futures() {
        check_law(fresh, run, laws::law_26_dropped_futures);
    }
}
