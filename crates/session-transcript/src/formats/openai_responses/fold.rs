//! From items to events: what the model says in a row is one message.

use std::ops::Range;

use session_log::{Message, Origin, Part, Role};

use crate::format::Format;
use crate::formats::lists::{Fold, Listed};
use crate::formats::openai_responses::item::{self, Item};
use crate::formats::openai_responses::message_out::EMPTY;
use crate::json::{Kind, Raw};
use crate::marks;
use crate::note::{Note, Place};
use crate::read::Context;
use crate::source::Placed;
use crate::speech;
use crate::transcript::{Conversation, Warning};

/// The conversation in a list of items.
pub(super) fn conversation(listed: &Listed<'_>, context: &mut Context<'_>) -> Conversation {
    let mut folder = Folder {
        fold: Fold::new(Format::OpenAiResponses, listed, context),
        reply: None,
        moment: None,
        is_text: listed.records.len() == 1,
    };
    tell_missing(listed, context);
    if let Some(system) = &listed.system {
        folder.fold.record += 1;
        match system.raw.as_str() {
            Some(text) => {
                let note = folder.fold.note(system, Place::System);
                let message = Message::system(text);
                folder.fold.push(note, message, Origin::Real, None, context);
            }
            None => context.skip(
                system.line,
                system.bytes.clone(),
                "instructions that are no text",
            ),
        }
    }
    for placed in &listed.records {
        folder.item(placed, Place::Messages, context);
    }
    folder.end_reply(context);
    folder.moment = listed.beside_reply.peek("created_at");
    for placed in &listed.replies {
        folder.item(placed, Place::Reply, context);
    }
    folder.end_reply(context);
    folder.fold.finish(listed)
}

/// A request may name what came before instead of repeating it.
fn tell_missing(listed: &Listed<'_>, context: &mut Context<'_>) {
    let members = [&listed.beside, &listed.beside_reply];
    let names = ["previous_response_id", "conversation"];
    let is_there = |name: &&str| {
        let mut values = members.iter().filter_map(|members| members.peek(name));
        values.any(|value| !value.is_null())
    };
    let placed = listed.all().next();
    if let Some(name) = names.iter().find(|name| is_there(name)) {
        let what = format!("`{name}`: what came before is kept by the provider and not here");
        context.report.warn(match placed {
            Some(placed) => Warning::line(placed.line, what),
            None => Warning::file(what),
        });
    }
}

struct Folder<'a> {
    fold: Fold,
    reply: Option<Reply>,
    /// When the reply was made.
    moment: Option<Raw<'a>>,
    /// The list is one text.
    is_text: bool,
}

/// A message of the model under construction.
struct Reply {
    message: Message,
    note: Note,
    has_message: bool,
}

impl Folder<'_> {
    fn item(&mut self, placed: &Placed<'_>, place: Place, context: &mut Context<'_>) {
        self.fold.record += 1;
        let members = placed.raw.members().unwrap_or_default();
        context.warn_of_repeated(placed.line, &members);
        if placed.raw.kind() == Kind::String && self.is_text && place == Place::Messages {
            // The whole input is one text.
            let mut message = Message::user(placed.raw.as_str().unwrap_or_default());
            marks::set(&mut message.extra, marks::BARE, "");
            let note = self.fold.note(placed, place);
            return self.fold.push(note, message, Origin::Real, None, context);
        }
        match item::read(placed.raw) {
            Item::Message(message) if message.role == Role::Assistant => {
                self.spoken(placed, place, message, context);
            }
            Item::Message(message) => {
                let is_text = message.parts.iter().all(|part| part.as_text().is_some());
                let texts = message.parts.iter().filter_map(Part::as_text);
                let origin = match message.role {
                    Role::User if is_text && speech::is_injected(texts) => Origin::Injected,
                    _ => Origin::Real,
                };
                self.alone(placed, place, message, origin, context);
            }
            Item::Result(message) => {
                self.alone(placed, place, message, Origin::Real, context);
            }
            Item::Compaction(part) => {
                let message = Message::new(Role::Assistant, vec![part]);
                let origin = Origin::Summary { boundary: None };
                self.alone(placed, place, message, origin, context);
            }
            Item::Reply(part) => self.add(placed, place, part),
            Item::Unknown if placed.raw.find("type").is_some() => {
                self.add(placed, place, item::whole(placed.raw));
            }
            Item::Unknown => context.skip(
                placed.line,
                placed.bytes.clone(),
                "an item without a type or a role",
            ),
        }
    }

    fn alone(
        &mut self,
        placed: &Placed<'_>,
        place: Place,
        message: Message,
        origin: Origin,
        context: &Context<'_>,
    ) {
        self.end_reply(context);
        let note = self.fold.note(placed, place);
        self.fold.push(note, message, origin, self.moment, context);
    }

    /// A message of the model. A second one begins a new reply, and takes the reasoning in front
    /// of it along.
    fn spoken(
        &mut self,
        placed: &Placed<'_>,
        place: Place,
        mut message: Message,
        context: &Context<'_>,
    ) {
        let mut before = Vec::new();
        if let Some(reply) = self.reply.as_mut().filter(|reply| reply.has_message) {
            let parts = &mut reply.message.parts;
            let is_reasoning = |part: &Part| matches!(part, Part::Reasoning(_));
            let count = parts
                .iter()
                .rev()
                .take_while(|part| is_reasoning(part))
                .count();
            before = parts.split_off(parts.len().saturating_sub(count));
            self.end_reply(context);
        }
        for part in before {
            self.add(placed, place, part);
        }
        let reply = self.reply(placed, place);
        reply.has_message = true;
        if message.parts.is_empty() {
            let at = reply.message.parts.len().to_string();
            marks::set(&mut message.extra, EMPTY, &at);
        }
        reply.message.parts.append(&mut message.parts);
        reply.message.shape = message.shape;
        reply.message.extra = message.extra;
    }

    fn add(&mut self, placed: &Placed<'_>, place: Place, part: Part) {
        self.reply(placed, place).message.parts.push(part);
    }

    fn reply(&mut self, placed: &Placed<'_>, place: Place) -> &mut Reply {
        let fold = &self.fold;
        let reply = self.reply.get_or_insert_with(|| Reply {
            message: Message::new(Role::Assistant, Vec::new()),
            note: fold.note(placed, place),
            has_message: false,
        });
        let Range { start, end } = placed.bytes;
        let bytes = &mut reply.note.bytes;
        *bytes = bytes.start.min(start)..bytes.end.max(end);
        reply
    }

    fn end_reply(&mut self, context: &Context<'_>) {
        if let Some(Reply { message, note, .. }) = self.reply.take() {
            self.fold
                .push(note, message, Origin::Real, self.moment, context);
        }
    }
}
