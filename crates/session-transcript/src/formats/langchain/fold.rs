//! From records to events.

use std::borrow::Cow;

use session_log::{Json, Origin, Part, Role};

use crate::format::Format;
use crate::formats::langchain::encoding::{self, REMOVAL};
use crate::formats::langchain::message_in;
use crate::formats::langchain::removals::State;
use crate::formats::lists::{Fold, Listed};
use crate::json::Raw;
use crate::note::Place;
use crate::read::Context;
use crate::speech;
use crate::transcript::{Conversation, Warning};

/// The field of the envelope that says how the messages are wrapped.
pub(super) const ENCODING: &str = "encoding";

const REPLACED: &str =
    "message(s) gave their place to a later one of the same id: the log has both";

/// The conversation in a list of messages.
pub(super) fn conversation(listed: &Listed<'_>, context: &mut Context<'_>) -> Conversation {
    let mut fold = Fold::new(Format::LangChain, listed, context);
    let records = listed
        .records
        .iter()
        .map(|placed| (placed, Place::Messages));
    let replies = listed.replies.iter().map(|placed| (placed, Place::Reply));
    let mut found = None;
    let mut model = None;
    let mut state = State::default();
    for (placed, place) in records.chain(replies) {
        fold.record += 1;
        let Some(unwrapped) = encoding::unwrap(placed.raw) else {
            context.skip(
                placed.line,
                placed.bytes.clone(),
                "no message of a known type",
            );
            continue;
        };
        let repeated = unwrapped.fields.repeated();
        if repeated > 0 {
            let what = format!("{repeated} member(s) are there twice: the last one counts");
            context.report.warn(Warning::line(placed.line, what));
        }
        found.get_or_insert(unwrapped.encoding);
        let id = unwrapped.fields.peek_str("id").map(Cow::into_owned);
        if unwrapped.kind == REMOVAL {
            if !id.is_some_and(|id| state.remove(&id)) {
                let what = "a removal names no message in front of it";
                context.report.warn(Warning::line(placed.line, what));
            }
            fold.aside(fold.note(placed, place), placed.raw, context);
            continue;
        }
        let answered_by = unwrapped.fields.peek("response_metadata").and_then(|raw| {
            let members = raw.members()?;
            let names = ["model_name", "model"];
            names
                .iter()
                .find_map(|name| members.peek_str(name).map(|name| name.into_owned()))
        });
        model = answered_by.or(model);
        let message = message_in::message(unwrapped);
        let texts: Vec<&str> = message.parts.iter().filter_map(Part::as_text).collect();
        let is_text = texts.len() == message.parts.len();
        let origin = match message.role {
            Role::User if is_text && speech::is_injected(texts) => Origin::Injected,
            _ => Origin::Real,
        };
        let note = fold.note(placed, place);
        state.add(fold.next(), id);
        fold.push(note, message, origin, None::<Raw<'_>>, context);
    }
    if state.replaced > 0 {
        let what = format!("{} {REPLACED}", state.replaced);
        context.report.warn(Warning::file(what));
    }
    if let Some(order) = state.into_order() {
        fold.show_only(&order);
    }
    let mut conversation = fold.finish(listed);
    conversation.model = conversation.model.or(model);
    if let Some(encoding) = found {
        let name = Json::string(encoding.name());
        conversation.envelope.fields.insert(ENCODING.into(), name);
    }
    conversation
}
