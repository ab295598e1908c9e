//! From our messages to chat messages.

use session_log::{Json, Message, Part, Role, Shape, ToolCall, ToolResult};

use crate::call_ids::{CallIds, Fit};
use crate::envelope::{Envelope, Layout};
use crate::format::Format;
use crate::formats::bodies::{Filled, lay_out};
use crate::formats::openai_chat::calls_out;
use crate::formats::openai_chat::message_in::FORMAT;
use crate::formats::openai_chat::parts;
use crate::formats::style::Style;
use crate::json::{Object, Raw, array, quote};
use crate::marks;
use crate::note::Place;
use crate::repair::{Arranged, arrange};
use crate::transcript::Warning;
use crate::write::{Draft, Repair, Written};

/// Writes the draft in the layout it was read in, or as a bare array.
pub(super) fn write(draft: &Draft<'_>) -> Written {
    let mut writer = Writer {
        is_exact: draft.repair == Repair::Nothing,
        is_request: draft.is_request,
        ids: CallIds::of(draft, Fit::Present),
        ..Writer::default()
    };
    for arranged in arrange(draft, &mut writer.warnings) {
        writer.message(&arranged);
    }
    writer.flush_media();
    writer.count(
        "part(s) of another format have no place in a chat message and were left out",
        writer.foreign,
    );
    writer.count(
        "reasoning part(s) of another format were left out",
        writer.reasoning,
    );
    let own = draft
        .envelope
        .filter(|envelope| envelope.format == Format::OpenAiChat && !draft.is_request);
    let layout = own.map_or(&Layout::Messages, |envelope: &Envelope| &envelope.layout);
    let filled = Filled {
        system: None,
        messages: writer.messages,
    };
    let mut written = Written::new(lay_out(layout, filled));
    written.warnings = writer.warnings;
    written
}

#[derive(Default)]
struct Writer {
    is_exact: bool,
    is_request: bool,
    ids: CallIds,
    messages: Vec<(Place, String)>,
    /// Media of tool results, which chat wants in a user message behind all results.
    media: Vec<String>,
    warnings: Vec<Warning>,
    foreign: usize,
    reasoning: usize,
}

impl Writer {
    fn message(&mut self, arranged: &Arranged<'_>) {
        let note = arranged.note.as_ref();
        let place = note.map_or(Place::Messages, |note| note.place);
        let is_own = note.is_none_or(|note| note.format == Format::OpenAiChat);
        let message = &*arranged.message;
        for result in message.results() {
            let text = self.result(message, result, is_own);
            self.messages.push((place, text));
        }
        let has_more = message
            .parts
            .iter()
            .any(|part| !matches!(part, Part::ToolResult(_)));
        if !has_more && message.results().next().is_some() {
            return;
        }
        self.flush_media();
        if let Role::Other(_) = &message.role
            && !(is_own && self.is_exact)
        {
            self.warnings
                .push(Warning::file("a message of an unknown role was left out"));
            return;
        }
        if let Some(text) = self.plain(message, is_own) {
            self.messages.push((place, text));
        }
    }

    /// A message that is no tool message.
    fn plain(&mut self, message: &Message, is_own: bool) -> Option<String> {
        let mut object = Object::new();
        object.str("role", self.role(&message.role, is_own));
        let content = self.content(&message.parts, message.shape, is_own);
        let calls: Vec<&ToolCall> = message.calls().collect();
        match content {
            Some(content) => {
                object.raw("content", &content);
            }
            None if is_own
                && message.shape == Shape::Absent
                && (self.is_exact || !calls.is_empty()) => {}
            None if is_own && message.shape == Shape::Null && self.is_exact => {
                object.raw("content", "null");
            }
            None if calls.is_empty() && !is_own && !self.is_exact => return None,
            None if calls.is_empty() => {
                object.str("content", "");
            }
            None => {
                object.raw("content", "null");
            }
        }
        if let Some(name) = message
            .name
            .as_deref()
            .filter(|name| self.is_exact || is_name(name))
        {
            object.str("name", name);
        }
        self.fields(&mut object, message, is_own);
        self.calls(&mut object, &calls, is_own);
        if is_own {
            let extra = message
                .extra
                .iter()
                .filter(|(name, json)| !self.is_request || is_sent(name, json));
            object.members(extra);
        }
        Some(object.finish())
    }

    fn calls(&mut self, object: &mut Object, calls: &[&ToolCall], is_own: bool) {
        let style = Style {
            is_own,
            is_exact: self.is_exact,
        };
        let (old, new): (Vec<&ToolCall>, Vec<&ToolCall>) = calls
            .iter()
            .partition(|call| is_own && calls_out::is_old(call));
        if !new.is_empty() {
            let written = new.into_iter().map(|call| {
                let id = self.ids.call(&call.id);
                calls_out::call(call, &id, style)
            });
            object.raw("tool_calls", &array(written));
        }
        if let Some(call) = old.first() {
            object.raw("function_call", &calls_out::function_call(call, style));
        }
    }

