//! From entries to events.

use std::collections::{BTreeMap, BTreeSet};

use session_log::{Message, Origin, Seq};

use crate::format::Format;
use crate::formats::log::{Compaction, Log, Spot};
use crate::formats::parts::fields_but;
use crate::formats::pi::{message, path};
use crate::json::{Members, Object, Raw};
use crate::read::Context;
use crate::source::Placed;
use crate::transcript::{Conversation, Warning};

/// Types of entries that say nothing to the model.
const SILENT: [&str; 7] = [
    "session",
    "model_change",
    "thinking_level_change",
    "custom",
    "label",
    "session_info",
    "leaf",
];

/// The conversation of a file.
pub(super) fn conversation(entries: &[Placed<'_>], context: &mut Context<'_>) -> Conversation {
    let head = entries.iter().find_map(|entry| {
        let members = entry.raw.members()?;
        (members.peek_str("type").as_deref() == Some("session")).then_some(members)
    });
    let head = head.unwrap_or_default();
    let id = head.peek_str("id");
    let texts = entries.iter().map(|entry| entry.raw.text());
    let log = Log::new(Format::Pi, id.as_deref(), texts, context);
    let shown = path::shown(entries, context);
    let mut fold = Fold {
        entries,
        log,
        seqs: BTreeMap::new(),
        named: BTreeMap::new(),
        model: head.peek_str("modelId").map(Into::into),
        title: None,
        unknown: Vec::new(),
    };
    fold.all(&shown);
    for line in fold.unknown {
        let what = "an entry of an unknown type is kept beside the conversation";
        context.report.warn(Warning::line(line, what));
    }
    let mut conversation = fold
        .log
        .into_conversation(fields_but(&head, &["type", "id"]), context);
    conversation.title = fold.title;
    conversation.model = fold.model;
    conversation
}

struct Fold<'e, 'a> {
    entries: &'e [Placed<'a>],
    log: Log,
    /// The places in the log of entries that are shown.
    seqs: BTreeMap<usize, Seq>,
    /// The places of shown entries among all, by id.
    named: BTreeMap<String, usize>,
    model: Option<String>,
    title: Option<String>,
    unknown: Vec<u64>,
}

impl<'a> Fold<'_, 'a> {
    /// The entries that are shown; the others come where they stand in the file.
    fn all(&mut self, shown: &[usize]) {
        let live: BTreeSet<usize> = shown.iter().copied().collect();
        let beside = (0..self.entries.len()).filter(|at| !live.contains(at));
        let mut beside = beside.collect::<Vec<_>>().into_iter().peekable();
        for at in shown {
            while let Some(aside) = beside.next_if(|aside| aside < at) {
                self.aside(aside);
            }
            self.entry(*at);
        }
        beside.for_each(|at| self.aside(at));
    }

    fn entry(&mut self, at: usize) {
        let Some(members) = self.entries.get(at).and_then(|entry| entry.raw.members()) else {
            return;
        };
        if let Some(id) = members.peek_str("id") {
            self.named.insert(id.into(), at);
        }
        let kind = members.peek_str("type").unwrap_or_default();
        let said = match &*kind {
            "message" => {
                let inner = members.peek("message").and_then(Raw::members);
                let inner = inner.unwrap_or_default();
                if let Some(model) = inner.peek_str("model") {
                    self.model = Some(model.into());
                }
                message::read(&inner)
            }
            "custom_message" => Some(message::custom(&members)),
            "branch_summary" => members.peek_str("summary").map(|text| {
                let origin = Origin::Summary { boundary: None };
                (Message::user(text), origin)
            }),
            "compaction" => return self.compaction(at, &members),
            _ => None,
        };
        match &*kind {
            "model_change" => self.model = members.peek_str("modelId").map(Into::into),
            "session_info" => self.title = members.peek_str("name").map(Into::into),
            _ => {}
        }
        let Some((message, origin)) = said else {
            let is_known =
                SILENT.contains(&&*kind) || kind == "message" || kind == "branch_summary";
            if !is_known && let Some(entry) = self.entries.get(at) {
                self.unknown.push(entry.line);
            }
            return self.aside(at);
        };
        if let Some(spot) = self.spot(at)
            && let Some(seq) = self.log.message(&spot, message, origin)
        {
            self.seqs.insert(at, seq);
        }
    }

    /// Summary first, then what stays from the entry that is named on.
    fn compaction(&mut self, at: usize, members: &Members<'_>) {
        let Some(spot) = self.spot(at) else {
            return;
        };
        let named = members.peek("firstKeptEntryIndex");
        let first = match (named, members.peek_str("firstKeptEntryId")) {
            (_, Some(id)) => self.named.get(&*id).copied(),
            (Some(index), None) => index.text().parse().ok(),
            (None, None) => None,
        };
        let kept = first.and_then(|first: usize| self.seqs.range(first.min(at)..at).next());
        let number = |name: &str| members.peek(name).and_then(|raw| raw.text().parse().ok());
        let summary = members.peek_str("summary").unwrap_or_default();
        let mut about = Object::new();
        if members.peek("fromHook").and_then(Raw::as_bool) == Some(true) {
            about.str("pi", "hook");
        }
        let compaction = Compaction {
            from: kept.map(|(_, seq)| *seq),
            summary: (!summary.trim().is_empty())
                .then(|| Message::user(summary))
                .into_iter()
                .collect(),
            about: Some(about.into_json()),
            tokens_before: number("tokensBefore").unwrap_or(0),
            ..Compaction::default()
        };
        let mut beside = Object::new();
        for (name, raw) in members.iter().filter(|(name, _)| *name != "summary") {
            beside.raw(name, raw.text());
        }
        self.log.compaction(&spot, compaction, beside.into_json());
    }

    fn aside(&mut self, at: usize) {
        if let (Some(spot), Some(entry)) = (self.spot(at), self.entries.get(at)) {
            self.log.aside(&spot, entry.raw);
        }
    }

    fn spot(&self, at: usize) -> Option<Spot<'a>> {
        let entry = self.entries.get(at)?;
        let members = entry.raw.members()?;
        let is_head = members.peek_str("type").as_deref() == Some("session");
        let id = members.peek_str("id").filter(|_| !is_head);
        let spot = Spot::of(entry, at).named(id);
        Some(spot.at(members.peek("timestamp")))
    }
}
