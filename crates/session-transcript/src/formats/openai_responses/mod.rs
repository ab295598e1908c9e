//! The OpenAI Responses API: items in and out. Formats that are made of the same items read them
//! here too.

mod fold;
pub(crate) mod item;
mod item_out;
mod message_out;
mod parts;
mod parts_out;
mod run_state;

use crate::error::WriteError;
use crate::format::Format;
use crate::formats::lists::{Containers, Listed, Reply, each_list, first_lists};
use crate::formats::{self, Head};
use crate::json::{Kind, Members, Raw};
use crate::read::Context;
use crate::source::{Form, Placed, Scan};
use crate::transcript::Conversation;
use crate::write::{Draft, Written};

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

/// How its bodies look. Something that names a type may be an item, also one that nobody knows.
static CONTAINERS: Containers = Containers {
    lists: &["input", "items", "data"],
    system: &["instructions"],
    takes_text: true,
    is_record,
    reply,
};

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::OpenAiResponses
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        if head
            .values
            .iter()
            .any(|raw| raw.find("sessionId").is_some())
        {
            return None;
        }
        if head.values.iter().any(|raw| run_state::is_state(*raw)) {
            return Some("a state of a run of agents".into());
        }
        first_lists(&CONTAINERS, head.scan).iter().find_map(why)
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let states = values(scan);
        if !states.iter().any(|placed| run_state::is_state(placed.raw)) {
            return each_list(&CONTAINERS, scan, context, fold::conversation);
        }
        let mut conversations = Vec::new();
        for placed in states {
            let state = run_state::is_state(placed.raw).then(|| run_state::listed(&placed));
            let Some((listed, fields)) = state.flatten() else {
                let what = "no state of a run of a version that is known";
                context.skip(placed.line, placed.bytes.clone(), what);
                continue;
            };
            let mut conversation = fold::conversation(&listed, context);
            conversation.envelope.fields = fields;
            conversations.push(conversation);
        }
        conversations
    }

    fn write(&self, draft: &Draft<'_>) -> Result<Written, WriteError> {
        Ok(message_out::write(draft))
    }
}

/// The records of a file, or the elements of a document that is an array.
fn values<'a>(scan: &'a Scan<'a>) -> Vec<Placed<'a>> {
    let mut values = Vec::new();
    for placed in scan.records.iter().map(Placed::of) {
        match placed.raw.items().filter(|_| scan.form == Form::Document) {
            Some(items) => values.extend(items.into_iter().map(|raw| placed.inner(raw))),
            None => values.push(placed),
        }
    }
    values
}

/// Why a list looks like items.
fn why(listed: &Listed<'_>) -> Option<String> {
    let object = listed.beside_reply.peek_str("object").unwrap_or_default();
    if matches!(&*object, "response" | "response.compaction") {
        return Some("a response with `output`".into());
    }
    if listed.all().any(|placed| is_sign(placed.raw)) {
        return Some("items with types of this format".into());
    }
    let says = |raw: Raw<'_>| raw.kind() == Kind::String || raw.find_str("role").is_some();
    let has_input = match listed.records.as_slice() {
        [] => listed.beside.has("input"),
        records => records.iter().any(|placed| says(placed.raw)),
    };
    let is_request = listed.beside.has("model") || listed.beside.has("instructions");
    (is_request && has_input).then(|| "a request with `input`".into())
}

fn is_record(raw: Raw<'_>) -> bool {
    if raw.kind() != Kind::Object {
        return false;
    }
    match raw.find_str("type") {
        Some(kind) if kind == "message" => raw.find_str("role").is_some(),
        Some(kind) => item::is_known(&kind) || (raw.find("payload").is_none() && is_plain(raw)),
        None => raw.find_str("role").is_some() && raw.find("choices").is_none(),
    }
}

/// Whether a value with a type may be an item: it holds no conversation of its own.
fn is_plain(raw: Raw<'_>) -> bool {
    let lists = ["messages", "input", "output", "contents", "message"];
    lists.iter().all(|name| raw.find(name).is_none())
}

/// What only this format has.
fn is_sign(raw: Raw<'_>) -> bool {
    let Some(members) = raw.members() else {
        return false;
    };
    match members.peek_str("type").as_deref() {
        Some("message") => {
            let content = members.peek("content");
            if members.has("role") && content.is_some_and(|raw| raw.kind() == Kind::String) {
                return true;
            }
            let content = content.and_then(Raw::items);
            content.unwrap_or_default().into_iter().any(|part| {
                part.member_str("type")
                    .is_some_and(|kind| kind.starts_with("input_") || kind == "output_text")
            })
        }
        Some("reasoning") => members.has("summary"),
        Some(kind) => item::is_sign(kind),
        None => false,
    }
}

fn reply<'a>(members: &Members<'a>) -> Option<Reply<'a>> {
    let raw = members.peek("output")?;
    let items = raw.first_items(64)?;
    let is_response = members
        .peek_str("object")
        .is_some_and(|object| object.starts_with("response"));
    (is_response || items.iter().any(|item| is_record(*item))).then_some(Reply { raw, more: 0 })
}
