//! From records to events.

use std::borrow::Cow;

use session_log::{Json, Message, Origin, Part, Role};

use crate::format::Format;
use crate::formats::langchain::chunks::Stretch;
use crate::formats::langchain::encoding::{self, Encoding, REMOVAL};
use crate::formats::langchain::message_in;
use crate::formats::langchain::removals::State;
use crate::formats::lists::{Fold, Listed};
use crate::json::{Members, Raw};
use crate::note::{Note, Place};
use crate::read::Context;
use crate::source::Placed;
use crate::speech;
use crate::transcript::{Conversation, Warning};

/// The field of the envelope that says how the messages are wrapped.
pub(super) const ENCODING: &str = "encoding";

const REPLACED: &str =
    "message(s) gave their place to a later one of the same id: the log has both";

const DIFFERING: &str = "value(s) of the chunks of a reply could not be added up";

const APART: &str = "chunks of a reply that is there already are a message of their own";

/// The conversation in a list of messages.
pub(super) fn conversation(listed: &Listed<'_>, context: &mut Context<'_>) -> Conversation {
    let mut reader = Reader {
        fold: Fold::new(Format::LangChain, listed, context),
        state: State::default(),
        stretch: Stretch::default(),
        encoding: None,
        model: None,
    };
    for (list, place) in [
        (&listed.records, Place::Messages),
        (&listed.replies, Place::Reply),
    ] {
        for placed in list {
            reader.record(placed, place, context);
        }
        reader.end_stretch(context);
    }
    reader.finish(listed, context)
}

struct Reader<'a> {
    fold: Fold,
    state: State,
    stretch: Stretch<'a>,
    encoding: Option<Encoding>,
    model: Option<String>,
}

impl<'a> Reader<'a> {
    fn record(&mut self, placed: &Placed<'a>, place: Place, context: &mut Context<'_>) {
        self.fold.record += 1;
        let Some(unwrapped) = encoding::unwrap(placed.raw) else {
            let bytes = placed.bytes.clone();
            return context.skip(placed.line, bytes, "no message of a known type");
        };
        context.warn_of_repeated(placed.line, &unwrapped.fields);
        self.encoding.get_or_insert(unwrapped.encoding);
        let note = self.fold.note(placed, place);
        let id = unwrapped.fields.peek_str("id").map(Cow::into_owned);
        if unwrapped.kind == REMOVAL {
            self.end_stretch(context);
            if !id.is_some_and(|id| self.state.remove(&id)) {
                let what = "a removal names no message in front of it";
                context.report.warn(Warning::line(placed.line, what));
            }
            return self.fold.aside(note, placed.raw, context);
        }
        self.model = answered_by(&unwrapped.fields).or(self.model.take());
        if let Some(id) = id.as_ref().filter(|_| unwrapped.is_chunk) {
            return self.stretch.add(id, note, placed.raw);
        }
        self.end_stretch(context);
        self.state.add(self.fold.next(), id);
        let is_summary = is_summary(&unwrapped.fields);
        let message = message_in::message(unwrapped);
        let origin = match is_summary {
            true => Origin::Summary { boundary: None },
            false => origin(&message),
        };
        self.push(note, message, origin, context);
    }

    /// Adds the replies whose chunks were read.
    fn end_stretch(&mut self, context: &mut Context<'_>) {
        for reply in std::mem::take(&mut self.stretch).into_replies() {
            let Some((message, differing)) = reply.message() else {
                continue;
            };
            let line = reply.note.line;
            if differing > 0 {
                let what = format!("{differing} {DIFFERING}");
                context.report.warn(Warning::line(line, what));
            }
            let seq = self.fold.next();
            match self.state.has(&reply.id) {
                true => {
                    context.report.warn(Warning::line(line, APART));
                    self.state.push(seq, Some(reply.id));
                }
                false => self.state.add(seq, Some(reply.id)),
            }
            self.push(reply.note, message, Origin::Real, context);
        }
    }

    fn push(&mut self, note: Note, message: Message, origin: Origin, context: &Context<'_>) {
        self.fold
            .push(note, message, origin, None::<Raw<'_>>, context);
    }

    fn finish(mut self, listed: &Listed<'_>, context: &mut Context<'_>) -> Conversation {
        if self.state.replaced > 0 {
            let what = format!("{} {REPLACED}", self.state.replaced);
            context.report.warn(Warning::file(what));
        }
        if let Some(order) = self.state.into_order() {
            self.fold.show_only(&order);
        }
        let mut conversation = self.fold.finish(listed);
        conversation.model = conversation.model.or(self.model);
        if let Some(encoding) = self.encoding {
            let name = Json::string(encoding.name());
            conversation.envelope.fields.insert(ENCODING.into(), name);
        }
        conversation
    }
}

fn origin(message: &Message) -> Origin {
    let texts: Vec<&str> = message.parts.iter().filter_map(Part::as_text).collect();
    let is_text = texts.len() == message.parts.len();
    match message.role {
        Role::User if is_text && speech::is_injected(texts) => Origin::Injected,
        _ => Origin::Real,
    }
}

/// Whether the message is what LangChain's middleware put in the place of earlier ones.
fn is_summary(fields: &Members<'_>) -> bool {
    let more = fields.peek("additional_kwargs").and_then(|it| it.members());
    more.is_some_and(|it| it.peek_str("lc_source").as_deref() == Some("summarization"))
}

fn answered_by(fields: &Members<'_>) -> Option<String> {
    let members = fields.peek("response_metadata")?.members()?;
    let names = ["model_name", "model"];
    let mut names = names.iter().filter_map(|name| members.peek_str(name));
    names.next().map(Cow::into_owned)
}
