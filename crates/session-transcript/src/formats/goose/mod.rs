//! Sessions of goose: as it exports them, and the files of older versions, whose first line is
//! about the session.

mod content;
mod events;

use crate::format::Format;
use crate::formats::{self, Head};
use crate::json::{Kind, Members, Raw};
use crate::read::Context;
use crate::source::{Placed, Scan};
use crate::transcript::Conversation;

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::Goose
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let first = *head.values.first()?;
        if is_export(first) {
            return Some("a session with a `conversation`".into());
        }
        let mut values = head.values.iter().copied().take(20);
        if is_head(first) && values.any(is_message) {
            return Some("a head with a working directory, and messages".into());
        }
        let mut values = head.values.iter().copied();
        values
            .any(is_sign)
            .then(|| "messages with content of type `toolRequest`".into())
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let mut conversations = Vec::new();
        let mut strangers = Vec::new();
        let mut loose = Vec::new();
        let mut head = Members::default();
        for value in Placed::all(scan) {
            if is_export(value.raw) {
                let about = value.raw.members().unwrap_or_default();
                let messages = about.peek("conversation").and_then(Raw::items);
                let messages = messages.unwrap_or_default().into_iter();
                let messages: Vec<_> = messages.map(|raw| value.inner(raw)).collect();
                conversations.push(events::conversation(&messages, &about, context));
            } else if is_message(value.raw) {
                loose.push(value);
            } else if is_head(value.raw) {
                head = value.raw.members().unwrap_or_default();
            } else {
                strangers.push(value);
            }
        }
        if !loose.is_empty() {
            conversations.insert(0, events::conversation(&loose, &head, context));
        }
        if !conversations.is_empty() {
            context.skip_all(strangers, "no message of a session");
        }
        conversations
    }

    fn can_write(&self) -> bool {
        false
    }
}

fn is_export(raw: Raw<'_>) -> bool {
    let list = raw.find("conversation");
    list.is_some_and(|list| list.kind() == Kind::Array) && raw.find("working_dir").is_some()
}

fn is_head(raw: Raw<'_>) -> bool {
    raw.find("working_dir").is_some() && raw.find("role").is_none()
}

fn is_message(raw: Raw<'_>) -> bool {
    raw.find_str("role").is_some()
        && raw
            .find("content")
            .is_some_and(|content| content.kind() == Kind::Array)
}

/// A message with a part that nobody else has.
fn is_sign(raw: Raw<'_>) -> bool {
    let content = raw.find("content").filter(|_| is_message(raw));
    let parts = content.and_then(|content| content.first_items(20));
    parts.is_some_and(|parts| {
        let kinds = parts.iter().filter_map(|part| part.find_str("type"));
        kinds
            .into_iter()
            .any(|kind| matches!(&*kind, "toolRequest" | "toolResponse"))
    })
}
