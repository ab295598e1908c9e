//! Events of OpenHands: those of its first version, those of its SDK, and the runs of a benchmark
//! that hold them.

mod entry;
mod fold;
mod v0;
mod v1;

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
        Format::OpenHands
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let mut first = head.values.iter().copied().take(20);
        if first.clone().any(v1::is_event) {
            return Some("events with a kind and a source".into());
        }
        if first.clone().any(v0::is_event) {
            return Some("events with a source and an action or observation".into());
        }
        first
            .any(is_run)
            .then(|| "runs with a history of events".into())
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let mut loose = Vec::new();
        let mut conversations = Vec::new();
        let mut strangers = Vec::new();
        for value in Placed::all(scan) {
            if is_event(value.raw) {
                loose.push(value);
            } else if is_run(value.raw) {
                let about = value.raw.members().unwrap_or_default();
                let events = history(&value, &about);
                conversations.push(fold::conversation(&events, &about, context));
            } else {
                strangers.push(value);
            }
        }
        if !loose.is_empty() {
            let about = Members::default();
            conversations.insert(0, fold::conversation(&loose, &about, context));
        }
        if !conversations.is_empty() {
            context.skip_all(strangers, "no event");
        }
        conversations
    }

    fn can_write(&self) -> bool {
        false
    }
}

fn is_event(raw: Raw<'_>) -> bool {
    v1::is_event(raw) || v0::is_event(raw)
}

/// The record of a run; old ones pair each action with its observation.
fn is_run(raw: Raw<'_>) -> bool {
    let history = raw.find("history").and_then(|list| list.first_items(8));
    history.is_some_and(|items| {
        let is_pair = |raw: &Raw<'_>| {
            let pair = raw.first_items(2).unwrap_or_default();
            pair.into_iter().any(is_event)
        };
        items.iter().any(|raw| is_event(*raw) || is_pair(raw))
    })
}

fn history<'a>(run: &Placed<'a>, about: &Members<'a>) -> Vec<Placed<'a>> {
    let items = about.peek("history").and_then(Raw::items);
    let mut events = Vec::new();
    for raw in items.unwrap_or_default() {
        match raw.kind() {
            Kind::Array => {
                let pair = raw.items().unwrap_or_default().into_iter();
                events.extend(pair.map(|raw| run.inner(raw)));
            }
            _ => events.push(run.inner(raw)),
        }
    }
    events
}
