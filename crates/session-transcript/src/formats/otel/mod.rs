//! Messages of the GenAI conventions of OpenTelemetry: bare arrays, and attributes of spans and
//! events.

mod message_out;
mod parts;
mod spans;

use session_log::Origin;

use crate::envelope::Layout;
use crate::error::WriteError;
use crate::format::Format;
use crate::formats::lists::{Containers, Fold};
use crate::formats::otel::spans::{Span, Value};
use crate::formats::{self, Head};
use crate::ids::digest;
use crate::json::Raw;
use crate::note::Place;
use crate::read::Context;
use crate::source::{Form, Placed, Scan};
use crate::transcript::{Conversation, Warning};
use crate::write::{Draft, Written};

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

/// How its lists look.
static CONTAINERS: Containers = Containers {
    lists: &["messages"],
    system: &[],
    takes_text: false,
    is_record: parts::is_message,
    reply: |_| None,
};

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::OtelGenAi
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        if head.values.iter().any(|raw| parts::is_message(*raw)) {
            return Some("messages with parts of the GenAI conventions".into());
        }
        let names = [spans::INPUT, spans::OUTPUT];
        let mut records = head.scan.records.iter().take(300);
        let is_named = records.any(|record| {
            let text = record.raw().text();
            names.iter().any(|name| text.contains(name))
                && !spans::find(&Placed::of(record)).is_empty()
        });
        is_named.then(|| format!("attributes `{}`", spans::INPUT))
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let mut bare: Vec<Placed<'_>> = Vec::new();
        let mut spans = Vec::new();
        let mut strangers = Vec::new();
        for record in &scan.records {
            let placed = Placed::of(record);
            let values = match placed.raw.items().filter(|_| scan.form == Form::Document) {
                Some(items) => items.into_iter().map(|raw| placed.inner(raw)).collect(),
                None => vec![placed],
            };
            for placed in values {
                if parts::is_message(placed.raw) || placed.raw.find("parts").is_some() {
                    bare.push(placed);
                    continue;
                }
                let found = spans::find(&placed);
                if found.is_empty() {
                    strangers.push((placed.line, placed.bytes.clone()));
                }
                spans.extend(found);
            }
        }
        let mut conversations = Vec::new();
        if bare.iter().any(|placed| parts::is_message(placed.raw)) {
            let mut conversation = of_messages(&bare, context);
            conversation.envelope.layout = match scan.form {
                Form::Lines => Layout::Lines,
                Form::Document | Form::BrokenArray => Layout::Messages,
            };
            conversations.push(conversation);
        }
        let (spans, repeated) = spans::last_of_each(spans);
        if repeated > 0 {
            let what = format!(
                "{repeated} span(s) whose history a later one of their conversation repeats were passed"
            );
            context.report.warn(Warning::file(what));
        }
        conversations.extend(spans.iter().map(|span| of_span(span, context)));
        if !conversations.is_empty() {
            for (line, bytes) in strangers {
                context.skip(line, bytes, "neither a message nor a span with messages");
            }
        }
        conversations
    }

    fn write(&self, draft: &Draft<'_>) -> Result<Written, WriteError> {
        Ok(message_out::write(draft))
    }
}

fn of_messages(records: &[Placed<'_>], context: &mut Context<'_>) -> Conversation {
    let digest = digest(records.iter().map(|placed| placed.raw.text()));
    let name = format!("{}-{digest}", Format::OtelGenAi);
    let mut fold = Fold::named(Format::OtelGenAi, &name, context);
    for placed in records {
        message(&mut fold, placed.raw, placed, Place::Messages, context);
    }
    fold.into_conversation()
}

fn of_span(span: &Span<'_>, context: &mut Context<'_>) -> Conversation {
    let texts = [&span.system, &span.input, &span.output];
    let texts = texts.into_iter().flatten().map(Value::text);
    let name = match &span.conversation {
        Some(id) => id.clone(),
        None => format!("{}-{}", Format::OtelGenAi, digest(texts)),
    };
    let mut fold = Fold::named(Format::OtelGenAi, &name, context);
    if let Some(value) = &span.system {
        fold.record += 1;
        match value.raw().map(parts::system) {
            Some(message) => {
                let note = fold.note(&value.placed, Place::System);
                fold.push(note, message, Origin::Real, None, context);
            }
            None => unread(value, context),
        }
    }
    let lists = [(&span.input, Place::Messages), (&span.output, Place::Reply)];
    for (value, place) in lists {
        let Some(value) = value else {
            continue;
        };
        let Some(items) = value.raw().and_then(Raw::items) else {
            unread(value, context);
            continue;
        };
        for raw in items {
            let placed = value.place_of(raw);
            message(&mut fold, raw, &placed, place, context);
        }
    }
    let mut conversation = fold.into_conversation();
    conversation.envelope.layout = Layout::Messages;
    conversation.model.clone_from(&span.model);
    let tools = span.tools.as_ref().and_then(Value::raw);
    conversation.tools = tools.map(Raw::to_json);
    conversation
}

fn unread(value: &Value<'_>, context: &mut Context<'_>) {
    let what = "messages that are no JSON: the program may have cut them";
    context.skip(value.placed.line, value.placed.bytes.clone(), what);
}

fn message(
    fold: &mut Fold,
    raw: Raw<'_>,
    placed: &Placed<'_>,
    place: Place,
    context: &mut Context<'_>,
) {
    fold.record += 1;
    let Some(pieces) = parts::pieces(raw) else {
        return context.skip(
            placed.line,
            placed.bytes.clone(),
            "a message without a role or parts",
        );
    };
    for piece in pieces {
        let mut note = fold.note(placed, place);
        note.slots = piece.slots;
        fold.push(note, piece.message, piece.origin, None, context);
    }
}
