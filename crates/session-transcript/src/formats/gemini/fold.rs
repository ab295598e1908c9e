//! From contents to events: results apart from what the person says, calls with ids.

use std::collections::VecDeque;

use session_log::{Fields, Json, Message, Origin, Part, Role};

use crate::format::Format;
use crate::formats::anthropic;
use crate::formats::bodies::Piece;
use crate::formats::gemini::parts_in;
use crate::formats::lists::{Fold, Listed};
use crate::json::{Members, Object, Raw};
use crate::marks;
use crate::note::Place;
use crate::read::Context;
use crate::source::Placed;
use crate::transcript::Conversation;

/// The event that a content stands in, as an object without it.
pub(super) const EVENT: &str = "@event";

/// The conversation in a list of contents.
pub(super) fn conversation(listed: &Listed<'_>, context: &mut Context<'_>) -> Conversation {
    let mut folder = Folder {
        fold: Fold::new(Format::Gemini, listed, context),
        open: VecDeque::new(),
        made: 0,
    };
    if let Some(system) = &listed.system {
        folder.fold.record += 1;
        let message = self::system(system.raw);
        let note = folder.fold.note(system, Place::System);
        folder.fold.push(note, message, Origin::Real, None, context);
    }
    for placed in &listed.records {
        folder.content(placed, Place::Messages, context);
    }
    for placed in &listed.replies {
        folder.content(placed, Place::Reply, context);
    }
    folder.fold.finish(listed)
}

fn system(raw: Raw<'_>) -> Message {
    let (parts, shape, extra) = match raw.members() {
        Some(mut members) => {
            let (parts, shape) = parts_in::parts(members.take("parts"));
            (parts, shape, members.into_fields())
        }
        None => {
            let (parts, shape) = parts_in::parts(Some(raw));
            (
                parts,
                shape,
                Fields::from([(marks::BARE.into(), Json::string(""))]),
            )
        }
    };
    let mut message = Message::new(Role::System, parts).with_shape(shape);
    message.extra = extra;
    message
}

struct Folder {
    fold: Fold,
    /// Calls without a result, by id and name, the first one first.
    open: VecDeque<(String, String)>,
    /// How many ids were made.
    made: u64,
}

impl Folder {
    fn content(&mut self, placed: &Placed<'_>, place: Place, context: &mut Context<'_>) {
        self.fold.record += 1;
        let mut members = placed.raw.members().unwrap_or_default();
        context.warn_of_repeated(placed.line, &members);
        let names = ["timestamp", "createTime"];
        let moment = names.iter().find_map(|name| members.peek(name));
        let mut event = match members.peek("content").and_then(Raw::members) {
            Some(inner) if super::is_content(&inner) => {
                members.take("content");
                Some(object(std::mem::replace(&mut members, inner)))
            }
            _ => None,
        };
        let is_empty_reply = place == Place::Reply && members.iter().next().is_none();
        if event.is_none() && !is_empty_reply && !super::is_content(&members) {
            let what = "neither parts nor a role";
            return context.skip(placed.line, placed.bytes.clone(), what);
        }
        let pieces = self.pieces(members, place);
        for mut piece in pieces {
            if let Some(event) = event.take() {
                piece.message.extra.insert(EVENT.into(), event);
            }
            let mut note = self.fold.note(placed, place);
            note.slots = piece.slots;
            self.fold
                .push(note, piece.message, piece.origin, moment, context);
        }
    }

    fn pieces(&mut self, mut members: Members<'_>, place: Place) -> Vec<Piece> {
        let role = members.take_str("role");
        let (mut parts, shape) = parts_in::parts(members.take("parts"));
        let mut extra = members.into_fields();
        let role = match (role.as_deref(), place) {
            (Some("model"), _) => "assistant",
            (Some("user"), _) => "user",
            (Some(other), _) => {
                marks::set(&mut extra, marks::ROLE, other);
                match other {
                    "function" => "user",
                    other => other,
                }
            }
            (None, place) => {
                marks::set(&mut extra, marks::ABSENT, "role");
                match place {
                    Place::Reply => "assistant",
                    _ => "user",
                }
            }
        };
        for part in &mut parts {
            self.name(part);
        }
        anthropic::pieces(role, parts, shape, extra)
    }

    /// Calls without ids get one, and a result without one that of the first open call of its name.
    fn name(&mut self, part: &mut Part) {
        match part {
            Part::ToolCall(call) => {
                if marks::has(&call.extra, marks::ABSENT) && call.id.is_empty() {
                    self.made += 1;
                    call.id = format!("call_{}", self.made);
                }
                self.open.push_back((call.id.clone(), call.name.clone()));
            }
            Part::ToolResult(result) if result.call_id.is_empty() => {
                let name = result.name.as_deref().unwrap_or_default();
                let found = self.open.iter().position(|(_, open)| open == name);
                if let Some((id, _)) = found.and_then(|at| self.open.remove(at)) {
                    result.call_id = id;
                }
            }
            Part::ToolResult(result) => {
                let found = self.open.iter().rposition(|(id, _)| *id == result.call_id);
                found.map(|at| self.open.remove(at));
            }
            _ => {}
        }
    }
}

fn object(members: Members<'_>) -> Json {
    let mut object = Object::new();
    object.fields(&members.into_fields());
    object.into_json()
}
