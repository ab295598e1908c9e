//! From our messages to `from` and `value`.

use session_log::{Fields, Message, Part, Role, ToolCall, ToolResult};

use crate::format::Format;
use crate::formats::sharegpt::events::{LIST, VALUE, named};
use crate::json::{Object, Raw, array, quote};
use crate::marks;
use crate::note::{Note, Place};
use crate::repair::{Arranged, arrange};
use crate::transcript::Warning;
use crate::write::{Draft, Repair, Written};

/// Writes the draft as one conversation with what stood beside it.
pub(super) fn write(draft: &Draft<'_>) -> Written {
    let mut writer = Writer {
        is_exact: draft.repair == Repair::Nothing,
        ..Writer::default()
    };
    for arranged in arrange(draft, &mut writer.warnings) {
        writer.message(&arranged);
    }
    writer.flush_results();
    let own = draft
        .envelope
        .filter(|envelope| envelope.format == Format::ShareGpt);
    let beside = own.map(|envelope| &envelope.fields);
    writer.finish(beside)
}

#[derive(Default)]
struct Writer {
    is_exact: bool,
    system: Option<String>,
    turns: Vec<(Place, String)>,
    /// The ids of calls, in their order.
    calls: Vec<String>,
    /// Results that wait to be put in the order of their calls.
    results: Vec<(usize, Place, String)>,
    /// Ids that are in no turn.
    lost_ids: usize,
    lost_parts: usize,
    lost_reasoning: usize,
    warnings: Vec<Warning>,
}

impl Writer {
    fn message(&mut self, arranged: &Arranged<'_>) {
        let note = arranged.note.as_ref();
        let is_own = note.is_some_and(|note| note.format == Format::ShareGpt);
        let place = note
            .filter(|_| is_own)
            .map_or(Place::Messages, |note| note.place);
        let message = &*arranged.message;
        for result in message.results() {
            self.result(message, result, is_own, place);
        }
        let said = self.said(message);
        let has_calls = message.calls().next().is_some();
        let is_only_results = message.is_only_results() && !message.parts.is_empty();
        if is_only_results {
            return;
        }
        self.flush_results();
        let is_field = self.turns.is_empty() && self.system.is_none();
        if message.role.is_system() && is_field && is_beside(note, is_own) {
            self.system = Some(said);
            return;
        }
        if !said.is_empty() || (!has_calls && (is_own || self.is_exact)) {
            let from = match &message.role {
                Role::User | Role::Tool => "human",
                Role::Assistant => "gpt",
                Role::System | Role::Developer => "system",
                role => role.as_str(),
            };
            let text = turn(from, &said, message, is_own && !has_calls);
            self.turns.push((place, text));
        }
        if has_calls {
            let value = self.calls(message, is_own);
            let text = turn("function_call", &value, message, is_own);
            self.turns.push((place, text));
        }
    }

    /// The texts of a message.
    fn said(&mut self, message: &Message) -> String {
        let mut texts = Vec::new();
        for part in &message.parts {
            match part {
                Part::Text(text) | Part::Refusal(text) => texts.push(text.text.as_str()),
                Part::Reasoning(_) => self.lost_reasoning += 1,
                Part::ToolCall(_) | Part::ToolResult(_) => {}
                _ => self.lost_parts += 1,
            }
        }
        texts.join("\n")
    }

    /// One call, or a list of them; as they were written where they are the same.
    fn calls(&mut self, message: &Message, is_own: bool) -> String {
        self.calls = message.calls().map(|call| call.id.clone()).collect();
        if let Some(value) = written(&message.extra, VALUE).filter(|_| is_own) {
            let is_same = named(&value).is_some_and(|named| {
                let calls = message.calls().map(|call| (&call.name, &call.arguments));
                named
                    .iter()
                    .map(|(name, arguments)| (name, arguments))
                    .eq(calls)
            });
            if is_same {
                return value;
            }
        }
        self.lost_ids += message.calls().count();
        let mut calls: Vec<String> = message.calls().map(call).collect();
        match calls.len() {
            1 => calls.pop().unwrap_or_default(),
            _ => array(calls),
        }
    }

    fn result(&mut self, message: &Message, result: &ToolResult, is_own: bool, place: Place) {
        let mut texts = Vec::new();
        for part in &result.parts {
            match part {
                Part::Text(text) => texts.push(text.text.as_str()),
                _ => self.lost_parts += 1,
            }
        }
        let at = self.calls.iter().position(|id| *id == result.call_id);
        let text = turn("observation", &texts.join("\n"), message, is_own);
        let order = match self.is_exact {
            true => 0,
            false => at.unwrap_or(usize::MAX),
        };
        self.results.push((order, place, text));
    }

    fn flush_results(&mut self) {
        self.results.sort_by_key(|(order, ..)| *order);
        let results = self.results.drain(..);
        self.turns
            .extend(results.map(|(_, place, text)| (place, text)));
    }

    fn finish(mut self, beside: Option<&Fields>) -> Written {
        for (count, what) in [
            (self.lost_reasoning, "reasoning part(s) were left out"),
            (
                self.lost_parts,
                "part(s) this format has no place for were left out",
            ),
        ] {
            if count > 0 {
                self.warnings.push(Warning::file(format!("{count} {what}")));
            }
        }
        if self.lost_ids > 0 {
            let what = format!(
                "ids of {} call(s) were left out: results follow in the order of their calls",
                self.lost_ids
            );
            self.warnings.push(Warning::file(what));
        }
        let chosen = self.turns.pop_if(|(place, _)| *place == Place::Reply);
        let mut object = Object::new();
        if let Some(system) = &self.system {
            object.str("system", system);
        }
        object.raw(LIST, &array(self.turns.iter().map(|(_, text)| text)));
        if let Some((_, chosen)) = chosen {
            object.raw("chosen", &chosen);
        }
        if let Some(beside) = beside {
            object.fields(beside);
        }
        let mut written = Written::new(object.finish());
        written.warnings = self.warnings;
        written
    }
}

/// Whether a system message goes into the field beside the turns.
fn is_beside(note: Option<&Note>, is_own: bool) -> bool {
    !is_own || note.is_some_and(|note| note.place == Place::System)
}

fn turn(from: &str, value: &str, message: &Message, is_own: bool) -> String {
    let role = written(&message.extra, marks::ROLE).filter(|_| is_own);
    let mut object = Object::new();
    object
        .str("from", role.as_deref().unwrap_or(from))
        .str("value", value);
    if is_own {
        object.fields(&message.extra);
    }
    object.finish()
}

fn call(call: &ToolCall) -> String {
    let text = call.arguments.as_str().trim();
    let arguments = match Raw::parse(text) {
        Some(raw) => raw.text().to_owned(),
        None if text.is_empty() => "{}".to_owned(),
        None => quote(call.arguments.as_str()),
    };
    let mut object = Object::new();
    object.str("name", &call.name).raw("arguments", &arguments);
    object.finish()
}

fn written(fields: &Fields, name: &str) -> Option<String> {
    let json = fields.get(name)?;
    Some(Raw::parse(json.as_str())?.as_str()?.into_owned())
}
