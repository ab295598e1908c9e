//! Messages of the Converse API of Bedrock.

mod blocks_in;
mod blocks_out;
mod fold;
mod message_out;

use crate::error::WriteError;
use crate::format::Format;
use crate::formats::bedrock::message_out::Messages;
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
    lists: &["messages"],
    system: &["system"],
    takes_text: false,
    is_record,
    reply,
};

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::Bedrock
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let lists = first_lists(&CONTAINERS, head.scan);
        let mut all = lists.iter().flat_map(|listed| listed.all());
        all.any(|placed| is_sign(placed.raw))
            .then(|| "messages with untagged blocks".into())
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        each_list(&CONTAINERS, scan, context, fold::conversation)
    }

    fn write(&self, draft: &Draft<'_>) -> Result<Written, WriteError> {
        Ok(lists::write::<Messages>(draft))
    }
}

fn is_record(raw: Raw<'_>) -> bool {
    if raw.kind() != Kind::Object || raw.find_str("role").is_none() {
        return false;
    }
    let content = raw.find("content").and_then(|list| list.first_items(20));
    content.is_some_and(|blocks| blocks.is_empty() || blocks.into_iter().any(blocks_in::is_block))
}

/// Whether a message says something that only this format writes in this way.
fn is_sign(raw: Raw<'_>) -> bool {
    let content = raw.find("content").and_then(|list| list.first_items(20));
    content.is_some_and(|blocks| blocks.into_iter().any(blocks_in::is_block))
}

fn reply<'a>(members: &Members<'a>) -> Option<Reply<'a>> {
    let message = members.peek("output")?.member("message")?;
    let is_reply =
        message.find_str("role").is_some() && (is_record(message) || members.has("stopReason"));
    is_reply.then_some(Reply {
        raw: message,
        more: 0,
    })
}
