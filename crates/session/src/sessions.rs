//! The service: sessions, their logs, their views.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use compaction_core::TokenEstimator;
use session_log::{
    Event, EventBody, EventId, EventType, LineFormat, Message, MessageFormat, NewEvent, SessionId,
    Version, View, live_boundary,
};
use session_store::{
    Appended, Batch, Created, EventQuery, Expected, NewSession, Page, Session, SessionMark,
    SessionQuery, SessionStore, SessionStoreExt as _,
};

use crate::clock::{Clock, SystemClock};
use crate::error::Error;
use crate::flights::Flights;

/// How long a session lives unless told otherwise: 60 days, as the upstream design has it.
pub const TIME_TO_LIVE: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// Whether the service stores system messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SystemMessages {
    /// It does not: what an agent is told stands in its code and goes with each request.
    #[default]
    Refused,
    /// It does; the latest one leads the view.
    Allowed,
}

/// The service that an application holds: append-only session logs over any store, and the passes
/// that compact what a model sees of them.
///
/// Cloning is cheap and gives another handle to the same service.
///
/// ```
/// # futures_executor::block_on(async {
/// use session::{Compaction, MemoryStore, Message, Sessions, Window};
/// # struct Characters;
/// # impl session::TokenEstimator for Characters {
/// #     fn name(&self) -> &str { "characters" }
/// #     fn estimate(&self, text: &str) -> u64 { text.chars().count() as u64 }
/// # }
///
/// let sessions = Sessions::new(MemoryStore::new(), Characters);
/// let id = sessions.create().await?.id;
/// for turn in 1..=3 {
///     sessions.append(&id, Message::user(format!("question {turn}"))).await?;
///     sessions.append(&id, Message::assistant(format!("answer {turn}"))).await?;
/// }
///
/// let keep_one_turn = Compaction::builder(Window::Turns(1)).build()?;
/// let report = sessions.compact(&id, &keep_one_turn).await?;
/// assert_eq!(report.covered.len(), 4);
/// assert_eq!(sessions.view(&id).await?.events().len(), 2);
/// assert_eq!(sessions.log(&id).await?.len(), 7); // nothing is lost, and a boundary was added
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Sessions {
    pub(crate) store: Arc<dyn SessionStore>,
    pub(crate) estimator: Arc<dyn TokenEstimator>,
    pub(crate) format: Arc<dyn MessageFormat>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) flights: Arc<Flights>,
    time_to_live: Option<Duration>,
    system_messages: SystemMessages,
}

impl Sessions {
    /// A service over `store` that counts tokens with `estimator`.
    #[must_use]
    pub fn new(store: impl SessionStore, estimator: impl TokenEstimator + 'static) -> Self {
        Self {
            store: Arc::new(store),
            estimator: Arc::new(estimator),
            format: Arc::new(LineFormat),
            clock: Arc::new(SystemClock),
            flights: Arc::default(),
            time_to_live: Some(TIME_TO_LIVE),
            system_messages: SystemMessages::Refused,
        }
    }

    /// The same service with another formatter for counting and for prompts.
    #[must_use]
    pub fn with_format(mut self, format: impl MessageFormat + 'static) -> Self {
        self.format = Arc::new(format);
        self
    }

    /// The same service with another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// The same service, whose new sessions live so long; `None` for ever.
    #[must_use]
    pub fn with_time_to_live(mut self, time_to_live: Option<Duration>) -> Self {
        self.time_to_live = time_to_live;
        self
    }

    /// The same service, storing system messages or not.
    #[must_use]
    pub fn with_system_messages(mut self, system_messages: SystemMessages) -> Self {
        self.system_messages = system_messages;
        self
    }

