//! Sessions as opencode exports them: messages with their parts, a call and its result in one. The
//! files of its older storage, put together, are read too.

mod events;
mod gather;
mod parts;

use crate::format::Format;
use crate::formats::{self, Head};
use crate::json::Raw;
use crate::read::Context;
use crate::source::{Placed, Scan};
use crate::transcript::Conversation;

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::OpenCode
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let first = *head.values.first()?;
        if gather::is_export(first) {
            return Some("an object of `info` and messages with parts".into());
        }
        if gather::is_stored(first) {
            return Some("stored records with a `sessionID`".into());
        }
        gather::is_message(first).then(|| "messages of `info` and `parts`".into())
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let is_known = |raw: Raw<'_>| {
            gather::is_export(raw) || gather::is_stored(raw) || gather::is_message(raw)
        };
        let (known, strangers): (Vec<_>, Vec<_>) = Placed::all(scan)
            .into_iter()
            .partition(|value| is_known(value.raw));
        if known.is_empty() {
            return Vec::new();
        }
        context.skip_all(strangers, "no session of opencode");
        let (exports, others): (Vec<_>, Vec<_>) = known
            .into_iter()
            .partition(|value| gather::is_export(value.raw));
        let (loose, stored): (Vec<_>, Vec<_>) = others
            .into_iter()
            .partition(|value| gather::is_message(value.raw));
        let mut sessions: Vec<_> = exports
            .iter()
            .map(|value| gather::export(value, context))
            .collect();
        if !loose.is_empty() {
            // What is left of an export that is broken.
            sessions.push(gather::loose(loose, context));
        }
        sessions.extend(gather::stored(&stored));
        sessions
            .iter()
            .map(|session| events::conversation(session, context))
            .collect()
    }

    fn can_write(&self) -> bool {
        false
    }
}
