//! From bodies to conversations.

use session_log::{Message, NewEvent};

use crate::envelope::Envelope;
use crate::format::Format;
use crate::formats::bodies::condensed;
use crate::formats::bodies::find::{Body, bodies};
use crate::ids::{digest, event_id};
use crate::json::{Members, Raw};
use crate::note::{Note, Place};
use crate::read::Context;
use crate::source::{Placed, Scan};
use crate::time;
use crate::transcript::{Conversation, Warning};

/// How one provider writes a message.
pub(crate) trait Dialect: Sync {
    fn format(&self) -> Format;

    /// The message or messages in a record, with the places of each one's parts among the parts
    /// of the record where there are several; `None` when the record is no message.
    fn read(&self, members: Members<'_>) -> Option<Vec<Piece>>;

    /// The system prompt in the field beside the messages.
    fn read_system(&self, raw: Raw<'_>) -> Option<Message>;
}

/// A message of a record.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) message: Message,
    pub(crate) origin: session_log::Origin,
    pub(crate) slots: Option<Vec<u64>>,
}

/// All conversations of a file.
pub(crate) fn conversations(
    dialect: &dyn Dialect,
    scan: &Scan<'_>,
    context: &mut Context<'_>,
) -> Vec<Conversation> {
    let bodies = bodies(scan);
    if bodies.found.is_empty() {
        return Vec::new();
    }
    for (line, bytes) in bodies.strangers {
        context.skip(line, bytes, "neither a message nor a body with messages");
    }
    bodies
        .found
        .iter()
        .map(|body| conversation(dialect, body, context))
        .collect()
}

fn conversation(dialect: &dyn Dialect, body: &Body<'_>, context: &mut Context<'_>) -> Conversation {
    let placed = body.system.iter().chain(&body.messages).chain(&body.reply);
    let digest = digest(placed.map(|placed| placed.raw.text()));
    let id = context
        .names
        .name(&format!("{}-{digest}", dialect.format()));
    let mut fold = Fold {
        dialect,
        id,
        record: 0,
        events: Vec::new(),
    };
    if let Some(system) = &body.system {
        fold.system(system, context);
    }
    for placed in &body.messages {
        fold.message(placed, Place::Messages, context);
    }
    if let Some(reply) = &body.reply {
        fold.message(reply, Place::Reply, context);
    }
    if let Some(placed) = body.reply.as_ref().filter(|_| body.more_choices > 0) {
        let what = format!(
            "{} more choice(s) beside the first are no part of the conversation",
            body.more_choices
        );
        context.report.warn(Warning::line(placed.line, what));
    }
    condensed::hide(&mut fold.events, &fold.id, dialect.format());
    Conversation {
        id: fold.id,
        title: None,
        model: body.model.clone(),
        parent: None,
        tools: body.tools.map(Raw::to_json),
        envelope: Envelope::new(dialect.format()).with_layout(body.layout.clone()),
        events: fold.events,
    }
}

struct Fold<'d> {
    dialect: &'d dyn Dialect,
    id: String,
    record: u64,
    events: Vec<NewEvent>,
}

impl Fold<'_> {
    fn system(&mut self, placed: &Placed<'_>, context: &mut Context<'_>) {
        self.record += 1;
        match self.dialect.read_system(placed.raw) {
            Some(message) => {
                let piece = Piece {
                    message,
                    origin: session_log::Origin::Real,
                    slots: None,
                };
                self.push(piece, placed, Place::System, None, context);
            }
            None => context.skip(
                placed.line,
                placed.bytes.clone(),
                "a system prompt that is no text",
            ),
        }
    }

    fn message(&mut self, placed: &Placed<'_>, place: Place, context: &mut Context<'_>) {
        self.record += 1;
        let members = placed.raw.members().unwrap_or_default();
        context.warn_of_repeated(placed.line, &members);
        let names = ["timestamp", "created_at", "ts"];
        let moment = names.iter().find_map(|name| members.peek(name));
        match self.dialect.read(members) {
            Some(pieces) => {
                for piece in pieces {
                    self.push(piece, placed, place, moment, context);
                }
            }
            None => context.skip(
                placed.line,
                placed.bytes.clone(),
                "a message without a role",
            ),
        }
    }

    fn push(
        &mut self,
        piece: Piece,
        placed: &Placed<'_>,
        place: Place,
        written: Option<Raw<'_>>,
        context: &Context<'_>,
    ) {
        let number = self.events.len() + 1;
        let Some(id) = event_id(&self.id, &format!("{number:05}")) else {
            return;
        };
        let mut note = Note::new(
            self.dialect.format(),
            placed.line,
            placed.bytes.clone(),
            self.record,
        )
        .at(place);
        note.slots = piece.slots;
        let moment = written.and_then(|raw| {
            let moment = time::parse(raw)?;
            note.time = Some(raw.to_json());
            Some(moment)
        });
        let moment = moment.unwrap_or(context.options.default_time);
        let event = NewEvent::message(id, moment, piece.message).with_origin(piece.origin);
        self.events.push(note.on(event));
    }
}
