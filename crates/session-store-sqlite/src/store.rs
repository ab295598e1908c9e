//! The store: what is asked for goes to the writer or to a reader.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use session_log::{Event, EventBody, Seq, SessionId, Timestamp, Version};
use session_store::{
    Appended, Batch, Created, EventQuery, Expected, Head, Hit, HitMark, NewSession, Page, Recount,
    Scope, SearchQuery, Session, SessionMark, SessionPatch, SessionQuery, SessionStore, StoreError,
};

use crate::append::{self, Encoded};
use crate::doctor::{self, Finding};
use crate::error::OrFailed;
use crate::index::Tail;
use crate::open::{OpenError, open_writer};
use crate::options::{Durability, SqliteOptions};
use crate::pen::Pen;
use crate::read;
use crate::readers::Readers;
use crate::search;
use crate::sessions;
use crate::writer::Writer;

/// A store in one SQLite file.
///
/// Clones share the file's connections. When the last clone is dropped, everything that was asked
/// for is written and the file is closed; the drop waits for it.
///
/// ```
/// use session_log::{EventId, Message, NewEvent, SessionId, Timestamp};
/// use session_store::{Batch, Expected, NewSession, SessionStore};
/// use session_store_sqlite::SqliteStore;
///
/// # async fn example(path: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
/// let store = SqliteStore::open(path)?;
/// let (id, now) = (SessionId::new("s1")?, Timestamp::from_millis(0));
/// let _ = store.create(NewSession::new(id.clone(), now)).await?;
///
/// let hello = NewEvent::message(EventId::new("e1")?, now, Message::user("Hello"));
/// let appended = store.append(&id, Expected::Any, Batch::from(hello)).await?;
/// assert_eq!(appended.done().expect("any version will do").new, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct SqliteStore {
    inner: Arc<Inner>,
}

/// Readers are dropped first: the writer's connection is the last one and tidies up the file.
#[derive(Debug)]
struct Inner {
    readers: Readers,
    writer: Writer,
    short_append: usize,
}

impl SqliteStore {
    /// Opens the database at `path`, and makes it if there is none. This blocks for the time it
    /// takes to open a file, or longer while another process migrates it.
    ///
    /// # Errors
    ///
    /// [`OpenError`] says what the file is when it is no database of this store.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::open_with(path, SqliteOptions::default())
    }

    /// Opens the database at `path` with options.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, options: SqliteOptions) -> Result<Self, OpenError> {
        // A later change of the working directory must not lead readers to another file.
        let path = std::path::absolute(path).map_err(OpenError::failed)?;
        let connection = open_writer(&path, &options)?;
        let tail = Tail::unknown(options.index_after);
        let pen = Pen::new(connection, options.busy_timeout);
        let pen = pen.map_err(|error| OpenError::of(&error))?;
        let short_append = match options.durability {
            Durability::Normal => options.short_append,
            // Every commit waits for the disk.
            Durability::Full => 0,
        };
        let inner = Inner {
            readers: Readers::new(path, options),
            writer: Writer::start(pen, tail).map_err(OpenError::failed)?,
            short_append,
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// Looks for damage: a broken file, records that cannot be read, rows without a session, and
    /// stored values that disagree with the log. Reads everything; an empty list is good news.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`] or [`StoreError::Failed`] when the file cannot be read at all.
    pub async fn doctor(&self) -> Result<Vec<Finding>, StoreError> {
        self.inner.readers.read(doctor::examine).await
    }

    /// Brings the search index up to date, as after an import of many events. Searches are
    /// complete without it; they only take longer while the index is behind.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`] or [`StoreError::Failed`].
    pub async fn update_index(&self) -> Result<(), StoreError> {
        let step = |connection: &rusqlite::Connection| {
            let mut tail = Tail::unknown(1);
            tail.advance_in_transaction(connection).or_failed()?;
            Ok(tail.is_worth_it())
        };
        while self.inner.writer.write(step).await? {}
        Ok(())
    }
}

#[async_trait]
impl SessionStore for SqliteStore {
    async fn create(&self, session: NewSession) -> Result<Created, StoreError> {
        let create = move |connection: &_| sessions::create(connection, session);
        self.inner.writer.write(create).await
    }

    async fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError> {
        let id = id.clone();
        let find = move |connection: &_| sessions::find(connection, &id);
        let found = self.inner.readers.read(find).await?;
        Ok(found.map(|(_, session)| session))
    }

    async fn sessions(
        &self,
        query: &SessionQuery,
    ) -> Result<Page<Session, SessionMark>, StoreError> {
        query.check()?;
        let query = query.clone();
        let list = move |connection: &_| sessions::list(connection, &query);
        self.inner.readers.read(list).await
    }

    async fn update(&self, id: &SessionId, patch: SessionPatch) -> Result<Session, StoreError> {
        let id = id.clone();
        let update = move |connection: &_| sessions::update(connection, &id, patch);
        self.inner.writer.write(update).await
    }

    async fn delete(&self, id: &SessionId) -> Result<bool, StoreError> {
        let id = id.clone();
        let delete = move |connection: &_| sessions::delete(connection, &id);
        let mut forgetting = self.inner.writer.forgetting();
        let was_there = self.inner.writer.write(delete).await?;
        forgetting.is_due = was_there;
        Ok(was_there)
    }

    async fn sweep(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut count = 0_u64;
        let mut forgetting = self.inner.writer.forgetting();
        // One session at a time: appends to others need not wait for all of them.
        let step = move |connection: &_| sessions::sweep_one(connection, before);
        while self.inner.writer.write(step).await? {
            count = count.saturating_add(1);
        }
        forgetting.is_due = count > 0;
        Ok(count)
    }

    async fn append(
        &self,
        id: &SessionId,
        expected: Expected,
        batch: Batch,
    ) -> Result<Appended, StoreError> {
        batch.check(expected)?;
        let encoded = Encoded::new(batch)?;
        let id = id.clone();
        let is_short = encoded.is_at_most(self.inner.short_append);
        let append = move |connection: &_| append::append(connection, &id, expected, encoded);
        if is_short {
            self.inner.writer.write_short(append).await
        } else {
            self.inner.writer.write(append).await
        }
    }

    async fn read(
        &self,
        id: &SessionId,
        query: &EventQuery,
    ) -> Result<Page<Arc<Event>, Seq>, StoreError> {
        query.check()?;
        let (id, query) = (id.clone(), query.clone());
        let read = move |connection: &_| read::read(connection, &id, &query);
        self.inner.readers.read(read).await
    }

    async fn search(
        &self,
        scope: &Scope,
        query: &SearchQuery,
    ) -> Result<Page<Hit, HitMark>, StoreError> {
        query.check()?;
        let (scope, query) = (scope.clone(), query.clone());
        let search = move |connection: &_| search::search(connection, &scope, &query);
        self.inner.readers.read(search).await
    }

    async fn recount(
        &self,
        id: &SessionId,
        at: Version,
        recount: Recount,
    ) -> Result<bool, StoreError> {
        recount.check()?;
        let id = id.clone();
        let recount = move |connection: &_| append::recount(connection, &id, at, recount);
        self.inner.writer.write(recount).await
    }

    async fn erase(
        &self,
        id: &SessionId,
        seq: Seq,
        tombstone: EventBody,
    ) -> Result<Head, StoreError> {
        let id = id.clone();
        let erase = move |connection: &_| append::erase(connection, &id, seq, tombstone);
        let _forgetting = self.inner.writer.forgetting();
        self.inner.writer.write(erase).await
    }
}
