//! Messages of LangChain in the three ways it writes them: with their `data` apart, as what its
//! constructors take, and flat, as states of LangGraph have them.

mod blocks;
mod chunks;
mod encoding;
mod fold;
mod message_in;
mod message_out;
mod removals;
mod sums;

use crate::error::WriteError;
use crate::format::Format;
use crate::formats::langchain::encoding::Encoding;
use crate::formats::lists::{Containers, Reply, each_list, first_lists};
use crate::formats::{self, Head};
use crate::json::{Members, Raw};
use crate::read::Context;
use crate::source::Scan;
use crate::transcript::Conversation;
use crate::write::{Draft, Written};

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

static CONTAINERS: Containers = Containers {
    lists: &["messages"],
    system: &[],
    takes_text: false,
    is_record,
    reply,
};

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::LangChain
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let lists = first_lists(&CONTAINERS, head.scan);
        let mut all = lists.iter().flat_map(|listed| listed.all());
        all.find_map(|placed| match encoding::of(placed.raw)? {
            Encoding::Data => Some("messages with their data apart".into()),
            Encoding::Constructor => Some("constructors of messages".into()),
            Encoding::Flat => {
                let kind = placed.raw.find_str("type")?;
                let is_sign = matches!(&*kind, "human" | "ai" | "AIMessageChunk");
                is_sign.then(|| format!("messages of type `{kind}`"))
            }
        })
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        each_list(&CONTAINERS, scan, context, fold::conversation)
    }

    fn write(&self, draft: &Draft<'_>) -> Result<Written, WriteError> {
        Ok(message_out::write(draft))
    }
}

fn is_record(raw: Raw<'_>) -> bool {
    encoding::of(raw).is_some()
}

/// The first of the generations of a run.
fn reply<'a>(members: &Members<'a>) -> Option<Reply<'a>> {
    let generations = members.peek("generations")?.items()?;
    let first = *generations.first()?;
    let first = match first.items() {
        Some(inner) => *inner.first()?,
        None => first,
    };
    let message = first.member("message")?;
    is_record(message).then_some(Reply {
        raw: message,
        more: generations.len().saturating_sub(1),
    })
}
