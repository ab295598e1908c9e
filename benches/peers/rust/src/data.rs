//! The conversation that all programs read, as our messages.

use std::fs;
use std::sync::Arc;

use serde::Deserialize;
use session_log::{
    Event, EventId, LineFormat, Message, NewEvent, Part, Role, Seq, Timestamp, TokenCount,
    ToolCall, ToolResult, message_tokens,
};

use compaction_tokens::{Encoding, Tiktoken};

/// What `data.py` wrote.
#[derive(Deserialize)]
pub struct Conversation {
    pub budget: u64,
    /// As many messages as the budget has room for.
    pub window: usize,
    pub messages: Vec<Line>,
    /// How many messages each size has.
    pub sizes: Vec<usize>,
    /// After how many messages the rules are checked.
    pub moments: Vec<usize>,
}

#[derive(Deserialize)]
pub struct Line {
    pub role: String,
    pub text: String,
    #[serde(default)]
    pub calls: Vec<Call>,
    #[serde(default)]
    pub call_id: String,
    #[serde(default)]
    pub name: String,
}

#[derive(Deserialize)]
pub struct Call {
    pub id: String,
    pub name: String,
    pub arguments: String,
}

impl Conversation {
    pub fn read(path: &str) -> Self {
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    }

    /// The conversation as events of a log that were counted when they were appended.
    pub fn events(&self) -> Vec<Arc<Event>> {
        let counter = Tiktoken::new(Encoding::O200kBase);
        let name = Encoding::O200kBase.name();
        let event = |(at, line): (usize, &Line)| {
            let message = line.message();
            let tokens = message_tokens(&message, &LineFormat, &counter);
            let new = line.event(at).with_tokens(TokenCount::new(name, tokens));
            Arc::new(new.at(Seq::new(at as u64 + 1).unwrap()))
        };
        self.messages.iter().enumerate().map(event).collect()
    }
}

impl Line {
    pub fn event(&self, at: usize) -> NewEvent {
        let id = EventId::new(format!("0198c0de-0000-7000-8000-{at:012}")).unwrap();
        NewEvent::message(id, Timestamp::from_millis(at as i64), self.message())
    }

    pub fn message(&self) -> Message {
        match self.role.as_str() {
            "system" => Message::system(&self.text),
            "user" => Message::user(&self.text),
            "tool" => {
                let mut result = ToolResult::text(&self.call_id, &self.text);
                result.name = Some(self.name.clone());
                Message::new(Role::Tool, vec![Part::ToolResult(result)])
            }
            _ => {
                let text = Some(Part::text(&self.text)).filter(|_| !self.text.is_empty());
                let calls = self.calls.iter();
                let calls = calls.map(|call| ToolCall::new(&call.id, &call.name, &call.arguments));
                let parts = text.into_iter().chain(calls.map(Part::ToolCall));
                Message::new(Role::Assistant, parts.collect())
            }
        }
    }
}