    /// The store below.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn SessionStore> {
        &self.store
    }

    /// The name of the estimator.
    #[must_use]
    pub fn estimator(&self) -> &str {
        self.estimator.name()
    }

    /// Describes a session to create: with this id, the service's time to live from now, and
    /// nothing else yet.
    #[must_use]
    pub fn describe(&self, id: SessionId) -> NewSession {
        let now = self.clock.now();
        let session = NewSession::new(id, now);
        match self.time_to_live {
            Some(lives) => {
                let millis = i64::try_from(lives.as_millis()).unwrap_or(i64::MAX);
                session.with_expiry(now.plus_millis(millis))
            }
            None => session,
        }
    }

    /// Creates a session with a fresh id.
    ///
    /// # Errors
    ///
    /// [`Error::Store`].
    pub async fn create(&self) -> Result<Session, Error> {
        let id = SessionId::new(fresh_id())?;
        self.create_as(self.describe(id)).await
    }

    /// Creates the session described.
    ///
    /// # Errors
    ///
    /// [`Error::SessionExists`] when its id is taken; the stored session is not touched.
    pub async fn create_as(&self, session: NewSession) -> Result<Session, Error> {
        match self.store.create(session).await? {
            Created::New(session) => Ok(session),
            Created::Exists(session) => Err(Error::SessionExists {
                session: session.id,
            }),
        }
    }

    /// The session with the described id, created if it is not there. A session that is there
    /// stays as it is.
    ///
    /// # Errors
    ///
    /// [`Error::Store`].
    pub async fn find_or_create(&self, session: NewSession) -> Result<Session, Error> {
        Ok(self.store.create(session).await?.into_session())
    }

    /// The session, if it is there.
    ///
    /// # Errors
    ///
    /// [`Error::Store`].
    pub async fn find(&self, id: &SessionId) -> Result<Option<Session>, Error> {
        Ok(self.store.session(id).await?)
    }

    pub(crate) async fn session(&self, id: &SessionId) -> Result<Session, Error> {
        self.find(id).await?.ok_or_else(|| Error::UnknownSession {
            session: id.clone(),
        })
    }

    /// A page of sessions, oldest first unless asked otherwise.
    ///
    /// # Errors
    ///
    /// [`Error::Store`].
    pub async fn list(&self, query: &SessionQuery) -> Result<Page<Session, SessionMark>, Error> {
        Ok(self.store.sessions(query).await?)
    }

    /// Deletes a session with its log; tells whether it was there.
    ///
    /// # Errors
    ///
    /// [`Error::Store`].
    pub async fn delete(&self, id: &SessionId) -> Result<bool, Error> {
        Ok(self.store.delete(id).await?)
    }

    /// Deletes the sessions that have expired by now; tells how many.
    ///
    /// # Errors
    ///
    /// [`Error::Store`].
    pub async fn expire(&self) -> Result<u64, Error> {
        Ok(self.store.sweep(self.clock.now()).await?)
    }

    /// Appends one message under a fresh id. Whoever tries again after an error brings ids of his
    /// own, with [`append_events`](Self::append_events) or a [`Harness`](crate::Harness): then
    /// nothing is written twice.
    ///
    /// # Errors
    ///
    /// As [`append_events`](Self::append_events).
    pub async fn append(&self, id: &SessionId, message: Message) -> Result<Arc<Event>, Error> {
        let event = EventId::new(fresh_id())?;
        let event = NewEvent::message(event, self.clock.now(), message);
        let appended = self.append_events(id, Expected::Any, vec![event]).await?;
        let written = appended
            .done()
            .and_then(|written| written.events.into_iter().next());
        written.ok_or_else(|| Error::UnknownSession {
            session: id.clone(),
        })
    }

    /// Appends events, whole or not at all. An event whose id is in the log already and that says
    /// the same is passed over, so a retry is harmless. Events without a token count are counted.
    ///
    /// A version other than the expected one is an outcome, [`Appended::Conflict`].
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSession`], [`Error::SystemMessageRefused`], or [`Error::Store`] with
    /// [`EventDiffers`](session_store::StoreError::EventDiffers) or
    /// [`EventElsewhere`](session_store::StoreError::EventElsewhere) for a clash of ids.
    #[tracing::instrument(
        level = "debug",
        skip_all,
        fields(gen_ai.conversation.id = %id, events = events.len())
    )]
    pub async fn append_events(
        &self,
        id: &SessionId,
        expected: Expected,
        mut events: Vec<NewEvent>,
    ) -> Result<Appended, Error> {
        if self.system_messages == SystemMessages::Refused {
            let refused = events.iter().find(|event| {
                matches!(&event.body, EventBody::Message(message) if message.role.is_system())
                    && !event.origin.is_synthetic()
            });
            if let Some(event) = refused {
                return Err(Error::SystemMessageRefused {
                    event: event.id.clone(),
                });
            }
        }
        self.count_all(&mut events);
        Ok(self.store.append(id, expected, Batch::new(events)).await?)
    }

    /// The whole log, oldest first.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSession`] or [`Error::Store`].
    pub async fn log(&self, id: &SessionId) -> Result<Vec<Arc<Event>>, Error> {
        self.session(id).await?;
        Ok(self.store.read_all(id, EventQuery::all()).await?)
    }

    /// A page of events of the log or, as [`EventQuery`] says, of parts of it.
    ///
    /// # Errors
    ///
    /// [`Error::Store`].
    pub async fn read(
        &self,
        id: &SessionId,
        query: &EventQuery,
    ) -> Result<Page<Arc<Event>, session_log::Seq>, Error> {
        Ok(self.store.read(id, query).await?)
    }

    /// What a model sees of the session now. It reads what is in the view, not the log.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSession`] or [`Error::Store`].
    pub async fn view(&self, id: &SessionId) -> Result<View, Error> {
        Ok(self.load(id).await?.1)
    }

    /// What a model saw of the session at an earlier version.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSession`] or [`Error::Store`].
    pub async fn view_at(&self, id: &SessionId, version: Version) -> Result<View, Error> {
        self.session(id).await?;
        let Some(last) = session_log::Seq::new(version.as_u64()) else {
            return Ok(View::default());
        };
        let marks = EventQuery::all()
            .with_to(last)
            .with_types([EventType::COMPACTION, EventType::REVERT]);
        let marks = self.store.read_all(id, marks).await?;
        let live = live_boundary(marks.iter().map(Arc::as_ref)).map(|event| event.seq);
        let boundary = marks.into_iter().find(|event| Some(event.seq) == live);
        let wanted = session_log::ViewQuery::of(boundary.as_deref());
        let query = EventQuery::all()
            .with_from(wanted.from.min(last))
            .with_to(last)
            .with_also(wanted.seqs);
        self.assemble(id, version.min(self.version(id).await?), boundary, query)
            .await
    }

    async fn version(&self, id: &SessionId) -> Result<Version, Error> {
        Ok(self.session(id).await?.head.version)
    }

    /// The session and its view, both of one version.
    pub(crate) async fn load(&self, id: &SessionId) -> Result<(Session, View), Error> {
        let loaded = self.store.load(id).await?;
        let (session, events) = loaded.ok_or_else(|| Error::UnknownSession {
            session: id.clone(),
        })?;
        let at = session.head.boundary.as_ref().map(|mark| mark.seq);
        let boundary = events.iter().find(|event| Some(event.seq) == at).cloned();
        let version = session.head.version;
        let view = View::assemble(version, boundary.clone(), events.iter().cloned());
        if view.missing().is_empty() {
            return Ok((session, view));
        }
        let wanted = session_log::ViewQuery::of(boundary.as_deref());
        let query = EventQuery::all()
            .with_from(wanted.from)
            .with_also(wanted.seqs);
        let view = self.assemble(id, version, boundary, query).await?;
        Ok((session, view))
    }

    /// Reads and builds a view, and reads again what was pinned after it was covered.
    async fn assemble(
        &self,
        id: &SessionId,
        version: Version,
        boundary: Option<Arc<Event>>,
        mut query: EventQuery,
    ) -> Result<View, Error> {
        query.to = session_log::Seq::new(version.as_u64());
        query.from = query.from.min(query.to);
        let events = self.store.read_all(id, query.clone()).await?;
        let view = View::assemble(version, boundary.clone(), events);
        if view.missing().is_empty() {
            return Ok(view);
        }
        query.also.extend_from_slice(view.missing());
        let events = self.store.read_all(id, query).await?;
        Ok(View::assemble(version, boundary, events))
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions")
            .field("store", &self.store)
            .field("estimator", &self.estimator.name())
            .finish_non_exhaustive()
    }
}

/// A fresh id: a UUID of version 7, which sorts by time.
pub(crate) fn fresh_id() -> String {
    uuid::Uuid::now_v7().to_string()
}
