//! The port.

use std::boxed::Box;
use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use session_log::{Event, EventBody, Seq, SessionId, Timestamp, Version};

use crate::append::{Appended, Batch, Expected, Recount};
use crate::error::StoreError;
use crate::events::EventQuery;
use crate::head::Head;
use crate::page::Page;
use crate::search::{Hit, HitMark, Scope, SearchQuery};
use crate::session::{Created, NewSession, Session, SessionPatch};
use crate::sessions::{SessionMark, SessionQuery};

/// A place that keeps sessions and their logs.
///
/// The trait is for those who write a store; it has no method that could be made from the others.
/// Those who use one find comforts in [`SessionStoreExt`](crate::SessionStoreExt).
///
/// A store chooses rows; what they mean is decided elsewhere. It knows neither clock nor
/// compaction: every moment is handed in, and a boundary is an event like any other that moves a
/// pointer in [`Head`]. The arithmetic of heads, filters and search is in this crate
/// ([`Batch::settle`], [`Head::after`], [`BoundaryMark::newest_live`](crate::BoundaryMark::newest_live), [`EventQuery::accepts`],
/// [`search`](crate::search)), so that stores differ in where things are
/// kept and in nothing else.
///
/// # Laws
///
/// `session-store-testkit` has a test for each, under its number.
///
/// Sessions
///
/// 1. **Create once.** Of any number of concurrent calls of [`create`](Self::create) with one id
///    exactly one makes the session; all others get the stored one, unchanged.
/// 2. **Round trip.** A session comes back as it was created: owner, times to the millisecond,
///    parent, attributes, metadata byte for byte; its head is [`Head::empty`].
/// 3. **Unknown.** For a session that is not there, reads answer with `None` or an empty page,
///    deletion with `false`, and everything else with [`StoreError::UnknownSession`]. No call
///    makes a session but `create`.
/// 4. **Update.** A patch changes what it names; identity, owner, parent, creation time, log and
///    head stay.
/// 5. **List.** Sessions come by creation time, then by id byte by byte, oldest first unless asked
///    otherwise; owner, parent, attributes and expiry select exactly. Following [`Page::next`]
///    gives each once, also when others come and go in between, that of the mark among them.
/// 6. **Sweep.** A sweep deletes the sessions whose expiry is strictly before the given moment,
///    each whole or not at all, and tells how many. A session without expiry never goes. Until it
///    is swept an expired session can be read and written.
/// 7. **Delete.** Nothing of a deleted session is left: neither events nor hits nor taken ids.
///    Its children stay.
///
/// Log
///
/// 8. **Contiguous.** The events of a log have the seqs 1, 2, 3 … in the order they were appended,
///    under any concurrency; the version is the last of them. Times play no part.
/// 9. **Whole.** A batch goes in whole or not at all.
/// 10. **Expected.** With [`Expected::Exact`] a batch with a new event is written only if the
///     version is the expected one, else the outcome is [`Appended::Conflict`] with the actual
///     version; of any number of concurrent ones exactly one is written.
///     An empty batch is only this check, whatever counters come with it.
/// 11. **Again.** An event whose id is in the session and which
///     [says the same](Event::says_the_same_as) is not appended again. A batch of such events only
///     is done, whatever the expected version, and changes nothing. The same holds inside a batch.
/// 12. **Clash.** The id of an event that says something else is [`StoreError::EventDiffers`]; an
///     id of another session is [`StoreError::EventElsewhere`]. It comes before a conflict.
/// 13. **Byte for byte.** What is read is what was appended and what `append` returned: every
///     part, JSON text, NUL, U+FFFD, a megabyte of emoji.
/// 14. **Isolation.** No call on one session reads or changes another.
/// 15. **Refused.** What [`Batch::check`] refuses is refused.
///
/// Reading
///
/// 16. **Filters.** A read gives the events that [`EventQuery::matches`], in log order of the
///     direction, each once.
/// 17. **Pages.** Following [`Page::next`] gives what one page without limit gives, also when
///     events are appended in between.
///
/// Head
///
/// 18. **Boundary.** After each append the head names the newest live boundary
///     ([`BoundaryMark::newest_live`](crate::BoundaryMark::newest_live)), written together with the events.
/// 19. **Counters.** They move as [`Head::after`] says, together with the events.
/// 20. **Recount.** [`recount`](Self::recount) replaces counts of events, of two for one place by
///     the later; the counters only at the version it was made for. The version does not move.
/// 21. **Erase.** [`erase`](Self::erase) replaces the body and drops metadata and count; id, seq,
///     time, origin, branch and all other events stay. The counters become unknown, the count of
///     erasures grows by one, also when the event was erased before; the version does not move.
///     The old content is found no more, and what stands in its place is.
///
/// Search
///
/// 22. **Literal.** A keyword is plain text: it is found exactly where
///     [`fold`](crate::search::fold)ed text contains it, whatever characters it has.
/// 23. **Complete.** A search gives exactly the events that [`SearchQuery::matches`] in its scope:
///     the whole log, covered events and the event appended last included.
/// 24. **Order and pages.** Hits come in the order of [`HitMark::cmp_in`]; following
///     [`Page::next`] gives each once, also when events are appended or sessions deleted in
///     between.
/// 25. **Scope.** A search over an owner's sessions sees only those, and none without owner.
///
/// General
///
/// 26. **Dropped futures.** A future that is dropped half-way has done its whole work or none.
/// 27. **Queries are checked.** What the `check` of a query refuses is refused.
///
/// # Cost
///
/// `append` does not depend on the length of the log. `read` with a range depends on the range,
/// not on the log. `session` reads one row. `search` depends on the number of hits, except for
/// keywords of fewer than three characters and [`Order::Relevance`](crate::Order::Relevance).
#[async_trait]
pub trait SessionStore: Debug + Send + Sync + 'static {
    /// Makes a session with an empty log, unless there is one with its id.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`] or [`StoreError::Failed`], as every method.
    async fn create(&self, session: NewSession) -> Result<Created, StoreError>;

    /// The session with this id and where its log stands.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] when its row cannot be read.
    async fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError>;

    /// The sessions that `query` asks for.
    ///
    /// # Errors
    ///
    /// [`StoreError::InvalidQuery`], or [`StoreError::Corrupt`] when a row cannot be read.
    async fn sessions(
        &self,
        query: &SessionQuery,
    ) -> Result<Page<Session, SessionMark>, StoreError>;

    /// Changes what `patch` names and gives the session as it is then.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownSession`].
    async fn update(&self, id: &SessionId, patch: SessionPatch) -> Result<Session, StoreError>;

    /// Deletes the session and its log; tells whether it was there.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`] or [`StoreError::Failed`].
    async fn delete(&self, id: &SessionId) -> Result<bool, StoreError>;

    /// Deletes every session that expires strictly before the given moment; tells how many.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`] or [`StoreError::Failed`]; sessions deleted until then stay
    /// deleted.
    async fn sweep(&self, before: Timestamp) -> Result<u64, StoreError>;

    /// Appends a batch at the end of the log and moves the head with it.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownSession`], [`StoreError::EventDiffers`],
    /// [`StoreError::EventElsewhere`], [`StoreError::InvalidEvent`], or
    /// [`StoreError::InvalidQuery`] for counters without an exact version.
    async fn append(
        &self,
        id: &SessionId,
        expected: Expected,
        batch: Batch,
    ) -> Result<Appended, StoreError>;

    /// The events that `query` asks for.
    ///
    /// # Errors
    ///
    /// [`StoreError::InvalidQuery`], or [`StoreError::Corrupt`] when an event cannot be read and
    /// the query does not say to go on.
    async fn read(
        &self,
        id: &SessionId,
        query: &EventQuery,
    ) -> Result<Page<Arc<Event>, Seq>, StoreError>;

    /// The messages in which `query` finds its keywords. Events that cannot be read are left out
    /// and named in [`Page::damaged`].
    ///
    /// # Errors
    ///
    /// [`StoreError::InvalidQuery`].
    async fn search(
        &self,
        scope: &Scope,
        query: &SearchQuery,
    ) -> Result<Page<Hit, HitMark>, StoreError>;

    /// Stores counts made by another estimator; tells whether the counters were taken, which they
    /// are only when the log is still at version `at`.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownSession`] or [`StoreError::InvalidQuery`].
    async fn recount(
        &self,
        id: &SessionId,
        at: Version,
        recount: Recount,
    ) -> Result<bool, StoreError>;

    /// Puts `tombstone` in the place of the event's content, for good, and gives the head after
    /// it.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownSession`], [`StoreError::UnknownEvent`], or
    /// [`StoreError::InvalidEvent`] as [`check_tombstone`](crate::check_tombstone) says.
    async fn erase(
        &self,
        id: &SessionId,
        seq: Seq,
        tombstone: EventBody,
    ) -> Result<Head, StoreError>;
}
