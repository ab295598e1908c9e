//! Session files of Claude Code: a tree of lines, rebuilt to the conversation it shows.

mod about;
mod beside;
mod boundary;
mod envelope;
mod events;
mod fresh;
mod held;
mod kept;
mod line;
mod line_out;
mod path;
mod steps;
mod threads;
mod unpassed;
mod write;

use crate::error::WriteError;
use crate::format::Format;
use crate::formats::claude_code::line::Line;
use crate::formats::{self, Head};
use crate::json::Members;
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
        let mut has_metadata = false;
        for members in head.values.iter().filter_map(|value| value.members()) {
            if is_message(&members) {
                return Some("lines with uuid, parentUuid and a message".into());
            }
            has_metadata |= is_metadata(&members);
        }
        has_metadata.then(|| "lines of session metadata".into())
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

fn is_message(members: &Members<'_>) -> bool {
    const KINDS: [&str; 5] = ["user", "assistant", "system", "attachment", "progress"];
    let kind = members.peek_str("type").unwrap_or_default();
    KINDS.contains(&&*kind)
        && members.has("uuid")
        && members.has("parentUuid")
        && members
            .peek("message")
            .is_none_or(|message| message.find("parts").is_none())
}

fn is_metadata(members: &Members<'_>) -> bool {
    let kind = members.peek_str("type").unwrap_or_default();
    METADATA.contains(&&*kind)
        && ["sessionId", "leafUuid", "snapshot"]
            .iter()
            .any(|name| members.has(name))
}
