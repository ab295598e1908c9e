//! From records to events.

use std::collections::{BTreeMap, BTreeSet};

use session_log::{Message, Origin, Seq};

use crate::format::Format;
use crate::formats::gemini_cli::message;
use crate::formats::gemini_cli::state::{Session, Step};
use crate::formats::log::{Compaction, Log, Spot};
use crate::formats::parts::fields_but;
use crate::json::Object;
use crate::read::Context;
use crate::source::Placed;
use crate::transcript::{Conversation, Warning};

/// The conversation of a session.
pub(super) fn conversation(session: &Session<'_>, context: &mut Context<'_>) -> Conversation {
    let id = session.head.peek_str("sessionId");
    let texts = session.records.iter().map(|record| record.value.raw.text());
    let mut fold = Fold {
        session,
        log: Log::new(Format::GeminiCli, id.as_deref(), texts, context),
        seqs: BTreeMap::new(),
        written: BTreeSet::new(),
        summaries: BTreeSet::new(),
        dropped: 0,
        steps: 0,
    };
    for step in &session.steps {
        fold.step(step);
    }
    let counts = [
        (session.replaced, "earlier state(s) of records are left out"),
        (
            fold.dropped,
            "record(s) that were taken back are kept beside the conversation",
        ),
    ];
    for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
        context
            .report
            .warn(Warning::file(format!("{count} {what}")));
    }
    let model = session.records.iter().rev().find_map(|record| {
        let model = record.value.raw.member_str("model")?;
        Some(model.into_owned())
    });
    let title = session.head.peek_str("summary").map(Into::into);
    let fields = fields_but(&session.head, &["sessionId", "summary"]);
    let mut conversation = fold.log.into_conversation(fields, context);
    conversation.title = title;
    conversation.model = model;
    conversation
}

struct Fold<'s, 'a> {
    session: &'s Session<'a>,
    log: Log,
    /// The messages that each record became.
    seqs: BTreeMap<usize, Vec<Seq>>,
    written: BTreeSet<usize>,
    /// The messages that are the summary of a boundary.
    summaries: BTreeSet<Seq>,
    dropped: usize,
    steps: usize,
}

impl<'a> Fold<'_, 'a> {
    fn step(&mut self, step: &Step<'a>) {
        self.steps += 1;
        match step {
            Step::Added(at) => self.record(*at),
            Step::Replaced(value, history) => self.replaced(value, history),
            Step::Beside(value) => {
                let spot = self.operation(value);
                self.log.aside(&spot, value.raw);
            }
        }
    }

    fn operation(&self, value: &Placed<'a>) -> Spot<'a> {
        let number = self.steps;
        Spot::of(value, number).named(Some(format!("step-{number:05}")))
    }

    fn spot(&self, at: usize) -> Option<Spot<'a>> {
        let record = self.session.records.get(at)?;
        let spot = Spot::of(&record.value, at).named(record.id.clone());
        Some(spot.at(record.value.raw.member("timestamp")))
    }

    fn said(&self, at: usize) -> Vec<(Message, Origin)> {
        let record = self.session.records.get(at);
        let members = record.and_then(|record| record.value.raw.members());
        members.map_or_else(Vec::new, |members| message::read(&members))
    }

    fn record(&mut self, at: usize) {
        let (Some(spot), Some(record)) = (self.spot(at), self.session.records.get(at)) else {
            return;
        };
        self.written.insert(at);
        let said = match record.is_dropped {
            true => Vec::new(),
            false => self.said(at),
        };
        self.dropped += usize::from(record.is_dropped);
        if said.is_empty() {
            return self.log.aside(&spot, record.value.raw);
        }
        for (number, (message, origin)) in said.into_iter().enumerate() {
            let spot = match number {
                0 => spot.clone(),
                number => spot.with(&format!("/{number}")),
            };
            let seq = self.log.message(&spot, message, origin);
            self.seqs.entry(at).or_default().extend(seq);
        }
    }

    /// The history is another one from here on: what is new in it stands in for what is gone.
    fn replaced(&mut self, value: &Placed<'a>, history: &[usize]) {
        let spot = self.operation(value);
        let is_new = |at: &&usize| !self.written.contains(*at);
        let first_new = history.iter().position(|at| is_new(&at));
        let new: Vec<usize> = history.iter().filter(is_new).copied().collect();
        let seqs = |places: &[usize]| -> Vec<Seq> {
            let seqs = places.iter().filter_map(|at| self.seqs.get(at));
            seqs.flatten().copied().collect()
        };
        let (before, after) = history.split_at(first_new.unwrap_or(history.len()));
        // An earlier summary is only shown again where it is named.
        let (named, kept): (Vec<Seq>, Vec<Seq>) = seqs(after)
            .into_iter()
            .partition(|seq| self.summaries.contains(seq));
        let said: Vec<(usize, Message)> = new
            .iter()
            .flat_map(|at| {
                self.said(*at)
                    .into_iter()
                    .map(|(message, _)| (*at, message))
            })
            .collect();
        let (places, summary): (Vec<usize>, Vec<Message>) = said.into_iter().unzip();
        let mut pinned = seqs(before);
        pinned.extend(named);
        let compaction = Compaction {
            pinned,
            kept: kept.into_iter().collect(),
            summary,
            ..Compaction::default()
        };
        self.written.extend(&new);
        let mut beside = Object::new();
        if let Some(set) = value.raw.member("$set").and_then(|set| set.members()) {
            for (name, raw) in set.iter().filter(|(name, _)| *name != "messages") {
                beside.raw(name, raw.text());
            }
        }
        let seqs = self.log.compaction(&spot, compaction, beside.into_json());
        for (at, seq) in places.into_iter().zip(seqs) {
            self.summaries.insert(seq);
            self.seqs.entry(at).or_default().push(seq);
        }
    }
}
