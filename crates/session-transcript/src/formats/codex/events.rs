//! From lines to events.

use session_log::{
    EventBody, EventId, EventType, Json, Message, NewEvent, Origin, Part, Reasoning, Role, Shape,
    Timestamp,
};

use crate::format::Format;
use crate::formats::claude_code::LINE_EVENT;
use crate::formats::codex::about::About;
use crate::formats::codex::boundary::{History, Replacement};
use crate::formats::codex::line::{Line, Mirror, Other, What};
use crate::formats::codex::{mirrors, rollback, speech};
use crate::formats::openai_responses::item::{self, Item};
use crate::ids::event_id;
use crate::json::{Members, Object, Raw, array};
use crate::note::Note;
use crate::read::Context;
use crate::time;
use crate::transcript::{Conversation, Warning};

/// The metadata entry of events for what a line has beside its content.
const BESIDE: &str = "codex";

const REPEATED: &str = "text(s) of the screen repeat items and are left out";
const UNMATCHED: &str = "text(s) of the screen are in no item: kept beside the conversation";
const TAKEN_BACK: &str = "line(s) of turns that were taken back are kept beside the conversation";

/// The conversation of a file.
pub(super) fn conversation(lines: &[Line<'_>], context: &mut Context<'_>) -> Conversation {
    let about = About::of(lines);
    let repeated = mirrors::repeated(lines);
    let taken_back = rollback::taken_back(lines);
    let id = context.names.name(&about.id);
    let mut fold = Fold {
        lines,
        id: id.clone(),
        default_time: context.options.default_time,
        events: Vec::new(),
        reply: None,
        waiting: Vec::new(),
        has_items: lines.iter().any(|line| matches!(line.what, What::Item(_))),
        has_prompt: about.system.is_some(),
        history: History::default(),
        unmatched: 0,
        warnings: Vec::new(),
    };
    for (at, line) in lines.iter().enumerate() {
        if repeated.contains(&at) {
            continue;
        }
        if taken_back.contains(&at) {
            fold.end_reply();
            fold.aside(at, line);
            continue;
        }
        fold.line(at, line, &about);
    }
    fold.end_reply();
    let Fold {
        events,
        unmatched,
        mut warnings,
        history,
        ..
    } = fold;
    warnings.extend(history.effort.warning());
    for warning in warnings {
        context.report.warn(warning);
    }
    for (count, what) in [
        (repeated.len(), REPEATED),
        (unmatched, UNMATCHED),
        (taken_back.len(), TAKEN_BACK),
    ] {
        if count > 0 {
            let what = format!("{count} {what}");
            context.report.warn(Warning::file(what));
        }
    }
    Conversation {
        id,
        title: None,
        model: about.model,
        parent: about.parent,
        tools: about.tools,
        envelope: about.envelope,
        events,
    }
}

/// Items of one reply, which become one message.
struct Reply {
    at: usize,
    message: Message,
    lines: Vec<u64>,
    has_message: bool,
}

struct Fold<'l, 'a> {
    lines: &'l [Line<'a>],
    id: String,
    default_time: Timestamp,
    events: Vec<NewEvent>,
    reply: Option<Reply>,
    /// Lines beside the conversation that came inside of the reply.
    waiting: Vec<usize>,
    has_items: bool,
    /// Whether the system prompt, or a message in its place, is there.
    has_prompt: bool,
    history: History,
    /// Texts of the screen that are in no item.
    unmatched: usize,
    warnings: Vec<Warning>,
}

