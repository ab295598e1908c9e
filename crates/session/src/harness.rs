//! The harness: what an agent loop calls, one turn at a time.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use session_log::{Event, EventId, Message, NewEvent, Role, SessionId, ToolCall, View};
use session_store::{EventQuery, Expected, SessionStoreExt as _};
use session_transcript::{Item, Repair, repaired};

use crate::compaction::Compaction;
use crate::error::Error;
use crate::report::Report;
use crate::sessions::Sessions;

/// What an agent loop stands on. It holds no state of a turn: the session is the state, so any
/// process can go on with a turn that another one began.
///
/// ```
/// # futures_executor::block_on(async {
/// # use session::{MemoryStore, Message, Sessions};
/// # struct Characters;
/// # impl session::TokenEstimator for Characters {
/// #     fn name(&self) -> &str { "characters" }
/// #     fn estimate(&self, text: &str) -> u64 { text.chars().count() as u64 }
/// # }
/// # let sessions = Sessions::new(MemoryStore::new(), Characters);
/// # let id = sessions.create().await?.id;
/// use session::Harness;
///
/// let harness = Harness::new(sessions).with_system(Message::system("Be brief."));
/// let mut turn = harness.begin_turn(&id, "turn-1", Message::user("Hello")).await?;
/// while !turn.is_answered() {
///     for call in turn.open_calls() {
///         turn.record(Message::tool_result(call.id, "4711")).await?; // run the tool
///     }
///     let request = turn.request();
///     assert_eq!(request.messages[0].text(), "Be brief.");
///     turn.record(Message::assistant("Hi.")).await?; // ask the model with the request
/// }
/// let end = turn.finish().await?;
/// assert!(end.compaction.is_none()); // none was configured
/// # Ok::<(), session::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Harness {
    sessions: Sessions,
    system: Vec<Message>,
    compaction: Option<Compaction>,
    observer: Option<Observer>,
}

#[derive(Clone)]
struct Observer(Arc<dyn Fn(&Happening) + Send + Sync>);

/// Something that happened to a session, for observers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Happening {
    /// A message was appended.
    Appended(Arc<Event>),
    /// A pass ended, however it did.
    Passed(Box<Report>),
    /// A pass failed. The turn did not.
    PassFailed {
        /// The session.
        session: SessionId,
        /// What went wrong, and why.
        reason: String,
    },
}

impl Harness {
    /// A harness over `sessions` that compacts nothing.
    #[must_use]
    pub fn new(sessions: Sessions) -> Self {
        Self {
            sessions,
            system: Vec::new(),
            compaction: None,
            observer: None,
        }
    }

    /// The same harness, with one more system message of its own at the head of each request. It
    /// is not stored.
    #[must_use]
    pub fn with_system(mut self, message: Message) -> Self {
        self.system.push(message);
        self
    }

    /// The same harness, running a pass after each turn.
    #[must_use]
    pub fn with_compaction(mut self, compaction: Compaction) -> Self {
        self.compaction = Some(compaction);
        self
    }

    /// The same harness, telling `observer` what happens.
    #[must_use]
    pub fn with_observer(mut self, observer: impl Fn(&Happening) + Send + Sync + 'static) -> Self {
        self.observer = Some(Observer(Arc::new(observer)));
        self
    }

    /// Begins a turn with the person's message, or goes on with it.
    ///
    /// Events get ids made of `turn` and their place in the turn, so a turn that is begun again,
    /// after a crash or by a retry, appends nothing twice and goes on where it stood. An event id is
    /// unique in a store, and so must `turn` be across its sessions: take the id that the message
    /// has where it comes from, or put the session's before a number.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownSession`]; [`Error::InvalidId`] when `turn` cannot be part of an id;
    /// [`Error::Store`], also when the turn was begun with another message or in another session.
    pub async fn begin_turn(
        &self,
        id: &SessionId,
        turn: &str,
        message: Message,
    ) -> Result<Turn, Error> {
        let first = EventId::new(format!("{turn}/0"))?;
        let opened = self.append(id, first, message).await?;
        let since = EventQuery::all().with_from(opened.seq.plus(1));
        let mut recorded = Vec::new();
        for event in self.sessions.store.read_all(id, since).await? {
            let is_next = event.id.as_str() == format!("{turn}/{}", recorded.len() + 1);
            if is_next {
                recorded.push(event);
            }
        }
        Ok(Turn {
            harness: self.clone(),
            session: id.clone(),
            turn: turn.into(),
            view: self.sessions.view(id).await?,
            opened,
            recorded,
        })
    }

    async fn append(
        &self,
        id: &SessionId,
        event: EventId,
        message: Message,
    ) -> Result<Arc<Event>, Error> {
        let now = self.sessions.clock.now();
        let events = vec![NewEvent::message(event, now, message)];
        let appended = self
            .sessions
            .append_events(id, Expected::Any, events)
            .await?;
        let written = appended.done().and_then(|written| {
            let event = written.events.into_iter().next()?;
            Some((event, written.new > 0))
        });
        let Some((event, is_new)) = written else {
            return Err(Error::UnknownSession {
                session: id.clone(),
            });
        };
        if is_new {
            self.tell(&Happening::Appended(event.clone()));
        }
        Ok(event)
    }

    fn tell(&self, happening: &Happening) {
        if let Some(Observer(observer)) = &self.observer {
            observer(happening);
        }
    }
}

