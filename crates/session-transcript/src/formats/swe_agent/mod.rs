//! Trajectories of SWE-agent: a history of messages in the shape of OpenAI chat, with fields of its
//! own, beside the list of steps that repeats it.

mod events;

use crate::format::Format;
use crate::formats::{self, Head};
use crate::json::{Kind, Members, Raw};
use crate::read::Context;
use crate::source::{Form, Placed, Scan};
use crate::transcript::Conversation;

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::SweAgent
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let first = *head.values.first()?;
        if is_trajectory(first) {
            return Some("a history and its trajectory".into());
        }
        let is_broken = head.scan.form == Form::BrokenArray;
        (is_broken && (is_message(first) || is_step(first)))
            .then(|| "messages or steps of an agent".into())
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let (found, strangers): (Vec<_>, Vec<_>) = Placed::all(scan)
            .into_iter()
            .partition(|value| is_trajectory(value.raw));
        let is_loose = |raw: Raw<'_>| is_message(raw) || is_step(raw);
        let (loose, strangers): (Vec<_>, Vec<_>) = strangers
            .into_iter()
            .partition(|value| found.is_empty() && is_loose(value.raw));
        if found.is_empty() && loose.is_empty() {
            return Vec::new();
        }
        context.skip_all(strangers, "no trajectory");
        if !loose.is_empty() {
            // What is left of a trajectory that is broken.
            let (history, steps): (Vec<_>, Vec<_>) =
                loose.into_iter().partition(|value| is_message(value.raw));
            return vec![events::of_lists(
                &history,
                &steps,
                &Members::default(),
                context,
            )];
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

fn is_message(raw: Raw<'_>) -> bool {
    raw.find("role").is_some() && raw.find("agent").is_some()
}

fn is_step(raw: Raw<'_>) -> bool {
    raw.find("action").is_some() && raw.find("observation").is_some() && raw.find("id").is_none()
}

/// A history of agents, or steps of actions and what was observed.
fn is_trajectory(raw: Raw<'_>) -> bool {
    let first = |name: &str| {
        let list = raw.find(name).filter(|list| list.kind() == Kind::Array)?;
        list.first_items(1)?.pop()
    };
    first("history").is_some_and(is_message) || first("trajectory").is_some_and(is_step)
}
