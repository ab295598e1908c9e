//! From events to a conversation.

use std::collections::{BTreeMap, BTreeSet};

use session_log::{Message, Origin, Part, Role, Seq};

use crate::format::Format;
use crate::formats::log::{Compaction, Log, Spot, Value, fields_but};
use crate::formats::openhands::entry::{Condensed, Entry, What};
use crate::formats::openhands::{v0, v1};
use crate::json::{Members, Object, Raw};
use crate::read::Context;
use crate::transcript::{Conversation, Warning};

/// The conversation of events; `about` is the record of the run they stand in.
pub(super) fn conversation(
    events: &[Value<'_>],
    about: &Members<'_>,
    context: &mut Context<'_>,
) -> Conversation {
    let texts = events.iter().map(|event| event.raw.text());
    let name = about.peek_str("instance_id");
    let mut fold = Fold {
        log: Log::new(Format::OpenHands, name.as_deref(), texts, context),
        sources: BTreeMap::new(),
        forgotten: BTreeSet::new(),
        unknown: Vec::new(),
    };
    let entries: Vec<Entry> = events
        .iter()
        .map(|event| match v1::is_event(event.raw) {
            true => v1::read(event.raw),
            false => v0::read(event.raw),
        })
        .collect();
    let mut joined = BTreeSet::new();
    for (at, (event, entry)) in events.iter().zip(&entries).enumerate() {
        if joined.contains(&at) {
            continue;
        }
        let mates = fold.entry(at, event, &entries);
        joined.extend(mates);
        if matches!(entry.what, What::Unknown) {
            fold.unknown.push(event.line);
        }
    }
    for line in fold.unknown {
        let what = "an event of an unknown kind is kept beside the conversation";
        context.report.warn(Warning::line(line, what));
    }
    let mut conversation = fold
        .log
        .into_conversation(fields_but(about, &["history", "instance_id"]));
    let mut tools = events.iter().filter_map(|event| v1::tools(event.raw));
    conversation.tools = tools.next().map(Raw::to_json);
    conversation
}

struct Fold {
    log: Log,
    /// The events that each message came from.
    sources: BTreeMap<Seq, Vec<String>>,
    /// Events that left the view.
    forgotten: BTreeSet<String>,
    unknown: Vec<u64>,
}

impl Fold {
    /// Adds an entry; the places of those that are one message with it.
    fn entry(&mut self, at: usize, event: &Value<'_>, entries: &[Entry]) -> Vec<usize> {
        let Some(entry) = entries.get(at) else {
            return Vec::new();
        };
        let spot = Spot::of(event, at)
            .named(entry.id.clone())
            .at(event.raw.member("timestamp"));
        let mut sources: Vec<String> = entry.id.iter().cloned().collect();
        let mut mates = Vec::new();
        let (message, origin) = match &entry.what {
            What::Said(message, origin) => (message.as_ref().clone(), origin.clone()),
            What::Acts {
                response,
                thought,
                call,
            } => {
                let mut parts = thought.clone();
                parts.push(call.clone());
                for (mate, more) in actions_of(response.as_deref(), entries, at) {
                    mates.push(mate);
                    sources.extend(entries.get(mate).and_then(|entry| entry.id.clone()));
                    let is_new = |part: &Part| !parts.contains(part);
                    let more: Vec<Part> = more.into_iter().filter(is_new).collect();
                    parts.extend(more);
                }
                (Message::new(Role::Assistant, parts), Origin::Real)
            }
            What::Brought(result) => {
                let part = Part::ToolResult(result.as_ref().clone());
                (Message::new(Role::Tool, vec![part]), Origin::Real)
            }
            What::Condensed(condensed) => {
                self.condensed(&spot, condensed, event.raw);
                return mates;
            }
            What::Silent | What::Unknown => {
                self.log.aside(&spot, event.raw);
                return mates;
            }
        };
        if let Some(seq) = self.log.message(&spot, message, origin) {
            self.sources.insert(seq, sources);
        }
        mates
    }

    /// What is forgotten leaves; the summary stands behind as many events as it says.
    fn condensed(&mut self, spot: &Spot<'_>, condensed: &Condensed, raw: Raw<'_>) {
        self.forgotten.extend(condensed.forgotten.iter().cloned());
        let is_gone = |id: &String| {
            let in_range = condensed.range.zip(id.parse().ok());
            self.forgotten.contains(id)
                || in_range.is_some_and(|((first, last), id): ((u64, u64), u64)| {
                    (first..=last).contains(&id)
                })
        };
        let mut gone_too = Vec::new();
        let mut compaction = Compaction::default();
        let mut passed = 0;
        for (seq, sources) in &self.sources {
            if sources.iter().all(is_gone) && !sources.is_empty() {
                gone_too.extend(sources.iter().cloned());
                continue;
            }
            let is_before = condensed.offset.is_some_and(|offset| passed < offset);
            passed += sources.len().max(1);
            compaction.kept.insert(*seq);
            if is_before && condensed.summary.is_some() {
                compaction.pinned.push(*seq);
            }
        }
        self.forgotten.extend(gone_too);
        compaction.summary = condensed.summary.iter().map(Message::user).collect();
        let mut beside = Object::new();
        let members = raw.members().unwrap_or_default();
        for (name, raw) in members.iter() {
            if !matches!(name, "summary" | "forgotten_event_ids" | "args") {
                beside.raw(name, raw.text());
            }
        }
        self.log.compaction(spot, compaction, beside.into_json());
    }
}

/// The other actions of a response, as far as nothing but results stands between them.
fn actions_of(response: Option<&str>, entries: &[Entry], at: usize) -> Vec<(usize, Vec<Part>)> {
    let mut found = Vec::new();
    let Some(wanted) = response else {
        return found;
    };
    for (place, entry) in entries.iter().enumerate().skip(at + 1) {
        match &entry.what {
            What::Acts {
                response: Some(response),
                thought,
                call,
            } if response == wanted => {
                let parts = thought.iter().chain([call]).cloned();
                found.push((place, parts.collect()));
            }
            What::Brought(_) | What::Silent | What::Unknown => {}
            _ => break,
        }
    }
    found
}
