//! From records to events.

use session_log::{Json, Message, Origin, Role};

use crate::format::Format;
use crate::formats::ai_sdk::{model_in, ui_in};
use crate::formats::lists::{Fold, Listed};
use crate::json::Kind;
use crate::note::Place;
use crate::read::Context;
use crate::transcript::Conversation;

/// The field of the envelope that says which side's messages they are.
pub(super) const SIDE: &str = "side";

/// The conversation in a list of messages of either side.
pub(super) fn conversation(listed: &Listed<'_>, context: &mut Context<'_>) -> Conversation {
    let mut fold = Fold::new(Format::AiSdk, listed, context);
    if let Some(system) = &listed.system {
        fold.record += 1;
        match system.raw.kind() {
            Kind::String => {
                let message = Message::system(system.raw.as_str().unwrap_or_default());
                let note = fold.note(system, Place::System);
                fold.push(note, message, Origin::Real, None, context);
            }
            _ => context.skip(
                system.line,
                system.bytes.clone(),
                "a system prompt that is no text",
            ),
        }
    }
    let mut is_ui = false;
    for placed in &listed.records {
        fold.record += 1;
        let members = placed.raw.members().unwrap_or_default();
        context.warn_of_repeated(placed.line, &members);
        let moment = members.peek("createdAt");
        let steps = match ui_in::has_parts(&members) {
            true => ui_in::steps(members),
            false => model_in::message(members).map(|message| {
                vec![ui_in::Step {
                    message,
                    slots: Vec::new(),
                }]
            }),
        };
        let Some(steps) = steps else {
            context.skip(
                placed.line,
                placed.bytes.clone(),
                "a message without a role or parts",
            );
            continue;
        };
        let many = steps.len() > 1;
        for step in steps {
            is_ui |= step.message.extra.contains_key(ui_in::UI);
            let mut note = fold.note(placed, Place::Messages);
            note.slots = many.then_some(step.slots);
            let origin = match step.message.role {
                Role::User if is_injected(&step.message) => Origin::Injected,
                _ => Origin::Real,
            };
            fold.push(note, step.message, origin, moment, context);
        }
    }
    let mut conversation = fold.finish(listed);
    if is_ui {
        let side = Json::string("ui");
        conversation.envelope.fields.insert(SIDE.into(), side);
    }
    conversation
}

fn is_injected(message: &Message) -> bool {
    let texts: Vec<&str> = message
        .parts
        .iter()
        .filter_map(|part| part.as_text())
        .collect();
    texts.len() == message.parts.len() && crate::speech::is_injected(texts)
}
