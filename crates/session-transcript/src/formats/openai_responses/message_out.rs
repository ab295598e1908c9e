//! From our messages to lists of items.

use std::collections::BTreeMap;

use session_log::{Message, Part, Role, Shape, ToolCall};

use crate::call_ids::{CallIds, Fit};
use crate::envelope::{Hole, Layout};
use crate::format::Format;
use crate::formats::lists::{Laid, lay_out};
use crate::formats::openai_responses::CONTAINERS;
use crate::formats::openai_responses::item::FORMAT;
use crate::formats::openai_responses::item_out::{self, Style};
use crate::formats::openai_responses::parts::CONTENT;
use crate::formats::openai_responses::run_state;
use crate::json::{Raw, array, quote};
use crate::lost::Lost;
use crate::marks;
use crate::note::Place;
use crate::repair::{Arranged, arrange};
use crate::transcript::Warning;
use crate::write::{Draft, Repair, Written};

/// Where among the parts of a reply an item stood that is a message without content.
pub(super) const EMPTY: &str = "@empty";

/// Writes the draft in the layout it was read in, or as a bare array of items.
pub(super) fn write(draft: &Draft<'_>) -> Written {
    let own = draft
        .envelope
        .filter(|envelope| envelope.format == Format::OpenAiResponses && !draft.is_request);
    let layout = own.map_or(&Layout::Messages, |envelope| &envelope.layout);
    let mut writer = Writer {
        is_exact: draft.repair == Repair::Nothing,
        is_request: draft.is_request,
        has_instructions: matches!(layout, Layout::Framed(frame) if frame.has(Hole::System)),
        ids: CallIds::of(
            draft,
            match draft.is_request {
                true => Fit::Unique,
                false => Fit::Present,
            },
        ),
        ..Writer::default()
    };
    for arranged in arrange(draft, &mut writer.warnings) {
        writer.message(&arranged);
    }
    if let Some(envelope) = own {
        run_state::wrap(&mut writer.laid.records, &envelope.fields);
    }
    writer.finish(layout)
}

#[derive(Default)]
struct Writer {
    is_exact: bool,
    is_request: bool,
    has_instructions: bool,
    laid: Laid,
    ids: CallIds,
    /// The types of the items that calls became, by the ids they came with.
    kinds: BTreeMap<String, Vec<String>>,
    lost: Lost,
    warnings: Vec<Warning>,
}

/// An item, and whether it is reasoning, which must not stand alone.
struct Item {
    json: String,
    is_reasoning: bool,
    is_message: bool,
}

impl Writer {
    fn message(&mut self, arranged: &Arranged<'_>) {
        let note = arranged.note.as_ref();
        let place = note.map_or(Place::Messages, |note| note.place);
        let is_own = note.is_none_or(|note| is_ours(note.format));
        let style = Style {
            is_own,
            is_exact: self.is_exact,
            is_request: self.is_request,
        };
        let message = &*arranged.message;
        if matches!(message.role, Role::Other(_)) && !(is_own && self.is_exact) {
            return self.lost.one("message(s) of an unknown role were left out");
        }
        if is_own && place == Place::System && self.has_instructions && self.laid.system.is_none() {
            self.laid.system = Some(quote(&message.text()));
            return;
        }
        let mut items = self.items(message, style);
        if !self.is_exact {
            let count = items
                .iter()
                .rev()
                .take_while(|item| item.is_reasoning)
                .count();
            items.truncate(items.len().saturating_sub(count));
            self.lost.add(
                "reasoning item(s) that lead to nothing were left out",
                count,
            );
        }
        if marks::has(&message.extra, marks::BARE) && is_own {
            self.laid.text = Some(quote(&message.text()));
        }
        let place = match place {
            Place::System => Place::Messages,
            place => place,
        };
        let records = items.into_iter().map(|item| (place, item.json));
        self.laid.records.extend(records);
    }

    /// The items of a message: its content is one, and every call, result and reasoning is.
    fn items(&mut self, message: &Message, style: Style) -> Vec<Item> {
        let mut items = Vec::new();
        let mut content: Vec<&Part> = Vec::new();
        let empty = message
            .extra
            .get(EMPTY)
            .filter(|_| style.is_own && style.is_exact)
            .and_then(|json| Raw::parse(json.as_str())?.as_str()?.parse::<usize>().ok());
        let only_content = message.parts.iter().all(is_content);
        let is_bare = message.parts.is_empty() && empty.is_none();
        for (at, part) in message.parts.iter().enumerate() {
            if empty == Some(at) {
                self.said(message, &[], style, &mut items);
            }
            if is_content(part) {
                content.push(part);
                continue;
            }
            if !content.is_empty() {
                self.said(message, &std::mem::take(&mut content), style, &mut items);
            }
            if let Some(json) = self.part(message, part, style) {
                let is_reasoning = matches!(part, Part::Reasoning(_));
                let is_message = is_message(&json);
                items.push(Item {
                    json,
                    is_reasoning,
                    is_message,
                });
            }
        }
        let ends_empty = empty.is_some_and(|at| at >= message.parts.len());
        if !content.is_empty() || ends_empty || (is_bare && only_content) {
            self.said(message, &content, style, &mut items);
        }
        items
    }

