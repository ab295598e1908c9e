//! Trajectories of SWE-agent: a history of messages in the shape of OpenAI chat, with fields of its
//! own, beside the list of steps that repeats it.

mod events;

use crate::format::Format;
use crate::formats::log::Value;
use crate::formats::{self, Head};
use crate::json::{Kind, Raw};
use crate::read::Context;
use crate::source::Scan;
use crate::transcript::Conversation;

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::SweAgent
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        is_trajectory(*head.values.first()?).then(|| "a history and its trajectory".into())
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let (found, strangers): (Vec<_>, Vec<_>) = Value::all(scan)
            .into_iter()
            .partition(|value| is_trajectory(value.raw));
        if found.is_empty() {
            return Vec::new();
        }
        for value in strangers {
            context.skip(value.line, value.bytes, "no trajectory");
        }
        found
            .iter()
            .map(|value| events::conversation(value, context))
            .collect()
    }

    fn can_write(&self) -> bool {
        false
    }
}

/// A history of agents, or steps of actions and what was observed.
fn is_trajectory(raw: Raw<'_>) -> bool {
    let first = |name: &str| {
        let list = raw.find(name).filter(|list| list.kind() == Kind::Array)?;
        list.first_items(1)?.pop()
    };
    let is_message = |raw: Raw<'_>| raw.find("role").is_some() && raw.find("agent").is_some();
    let is_step = |raw: Raw<'_>| raw.find("action").is_some() && raw.find("observation").is_some();
    first("history").is_some_and(is_message) || first("trajectory").is_some_and(is_step)
}