impl<'a> Fold<'_, 'a> {
    fn line(&mut self, at: usize, line: &Line<'a>, about: &About) {
        match &line.what {
            What::Meta(_) if about.head == Some(at) => {
                self.end_reply();
                if let Some((_, prompt)) = &about.system {
                    self.push(at, line, "", prompt.clone(), Origin::Real);
                }
            }
            What::Meta(_) => self.aside(at, line),
            What::Item(raw) => self.item(at, line, *raw),
            What::Mirror(mirror, text) if !self.has_items => self.shown(at, line, *mirror, text),
            What::Mirror(..) => {
                self.unmatched += 1;
                self.aside(at, line);
            }
            What::Turn(_) | What::RolledBack(_) | What::ReplyEnd => {
                self.end_reply();
                self.aside(at, line);
            }
            What::Compacted(members) => {
                self.end_reply();
                self.compacted(at, line, members);
            }
            What::Other(other) => {
                if *other == Other::Unknown {
                    self.unknown(line);
                }
                self.aside(at, line);
            }
        }
    }

    fn unknown(&mut self, line: &Line<'_>) {
        let what = "a line of an unknown type is kept beside the conversation";
        self.warnings.push(Warning::line(line.number, what));
    }

    fn item(&mut self, at: usize, line: &Line<'a>, raw: Raw<'a>) {
        match item::read(raw) {
            Item::Message(message) if message.role == Role::Assistant => {
                self.spoken(at, line, message);
            }
            Item::Message(message) => {
                self.end_reply();
                let origin = self.origin(&message);
                self.push(at, line, "", message, origin);
            }
            Item::Reply(part) => {
                let message = Message::new(Role::Assistant, vec![part]);
                self.add_to_reply(at, line, message, false);
            }
            Item::Result(message) => {
                self.end_reply();
                self.push(at, line, "", message, Origin::Real);
            }
            Item::Compaction(part) => {
                self.end_reply();
                let message = Message::new(Role::Assistant, vec![part]);
                self.push(at, line, "", message, Origin::Summary { boundary: None });
            }
            Item::Unknown => {
                let kind = raw.member_str("type").unwrap_or_default();
                if !matches!(&*kind, "ghost_snapshot" | "compaction_trigger" | "other") {
                    self.unknown(line);
                }
                self.aside(at, line);
            }
        }
    }

    /// The first instructions stand in for a missing prompt; later ones come with their turn.
    fn origin(&mut self, message: &Message) -> Origin {
        match &message.role {
            role if role.is_system() => match std::mem::replace(&mut self.has_prompt, true) {
                true => Origin::Injected,
                false => Origin::Real,
            },
            Role::User if speech::is_injected(message) => Origin::Injected,
            Role::User => {
                self.has_prompt = true;
                Origin::Real
            }
            _ => Origin::Real,
        }
    }

    fn spoken(&mut self, at: usize, line: &Line<'_>, message: Message) {
        if self.reply.as_ref().is_some_and(|reply| reply.has_message) {
            self.end_reply();
        }
        self.add_to_reply(at, line, message, true);
    }

    fn add_to_reply(&mut self, at: usize, line: &Line<'_>, mut message: Message, is_message: bool) {
        match &mut self.reply {
            Some(reply) => {
                reply.message.parts.append(&mut message.parts);
                reply.message.shape = Shape::Parts;
                reply.message.extra.append(&mut message.extra);
                reply.lines.push(line.number);
                reply.has_message |= is_message;
            }
            None => {
                self.reply = Some(Reply {
                    at,
                    message,
                    lines: vec![line.number],
                    has_message: is_message,
                });
            }
        }
    }

    fn end_reply(&mut self) {
        if let Some(reply) = self.reply.take()
            && let Some(line) = self.lines.get(reply.at)
        {
            let is_one = reply.lines.len() == 1;
            self.push(reply.at, line, "", reply.message, Origin::Real);
            if let Some(event) = self.events.last_mut().filter(|_| !is_one) {
                let mut beside = Object::new();
                let numbers = reply.lines.iter().map(u64::to_string);
                beside.raw("lines", &array(numbers));
                event.metadata.insert(BESIDE.into(), beside.into_json());
            }
        }
        for at in std::mem::take(&mut self.waiting) {
            if let Some(line) = self.lines.get(at) {
                self.aside(at, line);
            }
        }
    }

    /// A text of the screen in a file without items.
    fn shown(&mut self, at: usize, line: &Line<'_>, mirror: Mirror, text: &str) {
        match mirror {
            Mirror::User => {
                self.end_reply();
                let message = Message::user(text);
                let origin = self.origin(&message);
                self.push(at, line, "", message, origin);
            }
            Mirror::Agent => self.spoken(at, line, Message::assistant(text)),
            Mirror::Reasoning => {
                let part = Part::Reasoning(Reasoning::new(text));
                let message = Message::new(Role::Assistant, vec![part]);
                self.add_to_reply(at, line, message, false);
            }
        }
    }

    fn compacted(&mut self, at: usize, line: &Line<'_>, members: &Members<'_>) {
        let Replacement { pinned, summary } = self.history.replacement(members, &self.events);
        let Some(id) = self.event_id(at, "") else {
            return;
        };
        let names: Vec<String> = (1..=summary.len())
            .map(|number| format!("/{number}"))
            .collect();
        let ids: Vec<EventId> = names
            .iter()
            .filter_map(|name| self.event_id(at, name))
            .collect();
        let boundary = self.history.boundary(pinned, ids, &self.events);
        let body = EventBody::Compaction(Box::new(boundary));
        let event = NewEvent::new(id.clone(), self.moment(line), body);
        let event = event.with_metadata(BESIDE, without_history(members));
        self.events.push(note(at, line).on(event));
        for (name, message) in names.iter().zip(summary) {
            let origin = Origin::Summary {
                boundary: Some(id.clone()),
            };
            self.push(at, line, name, message, origin);
        }
    }

    fn push(&mut self, at: usize, line: &Line<'_>, name: &str, message: Message, origin: Origin) {
        let Some(id) = self.event_id(at, name) else {
            return;
        };
        let event = NewEvent::message(id, self.moment(line), message).with_origin(origin);
        self.events.push(note(at, line).on(event));
    }

    /// A line that is no message; inside of a reply it waits for its end.
    fn aside(&mut self, at: usize, line: &Line<'_>) {
        if self.reply.is_some() {
            self.waiting.push(at);
            return;
        }
        let (Some(id), Ok(event_type)) = (self.event_id(at, ""), EventType::new(LINE_EVENT)) else {
            return;
        };
        let body = EventBody::Custom {
            event_type,
            payload: line.raw.to_json(),
        };
        let event = NewEvent::new(id, self.moment(line), body);
        self.events.push(note(at, line).on(event));
    }

    /// Lines are only ever added to a file, so their number is a name that stays.
    fn event_id(&self, at: usize, name: &str) -> Option<EventId> {
        event_id(&self.id, &format!("{:05}{name}", at + 1))
    }

    fn moment(&self, line: &Line<'_>) -> Timestamp {
        line.timestamp
            .and_then(time::parse)
            .unwrap_or(self.default_time)
    }
}

fn note(at: usize, line: &Line<'_>) -> Note {
    let record = u64::try_from(at).unwrap_or(u64::MAX).saturating_add(1);
    Note::new(Format::Codex, line.number, line.bytes.clone(), record)
}

/// What a `compacted` line says beside the history.
fn without_history(members: &Members<'_>) -> Json {
    let mut object = Object::new();
    for (name, raw) in members.iter() {
        if !matches!(name, "message" | "replacement_history") {
            object.raw(name, raw.text());
        }
    }
    object.into_json()
}
