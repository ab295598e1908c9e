//! Conversations as Claude.ai exports them: trees of messages, with the calls of a reply and their
//! results in one message.

mod blocks;
mod events;
mod path;

use crate::format::Format;
use crate::formats::{self, Head};
use crate::json::{Kind, Raw};
use crate::read::Context;
use crate::source::{Placed, Scan};
use crate::transcript::Conversation;

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::ClaudeAi
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let mut first = head.values.iter().copied().take(20);
        if first.clone().any(is_conversation) {
            return Some("an object with `chat_messages`".into());
        }
        first
            .any(is_message)
            .then(|| "messages with a sender".into())
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let (found, strangers): (Vec<_>, Vec<_>) = Placed::all(scan)
            .into_iter()
            .partition(|value| is_conversation(value.raw));
        let (loose, strangers): (Vec<_>, Vec<_>) = strangers
            .into_iter()
            .partition(|value| found.is_empty() && is_message(value.raw));
        if found.is_empty() && loose.is_empty() {
            return Vec::new();
        }
        context.skip_all(strangers, "no conversation of Claude.ai");
        if !loose.is_empty() {
            // What is left of a conversation that is broken.
            return vec![events::of_messages(loose, context)];
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

fn is_message(raw: Raw<'_>) -> bool {
    raw.find("sender").is_some()
        && raw.find("uuid").is_some()
        && (raw.find("text").is_some() || raw.find("content").is_some())
}

fn is_conversation(raw: Raw<'_>) -> bool {
    raw.find("chat_messages")
        .is_some_and(|list| list.kind() == Kind::Array)
}
