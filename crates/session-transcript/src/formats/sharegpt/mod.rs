//! Training sets in the shape of ShareGPT: lists of `from` and `value`.

mod events;
mod message_out;

use crate::error::WriteError;
use crate::format::Format;
use crate::formats::{self, Head};
use crate::json::Raw;
use crate::read::Context;
use crate::source::{Form, Scan};
use crate::transcript::Conversation;
use crate::write::{Draft, Written};

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::ShareGpt
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        is_conversation(*head.values.first()?).then(|| "conversations of from and value".into())
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let mut conversations = Vec::new();
        let mut strangers = Vec::new();
        for record in &scan.records {
            let raw = record.raw();
            let values = match scan.form {
                Form::Document => raw.items().unwrap_or_else(|| vec![raw]),
                Form::Lines | Form::BrokenArray => vec![raw],
            };
            for raw in values {
                if is_conversation(raw) {
                    conversations.push(events::conversation(record, raw, context));
                } else {
                    strangers.push(record.place_of(raw));
                }
            }
        }
        if !conversations.is_empty() {
            for (line, bytes) in strangers {
                context.skip(line, bytes, "no conversation of from and value");
            }
        }
        conversations
    }

    fn write(&self, draft: &Draft<'_>) -> Result<Written, WriteError> {
        Ok(message_out::write(draft))
    }
}

fn is_conversation(raw: Raw<'_>) -> bool {
    let items = raw.find(events::LIST).and_then(|list| list.first_items(20));
    items.is_some_and(|items| {
        items
            .iter()
            .any(|item| item.find("from").is_some() && item.find("value").is_some())
    })
}
