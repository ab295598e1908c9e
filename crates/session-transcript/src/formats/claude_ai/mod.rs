//! Conversations as Claude.ai exports them: trees of messages, with the calls of a reply and their
//! results in one message.

mod blocks;
mod events;
mod path;

use crate::format::Format;
use crate::formats::log::Value;
use crate::formats::{self, Head};
use crate::json::{Kind, Raw};
use crate::read::Context;
use crate::source::Scan;
use crate::transcript::Conversation;

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::ClaudeAi
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let mut first = head.values.iter().take(20);
        first
            .any(|raw| is_conversation(*raw))
            .then(|| "an object with `chat_messages`".into())
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let (found, strangers): (Vec<_>, Vec<_>) = Value::all(scan)
            .into_iter()
            .partition(|value| is_conversation(value.raw));
        if found.is_empty() {
            return Vec::new();
        }
        for value in strangers {
            context.skip(value.line, value.bytes, "no conversation of Claude.ai");
        }
        found
            .iter()
            .map(|value| events::conversation(value, context))
            .collect()
    }

    fn can_write(&self) -> bool {
        false
    }
}

fn is_conversation(raw: Raw<'_>) -> bool {
    raw.find("chat_messages")
        .is_some_and(|list| list.kind() == Kind::Array)
}
