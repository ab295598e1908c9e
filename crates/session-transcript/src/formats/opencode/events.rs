//! From messages to events.

use std::collections::BTreeMap;

use session_log::{Message, Origin, Part, Role, Seq, ToolResult};

use crate::format::Format;
use crate::formats::log::{Compaction, Log, Spot};
use crate::formats::opencode::gather::{Session, Stored, kind};
use crate::formats::opencode::parts::{self, Tool, What};
use crate::formats::parts::fields_but;
use crate::json::{Object, Raw};
use crate::read::Context;
use crate::source::Placed;
use crate::transcript::{Conversation, Warning};

/// The conversation of a session.
pub(super) fn conversation(session: &Session<'_>, context: &mut Context<'_>) -> Conversation {
    let texts = session
        .messages
        .iter()
        .map(|stored| stored.value.raw.text());
    let log = Log::new(Format::OpenCode, session.id.as_deref(), texts, context);
    let revert = session.info.peek("revert").and_then(Raw::members);
    let text = |name: &str| revert.as_ref()?.peek_str(name).map(String::from);
    let mut fold = Fold {
        log,
        places: BTreeMap::new(),
        pruned: Vec::new(),
        asked: None,
        reverted: (text("messageID"), text("partID")),
        is_reverted: false,
        hidden: 0,
        unknown: Vec::new(),
    };
    for (at, stored) in session.messages.iter().enumerate() {
        fold.stored(at, stored);
    }
    if let Some(stored) = session.messages.last() {
        let spot = spot(session.messages.len(), stored).named(Some("pruned"));
        fold.log.clear(&spot, &fold.pruned);
    }
    for line in fold.unknown {
        let what = "a part of an unknown type is kept beside the conversation";
        context.report.warn(Warning::line(line, what));
    }
    if fold.hidden > 0 {
        let what = format!(
            "{} message(s) that were taken back are kept beside the conversation",
            fold.hidden
        );
        context.report.warn(Warning::file(what));
    }
    let model = session.messages.iter().rev().find_map(|stored| {
        let asked = stored
            .info
            .peek("model")
            .and_then(|raw| raw.member_str("modelID"));
        stored.info.peek_str("modelID").or(asked).map(Into::into)
    });
    let info = &session.info;
    let mut conversation = fold
        .log
        .into_conversation(fields_but(info, &["id", "title"]), context);
    conversation.title = info.peek_str("title").map(Into::into);
    conversation.parent = info.peek_str("parentID").map(Into::into);
    conversation.model = model;
    conversation
}

fn spot<'a>(at: usize, stored: &Stored<'a>) -> Spot<'a> {
    let time = stored.info.peek("time");
    Spot::of(&stored.value, at)
        .named(stored.id.clone())
        .at(time.and_then(|time| time.member("created")))
}

struct Fold {
    log: Log,
    /// The place in the log at which each message begins.
    places: BTreeMap<String, Seq>,
    /// Results that the model is shown a short line for.
    pruned: Vec<Seq>,
    /// A compaction was asked for; where its tail begins.
    asked: Option<Option<String>>,
    /// From which message and part on the rest was taken back.
    reverted: (Option<String>, Option<String>),
    is_reverted: bool,
    hidden: usize,
    unknown: Vec<u64>,
}

impl Fold {
    fn stored(&mut self, at: usize, stored: &Stored<'_>) {
        let spot = spot(at, stored);
        let is_named = stored.id.is_some() && stored.id == self.reverted.0;
        if self.is_reverted || (is_named && self.reverted.1.is_none()) {
            self.is_reverted = true;
            self.hidden += 1;
            return self.log.aside(&spot, stored.value.raw);
        }
        if let Some(id) = &stored.id {
            self.places.insert(id.clone(), self.log.next());
        }
        let asked = stored.parts.iter().find(|part| kind(part) == "compaction");
        if let Some(part) = asked {
            let tail = part.raw.member_str("tail_start_id");
            self.asked = Some(tail.map(|id| id.into_owned()));
            return self.log.aside(&spot, stored.value.raw);
        }
        let is_summary = stored.info.peek("summary").and_then(Raw::as_bool) == Some(true);
        if is_summary && let Some(tail) = self.asked.take() {
            return self.compaction(&spot, stored, tail.as_deref());
        }
        let Some(role) = stored.info.peek_str("role") else {
            // Parts whose message is not there.
            for (number, part) in stored.parts.iter().enumerate() {
                self.beside(&spot, number, part);
            }
            return;
        };
        match Role::from_name(&role) {
            Role::Assistant => self.reply(&spot, stored),
            role => self.said(&spot, stored, role),
        }
    }

    /// The part and everything behind it was taken back.
    fn is_taken_back(&mut self, part: &Placed<'_>) -> bool {
        if self.reverted.1.is_some()
            && part.raw.member_str("id").as_deref() == self.reverted.1.as_deref()
        {
            self.is_reverted = true;
            self.hidden += 1;
        }
        self.is_reverted
    }

