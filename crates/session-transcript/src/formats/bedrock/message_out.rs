//! From our messages to those of this provider.

use session_log::{Message, Part, Role, Shape};

use crate::call_ids::{CallIds, Fit};
use crate::envelope::Layout;
use crate::format::Format;
use crate::formats::bedrock::CONTAINERS;
use crate::formats::bedrock::blocks_in::is_block;
use crate::formats::bedrock::blocks_out::{self, Style};
use crate::formats::lists::{Entry, Laid, Turn, Turns, lay_out};
use crate::json::{Object, Raw, array, quote};
use crate::lost::Lost;
use crate::note::Place;
use crate::repair::{Arranged, arrange};
use crate::transcript::Warning;
use crate::write::{Draft, Repair, Written};

/// Writes the draft in the layout it was read in, or as plainly as possible.
pub(super) fn write(draft: &Draft<'_>) -> Written {
    let mut writer = Writer {
        is_exact: draft.repair == Repair::Nothing,
        is_request: draft.is_request,
        turns: Turns::of(draft),
        ids: CallIds::new(Fit::Unique),
        ..Writer::default()
    };
    for arranged in arrange(draft, &mut writer.warnings) {
        writer.message(&arranged);
    }
    writer.finish(draft)
}

#[derive(Default)]
struct Writer {
    is_exact: bool,
    is_request: bool,
    system: Option<Vec<String>>,
    turns: Turns,
    ids: CallIds,
    lost: Lost,
    warnings: Vec<Warning>,
}

impl Writer {
    fn message(&mut self, arranged: &Arranged<'_>) {
        let note = arranged.note.as_ref();
        let is_own = note.is_none_or(|note| note.format == Format::Bedrock);
        let message = &*arranged.message;
        let style = Style {
            is_own,
            is_exact: self.is_exact,
        };
        let own_note = note.filter(|note| note.format == Format::Bedrock);
        let is_field = note.is_none_or(|note| note.place == Place::System);
        let role = match &message.role {
            Role::User | Role::Tool => "user",
            Role::Assistant => "assistant",
            role if role.is_system() && (is_field || !is_own || !self.is_exact) => {
                let parts = message.parts.iter();
                let written: Vec<String> =
                    parts.filter_map(|part| self.part(part, style)).collect();
                self.system.get_or_insert_default().extend(written);
                return;
            }
            role if role.is_system() => "system",
            _ => return self.lost.one("message(s) of an unknown role were left out"),
        };
        let mut turn = Turn::new(role, own_note);
        let slots = own_note
            .and_then(|note| note.slots.as_deref())
            .unwrap_or_default();
        for (at, part) in message.parts.iter().enumerate() {
            if let Some(json) = self.part(part, style) {
                turn.entries.push(Entry {
                    json,
                    is_result: matches!(part, Part::ToolResult(_)),
                    slot: slots.get(at).copied(),
                });
            }
        }
        if turn.entries.is_empty() && !self.is_exact {
            return self
                .lost
                .one("message(s) with nothing this format can say were left out");
        }
        turn.is_absent = message.parts.is_empty() && message.shape == Shape::Absent;
        if is_own && !self.is_request {
            turn.extra = extra(message);
        }
        self.turns.push(turn);
    }

    fn part(&mut self, part: &Part, style: Style) -> Option<String> {
        match part {
            Part::ToolCall(call) => {
                let id = match self.is_exact {
                    true => call.id.clone(),
                    false => self.ids.call(&call.id),
                };
                let (json, warning) = blocks_out::call(call, &id, style);
                if let Some(what) = warning {
                    self.lost.one(what);
                }
                Some(json)
            }
            Part::ToolResult(result) => {
                let id = match self.is_exact {
                    true => result.call_id.clone(),
                    false => self.ids.result(&result.call_id),
                };
                Some(blocks_out::result(result, &id, style))
            }
            Part::Opaque(opaque) if self.is_request && !is_sent(opaque.json.as_str()) => {
                self.lost.one(FOREIGN);
                None
            }
            part => {
                let json = blocks_out::block(part, style);
                match part {
                    Part::Text(_) => {}
                    _ if json.is_some() => {}
                    Part::Reasoning(_) => {
                        self.lost
                            .one("reasoning part(s) of another format were left out");
                    }
                    _ => self.lost.one(FOREIGN),
                }
                json
            }
        }
    }

    fn finish(mut self, draft: &Draft<'_>) -> Written {
        let turns = std::mem::take(&mut self.turns);
        let opening = || blocks_out::plain("(The conversation continues.)");
        let (turns, is_put_first) = turns.finish(opening);
        if is_put_first {
            self.lost.one(
                "user message(s) were put first, since the conversation starts with the model",
            );
        }
        self.warnings
            .extend(std::mem::take(&mut self.lost).into_warnings());
        if !self.is_exact {
            self.system = self.system.filter(|system| !system.is_empty());
        }
        let laid = Laid {
            system: self.system.map(array),
            records: turns.iter().map(record).collect(),
            text: None,
        };
        let own = draft
            .envelope
            .filter(|envelope| envelope.format == Format::Bedrock && !draft.is_request);
        let layout = own.map_or(&Layout::Messages, |envelope| &envelope.layout);
        let text = match draft.is_request {
            true => request(&laid),
            false => lay_out(layout, &laid, &CONTAINERS),
        };
        let mut written = Written::new(text);
        written.warnings = self.warnings;
        written
    }
}

const FOREIGN: &str = "part(s) of another format have no place in a message and were left out";

/// The fields beside the content, and content that is no list.
fn extra(message: &Message) -> Vec<(String, String)> {
    let fields = message
        .extra
        .iter()
        .filter(|(name, _)| !name.starts_with('@'));
    let mut extra: Vec<(String, String)> = fields
        .map(|(name, json)| (name.clone(), json.as_str().into()))
        .collect();
    match (message.parts.as_slice(), message.shape) {
        ([], Shape::Null) => extra.push((CONTENT.into(), "null".into())),
        ([Part::Text(text)], Shape::Text) => extra.push((CONTENT.into(), quote(&text.text))),
        ([Part::Opaque(opaque)], Shape::Text) => {
            extra.push((CONTENT.into(), opaque.json.as_str().into()));
        }
        _ => {}
    }
    extra
}

/// Content as it was, where it was no list of blocks.
const CONTENT: &str = "@content";

/// Whether a block that is kept unread goes into a request: it has a kind, and is none that we know
/// but could not read.
fn is_sent(json: &str) -> bool {
    Raw::parse(json).is_some_and(|raw| {
        is_block(raw)
            && ["text", "toolUse", "toolResult"]
                .iter()
                .all(|kind| raw.find(kind).is_none())
    })
}

fn request(laid: &Laid) -> String {
    let mut body = Object::new();
    if let Some(system) = &laid.system {
        body.raw("system", system);
    }
    let messages = laid.records.iter().map(|(_, message)| message);
    body.raw("messages", &array(messages));
    body.finish()
}

fn record(turn: &Turn) -> (Place, String) {
    let mut object = Object::new();
    object.str("role", turn.role);
    let plain = turn.extra.iter().find(|(name, _)| name == CONTENT);
    match plain.filter(|_| turn.entries.len() < 2) {
        Some((_, content)) => {
            object.raw("content", content);
        }
        None if turn.is_absent => {}
        None => {
            object.raw("content", &turn.parts());
        }
    }
    for (name, json) in turn.extra.iter().filter(|(name, _)| !name.starts_with('@')) {
        object.raw(name, json);
    }
    (turn.place, object.finish())
}
