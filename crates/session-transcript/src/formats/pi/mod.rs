//! Session files of pi and its relatives: a head, then entries, which later versions join to a
//! tree. A compaction is an entry that says from where on messages stay.

mod events;
mod message;
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
        Format::Pi
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let mut first = head.values.iter().copied().take(20);
        if first.clone().any(is_head) {
            return Some("a session head with a working directory".into());
        }
        first
            .any(is_message)
            .then(|| "entries of type `message` around a message".into())
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let values = Placed::all(scan);
        let is_entry = |raw: Raw<'_>| raw.kind() == Kind::Object && raw.find_str("type").is_some();
        let is_known = |value: &Placed<'_>| is_head(value.raw) || is_message(value.raw);
        if !values.iter().any(is_known) {
            return Vec::new();
        }
        let (entries, strangers): (Vec<_>, Vec<_>) =
            values.into_iter().partition(|value| is_entry(value.raw));
        context.skip_all(strangers, "no entry of a session");
        vec![events::conversation(&entries, context)]
    }

    fn can_write(&self) -> bool {
        false
    }
}

fn is_head(raw: Raw<'_>) -> bool {
    raw.find_str("type").as_deref() == Some("session")
        && raw.find("cwd").is_some()
        && raw.find("payload").is_none()
}

fn is_message(raw: Raw<'_>) -> bool {
    raw.find_str("type").as_deref() == Some("message")
        && raw
            .find("message")
            .is_some_and(|message| message.find_str("role").is_some())
        && raw.find("sessionId").is_none()
        && raw.find("uuid").is_none()
}