    fn said(&mut self, spot: &Spot<'_>, stored: &Stored<'_>, role: Role) {
        let mut said = Vec::new();
        let mut is_injected = true;
        let mut beside = Vec::new();
        for (number, part) in stored.parts.iter().enumerate() {
            match parts::read(part.raw) {
                _ if self.is_taken_back(part) => beside.push((number, part)),
                What::Said(said_part) => {
                    is_injected &= parts::is_synthetic(part.raw);
                    said.push(said_part);
                }
                what => {
                    self.note_unknown(&what, part);
                    beside.push((number, part));
                }
            }
        }
        if said.is_empty() && beside.is_empty() {
            return self.log.aside(spot, stored.value.raw);
        }
        if !said.is_empty() {
            let origin = match is_injected {
                true => Origin::Injected,
                false => Origin::Real,
            };
            let mut message = Message::new(role, said);
            message.extra = fields_but(&stored.info, &["id", "sessionID", "role", "time"]);
            self.log.message(spot, message, origin);
        }
        for (number, part) in beside {
            self.beside(spot, number, part);
        }
    }

    /// A reply holds whole rounds of calls and results; each step is a message of the model.
    fn reply(&mut self, spot: &Spot<'_>, stored: &Stored<'_>) {
        let mut step = Step::default();
        let before = self.log.next();
        let mut is_first = true;
        for (number, part) in stored.parts.iter().enumerate() {
            if self.is_taken_back(part) {
                self.end_step(spot, stored, &mut step, &mut is_first);
                self.beside(spot, number, part);
                continue;
            }
            match parts::read(part.raw) {
                What::Said(said) => step.said.push(said),
                What::Tool(tool) => step.tool(*tool),
                What::Step => {
                    self.end_step(spot, stored, &mut step, &mut is_first);
                }
                what => {
                    self.note_unknown(&what, part);
                    step.beside.push((number, part.clone()));
                }
            }
        }
        self.end_step(spot, stored, &mut step, &mut is_first);
        if self.log.next() == before {
            self.log.aside(spot, stored.value.raw);
        }
    }

    fn end_step(
        &mut self,
        spot: &Spot<'_>,
        stored: &Stored<'_>,
        step: &mut Step<'_>,
        is_first: &mut bool,
    ) {
        let step = std::mem::take(step);
        if !step.said.is_empty() {
            let mut message = Message::new(Role::Assistant, step.said);
            let name = match std::mem::replace(is_first, false) {
                true => {
                    let known = ["id", "sessionID", "role", "time"];
                    message.extra = fields_but(&stored.info, &known);
                    spot.clone()
                }
                false => spot.with("/step"),
            };
            self.log.message(&name, message, Origin::Real);
        }
        for (result, is_pruned) in step.results {
            let message = Message::new(Role::Tool, vec![Part::ToolResult(result)]);
            let seq = self
                .log
                .message(&spot.with("/result"), message, Origin::Real);
            self.pruned.extend(seq.filter(|_| is_pruned));
        }
        for (number, part) in step.beside {
            self.beside(spot, number, &part);
        }
    }

    /// The summary stands in for everything before it, but for the tail that is named.
    fn compaction(&mut self, spot: &Spot<'_>, stored: &Stored<'_>, tail: Option<&str>) {
        let texts: Vec<String> = stored
            .parts
            .iter()
            .filter(|part| kind(part) == "text")
            .filter_map(|part| part.raw.member_str("text").map(String::from))
            .collect();
        let from = tail.and_then(|id| self.places.get(id)).copied();
        let compaction = Compaction {
            from,
            summary: vec![Message::user(texts.join("\n\n"))],
            ..Compaction::default()
        };
        let mut beside = Object::new();
        for (name, raw) in stored.info.iter() {
            beside.raw(name, raw.text());
        }
        self.log.compaction(spot, compaction, beside.into_json());
    }

    fn note_unknown(&mut self, what: &What, part: &Placed<'_>) {
        if matches!(what, What::Unknown) {
            self.unknown.push(part.line);
        }
    }

    fn beside(&mut self, spot: &Spot<'_>, number: usize, part: &Placed<'_>) {
        let id = part.raw.member_str("id");
        let name = id.map_or_else(|| number.to_string(), |id| id.into_owned());
        let mut spot = spot.with(&format!("/{name}"));
        spot.line = part.line;
        spot.bytes = part.bytes.clone();
        self.log.aside(&spot, part.raw);
    }
}

/// What the model said at once, and what its tools brought.
#[derive(Default)]
struct Step<'a> {
    said: Vec<Part>,
    results: Vec<(ToolResult, bool)>,
    beside: Vec<(usize, Placed<'a>)>,
}

impl Step<'_> {
    fn tool(&mut self, tool: Tool) {
        self.said.push(Part::ToolCall(tool.call));
        if let Some(result) = tool.result {
            self.results.push((result, tool.is_pruned));
        }
    }
}
