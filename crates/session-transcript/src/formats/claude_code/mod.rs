//! Session files of Claude Code: a tree of lines, rebuilt to the conversation it shows.

mod about;
mod boundary;
mod envelope;
mod events;
mod fresh;
mod line;
mod path;
mod steps;
mod threads;
mod write;

use crate::error::WriteError;
use crate::format::Format;
use crate::formats::claude_code::line::Line;
use crate::formats::{self, Head};
use crate::json::Raw;
use crate::read::{Context, SideConversations};
use crate::source::Scan;
use crate::transcript::Conversation;
use crate::write::{Draft, Written};

/// The type of events that keep lines which are no message of the conversation.
pub(crate) const LINE_EVENT: &str = "TRANSCRIPT.RECORD";

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

/// Line types that a file may begin with before the first message.
const METADATA: [&str; 12] = [
    "summary",
    "file-history-snapshot",
    "queue-operation",
    "permission-mode",
    "last-prompt",
    "ai-title",
    "custom-title",
    "mode",
    "agent-name",
    "agent-color",
    "agent-setting",
    "progress",
];

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::ClaudeCode
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let metadata = head.values.iter().any(|value| is_metadata(*value));
        let message = head.values.iter().find(|value| is_message(**value));
        match message {
            Some(_) => Some("lines with uuid, parentUuid and a message".into()),
            None if metadata => Some("lines of session metadata".into()),
            None => None,
        }
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let lines = line::lines(scan, context);
        let is_known = |line: &Line<'_>| line.uuid.is_some() || line.is_metadata;
        if !lines.iter().any(is_known) {
            return Vec::new();
        }
        let threads = threads::threads(&lines);
        let mut conversations = Vec::with_capacity(threads.len());
        for thread in threads {
            if thread.is_side && context.options.side == SideConversations::LeaveOut {
                continue;
            }
            conversations.push(events::conversation(&lines, &thread, context));
        }
        conversations
    }

    fn write(&self, draft: &Draft<'_>) -> Result<Written, WriteError> {
        Ok(write::write(draft))
    }
}

fn is_message(raw: Raw<'_>) -> bool {
    raw.members().is_some_and(|members| {
        let kind = members.peek_str("type");
        matches!(
            kind.as_deref(),
            Some("user" | "assistant" | "system" | "attachment" | "progress")
        ) && members.has("uuid")
            && members.has("parentUuid")
            && members
                .peek("message")
                .is_none_or(|message| message.member("parts").is_none())
    })
}

fn is_metadata(raw: Raw<'_>) -> bool {
    raw.members().is_some_and(|members| {
        let kind = members.peek_str("type").unwrap_or_default();
        METADATA.contains(&&*kind)
            && ["sessionId", "leafUuid", "snapshot"]
                .iter()
                .any(|name| members.has(name))
    })
}
