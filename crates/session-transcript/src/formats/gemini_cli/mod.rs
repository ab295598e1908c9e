//! Sessions of Gemini CLI and of Qwen Code, which comes from it: whole sessions in one object, logs
//! of records that change or take back earlier ones, and trees of lines.

mod events;
mod message;
mod parts;
mod qwen;
mod state;

use crate::format::Format;
use crate::formats::{self, Head};
use crate::json::Raw;
use crate::read::Context;
use crate::source::{Form, Placed, Scan};
use crate::transcript::Conversation;

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::GeminiCli
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let mut first = head.values.iter().copied().take(20);
        if first.clone().any(is_head) {
            return Some("a session head with a `projectHash`".into());
        }
        if first.clone().any(qwen::is_line) {
            return Some("lines with uuid, parentUuid and a message of parts".into());
        }
        let is_broken = head.scan.form == Form::BrokenArray;
        let is_sign = |raw| is_reply(raw) || (is_broken && state::is_record(raw));
        first
            .any(is_sign)
            .then(|| "records of type `gemini`".into())
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let values = Placed::all(scan);
        if values.iter().any(|value| qwen::is_line(value.raw)) {
            return vec![qwen::conversation(values, context)];
        }
        let is_known = |value: &Placed<'_>| is_head(value.raw) || state::is_record(value.raw);
        if !values.iter().any(is_known) {
            return Vec::new();
        }
        state::sessions(values, context)
            .iter()
            .map(|session| events::conversation(session, context))
            .collect()
    }

    fn can_write(&self) -> bool {
        false
    }
}

/// Whether the value is the head of a session, or all of one.
fn is_head(raw: Raw<'_>) -> bool {
    raw.find("sessionId").is_some() && raw.find("projectHash").is_some()
}

fn is_reply(raw: Raw<'_>) -> bool {
    raw.find_str("type").as_deref() == Some("gemini") && raw.find("id").is_some()
}
