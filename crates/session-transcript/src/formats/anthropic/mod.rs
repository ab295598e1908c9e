//! Anthropic Messages.

pub(crate) mod blocks_in;
pub(crate) mod blocks_out;
mod message_in;
mod message_out;
mod records;

use session_log::Message;

pub(crate) use crate::formats::anthropic::message_in::pieces;

use crate::error::WriteError;
use crate::format::Format;
use crate::formats::bodies::{self, Dialect, Piece};
use crate::formats::{self, Head};
use crate::json::{Kind, Members, Raw};
use crate::read::Context;
use crate::source::Scan;
use crate::transcript::Conversation;
use crate::write::{Draft, Written};

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

/// Types of blocks that nobody else has.
const BLOCKS: [&str; 11] = [
    "tool_use",
    "tool_result",
    "thinking",
    "redacted_thinking",
    "server_tool_use",
    "web_search_tool_result",
    "mcp_tool_use",
    "mcp_tool_result",
    "search_result",
    "container_upload",
    "compaction",
];

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::Anthropic
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let bodies = bodies::first_bodies(head.scan);
        for body in &bodies {
            if body.system.is_some() {
                return Some("a `system` field beside the messages".into());
            }
            for placed in body.messages.iter().chain(&body.reply) {
                if let Some(sign) = sign(placed.raw) {
                    return Some(sign);
                }
            }
        }
        None
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        bodies::conversations(self, scan, context)
    }

    fn write(&self, draft: &Draft<'_>) -> Result<Written, WriteError> {
        Ok(message_out::write(draft))
    }
}

/// What in a message only this format has.
fn sign(raw: Raw<'_>) -> Option<String> {
    let members = raw.members()?;
    if members.peek_str("type").as_deref() == Some("message") && members.has("stop_reason") {
        return Some("a response of type `message`".into());
    }
    members
        .peek("content")?
        .items()?
        .into_iter()
        .find_map(|block| {
            let kind = block.member_str("type")?;
            let is_media =
                matches!(&*kind, "image" | "document") && block.member("source").is_some();
            // Others write what was thought as a list.
            let thought = block.member("thinking").filter(|_| kind == "thinking");
            if thought.is_some_and(|thought| thought.kind() == Kind::Array) {
                return None;
            }
            (is_media || BLOCKS.contains(&&*kind)).then(|| format!("blocks of type `{kind}`"))
        })
}

impl Dialect for Codec {
    fn format(&self) -> Format {
        Format::Anthropic
    }

    fn read(&self, members: Members<'_>) -> Option<Vec<Piece>> {
        message_in::message(members)
    }

    fn read_system(&self, raw: Raw<'_>) -> Option<Message> {
        match raw.kind() {
            Kind::String | Kind::Array => Some(message_in::system(raw)),
            _ => None,
        }
    }
}
