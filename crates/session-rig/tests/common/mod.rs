//! What the tests of the memory share.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use compaction_tokens::Chars4;
use rig_core::completion::Message as RigMessage;
use rig_core::memory::ConversationMemory;
use rig_core::message::{AssistantContent, ToolResultContent, UserContent};
use session::{FixedClock, MemoryStore, SessionId, SessionStore, Sessions, Timestamp};
use session_rig::SessionMemory;

pub fn over(store: impl SessionStore) -> Sessions {
    let clock = FixedClock(Timestamp::from_millis(1_700_000_000_000));
    Sessions::new(store, Chars4).with_clock(clock)
}

pub fn in_memory() -> SessionMemory {
    SessionMemory::new(over(MemoryStore::new()))
}

pub fn id() -> SessionId {
    SessionId::new("thread-1").unwrap()
}

/// A message in short: `user: hello`.
pub fn short(message: &RigMessage) -> String {
    match message {
        RigMessage::System { content } => format!("system: {content}"),
        RigMessage::User { content } => {
            let said = content.iter().map(|part| match part {
                UserContent::Text(text) => text.text.clone(),
                UserContent::ToolResult(result) => {
                    let said = result.content.iter().filter_map(ToolResultContent::as_text);
                    format!(
                        "{} gave {}",
                        result.name,
                        said.collect::<Vec<_>>().join(" ")
                    )
                }
                _ => "something".into(),
            });
            format!("user: {}", said.collect::<Vec<_>>().join(" "))
        }
        RigMessage::Assistant(turn) => {
            let said = turn.content.iter().map(|part| match part {
                AssistantContent::Text(text) => text.text.clone(),
                AssistantContent::ToolCall(call) => format!("calls {}", call.function.name),
                _ => "something".into(),
            });
            format!("assistant: {}", said.collect::<Vec<_>>().join(" "))
        }
    }
}

pub async fn loaded(memory: &SessionMemory) -> Vec<String> {
    let history = memory.load(&"thread-1".into()).await.unwrap();
    history.iter().map(short).collect()
}

pub fn run(question: &str, answer: &str) -> Vec<RigMessage> {
    vec![RigMessage::user(question), RigMessage::assistant(answer)]
}
