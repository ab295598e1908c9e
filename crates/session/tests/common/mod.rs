//! A service over memory that counts one token a character, and a few words to fill it with.

#![allow(
    dead_code,
    unreachable_pub,
    missing_debug_implementations,
    missing_docs,
    clippy::string_slice,
    clippy::unwrap_used
)]

use std::sync::Arc;

use session::{
    Compaction, EventId, Expected, FixedClock, MemoryStore, Message, NewEvent, SessionId, Sessions,
    SystemMessages, Timestamp, TokenEstimator, ToolCall, View,
};
use session_summarizer::{Brief, Summarizer, SummarizerError, Summary};

pub struct Characters;

impl TokenEstimator for Characters {
    fn name(&self) -> &str {
        "characters"
    }

    fn estimate(&self, text: &str) -> u64 {
        text.chars().count() as u64
    }
}

/// Summarizes everything in the same words.
#[derive(Debug)]
pub struct Always(pub &'static str);

#[async_trait::async_trait]
impl Summarizer for Always {
    async fn summarize(&self, _: Brief<'_>) -> Result<Option<Summary>, SummarizerError> {
        Ok(Some(Summary::new(self.0, "always")?))
    }
}

pub struct World {
    pub sessions: Sessions,
    pub id: SessionId,
}

impl World {
    pub async fn new() -> Self {
        let sessions = Sessions::new(MemoryStore::new(), Characters)
            .with_clock(FixedClock(Timestamp::from_millis(0)))
            .with_system_messages(SystemMessages::Allowed);
        let id = sessions.create().await.unwrap().id;
        Self { sessions, id }
    }

    /// Appends events by name: `u1` a person, `a1` a model, `s1` a system prompt, `c1` a call of
    /// `k1`, `t1` its result.
    pub async fn append(&self, names: &str) {
        let events = names.split_whitespace().map(event).collect();
        let appended = self
            .sessions
            .append_events(&self.id, Expected::Any, events)
            .await
            .unwrap();
        assert!(appended.done().is_some());
    }

    pub async fn view(&self) -> String {
        names(&self.sessions.view(&self.id).await.unwrap())
    }

    pub async fn compact(&self, compaction: &Compaction) -> session::Report {
        self.sessions.compact(&self.id, compaction).await.unwrap()
    }
}

pub fn event(name: &str) -> NewEvent {
    let number = &name[1..];
    let message = match &name[..1] {
        "u" => Message::user(name),
        "s" => Message::system(name),
        "c" => Message::tool_calls([ToolCall::new(format!("k{number}"), "tool", "{}")]),
        "t" => Message::tool_result(format!("k{number}"), name),
        _ => Message::assistant(name),
    };
    let id = EventId::new(name).unwrap();
    NewEvent::message(id, Timestamp::from_millis(0), message)
}

/// The view by names; events that were made on the way by what they are.
pub fn names(view: &View) -> String {
    let name = |event: &Arc<session::Event>| {
        let id = event.id.to_string();
        match id.rsplit_once('/') {
            Some((_, half)) => half.to_owned(),
            None => id,
        }
    };
    view.events().iter().map(name).collect::<Vec<_>>().join(" ")
}

pub fn id(name: &str) -> EventId {
    EventId::new(name).unwrap()
}

pub use futures_executor::block_on;
