//! From messages to events: results apart from what the person says.

use session_log::{Message, Origin, Role};

use crate::format::Format;
use crate::formats::anthropic;
use crate::formats::bedrock::blocks_in;
use crate::formats::lists::{Fold, Listed};
use crate::note::Place;
use crate::read::Context;
use crate::source::Placed;
use crate::transcript::Conversation;

/// The conversation in a list of messages.
pub(super) fn conversation(listed: &Listed<'_>, context: &mut Context<'_>) -> Conversation {
    let mut fold = Fold::new(Format::Bedrock, listed, context);
    if let Some(system) = &listed.system {
        fold.record += 1;
        let (parts, shape) = blocks_in::blocks(Some(system.raw));
        let message = Message::new(Role::System, parts).with_shape(shape);
        let note = fold.note(system, Place::System);
        fold.push(note, message, Origin::Real, None, context);
    }
    for placed in &listed.records {
        message(&mut fold, placed, Place::Messages, context);
    }
    for placed in &listed.replies {
        message(&mut fold, placed, Place::Reply, context);
    }
    let mut conversation = fold.finish(listed);
    let tools = listed.beside.peek("toolConfig");
    conversation.tools = tools
        .and_then(|config| config.member("tools"))
        .map(crate::json::Raw::to_json);
    conversation
}

fn message(fold: &mut Fold, placed: &Placed<'_>, place: Place, context: &mut Context<'_>) {
    fold.record += 1;
    let mut members = placed.raw.members().unwrap_or_default();
    context.warn_of_repeated(placed.line, &members);
    let Some(role) = members.take_str("role") else {
        return context.skip(
            placed.line,
            placed.bytes.clone(),
            "a message without a role",
        );
    };
    let (parts, shape) = blocks_in::blocks(members.take("content"));
    for piece in anthropic::pieces(&role, parts, shape, members.into_fields()) {
        let mut note = fold.note(placed, place);
        note.slots = piece.slots;
        fold.push(note, piece.message, piece.origin, None, context);
    }
}
