//! From our messages to a request this provider takes.

use session_log::{Json, Message, Part, Shape};

use crate::call_ids::{CallIds, Fit};
use crate::envelope::Layout;
use crate::format::Format;
use crate::formats::anthropic::blocks_out::{self, NoBlock};
use crate::formats::anthropic::records::{Block, Record, is_plain, role};
use crate::formats::bodies::{Filled, lay_out};
use crate::formats::style::Style;
use crate::json::{Object, Raw, array};
use crate::lost::Lost;
use crate::note::{Note, Place};
use crate::repair::{Arranged, arrange};
use crate::transcript::Warning;
use crate::write::{Draft, Repair, Written};

/// Writes the draft in the layout it was read in, or as plainly as possible.
pub(super) fn write(draft: &Draft<'_>) -> Written {
    let mut writer = Writer {
        is_exact: draft.repair == Repair::Nothing,
        is_request: draft.is_request,
        ids: CallIds::of(draft, Fit::Unique),
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
    system: Vec<SystemPart>,
    records: Vec<Record>,
    ids: CallIds,
    lost: Lost,
    warnings: Vec<Warning>,
}

/// A piece of the system prompt.
struct SystemPart {
    block: String,
    plain: Option<String>,
}

impl Writer {
    fn message(&mut self, arranged: &Arranged<'_>) {
        let note = arranged.note.as_ref();
        let is_own = note.is_none_or(|note| is_ours(note.format));
        let message = &*arranged.message;
        let style = Style {
            is_own,
            is_exact: self.is_exact,
        };
        let Some(name) = role(&message.role) else {
            self.lost.one("message(s) of an unknown role were left out");
            return;
        };
        if name == "system" && self.is_beside(note, is_own) {
            self.system(message, style);
            return;
        }
        let own_note = note.filter(|note| note.format == Format::Anthropic);
        let mut record = Record::new(name, own_note);
        self.fill(&mut record, message, own_note, style);
        if is_own && !self.is_request {
            let extra = message
                .extra
                .iter()
                .filter(|(name, _)| !name.starts_with('@'));
            record.extra = extra
                .map(|(name, json)| (name.clone(), json.as_str().into()))
                .collect();
        }
        if record.is_empty() && !self.is_exact {
            self.lost
                .one("message(s) with nothing this format can say were left out");
            return;
        }
        self.push(record);
    }

    /// Whether a system message goes into the field beside the messages.
    fn is_beside(&self, note: Option<&Note>, is_own: bool) -> bool {
        let stood_among_messages = is_own && note.is_some_and(|note| note.place != Place::System);
        self.is_request || !stood_among_messages
    }

    fn system(&mut self, message: &Message, style: Style) {
        let plain = match (message.parts.as_slice(), message.shape) {
            ([Part::Text(_) | Part::Opaque(_)], Shape::Text) => {
                blocks_out::content(&message.parts, message.shape, style)
            }
            _ => None,
        };
        let mut plain = plain;
        for part in &message.parts {
            match blocks_out::block(part, style) {
                Ok(block) if self.is_request && !is_text(&block) => {
                    self.no_block(NoBlock::Foreign);
                }
                Ok(block) => self.system.push(SystemPart {
                    block,
                    plain: plain.take(),
                }),
                Err(why) => self.no_block(why),
            }
        }
        if message.parts.is_empty() && self.is_exact {
            self.system.push(SystemPart {
                block: String::new(),
                plain: Some("[]".into()),
            });
        }
    }

    fn fill(&mut self, record: &mut Record, message: &Message, note: Option<&Note>, style: Style) {
        let slots = note
            .and_then(|note| note.slots.as_deref())
            .unwrap_or_default();
        let is_blank = message
            .parts
            .iter()
            .all(|part| part.as_text().is_some_and(|text| text.trim().is_empty()));
        let is_odd = matches!(message.parts.as_slice(), [Part::Opaque(_)]);
        if is_plain(&message.parts, message.shape)
            && slots.is_empty()
            && (self.is_exact || !is_blank)
            && !(is_odd && self.is_request)
        {
            record.plain = blocks_out::content(&message.parts, message.shape, style);
            record.is_absent = record.plain.is_none();
        }
        for (at, part) in message.parts.iter().enumerate() {
            let json = match part {
                Part::ToolCall(call) => {
                    let id = self.call_id(&call.id);
                    let (json, warning) = blocks_out::call(call, &id, style);
                    if let Some(what) = warning {
                        self.lost.one(what);
                    }
                    json
                }
                Part::ToolResult(result) => {
                    let id = self.ids.result(&result.call_id);
                    blocks_out::result(result, &id, style)
                }
                Part::Opaque(opaque) if self.is_request && is_damaged(&opaque.json) => {
                    self.no_block(NoBlock::Foreign);
                    continue;
                }
                other => match blocks_out::block(other, style) {
                    Ok(json) => json,
                    Err(why) => {
                        self.no_block(why);
                        continue;
                    }
                },
            };
            record.blocks.push(Block {
                json,
                is_result: matches!(part, Part::ToolResult(_)),
                slot: slots.get(at).copied(),
            });
        }
    }

    /// The id a call is written under.
    fn call_id(&mut self, id: &str) -> String {
        let fit = self.ids.call(id);
        if fit != id {
            self.lost
                .one("call(s) were renamed, since ids must be plain and unique");
        }
        fit
    }

    fn push(&mut self, record: Record) {
        let Some(last) = self.records.last_mut() else {
            return self.records.push(record);
        };
        let joins = last.is_same_source(&record)
            || (!self.is_exact
                && last.role == record.role
                && record.role != "system"
                && (self.is_request || !last.are_neighbours(&record)));
        if joins {
            last.append(record);
        } else {
            self.records.push(record);
        }
    }

    fn finish(mut self, draft: &Draft<'_>) -> Written {
        for record in &mut self.records {
            record.restore_order();
            if !self.is_exact {
                record.results_first();
            }
        }
        self.start_with_user();
        if self.is_request
            && let Some(last) = self
                .records
                .last_mut()
                .filter(|last| last.role == "assistant")
        {
            last.trim_end();
        }
        self.strip_replies();
        self.warnings
            .extend(std::mem::take(&mut self.lost).into_warnings());
        let filled = Filled {
            system: system_value(self.system),
            messages: self.records.into_iter().map(Record::into_json).collect(),
        };
        let text = if draft.is_request {
            request(filled)
        } else {
            file(draft, filled)
        };
        let mut written = Written::new(text);
        written.warnings = self.warnings;
        written
    }

    /// The provider wants a user message first. A file that never had one stays as it was.
    fn start_with_user(&mut self) {
        let Some(first) = self.records.first() else {
            return;
        };
        let was_first = first.from.is_some_and(|(record, _)| record <= 1) && !self.is_request;
        if first.role != "assistant" || self.is_exact || was_first {
            return;
        }
        let mut record = Record::new("user", None);
        record.plain = Some("\"(The conversation continues.)\"".into());
        self.records.insert(0, record);
        self.lost.one(
            "user message(s) were put first, since the conversation starts with the assistant",
        );
    }

    /// Fields of a response do not belong among the messages of a request.
    fn strip_replies(&mut self) {
        let last = self.records.len().saturating_sub(1);
        for (at, record) in self.records.iter_mut().enumerate() {
            if record.place == Place::Reply && at < last {
                record.place = Place::Messages;
                record.extra.clear();
            }
        }
    }

    fn no_block(&mut self, why: NoBlock) {
        match why {
            NoBlock::Blank => {}
            NoBlock::Unsigned => {
                self.lost
                    .one("reasoning part(s) without a signature of this provider were left out");
            }
            NoBlock::Foreign => self
                .lost
                .one("part(s) this format has no place for were left out"),
        }
    }
}

/// Whether a block is a text: the provider takes no other in the field of the system prompt.
fn is_text(block: &str) -> bool {
    Raw::parse(block).is_some_and(|raw| raw.find_str("type").as_deref() == Some("text"))
}

/// Whether messages of a format have the blocks of this one.
fn is_ours(format: Format) -> bool {
    matches!(format, Format::Anthropic | Format::ClaudeCode)
}

fn system_value(mut parts: Vec<SystemPart>) -> Option<String> {
    match parts.len() {
        0 => None,
        1 => parts
            .pop()
            .map(|part| part.plain.unwrap_or_else(|| array([part.block]))),
        _ => Some(array(parts.into_iter().map(|part| part.block))),
    }
}

fn file(draft: &Draft<'_>, filled: Filled) -> String {
    let own = draft
        .envelope
        .filter(|envelope| envelope.format == Format::Anthropic);
    lay_out(
        own.map_or(&Layout::Messages, |envelope| &envelope.layout),
        filled,
    )
}

fn request(filled: Filled) -> String {
    let mut body = Object::new();
    if let Some(system) = &filled.system {
        body.raw("system", system);
    }
    body.raw(
        "messages",
        &array(filled.messages.into_iter().map(|(_, message)| message)),
    );
    body.finish()
}

/// Whether a block that is kept unread is one we know: then something in it was not as it must be.
fn is_damaged(block: &Json) -> bool {
    const KNOWN: [&str; 5] = [
        "text",
        "thinking",
        "redacted_thinking",
        "tool_use",
        "tool_result",
    ];
    let kind = Raw::parse(block.as_str()).and_then(|raw| raw.member_str("type"));
    kind.is_none_or(|kind| KNOWN.contains(&&*kind))
}
