//! Gemini contents: request bodies, candidates, bare arrays, and events of the agent kit that hold
//! a content each.

mod fold;
mod message_out;
pub(crate) mod parts_in;
mod parts_out;

use crate::error::WriteError;
use crate::format::Format;
use crate::formats::gemini::message_out::Contents;
use crate::formats::lists::{Containers, Reply, each_list, first_lists};
use crate::formats::{self, Head, lists};
use crate::json::{Kind, Members, Raw};
use crate::read::Context;
use crate::source::Scan;
use crate::transcript::Conversation;
use crate::write::{Draft, Written};

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

static CONTAINERS: Containers = Containers {
    lists: &["contents", "history", "events"],
    system: &["systemInstruction", "system_instruction"],
    takes_text: false,
    is_record,
    reply,
};

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::Gemini
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let lists = first_lists(&CONTAINERS, head.scan);
        let has_parts = |raw: Raw<'_>| {
            let content = raw.find("content").unwrap_or(raw);
            let parts = content
                .find("parts")
                .and_then(|parts| parts.first_items(20));
            parts.is_some_and(|parts| parts.into_iter().any(parts_in::is_part))
        };
        lists.iter().find_map(|listed| {
            let is_content = listed.all().any(|placed| has_parts(placed.raw));
            let has_reply = listed.beside_reply.has("candidates");
            match (is_content, has_reply, listed.beside.has("contents")) {
                (true, true, _) => Some("candidates with contents".into()),
                (true, false, _) => Some("contents with untagged parts".into()),
                (false, true, _) | (false, false, true) => Some("a body of this provider".into()),
                (false, false, false) => None,
            }
        })
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        each_list(&CONTAINERS, scan, context, fold::conversation)
    }

    fn write(&self, draft: &Draft<'_>) -> Result<Written, WriteError> {
        Ok(lists::write::<Contents>(draft))
    }
}

fn is_record(raw: Raw<'_>) -> bool {
    if raw.kind() != Kind::Object {
        return false;
    }
    if raw.find("role").is_none() && raw.find("parts").is_none() && raw.find("content").is_none() {
        return false;
    }
    raw.members().is_some_and(|members| {
        is_content(&members)
            || members
                .peek("content")
                .and_then(Raw::members)
                .is_some_and(|content| is_content(&content))
    })
}

/// Whether an object is a content: untagged parts, or at least the model's role.
fn is_content(members: &Members<'_>) -> bool {
    let is_model = members.peek_str("role").as_deref() == Some("model");
    match members.peek("parts") {
        Some(parts) => match parts.first_items(20) {
            Some(parts) if parts.is_empty() => members.has("role"),
            Some(parts) => parts.into_iter().any(parts_in::is_part),
            None => is_model,
        },
        None => is_model && !members.has("content"),
    }
}

fn reply<'a>(members: &Members<'a>) -> Option<Reply<'a>> {
    let candidates = members.peek("candidates")?.items()?;
    let content = candidates.first()?.member("content")?;
    let is_content = content
        .members()
        .is_some_and(|content| is_content(&content) || content.iter().count() == 0);
    is_content.then_some(Reply {
        raw: content,
        more: candidates.len().saturating_sub(1),
    })
}
