//! Our own format: one event a line, through the stored records of `session_log::wire`.

use session_log::{EventBody, NewEvent, wire};

use crate::envelope::Envelope;
use crate::error::WriteError;
use crate::format::Format;
use crate::formats::{self, Head};
use crate::ids::digest;
use crate::item::{Item, ItemBody};
use crate::json::{Object, Raw};
use crate::read::Context;
use crate::source::Scan;
use crate::transcript::{Conversation, Warning};
use crate::write::{Draft, Written};

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

/// The member of a first line that says what the file is.
const HEADER: &str = "session-transcript";

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::Jsonl
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let is_record = |raw: &Raw<'_>| {
            raw.members()
                .is_some_and(|members| ["v", "id", "at"].iter().all(|name| members.has(name)))
        };
        let first = head.values.first()?;
        (first.member(HEADER).is_some() || head.values.iter().take(3).any(is_record))
            .then(|| "stored events with a version".into())
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let mut conversations = Vec::new();
        let mut envelope = None;
        let mut current: Option<Conversation> = None;
        for record in &scan.records {
            let raw = record.raw();
            if let Some(header) = raw.member(HEADER) {
                conversations.extend(current.take());
                envelope = Envelope::from_json(&header.to_json());
                continue;
            }
            match wire::decode(raw.text()) {
                Ok(event) => {
                    let current = current.get_or_insert_with(|| {
                        let envelope = envelope
                            .take()
                            .unwrap_or_else(|| Envelope::new(Format::Jsonl));
                        conversation(envelope, Some(event.id.as_str()), context)
                    });
                    current.events.push(event);
                }
                Err(error) => {
                    context
                        .report
                        .warn(Warning::line(record.line, error.to_string()));
                    context.skip(
                        record.line,
                        record.bytes.clone(),
                        "no event that can be read",
                    );
                }
            }
        }
        conversations.extend(current);
        conversations
    }

    fn write(&self, draft: &Draft<'_>) -> Result<Written, WriteError> {
        let mut text = String::new();
        if let Some(header) = header(draft.envelope) {
            text.push_str(&header);
            text.push('\n');
        }
        for item in &draft.items {
            let Some(event) = event(item) else {
                let what = "a bare message, which has no event id,";
                return Err(WriteError::Unrepresentable {
                    format: Format::Jsonl,
                    what,
                });
            };
            let line = wire::encode(&event).map_err(|_| WriteError::Unrepresentable {
                format: Format::Jsonl,
                what: "an event with results nested too deep",
            })?;
            text.push_str(&line);
            text.push('\n');
        }
        Ok(Written::new(text))
    }
}

/// The event of an item; `None` for a bare message.
fn event(item: &Item<'_>) -> Option<NewEvent> {
    let body = match &item.body {
        ItemBody::Message(message) => EventBody::Message(message.clone().into_owned()),
        ItemBody::Other(body) => (*body).clone(),
    };
    let mut event = NewEvent::new(item.id?.clone(), item.timestamp.unwrap_or_default(), body);
    event.origin = item.origin.cloned().unwrap_or_default();
    event.branch = item.branch.cloned();
    event.tokens = item.tokens.cloned();
    event.metadata = item.metadata.cloned().unwrap_or_default();
    Some(event)
}

fn header(envelope: Option<&Envelope>) -> Option<String> {
    let envelope = envelope?;
    if *envelope == Envelope::new(Format::Jsonl) {
        return None;
    }
    let mut object = Object::new();
    object.json(HEADER, &envelope.to_json());
    Some(object.finish())
}

fn conversation(
    envelope: Envelope,
    first: Option<&str>,
    context: &mut Context<'_>,
) -> Conversation {
    let id = format!("jsonl-{}", digest(first));
    Conversation {
        id: context.names.name(&id),
        title: None,
        model: None,
        parent: None,
        tools: None,
        envelope,
        events: Vec::new(),
    }
}
