//! From events to a conversation.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use session_log::{Message, Origin, Part, Role, Seq};

use crate::format::Format;
use crate::formats::log::{Compaction, Log, Spot};
use crate::formats::openhands::entry::{Condensed, Entry, What};
use crate::formats::openhands::{v0, v1};
use crate::formats::parts::fields_but;
use crate::json::{Members, Object, Raw};
use crate::read::Context;
use crate::source::Placed;
use crate::transcript::{Conversation, Warning};

/// The conversation of events; `about` is the record of the run they stand in.
pub(super) fn conversation(
    events: &[Placed<'_>],
    about: &Members<'_>,
    context: &mut Context<'_>,
) -> Conversation {
    let texts = events.iter().map(|event| event.raw.text());
    let name = about.peek_str("instance_id");
    let mut fold = Fold {
        log: Log::new(Format::OpenHands, name.as_deref(), texts, context),
        messages: BTreeMap::new(),
        sources: BTreeMap::new(),
        numbered: BTreeMap::new(),
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
        .into_conversation(fields_but(about, &["history", "instance_id"]), context);
    let mut tools = events.iter().filter_map(|event| v1::tools(event.raw));
    conversation.tools = tools.next().map(Raw::to_json);
    conversation
}

struct Fold {
    log: Log,
    /// The messages that are shown, by the events they came from.
    messages: BTreeMap<String, Seq>,
    /// From how many events that are not forgotten each of them came.
    sources: BTreeMap<Seq, usize>,
    /// Events whose ids are numbers.
    numbered: BTreeMap<u64, String>,
    unknown: Vec<u64>,
}

impl Fold {
    /// Adds an entry; the places of those that are one message with it.
    fn entry(&mut self, at: usize, event: &Placed<'_>, entries: &[Entry]) -> Vec<usize> {
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
                let mut known: HashSet<Part> = parts.iter().cloned().collect();
                for (mate, mut more) in actions_of(response.as_deref(), entries, at) {
                    mates.push(mate);
                    sources.extend(entries.get(mate).and_then(|entry| entry.id.clone()));
                    more.retain(|part| !known.contains(part));
                    known.extend(more.iter().cloned());
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
            self.sources.insert(seq, sources.len().max(1));
            for id in sources {
                if let Ok(number) = id.parse() {
                    self.numbered.insert(number, id.clone());
                }
                self.messages.insert(id, seq);
            }
        }
        mates
    }

    /// What is forgotten leaves; the summary stands behind as many events as it says.
    fn condensed(&mut self, spot: &Spot<'_>, condensed: &Condensed, raw: Raw<'_>) {
        let range = condensed.range.filter(|(first, last)| first <= last);
        let numbered = range.map(|(first, last)| self.numbered.range(first..=last));
        let numbered = numbered.into_iter().flatten().map(|(_, id)| id);
        let forgotten: Vec<String> = condensed
            .forgotten
            .iter()
            .chain(numbered)
            .cloned()
            .collect();
        let mut only = BTreeSet::new();
        for id in forgotten {
            let Some(seq) = self.messages.remove(&id) else {
                continue;
            };
            // A message leaves with the last of the events it came from.
            if let Some(left) = self.sources.get_mut(&seq) {
                *left -= 1;
                if *left == 0 {
                    self.sources.remove(&seq);
                    only.insert(seq);
                }
            }
        }
        let mut pinned = Vec::new();
        let (mut passed, offset) = (0, condensed.offset.unwrap_or(0));
        let is_placed = condensed.summary.is_some() && self.log.has_room();
        for (seq, count) in &self.sources {
            if passed >= offset || !is_placed {
                break;
            }
            passed += count;
            pinned.push(*seq);
        }
        let compaction = Compaction {
            pinned,
            only: Some(only),
            summary: condensed.summary.iter().map(Message::user).collect(),
            ..Compaction::default()
        };
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
