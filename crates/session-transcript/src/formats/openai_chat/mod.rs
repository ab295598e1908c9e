//! OpenAI Chat Completions and the many servers that speak it.

mod calls_out;
mod message_in;
mod message_out;
mod parts;

use session_log::{Message, Origin, Part, Role};

use crate::error::WriteError;
use crate::format::Format;
use crate::formats::bodies::{self, Dialect, Piece};
use crate::formats::{self, Head};
use crate::json::{Kind, Members, Raw};
use crate::read::Context;
use crate::source::Scan;
use crate::transcript::Conversation;
use crate::write::{Draft, Written};

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::OpenAiChat
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let bodies = bodies::first_bodies(head.scan);
        let body = bodies.first()?;
        Some(match (&body.reply, body.messages.len()) {
            (Some(_), 0) => "a response with choices".into(),
            (Some(_), _) => "a request and its response".into(),
            (None, _) => "messages with roles".into(),
        })
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        bodies::conversations(self, scan, context)
    }

    fn write(&self, draft: &Draft<'_>) -> Result<Written, WriteError> {
        Ok(message_out::write(draft))
    }
}

/// Whether an agent without tool calls (mini-swe-agent) tells what a command of its brought.
fn is_observation(message: &Message) -> bool {
    let text = message.parts.first().and_then(Part::as_text);
    text.is_some_and(|text| text.starts_with("<returncode>"))
}

impl Dialect for Codec {
    fn format(&self) -> Format {
        Format::OpenAiChat
    }

    fn read(&self, members: Members<'_>) -> Option<Vec<Piece>> {
        let message = message_in::message(members)?;
        let origin = match message.role == Role::User && is_observation(&message) {
            true => Origin::Injected,
            false => Origin::Real,
        };
        Some(vec![Piece {
            message,
            origin,
            slots: None,
        }])
    }

    fn read_system(&self, raw: Raw<'_>) -> Option<Message> {
        (raw.kind() == Kind::String).then(|| Message::system(raw.as_str().unwrap_or_default()))
    }
}
