//! The store by its address.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use session::{MemoryStore, SessionStore, Sessions, SqliteStore, SystemMessages, TokenEstimator};

use crate::failure::Failure;

/// The environment's word on where sessions are kept.
const VARIABLE: &str = "COMPACTION_STORE";

/// The name of the file in the user's data folder.
const FILE: &str = "sessions.db";

/// How long a database server may take to answer, if the address does not say.
#[cfg(feature = "postgres")]
const PATIENCE_SECONDS: u32 = 4;

/// Where sessions are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StoreUrl {
    /// In a SQLite file.
    Sqlite(PathBuf),
    /// In memory, until the command ends.
    Memory,
    /// On a PostgreSQL server.
    Postgres(String),
}

impl StoreUrl {
    /// Reads an address; `None` stands for the one in the environment, else for the default.
    pub(crate) fn parse(url: Option<&str>) -> Result<Self, Failure> {
        let url = url.map_or_else(|| std::env::var_os(VARIABLE), |url| Some(url.into()));
        match url {
            Some(url) if !url.is_empty() => Self::of(&url.to_string_lossy()),
            _ => default_file().map(Self::Sqlite),
        }
    }

    fn of(url: &str) -> Result<Self, Failure> {
        const HINT: &str = "write sqlite:PATH, postgres://USER@HOST/DATABASE, or memory:";
        if let Some(path) = url.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            if path.is_empty() {
                return Err(Failure::usage("the store sqlite: names no file").with_hint(HINT));
            }
            return Ok(Self::Sqlite(path.into()));
        }
        if url == "memory:" || url == "memory" {
            return Ok(Self::Memory);
        }
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(Self::Postgres(url.into()));
        }
        Err(Failure::usage(format!("no store has the address {url:?}")).with_hint(HINT))
    }

    /// Opens the store, and makes it if there is none.
    pub(crate) async fn open(
        &self,
        estimator: Arc<dyn TokenEstimator>,
    ) -> Result<Sessions, Failure> {
        match self {
            Self::Postgres(url) => open_postgres(url, self, estimator).await,
            Self::Memory => Ok(service(MemoryStore::new(), estimator)),
            Self::Sqlite(path) => {
                make_folder(path)?;
                Ok(service(open_sqlite(path)?, estimator))
            }
        }
    }

    /// Brings the index of words up to what was written. A store that lives longer than one command
    /// does so by itself while nothing is written.
    pub(crate) async fn update_index(&self) -> Result<(), Failure> {
        if let Self::Sqlite(path) = self {
            open_sqlite(path)?.update_index().await?;
        }
        Ok(())
    }

    /// Opens the store if there is one. Looking for something makes no file.
    pub(crate) async fn open_existing(
        &self,
        estimator: Arc<dyn TokenEstimator>,
    ) -> Result<Option<Sessions>, Failure> {
        match self {
            Self::Memory | Self::Postgres(_) => self.open(estimator).await.map(Some),
            Self::Sqlite(path) => match path.try_exists() {
                Ok(false) => Ok(None),
                Ok(true) => Ok(Some(service(open_sqlite(path)?, estimator))),
                Err(error) => Err(Failure::unreadable(path, &error)),
            },
        }
    }
}

/// Opens the store for a command that has nothing to do where there is none.
pub(crate) async fn open(
    url: Option<&str>,
    estimator: Arc<dyn TokenEstimator>,
) -> Result<Sessions, Failure> {
    let url = StoreUrl::parse(url)?;
    url.open_existing(estimator).await?.ok_or_else(|| {
        Failure::usage(format!("there is no store at {url}")).with_hint(
            "`compaction import FILE` makes one; --store or COMPACTION_STORE name another",
        )
    })
}

impl std::fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Memory => f.write_str("memory:"),
            Self::Postgres(url) => {
                // Neither the user nor the password, which may stand before the host.
                let rest = url.split_once("://").map_or("", |(_, rest)| rest);
                let place = rest.rsplit('@').next().unwrap_or_default();
                let place = place.split('?').next().unwrap_or_default();
                write!(f, "postgres://{place}")
            }
        }
    }
}

/// The service over `store`. Transcripts have system messages in them, so it stores them.
pub(crate) fn service(store: impl SessionStore, estimator: Arc<dyn TokenEstimator>) -> Sessions {
    Sessions::new(store, estimator).with_system_messages(SystemMessages::Allowed)
}

