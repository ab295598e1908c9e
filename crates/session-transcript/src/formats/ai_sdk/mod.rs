//! Messages of the Vercel AI SDK: those of its screen, whose tool parts hold call and result, and
//! those of its model.

mod cells;
mod fold;
mod message_out;
mod model_in;
mod model_out;
mod output;
mod ui_in;
mod ui_out;

use crate::error::WriteError;
use crate::format::Format;
use crate::formats::lists::{Containers, Reply, each_list, first_lists};
use crate::formats::{self, Head};
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
        Format::AiSdk
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let lists = first_lists(&CONTAINERS, head.scan);
        let mut all = lists.iter().flat_map(|listed| listed.all());
        all.find_map(|placed| match placed.raw.members() {
            Some(members) if ui_in::is_message(&members) => {
                Some("messages with `parts` that have a type".into())
            }
            Some(members) if model_in::is_sign(&members) => {
                Some("messages with parts of the model's side".into())
            }
            _ => None,
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
    raw.kind() == Kind::Object
        && raw.find_str("role").is_some()
        && (raw.find("parts").is_some() || raw.find("content").is_some())
}

fn reply<'a>(_: &Members<'a>) -> Option<Reply<'a>> {
    None
}
