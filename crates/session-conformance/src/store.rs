//! The stores a case can run on, and where they keep things.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use session::MemoryStore;
use session_store::SessionStore;

use crate::case::StoreName;
use crate::json::Malformed;

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
    /// The stores this build can open.
    pub const AVAILABLE: &'static [Self] = &[Self::Memory];

    /// The name on the command line and in cases.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.in_case().name()
    }

    /// Whether this build can open it.
    #[must_use]
    pub fn is_available(self) -> bool {
        Self::AVAILABLE.contains(&self)
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
    _folder: Scratch,
}

impl Home {
    /// A place with nothing in it.
    pub(crate) fn new(kind: StoreKind) -> Result<Self, String> {
        let folder = Scratch::new()?;
        let base = folder.path().join("base");
        std::fs::create_dir(&base).map_err(|error| error.to_string())?;
        Ok(Self {
            kind,
            memory: MemoryStore::new(),
            base,
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
            kind => Self::open_file(kind, &self.file()),
        }
    }

    /// Opens a store that is in a file.
    pub(crate) fn open_file(
        kind: StoreKind,
        _file: &Path,
    ) -> Result<Arc<dyn SessionStore>, String> {
        Err(format!("this build cannot open a {kind} store yet"))
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
