//! From our messages to contents.

use std::collections::BTreeMap;

use session_log::{Message, Part, Role, Shape};

use crate::call_ids::{CallIds, Fit};
use crate::envelope::Layout;
use crate::format::Format;
use crate::formats::gemini::CONTAINERS;
use crate::formats::gemini::fold::EVENT;
use crate::formats::gemini::parts_in::KINDS;
use crate::formats::gemini::parts_out::{self, Style};
use crate::formats::lists::{Entry, Laid, Turn, Turns, lay_out};
use crate::json::{Object, Raw, array, quote};
use crate::lost::Lost;
use crate::marks;
use crate::note::Place;
use crate::repair::{Arranged, arrange};
use crate::transcript::Warning;
use crate::write::{Draft, Repair, Written};

/// Writes the draft in the layout it was read in, or as plainly as possible.
pub(super) fn write(draft: &Draft<'_>) -> Written {
    let is_exact = draft.repair == Repair::Nothing;
    let mut writer = Writer {
        is_exact,
        is_request: draft.is_request,
        turns: Turns::of(draft),
        ids: CallIds::new(match draft.is_request {
            true => Fit::Unique,
            false => Fit::Present,
        }),
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
    system: Vec<String>,
    /// The value of the system member, as it was.
    own_system: Option<String>,
    turns: Turns,
    ids: CallIds,
    /// Names of tools by the ids of their calls.
    names: BTreeMap<String, Vec<String>>,
    lost: Lost,
    warnings: Vec<Warning>,
}

impl Writer {
    fn message(&mut self, arranged: &Arranged<'_>) {
        let note = arranged.note.as_ref();
        let is_own = note.is_none_or(|note| note.format == Format::Gemini);
        let message = &*arranged.message;
        let style = Style {
            is_own,
            is_exact: self.is_exact,
        };
        let role = match &message.role {
            Role::User | Role::Tool => "user",
            Role::Assistant => "model",
            role if role.is_system() => {
                let is_field = note.is_none_or(|note| note.place == Place::System);
                if is_field || !is_own || !self.is_exact {
                    return self.system(message, is_field, style);
                }
                "system"
            }
            _ if is_own && self.is_exact => "other",
            _ => return self.lost.one("message(s) of an unknown role were left out"),
        };
        let own_note = note.filter(|note| note.format == Format::Gemini);
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
            let kept = message.extra.iter().filter(|(name, _)| {
                !name.starts_with('@') || matches!(name.as_str(), marks::ROLE | marks::ABSENT)
            });
            turn.extra = kept
                .map(|(name, json)| (name.clone(), json.as_str().into()))
                .collect();
            turn.wrap = message.extra.get(EVENT).map(|json| json.as_str().into());
        }
        self.turns.push(turn);
    }

    fn part(&mut self, part: &Part, style: Style) -> Option<String> {
        match part {
            Part::ToolCall(call) => {
                let names = self.names.entry(call.id.clone()).or_default();
                names.push(call.name.clone());
                let id = match self.is_exact {
                    true => call.id.clone(),
                    false => self.ids.call(&call.id),
                };
                let (json, warning) = parts_out::call(call, &id, style);
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
                let name = self.names.get_mut(&result.call_id).and_then(Vec::pop);
                Some(parts_out::result(result, &id, name.as_deref(), style))
            }
            Part::Opaque(opaque) if self.is_request && is_damaged(opaque.json.as_str()) => {
                self.lost.one(FOREIGN);
                None
            }
            part => {
                let json = parts_out::part(part, style);
                match part {
                    _ if json.is_some() => {}
                    Part::Text(_) => {}
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

    fn system(&mut self, message: &Message, is_field: bool, style: Style) {
        let parts = message.parts.iter();
        let written: Vec<String> = parts.filter_map(|part| self.part(part, style)).collect();
        if is_field && style.is_own && !self.is_request && self.own_system.is_none() {
            let mut object = Object::new();
            if message.shape == Shape::Parts {
                object.raw("parts", &array(&written));
            }
            object.fields(&message.extra);
            self.own_system = Some(match marks::has(&message.extra, marks::BARE) {
                true => quote(&message.text()),
                false => object.finish(),
            });
        }
        self.system.extend(written);
    }

    fn finish(mut self, draft: &Draft<'_>) -> Written {
        let turns = std::mem::take(&mut self.turns);
        let opening = || parts_out::plain("(The conversation continues.)");
        let (turns, is_put_first) = turns.finish(opening);
        if is_put_first {
            self.lost.one(
                "user message(s) were put first, since the conversation starts with the model",
            );
        }
        self.warnings
            .extend(std::mem::take(&mut self.lost).into_warnings());
        let mut body = Object::new();
        body.raw("parts", &array(&self.system));
        let is_one = self.system.len() == 1 || self.is_exact;
        let system = match self.own_system.filter(|_| is_one) {
            Some(own) => Some(own),
            None => (!self.system.is_empty()).then(|| body.finish()),
        };
        let laid = Laid {
            system,
            records: turns.iter().map(record).collect(),
            text: None,
        };
        let own = draft
            .envelope
            .filter(|envelope| envelope.format == Format::Gemini && !draft.is_request);
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

const FOREIGN: &str = "part(s) of another format have no place in a content and were left out";

fn request(laid: &Laid) -> String {
    let mut body = Object::new();
    if let Some(system) = &laid.system {
        body.raw("systemInstruction", system);
    }
    let contents = laid.records.iter().map(|(_, content)| content);
    body.raw("contents", &array(contents));
    body.finish()
}

/// Whether a part that is kept unread is no object, or one we know: then something in it was not as
/// it must be.
fn is_damaged(json: &str) -> bool {
    let members = Raw::parse(json).and_then(Raw::members);
    members.is_none_or(|members| KINDS.iter().take(9).any(|kind| members.has(kind)))
}

/// A turn as a content, in the event it stood in.
fn record(turn: &Turn) -> (Place, String) {
    let has = |name: &str, text: &str| {
        let extra = turn.extra.iter();
        extra
            .filter(|(found, _)| found == name)
            .any(|(_, json)| *json == quote(text))
    };
    let mut object = Object::new();
    if let Some((_, role)) = turn.extra.iter().find(|(name, _)| name == marks::ROLE) {
        object.raw("role", role);
    } else if !has(marks::ABSENT, "role") {
        object.str("role", turn.role);
    }
    if !turn.is_absent {
        object.raw("parts", &turn.parts());
    }
    for (name, json) in turn.extra.iter().filter(|(name, _)| !name.starts_with('@')) {
        object.raw(name, json);
    }
    let content = object.finish();
    let Some(wrap) = &turn.wrap else {
        return (turn.place, content);
    };
    let mut event = Object::new();
    event.raw("content", &content);
    if let Some(members) = Raw::parse(wrap).and_then(Raw::members) {
        for (name, value) in members.iter() {
            event.raw(name, value.text());
        }
    }
    (turn.place, event.finish())
}
