//! Logs of evaluations by Inspect: each sample is a conversation, long texts lie beside it.

mod attachments;
mod events;
mod message;

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
        Format::Inspect
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let first = *head.values.first()?;
        if is_log(first) {
            return Some("an evaluation and its samples".into());
        }
        is_sample(first).then(|| "a sample with its epoch and messages".into())
    }

    /// A log with its samples inside, or a log and samples one after the other.
    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let mut conversations = Vec::new();
        let mut strangers = Vec::new();
        let mut log = Members::default();
        for value in Placed::all(scan) {
            if is_log(value.raw) {
                log = value.raw.members().unwrap_or_default();
                let samples = log.peek("samples").and_then(Raw::items);
                for raw in samples.unwrap_or_default() {
                    let sample = value.inner(raw);
                    match is_sample(raw) {
                        true => conversations.push(events::conversation(&sample, &log, context)),
                        false => strangers.push(sample),
                    }
                }
            } else if is_sample(value.raw) {
                conversations.push(events::conversation(&value, &log, context));
            } else {
                strangers.push(value);
            }
        }
        if !conversations.is_empty() {
            context.skip_all(strangers, "no sample of an evaluation");
        }
        conversations
    }

    fn can_write(&self) -> bool {
        false
    }
}

fn is_log(raw: Raw<'_>) -> bool {
    let eval = raw.find("eval");
    eval.is_some_and(|eval| eval.find("task").is_some() && eval.find("model").is_some())
}

fn is_sample(raw: Raw<'_>) -> bool {
    raw.find("epoch").is_some()
        && raw
            .find("messages")
            .is_some_and(|list| list.kind() == Kind::Array)
}
