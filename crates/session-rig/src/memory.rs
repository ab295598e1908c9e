//! Rig's conversation memory over sessions.

use std::fmt;
use std::sync::Arc;

use rig_core::completion::Message as RigMessage;
use rig_core::id::ConversationId;
use rig_core::memory::{ConversationMemory, MemoryError};
use rig_core::wasm_compat::WasmBoxedFuture;
use session::{Compaction, Error, Expected, Message, Report, Role, SessionId, Sessions, View};
use session_transcript::Item;

use crate::from_rig::message_of;
use crate::runs::{self, Runs};
use crate::to_rig::history;

/// Rig's conversation memory over [`Sessions`]: each conversation is the session of the same id.
///
/// - **`load`** gives the view: what a summary stands for stays out, results that were cleared are
///   short, and calls without a result are left out. A conversation that nothing was stored of is
///   empty, and no session is made for it.
/// - **`append`** writes the messages of a run whole or not at all, then runs the pass, if one is
///   set and its trigger fires. What goes wrong in the pass is logged and told to the observer,
///   and never fails the append.
/// - **`clear`** deletes the session with its log. That is what rig asks for; to shorten what a
///   model sees, let a pass do it.
///
/// Appending the same run again writes nothing: the ids of its events are made of the version that
/// was loaded before the run and of a digest of its messages. The front page says more.
///
/// Clones share what they know. Debug output names ids and settings, not what people wrote.
#[derive(Clone)]
pub struct SessionMemory {
    sessions: Sessions,
    compaction: Option<Compaction>,
    observer: Option<Observer>,
    runs: Arc<Runs>,
}

type Observer = Arc<dyn Fn(&SessionId, &Result<Report, Error>) + Send + Sync>;

impl SessionMemory {
    /// A memory over `sessions` that compacts nothing.
    #[must_use]
    pub fn new(sessions: Sessions) -> Self {
        Self {
            sessions,
            compaction: None,
            observer: None,
            runs: Arc::default(),
        }
    }

    /// The same memory, running a pass after each run of the agent. The agent's answer waits for
    /// it; whoever does not want that sets none and compacts in the background.
    #[must_use]
    pub fn with_compaction(mut self, compaction: Compaction) -> Self {
        self.compaction = Some(compaction);
        self
    }

    /// The same memory, telling `observer` how each pass ended.
    #[must_use]
    pub fn with_observer(
        mut self,
        observer: impl Fn(&SessionId, &Result<Report, Error>) + Send + Sync + 'static,
    ) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// The sessions below.
    #[must_use]
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    async fn view(&self, id: &SessionId) -> Result<View, Error> {
        match self.sessions.view(id).await {
            Err(Error::UnknownSession { .. }) => Ok(View::default()),
            other => other,
        }
    }

    async fn store(&self, id: &SessionId, messages: Vec<Message>) -> Result<(), Error> {
        let described = self.sessions.describe(id.clone());
        let now = described.created_at;
        self.sessions.find_or_create(described).await?;
        let digest = runs::digest_of(id, &messages)?;
        let began = match self.runs.began(id) {
            Some(version) => version,
            None => runs::began_in(&self.view(id).await?, &digest),
        };
        let events = runs::events_of(began, &digest, now, messages)?;
        let appended = self
            .sessions
            .append_events(id, Expected::Any, events)
            .await?;
        if appended.done().is_none() {
            return Err(Error::UnknownSession {
                session: id.clone(),
            });
        }
        Ok(())
    }

    async fn compact(&self, id: &SessionId) {
        let Some(compaction) = &self.compaction else {
            return;
        };
        let passed = self.sessions.compact(id, compaction).await;
        if let Err(error) = &passed {
            tracing::warn!(session = %id, %error, "compaction failed, the run did not");
        }
        if let Some(observer) = &self.observer {
            observer(id, &passed);
        }
    }
}

impl ConversationMemory for SessionMemory {
    fn load<'a>(
        &'a self,
        conversation_id: &'a ConversationId,
    ) -> WasmBoxedFuture<'a, Result<Vec<RigMessage>, MemoryError>> {
        Box::pin(async move {
            let id = session_of(conversation_id)?;
            let view = self.view(&id).await.map_err(MemoryError::backend)?;
            self.runs.begin(&id, view.version());
            let shown = view.events().iter().filter_map(|event| {
                let message = view.shown(event)?;
                Some(Item::from(&**event).with_message(message))
            });
            let history = history(shown);
            for warning in &history.warnings {
                tracing::warn!(session = %id, "the history for rig: {warning}");
            }
            Ok(history.messages)
        })
    }

    fn append<'a>(
        &'a self,
        conversation_id: &'a ConversationId,
        messages: Vec<RigMessage>,
    ) -> WasmBoxedFuture<'a, Result<(), MemoryError>> {
        Box::pin(async move {
            let id = session_of(conversation_id)?;
            let mut said = Vec::with_capacity(messages.len());
            for message in &messages {
                said.push(message_of(message).map_err(MemoryError::backend)?);
            }
            said.retain(|message| message.role != Role::Assistant || !message.is_empty());
            if said.is_empty() {
                return Ok(());
            }
            let waits = said
                .last()
                .is_some_and(|last| last.calls().next().is_some());
            self.store(&id, said).await.map_err(MemoryError::backend)?;
            if !waits {
                self.compact(&id).await;
            }
            Ok(())
        })
    }

    fn clear<'a>(
        &'a self,
        conversation_id: &'a ConversationId,
    ) -> WasmBoxedFuture<'a, Result<(), MemoryError>> {
        Box::pin(async move {
            let id = session_of(conversation_id)?;
            let deleted = self.sessions.delete(&id).await;
            deleted.map_err(MemoryError::backend)?;
            self.runs.forget(&id);
            Ok(())
        })
    }
}

fn session_of(conversation: &ConversationId) -> Result<SessionId, MemoryError> {
    SessionId::new(conversation.as_str()).map_err(|error| MemoryError::backend(Error::from(error)))
}

impl fmt::Debug for SessionMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionMemory")
            .field("sessions", &self.sessions)
            .field("compaction", &self.compaction)
            .finish_non_exhaustive()
    }
}