    fn role<'m>(&self, role: &'m Role, is_own: bool) -> &'m str {
        match role {
            Role::Developer if !is_own && !self.is_exact => "system",
            Role::Tool => "user",
            role => role.as_str(),
        }
    }

    /// The fields that some parts came from.
    fn fields(&mut self, object: &mut Object, message: &Message, is_own: bool) {
        for part in &message.parts {
            match part {
                Part::Reasoning(reasoning) => {
                    let field = reasoning
                        .extra
                        .get(marks::FIELD)
                        .and_then(|json| Raw::parse(json.as_str())?.as_str());
                    match (field, &reasoning.text) {
                        (Some(field), Some(text)) if is_own => {
                            object.str(&field, text);
                        }
                        _ => self.reasoning += 1,
                    }
                }
                Part::Refusal(text) if marks::is(&text.extra, marks::FIELD, "refusal") => {
                    object.str("refusal", &text.text);
                }
                _ => {}
            }
        }
    }

    /// The value of `content`; `None` when there is none.
    fn content(&mut self, all: &[Part], shape: Shape, is_own: bool) -> Option<String> {
        let is_content = |part: &&Part| match part {
            Part::Text(_) | Part::Media(_) | Part::Opaque(_) => true,
            Part::Refusal(text) => !marks::has(&text.extra, marks::FIELD),
            _ => false,
        };
        let content: Vec<&Part> = all.iter().filter(is_content).collect();
        match content.as_slice() {
            [] => return (shape == Shape::Parts && is_own && self.is_exact).then(|| "[]".into()),
            [Part::Text(text)] if shape != Shape::Parts || !is_own => {
                return Some(quote(&text.text));
            }
            [Part::Opaque(opaque)]
                if shape == Shape::Text && opaque.format == FORMAT && !self.is_request =>
            {
                return Some(opaque.json.as_str().into());
            }
            _ => {}
        }
        let written: Vec<String> = content
            .into_iter()
            .filter_map(|part| self.part(part, is_own))
            .collect();
        (!written.is_empty()).then(|| array(written))
    }

    fn part(&mut self, part: &Part, is_own: bool) -> Option<String> {
        let written = match part {
            Part::Text(text) => Some(parts::text(text, is_own)),
            Part::Refusal(text) => Some(parts::refusal(text, is_own)),
            Part::Media(media) => parts::media(media, is_own),
            Part::Opaque(opaque) if self.is_request && !is_object(&opaque.json) => None,
            Part::Opaque(opaque) if opaque.format == FORMAT => Some(opaque.json.as_str().into()),
            _ => None,
        };
        if written.is_none() {
            self.foreign += 1;
        }
        written
    }

    fn result(&mut self, message: &Message, result: &ToolResult, is_own: bool) -> String {
        let mut object = Object::new();
        let is_old = is_own && marks::is(&message.extra, marks::ROLE, "function");
        object.str("role", if is_old { "function" } else { "tool" });
        let is_absent = is_own && marks::is(&result.extra, marks::ABSENT, "tool_call_id");
        let has_no_id = is_absent || message.extra.contains_key("tool_call_id");
        let is_without = is_old || (self.is_exact && has_no_id);
        if !is_without {
            object.str("tool_call_id", &self.ids.result(&result.call_id));
        }
        let is_fit = |name: &&str| is_own && (self.is_exact || is_name(name));
        if let Some(name) = result.name.as_deref().filter(is_fit) {
            object.str("name", name);
        }
        match self.result_content(result, is_own) {
            Some(content) => {
                object.raw("content", &content);
            }
            None if self.is_exact && result.shape == Shape::Absent => {}
            None if self.is_exact && result.shape == Shape::Null => {
                object.raw("content", "null");
            }
            None => {
                object.str("content", "");
            }
        }
        if is_own && message.role == Role::Tool {
            let extra = message
                .extra
                .iter()
                .filter(|(name, json)| !self.is_request || is_sent(name, json));
            object.members(extra);
        }
        object.finish()
    }

    /// The content of a result. Media of other formats go into a user message behind it.
    fn result_content(&mut self, result: &ToolResult, is_own: bool) -> Option<String> {
        if is_own {
            return self.content(&result.parts, result.shape, is_own);
        }
        let mut texts = Vec::new();
        for part in &result.parts {
            match part {
                Part::Text(text) => texts.push(text.text.as_str()),
                Part::Media(media) => match parts::media(media, false) {
                    Some(written) => self.media.push(written),
                    None => self.foreign += 1,
                },
                _ => self.foreign += 1,
            }
        }
        (!texts.is_empty()).then(|| quote(&texts.join("\n")))
    }

    fn flush_media(&mut self) {
        let media = std::mem::take(&mut self.media);
        if media.is_empty() {
            return;
        }
        let mut object = Object::new();
        object.str("role", "user").raw("content", &array(media));
        self.messages.push((Place::Messages, object.finish()));
    }

    fn count(&mut self, what: &str, number: usize) {
        if number > 0 {
            self.warnings
                .push(Warning::file(format!("{number} {what}")));
        }
    }
}

/// Whether a field goes into a request: neither empty nor one that we know but could not read.
fn is_sent(name: &str, json: &Json) -> bool {
    const KNOWN: [&str; 5] = [
        "content",
        "name",
        "tool_calls",
        "function_call",
        "tool_call_id",
    ];
    !matches!(json.as_str(), "null" | "[]") && !KNOWN.contains(&name)
}

/// Whether a speaker's name is one that the provider takes.
fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

fn is_object(json: &Json) -> bool {
    json.as_str().starts_with('{')
}
