//! From requests and responses to events.

use session_log::{Fields, Message, Origin, Role};

use crate::format::Format;
use crate::formats::log::{Log, Spot};
use crate::formats::parts::fields_but;
use crate::formats::pydantic_ai::parts::{self, Said};
use crate::json::{Members, Raw};
use crate::read::Context;
use crate::source::Placed;
use crate::transcript::Conversation;

/// The conversation of messages.
pub(super) fn conversation(messages: &[Placed<'_>], context: &mut Context<'_>) -> Conversation {
    let text = |name: &str| {
        let mut texts = messages
            .iter()
            .rev()
            .filter_map(|message| message.raw.member_str(name));
        texts.next().map(|text| text.into_owned())
    };
    let texts = messages.iter().map(|message| message.raw.text());
    let id = text("conversation_id");
    let mut log = Log::new(Format::PydanticAi, id.as_deref(), texts, context);
    let mut has_prompt = false;
    for (at, value) in messages.iter().enumerate() {
        let members = value.raw.members().unwrap_or_default();
        let spot = Spot::of(value, at).at(members.peek("timestamp"));
        match members.peek_str("kind").as_deref() {
            Some("request") => request(&mut log, &spot, &members, &mut has_prompt),
            Some("response") => response(&mut log, &spot, value.raw, &members),
            _ => {
                let what = "neither a request nor a response";
                context.skip(value.line, value.bytes.clone(), what);
            }
        }
    }
    let mut conversation = log.into_conversation(Fields::new(), context);
    conversation.model = text("model_name");
    conversation
}

/// Parts of one speaker that follow each other are one message.
fn request(log: &mut Log, spot: &Spot<'_>, members: &Members<'_>, has_prompt: &mut bool) {
    let parts = members.peek("parts").and_then(Raw::items);
    let mut said: Vec<Said> = Vec::new();
    for raw in parts.unwrap_or_default() {
        let mut next = parts::asked(raw);
        match said.last_mut() {
            Some(last) if last.role == next.role && last.origin == next.origin => {
                last.parts.append(&mut next.parts);
                last.shape = session_log::Shape::Parts;
            }
            _ => said.push(next),
        }
    }
    let is_prompt = said.first().is_some_and(|said| said.role == Role::System);
    // The instructions of an agent are sent with every request: the first ones are the prompt.
    let instructions = members.peek_str("instructions");
    let instructions = instructions.filter(|text| !text.trim().is_empty());
    if let Some(text) = instructions.filter(|_| !*has_prompt && !is_prompt) {
        *has_prompt = true;
        log.message(
            &spot.with("/instructions"),
            Message::system(text),
            Origin::Real,
        );
    }
    *has_prompt |= is_prompt;
    let mut extra = fields_but(members, &["parts", "kind", "timestamp"]);
    for (number, said) in said.into_iter().enumerate() {
        let mut message = Message::new(said.role, said.parts).with_shape(said.shape);
        message.extra = std::mem::take(&mut extra);
        let spot = match number {
            0 => spot.clone(),
            number => spot.with(&format!("/{number}")),
        };
        log.message(&spot, message, said.origin);
    }
}

fn response(log: &mut Log, spot: &Spot<'_>, raw: Raw<'_>, members: &Members<'_>) {
    let parts = members.peek("parts").and_then(Raw::items);
    let parts = parts.unwrap_or_default().into_iter().map(parts::answered);
    let mut message = Message::new(Role::Assistant, parts.collect());
    if message.parts.is_empty() {
        return log.aside(spot, raw);
    }
    message.extra = fields_but(members, &["parts", "kind", "timestamp"]);
    log.message(spot, message, Origin::Real);
}
