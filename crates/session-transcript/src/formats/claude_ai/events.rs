//! From messages to events.

use std::collections::BTreeSet;

use session_log::{Fields, Message, Origin, Part, Role, ToolCall, ToolResult};

use crate::format::Format;
use crate::formats::claude_ai::blocks::{self, Block};
use crate::formats::claude_ai::path::{self, Spoken};
use crate::formats::log::{Log, Spot};
use crate::formats::parts::fields_but;
use crate::json::{Members, Raw};
use crate::read::Context;
use crate::source::Placed;
use crate::transcript::{Conversation, Warning};

/// The conversation in a value with messages.
pub(super) fn conversation(value: &Placed<'_>, context: &mut Context<'_>) -> Conversation {
    let mut about = value.raw.members().unwrap_or_default();
    let list = about.take("chat_messages").and_then(Raw::items);
    let list = list.unwrap_or_default().into_iter();
    let list = list.map(|raw| value.inner(raw)).collect();
    of_list(list, &about, value.line, context)
}

/// The conversation of messages of which nothing else is known.
pub(super) fn of_messages(list: Vec<Placed<'_>>, context: &mut Context<'_>) -> Conversation {
    let line = list.first().map_or(1, |first| first.line);
    of_list(list, &Members::default(), line, context)
}

fn of_list(
    list: Vec<Placed<'_>>,
    about: &Members<'_>,
    line: u64,
    context: &mut Context<'_>,
) -> Conversation {
    let messages = path::messages(list, context);
    let leaf = about.peek_str("current_leaf_message_uuid");
    let shown = path::shown(&messages, leaf.as_deref(), line, context);
    let id = about.peek_str("uuid");
    let texts = messages.iter().map(|message| message.value.raw.text());
    let mut fold = Fold {
        messages: &messages,
        log: Log::new(Format::ClaudeAi, id.as_deref(), texts, context),
        open: Vec::new(),
        unknown: Vec::new(),
    };
    fold.all(&shown);
    for line in fold.unknown {
        let what = "a block of an unknown type is kept beside the conversation";
        context.report.warn(Warning::line(line, what));
    }
    let text = |name: &str| about.peek_str(name).filter(|text| !text.is_empty());
    let (title, model) = (text("name"), text("model"));
    let mut conversation = fold
        .log
        .into_conversation(fields_but(about, &["uuid", "name"]), context);
    conversation.title = title.map(Into::into);
    conversation.model = model.map(Into::into);
    conversation
}

/// A call that has no result yet.
struct Open {
    id: String,
    name: String,
}

struct Fold<'m, 'a> {
    messages: &'m [Spoken<'a>],
    log: Log,
    open: Vec<Open>,
    unknown: Vec<u64>,
}

impl<'m, 'a> Fold<'m, 'a> {
    /// The messages that are shown; the others come where they stand in the file.
    fn all(&mut self, shown: &[usize]) {
        let live: BTreeSet<usize> = shown.iter().copied().collect();
        let beside = (0..self.messages.len()).filter(|at| !live.contains(at));
        let mut beside = beside.collect::<Vec<_>>().into_iter().peekable();
        for at in shown {
            while let Some(aside) = beside.next_if(|aside| aside < at) {
                self.aside(aside);
            }
            self.message(*at);
        }
        beside.for_each(|at| self.aside(at));
    }

    fn spot(&self, at: usize) -> Option<(Spot<'a>, &'m Spoken<'a>)> {
        let message = self.messages.get(at)?;
        let spot = Spot::of(&message.value, at).named(message.uuid.clone());
        Some((spot.at(message.members.peek("created_at")), message))
    }

    fn aside(&mut self, at: usize) {
        if let Some((spot, message)) = self.spot(at) {
            let raw = message.value.raw;
            self.log.aside(&spot, raw);
        }
    }

