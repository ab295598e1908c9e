//! Messages of Pydantic AI: requests and responses of parts.

mod events;
mod parts;

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
        Format::PydanticAi
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let first = *head.values.first()?;
        (is_message(first) || is_list(first)).then(|| "requests and responses of parts".into())
    }

    /// Messages side by side are one conversation, lists of them one each.
    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let mut conversations = Vec::new();
        let (mut loose, mut strangers) = (Vec::new(), Vec::new());
        for value in Placed::all(scan) {
            if is_message(value.raw) {
                loose.push(value);
            } else if is_list(value.raw) {
                let items = value.raw.items().unwrap_or_default().into_iter();
                let items: Vec<_> = items.map(|raw| value.inner(raw)).collect();
                conversations.push(events::conversation(&items, context));
            } else {
                strangers.push(value);
            }
        }
        if !loose.is_empty() {
            conversations.insert(0, events::conversation(&loose, context));
        }
        if !conversations.is_empty() {
            context.skip_all(strangers, "neither a request nor a response");
        }
        conversations
    }

    fn can_write(&self) -> bool {
        false
    }
}

fn is_message(raw: Raw<'_>) -> bool {
    let kind = raw.find_str("kind");
    if !matches!(kind.as_deref(), Some("request" | "response")) {
        return false;
    }
    let parts = raw
        .find("parts")
        .filter(|parts| parts.kind() == Kind::Array);
    let first = parts.and_then(|parts| parts.first_items(1));
    first.is_some_and(|parts| parts.iter().all(|part| part.find("part_kind").is_some()))
}

fn is_list(raw: Raw<'_>) -> bool {
    let first = raw.first_items(20).unwrap_or_default();
    first.into_iter().any(is_message)
}