    fn said(&mut self, message: &Message, content: &[&Part], style: Style, items: &mut Vec<Item>) {
        let role = match &message.role {
            Role::Tool if !style.is_exact => &Role::User,
            role => role,
        };
        let is_first = items
            .iter()
            .all(|item| item.is_reasoning || !item.is_message);
        let none = session_log::Fields::new();
        let extra = if is_first { &message.extra } else { &none };
        let is_blank = content
            .iter()
            .all(|part| part.as_text().is_some_and(|text| text.trim().is_empty()));
        if is_blank && !style.is_exact && (!style.is_own || content.is_empty()) {
            return;
        }
        let shape = match message.shape {
            shape if content.len() == message.parts.len() || style.is_own => shape,
            _ => Shape::Parts,
        };
        let mut lost = 0;
        let json = item_out::message(role, content, shape, extra, style, &mut lost);
        self.lost.add(FOREIGN, lost);
        items.extend(json.map(|json| Item {
            json,
            is_reasoning: false,
            is_message: true,
        }));
    }

    fn part(&mut self, message: &Message, part: &Part, style: Style) -> Option<String> {
        match part {
            Part::Reasoning(reasoning) => {
                let is_reply = message.role == Role::Assistant || style.is_exact;
                let json = item_out::reasoning(reasoning, style).filter(|_| is_reply);
                if json.is_none() {
                    self.lost
                        .one("reasoning part(s) of another format were left out");
                }
                json
            }
            Part::ToolCall(call) => Some(self.call(call, style)),
            Part::ToolResult(result) => {
                let id = self.ids.result(&result.call_id);
                let kind = self.kinds.get_mut(&result.call_id).and_then(Vec::pop);
                let mut lost = 0;
                let json = item_out::result(result, &id, kind.as_deref(), style, &mut lost);
                self.lost.add(FOREIGN, lost);
                Some(json)
            }
            Part::Opaque(opaque) if opaque.format == FORMAT => {
                let is_item = !self.is_request
                    || (message.role == Role::Assistant && is_sendable(opaque.json.as_str()));
                if !is_item {
                    self.lost.one(FOREIGN);
                }
                is_item.then(|| opaque.json.as_str().into())
            }
            _ => {
                self.lost.one(FOREIGN);
                None
            }
        }
    }

    fn call(&mut self, call: &ToolCall, style: Style) -> String {
        let kind = item_out::kind(&call.extra, style);
        self.kinds.entry(call.id.clone()).or_default().push(kind);
        let id = self.ids.call(&call.id);
        item_out::call(call, &id, style)
    }

    fn finish(mut self, layout: &Layout) -> Written {
        self.warnings
            .extend(std::mem::take(&mut self.lost).into_warnings());
        let text = match self.is_request {
            true => array(self.laid.records.iter().map(|(_, text)| text)),
            false => lay_out(layout, &self.laid, &CONTAINERS),
        };
        let mut written = Written::new(text);
        written.warnings = self.warnings;
        written
    }
}

const FOREIGN: &str = "part(s) of another format have no place in an item and were left out";

/// Whether messages of a format have the items of this one.
fn is_ours(format: Format) -> bool {
    matches!(format, Format::OpenAiResponses | Format::Codex)
}

/// Whether a part is said in a message rather than an item of its own.
fn is_content(part: &Part) -> bool {
    match part {
        Part::Text(_) | Part::Refusal(_) | Part::Media(_) => true,
        Part::Opaque(opaque) => opaque.format == CONTENT,
        _ => false,
    }
}

fn is_message(json: &str) -> bool {
    Raw::parse(json).is_some_and(|raw| raw.find("role").is_some())
}

/// Whether an item that is kept unread goes into a request: it has a type, and is none that we
/// know but could not read.
fn is_sendable(json: &str) -> bool {
    const KNOWN: [&str; 7] = [
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "compaction_trigger",
    ];
    Raw::parse(json)
        .and_then(|raw| raw.member_str("type"))
        .is_some_and(|kind| !KNOWN.contains(&&*kind))
}