impl fmt::Debug for Harness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Harness")
            .field("sessions", &self.sessions)
            .field("compaction", &self.compaction)
            .finish_non_exhaustive()
    }
}

/// A turn under way.
#[derive(Debug)]
pub struct Turn {
    harness: Harness,
    session: SessionId,
    turn: String,
    /// The view as the turn began.
    view: View,
    /// The person's message.
    opened: Arc<Event>,
    /// What this turn recorded since.
    recorded: Vec<Arc<Event>>,
}

/// What to send to the model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TurnRequest {
    /// System messages first, then the history, then this turn. Every call has its result.
    pub messages: Vec<Message>,
    /// What was left out because no provider takes it. The log keeps it.
    pub warnings: Vec<String>,
}

/// How a turn ended.
#[derive(Debug)]
#[non_exhaustive]
pub struct TurnEnd {
    /// The pass after the turn: how it ended, or why it failed; `None` when none was configured.
    /// A failed pass does not fail the turn.
    pub compaction: Option<Result<Report, Error>>,
}

impl Turn {
    /// Records what came next: the model's reply, its calls, or results of calls. An assistant
    /// message that says nothing at all is not stored, and answers nothing: a loop that asks again
    /// should count how often.
    ///
    /// # Errors
    ///
    /// [`Error::Store`] or [`Error::UnknownSession`]; nothing is recorded then.
    pub async fn record(&mut self, message: Message) -> Result<(), Error> {
        if message.role == Role::Assistant && message.is_empty() {
            return Ok(());
        }
        let place = self.recorded.len() + 1;
        let event = EventId::new(format!("{}/{place}", self.turn))?;
        let event = self.harness.append(&self.session, event, message).await?;
        self.recorded.push(event);
        Ok(())
    }

    /// The calls of this turn that have no result yet, in order. After a crash these are what to
    /// go on with.
    #[must_use]
    pub fn open_calls(&self) -> Vec<ToolCall> {
        let pairs = compaction_core::pairs(&self.recorded);
        let call = |pair: &compaction_core::Pair| {
            let message = self.recorded.get(pair.call)?.as_message()?;
            message.calls().nth(pair.call_index).cloned()
        };
        let open = pairs.calls.iter().filter(|pair| pair.result.is_none());
        open.filter_map(call).collect()
    }

    /// Whether the model has had its last word: its newest message makes no calls.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.recorded
            .last()
            .and_then(|event| event.as_message())
            .is_some_and(|message| {
                message.role == Role::Assistant && message.calls().next().is_none()
            })
    }

    /// What this turn recorded so far, without the person's message.
    #[must_use]
    pub fn recorded(&self) -> &[Arc<Event>] {
        &self.recorded
    }

    /// What to send to the model now.
    ///
    /// The system messages of the harness come first, then the latest stored one; the same text
    /// comes once. The history is repaired for providers: calls of abandoned turns and results
    /// without a call are left out.
    #[must_use]
    pub fn request(&self) -> TurnRequest {
        let before = self
            .view
            .events()
            .iter()
            .filter(|event| !self.is_own(event));
        let events = before.chain([&self.opened]).chain(&self.recorded);
        let stored = session_log::latest_system(events.clone().map(Arc::as_ref));
        let mut messages: Vec<Message> = Vec::new();
        let own = self.harness.system.iter();
        for system in own.chain(stored.and_then(|event| event.as_message())) {
            if messages
                .iter()
                .all(|message| message.text() != system.text())
            {
                messages.push(system.clone());
            }
        }
        let talk = events.filter(|event| {
            event
                .as_message()
                .is_some_and(|message| !message.role.is_system() || event.origin.is_synthetic())
        });
        let shown = talk.map(|event| match self.view.shown(event) {
            Some(Cow::Owned(message)) => Item::from(&**event).with_message(Cow::Owned(message)),
            _ => Item::from(&**event),
        });
        let (talk, warnings) = repaired(shown, Repair::Everything);
        messages.extend(talk);
        TurnRequest {
            messages,
            warnings: warnings.iter().map(ToString::to_string).collect(),
        }
    }

    /// Ends the turn, and runs the pass if one is configured and its trigger fires. While a call
    /// waits for its result no pass runs.
    ///
    /// # Errors
    ///
    /// None today: what goes wrong in a pass is in [`TurnEnd::compaction`].
    pub async fn finish(self) -> Result<TurnEnd, Error> {
        let Some(compaction) = &self.harness.compaction else {
            return Ok(TurnEnd { compaction: None });
        };
        if !self.open_calls().is_empty() {
            return Ok(TurnEnd { compaction: None });
        }
        let passed = self
            .harness
            .sessions
            .compact(&self.session, compaction)
            .await;
        self.harness.tell(&match &passed {
            Ok(report) => Happening::Passed(Box::new(report.clone())),
            Err(error) => {
                let error = with_causes(error);
                tracing::warn!(session = %self.session, error, "compaction failed, the turn did not");
                Happening::PassFailed {
                    session: self.session.clone(),
                    reason: error,
                }
            }
        });
        Ok(TurnEnd {
            compaction: Some(passed),
        })
    }

    /// Whether the event is this turn's.
    fn is_own(&self, event: &Event) -> bool {
        event.seq >= self.opened.seq
            && event
                .id
                .as_str()
                .strip_prefix(self.turn.as_str())
                .and_then(|rest| rest.strip_prefix('/'))
                .is_some_and(|place| place.parse::<usize>().is_ok())
    }
}

/// What an error and its causes say, one after the other.
fn with_causes(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
