//! The stores a case can run on, and where they keep things.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use session::{MemoryStore, SqliteStore};
use session_store::SessionStore;

use crate::case::StoreName;
use crate::failure::with_causes;
use crate::json::Malformed;

pub(crate) mod postgres;

pub use self::postgres::POSTGRES;

/// A kind of store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum StoreKind {
    /// In memory.
    Memory,
    /// In a SQLite file.
    Sqlite,
    /// In PostgreSQL.
    Postgres,
}

impl StoreKind {
    /// Every kind there is.
    pub const ALL: [Self; 3] = [Self::Memory, Self::Sqlite, Self::Postgres];

    /// The stores that can be opened here.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let is_available = |kind: &Self| kind.is_available();
        Self::ALL.into_iter().filter(is_available).collect()
    }

    /// Whether it can be opened here: PostgreSQL needs a server, which [`POSTGRES`] names.
    #[must_use]
    pub fn is_available(self) -> bool {
        self != Self::Postgres || postgres::url().is_some()
    }

    /// The name on the command line and in cases.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.in_case().name()
    }

    pub(crate) fn in_case(self) -> StoreName {
        match self {
            Self::Memory => StoreName::Memory,
            Self::Sqlite => StoreName::Sqlite,
            Self::Postgres => StoreName::Postgres,
        }
    }

    /// Whether it keeps things where another process finds them.
    pub(crate) fn is_durable(self) -> bool {
        self != Self::Memory
    }
}

impl fmt::Display for StoreKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for StoreKind {
    type Err = Malformed;

    fn from_str(name: &str) -> Result<Self, Malformed> {
        Ok(match StoreName::parse(name)? {
            StoreName::Memory => Self::Memory,
            StoreName::Sqlite => Self::Sqlite,
            StoreName::Postgres => Self::Postgres,
        })
    }
}

/// Where the store of a case is, so that it can be opened again.
#[derive(Debug)]
pub(crate) struct Home {
    kind: StoreKind,
    memory: MemoryStore,
    base: PathBuf,
    /// The schema of a store in PostgreSQL.
    schema: String,
    _folder: Scratch,
}

impl Home {
    /// A place with nothing in it.
    pub(crate) fn new(kind: StoreKind) -> Result<Self, String> {
        let folder = Scratch::new()?;
        let base = folder.path().join("base");
        std::fs::create_dir(&base).map_err(|error| error.to_string())?;
        let name = folder.path().file_name();
        let name = name.map(|name| name.to_string_lossy().replace('-', "_"));
        Ok(Self {
            kind,
            memory: MemoryStore::new(),
            base,
            schema: name.unwrap_or_default(),
            _folder: folder,
        })
    }

    pub(crate) fn kind(&self) -> StoreKind {
        self.kind
    }

    /// Opens the store, with what is in it already.
    pub(crate) fn open(&self) -> Result<Arc<dyn SessionStore>, String> {
        match self.kind {
            StoreKind::Memory => Ok(Arc::new(self.memory.clone())),
            kind => open_at(kind, &self.address()),
        }
    }

    /// Where another process finds the store.
    pub(crate) fn address(&self) -> String {
        match self.kind {
            StoreKind::Postgres => self.schema.clone(),
            _ => self.file().display().to_string(),
        }
    }

    /// The file of a store that has one.
    pub(crate) fn file(&self) -> PathBuf {
        self.base.join("store.db")
    }

    /// The only folder in which anything may be written.
    pub(crate) fn folder(&self) -> &Path {
        &self.base
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if self.kind == StoreKind::Postgres {
            postgres::forget(&self.schema);
        }
    }
}

/// Opens a store that other processes open as well.
pub(crate) fn open_at(kind: StoreKind, address: &str) -> Result<Arc<dyn SessionStore>, String> {
    match kind {
        StoreKind::Memory => Err("a memory store has no address".into()),
        StoreKind::Sqlite => match SqliteStore::open(address) {
            Ok(store) => Ok(Arc::new(store)),
            Err(error) => Err(with_causes(&error)),
        },
        StoreKind::Postgres => postgres::open(address),
    }
}

/// A folder of our own, gone when this is.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Result<Self, String> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::SeqCst);
        let name = format!("session-conformance-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path)
            .map_err(|error| format!("no folder to work in at {}: {error}", path.display()))?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed stays in the folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