    fn message(&mut self, at: usize) {
        let Some((spot, message)) = self.spot(at) else {
            return;
        };
        let sender = message.members.peek_str("sender").unwrap_or_default();
        let role = match &*sender {
            "human" => Role::User,
            other => Role::from_name(other),
        };
        if role == Role::User {
            self.open.clear();
        }
        let list = |name: &str| {
            let items = message.members.peek(name).and_then(Raw::items);
            items.unwrap_or_default()
        };
        let (content, line) = (list("content"), message.value.line);
        let text = message.members.peek_str("text").unwrap_or_default();
        let files = list("attachments").into_iter().chain(list("files"));
        let mut step = Step {
            role,
            extra: fields_but(&message.members, &BESIDE),
            said: files.map(blocks::file).collect(),
            results: Vec::new(),
            number: 0,
            calls: 0,
        };
        let (mut silent, mut is_said) = (Vec::new(), false);
        for (number, raw) in content.into_iter().enumerate() {
            let what = blocks::read(raw);
            is_said |= !matches!(what, Block::Silent | Block::Unknown);
            match what {
                Block::Said(part) => self.said(&spot, &mut step, part),
                Block::Call(call) => self.call(&spot, &mut step, call),
                Block::Result(result) => self.result(&mut step, result),
                Block::Silent => silent.push((number, raw)),
                Block::Unknown => {
                    self.unknown.push(line);
                    silent.push((number, raw));
                }
            }
        }
        if !is_said && !text.is_empty() {
            self.said(&spot, &mut step, Part::text(text));
        }
        let is_empty = step.number == 0 && step.said.is_empty() && step.results.is_empty();
        let raw = message.value.raw;
        self.end(&spot, &mut step);
        if is_empty {
            return self.log.aside(&spot, raw);
        }
        for (number, raw) in silent {
            self.log.aside(&spot.with(&format!("/block-{number}")), raw);
        }
    }

    /// What is said behind results is a new message of the model.
    fn said(&mut self, spot: &Spot<'_>, step: &mut Step, part: Part) {
        if !step.results.is_empty() {
            self.end(spot, step);
        }
        step.said.push(part);
    }

    fn call(&mut self, spot: &Spot<'_>, step: &mut Step, mut call: ToolCall) {
        step.calls += 1;
        if call.id.is_empty() {
            call.id = format!("{}-call-{}", spot.name, step.calls);
        }
        self.open.push(Open {
            id: call.id.clone(),
            name: call.name.clone(),
        });
        self.said(spot, step, Part::ToolCall(call));
    }

    /// A result without an id answers the first open call of its tool.
    fn result(&mut self, step: &mut Step, mut result: ToolResult) {
        let by_id = |open: &Open| open.id == result.call_id;
        let by_name = |open: &Open| {
            let name = result.name.as_deref();
            result.call_id.is_empty() && name.is_none_or(|name| open.name == name)
        };
        let found = self.open.iter().position(by_id);
        if let Some(at) = found.or_else(|| self.open.iter().position(by_name)) {
            result.call_id = self.open.remove(at).id;
        }
        step.results.push(result);
    }

    fn end(&mut self, spot: &Spot<'_>, step: &mut Step) {
        if !step.said.is_empty() {
            let mut message = Message::new(step.role.clone(), std::mem::take(&mut step.said));
            message.extra = std::mem::take(&mut step.extra);
            let name = step.name(spot);
            self.log.message(&name, message, Origin::Real);
        }
        for result in std::mem::take(&mut step.results) {
            let message = Message::new(Role::Tool, vec![Part::ToolResult(result)]);
            let name = step.name(spot);
            self.log.message(&name, message, Origin::Real);
        }
    }
}

/// Fields of a message that are not kept beside its content.
const BESIDE: [&str; 8] = [
    "uuid",
    "text",
    "content",
    "sender",
    "created_at",
    "attachments",
    "files",
    "parent_message_uuid",
];

/// What was said at once, and the results that came.
struct Step {
    role: Role,
    extra: Fields,
    said: Vec<Part>,
    results: Vec<ToolResult>,
    /// How many events the message has become.
    number: u64,
    calls: u64,
}

impl Step {
    /// The first event has the name of the message, the next ones a number behind it.
    fn name<'a>(&mut self, spot: &Spot<'a>) -> Spot<'a> {
        self.number += 1;
        match self.number {
            1 => spot.clone(),
            number => spot.with(&format!("/{number}")),
        }
    }
}
