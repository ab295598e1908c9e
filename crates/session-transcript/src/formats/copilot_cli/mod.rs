//! Event logs of Copilot CLI.

mod events;

use crate::format::Format;
use crate::formats::{self, Head};
use crate::json::{Kind, Raw};
use crate::read::Context;
use crate::source::{Placed, Scan};
use crate::transcript::Conversation;

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

/// Families of event types, in front of the dot.
const FAMILIES: [&str; 8] = [
    "session",
    "user",
    "assistant",
    "tool",
    "subagent",
    "hook",
    "system",
    "skill",
];

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::CopilotCli
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let mut first = head.values.iter().copied().take(20);
        first
            .any(is_known)
            .then(|| "events whose type has a dot, with data".into())
    }

    /// Each start of a session begins a conversation.
    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let values = Placed::all(scan);
        if !values.iter().any(|value| is_known(value.raw)) {
            return Vec::new();
        }
        let mut sessions: Vec<Vec<Placed<'_>>> = Vec::new();
        for value in values {
            let is_event = value.raw.kind() == Kind::Object && value.raw.find_str("type").is_some();
            if !is_event {
                context.skip(value.line, value.bytes, "no event of a session");
                continue;
            }
            let is_start = value.raw.find_str("type").as_deref() == Some("session.start");
            match sessions.last_mut().filter(|_| !is_start) {
                Some(session) => session.push(value),
                None => sessions.push(vec![value]),
            }
        }
        sessions
            .iter()
            .map(|session| events::conversation(session, context))
            .collect()
    }

    fn can_write(&self) -> bool {
        false
    }
}

fn is_known(raw: Raw<'_>) -> bool {
    let kind = raw.find_str("type");
    let family = kind
        .as_deref()
        .and_then(|kind| Some(kind.split_once('.')?.0));
    family.is_some_and(|family| FAMILIES.contains(&family))
        && raw
            .find("data")
            .is_some_and(|data| data.kind() == Kind::Object)
        && raw.find("id").is_some()
}