/// Opens the file, and makes it if there is none.
pub(crate) fn open_sqlite(path: &Path) -> Result<SqliteStore, Failure> {
    SqliteStore::open(path).map_err(|error| {
        Failure::work(format!("cannot open the store {}: {error}", path.display()))
            .with_causes_of(&error)
            .with_hint("choose another file with --store sqlite:PATH")
    })
}

#[cfg(feature = "postgres")]
async fn open_postgres(
    url: &str,
    shown: &StoreUrl,
    estimator: Arc<dyn TokenEstimator>,
) -> Result<Sessions, Failure> {
    match session::PostgresStore::connect(&impatient(url)).await {
        Ok(store) => Ok(service(store, estimator)),
        Err(error) => Err(
            Failure::work(format!("cannot open the store {shown}: {error}"))
                .with_causes_of(&error)
                .with_hint("check that the server runs, and host, port, user and database in the address; ?connect_timeout=30 waits longer"),
        ),
    }
}

/// The address with a limit on how long to wait for an answer, unless it has one: somebody sits in
/// front of the command.
#[cfg(feature = "postgres")]
fn impatient(url: &str) -> std::borrow::Cow<'_, str> {
    if url.contains("connect_timeout=") {
        return url.into();
    }
    let joint = if url.contains('?') { '&' } else { '?' };
    format!("{url}{joint}connect_timeout={PATIENCE_SECONDS}").into()
}

#[cfg(not(feature = "postgres"))]
async fn open_postgres(
    _: &str,
    shown: &StoreUrl,
    _: Arc<dyn TokenEstimator>,
) -> Result<Sessions, Failure> {
    Err(Failure::usage(format!(
        "{shown}: the PostgreSQL store is not built into this command"
    ))
    .with_hint("the feature `postgres` builds it in"))
}

fn make_folder(path: &Path) -> Result<(), Failure> {
    let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    else {
        return Ok(());
    };
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::work(format!(
            "cannot make the folder {}: {}",
            folder.display(),
            crate::failure::plainly(&error)
        ))
        .with_hint("choose another place with --store sqlite:PATH")
    })
}

/// The file in the folder where programs of this user keep their data.
fn default_file() -> Result<PathBuf, Failure> {
    let absolute = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let home = || std::env::home_dir().filter(|path| path.is_absolute());
    let folder = if cfg!(windows) {
        absolute("LOCALAPPDATA").or_else(|| Some(home()?.join("AppData").join("Local")))
    } else if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library").join("Application Support"))
    } else {
        absolute("XDG_DATA_HOME").or_else(|| Some(home()?.join(".local").join("share")))
    };
    match folder {
        Some(folder) => Ok(folder.join("compaction").join(FILE)),
        None => Err(Failure::usage("no folder is known for the store")
            .with_hint("name one with --store sqlite:PATH or COMPACTION_STORE")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_read_back() {
        for (url, shown) in [
            ("sqlite:a.db", "sqlite:a.db"),
            ("sqlite:///tmp/a.db", "sqlite:/tmp/a.db"),
            ("sqlite:C:\\a.db", "sqlite:C:\\a.db"),
            ("memory:", "memory:"),
            (
                "postgres://ann:secret@host:5432/db?sslmode=require",
                "postgres://host:5432/db",
            ),
            ("postgresql://host/db", "postgres://host/db"),
        ] {
            assert_eq!(StoreUrl::parse(Some(url)).unwrap().to_string(), shown);
        }
    }

    #[test]
    fn other_addresses_are_refused_with_a_hint() {
        for url in ["a.db", "sqlite:", "mysql://x", "postgres"] {
            let failure = StoreUrl::parse(Some(url)).unwrap_err();
            assert!(failure.render().contains("write sqlite:PATH, "), "{url}");
        }
    }

    #[cfg(feature = "postgres")]
    #[test]
    fn the_wait_for_a_server_has_an_end_of_ours_or_of_the_address() {
        for (url, asked) in [
            ("postgres://h/db", "postgres://h/db?connect_timeout=4"),
            (
                "postgres://h/db?sslmode=require",
                "postgres://h/db?sslmode=require&connect_timeout=4",
            ),
            (
                "postgres://h/db?connect_timeout=30",
                "postgres://h/db?connect_timeout=30",
            ),
        ] {
            assert_eq!(impatient(url), asked);
        }
    }
}
