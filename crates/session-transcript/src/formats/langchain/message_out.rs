//! From our messages to LangChain's.

use session_log::{Arguments, EventBody, Message, Part, Role, Shape, ToolCall, ToolResult};

use crate::envelope::Layout;
use crate::format::Format;
use crate::formats::claude_code::LINE_EVENT;
use crate::formats::langchain::CONTAINERS;
use crate::formats::langchain::blocks::{self, BLOCK, FORMAT};
use crate::formats::langchain::chunks;
use crate::formats::langchain::encoding::{self, Encoding};
use crate::formats::langchain::fold;
use crate::formats::langchain::message_in::{ENCODING, INVALID, OUTER, REPEATED};
use crate::formats::lists::{Laid, lay_out};
use crate::formats::style::arguments_as_object;
use crate::item::ItemBody;
use crate::json::{Object, Raw, array, quote};
use crate::lost::Lost;
use crate::marks;
use crate::note::Place;
use crate::repair::{Arranged, arrange};
use crate::write::{Draft, Repair, Written};

/// Writes the draft in the layout it was read in, or as an array of messages with their data apart.
pub(super) fn write(draft: &Draft<'_>) -> Written {
    let own = draft
        .envelope
        .filter(|envelope| envelope.format == Format::LangChain);
    let encoding = own.and_then(|envelope| Encoding::named(envelope.fields.get(fold::ENCODING)?));
    let mut writer = Writer {
        is_exact: draft.repair == Repair::Nothing,
        encoding: encoding.unwrap_or(Encoding::Data),
        lost: Lost::default(),
    };
    let mut warnings = Vec::new();
    let mut laid = Laid::default();
    let mut asides = asides(draft).peekable();
    let mut stretch = Vec::new();
    for arranged in arrange(draft, &mut warnings) {
        let is_before = |aside: &(usize, _)| arranged.position.is_some_and(|at| aside.0 < at);
        while let Some((_, record)) = asides.next_if(is_before) {
            end_stretch(&mut stretch, &mut laid);
            laid.records.push(record);
        }
        let note = arranged.note.as_ref();
        let is_own = note.is_some_and(|note| note.format == Format::LangChain);
        let place = note.map_or(Place::Messages, |note| note.place);
        let place = if is_own { place } else { Place::Messages };
        if let Some(chunks) = chunks::records(&arranged.message).filter(|_| is_own) {
            let chunks = chunks.into_iter();
            stretch.extend(chunks.map(|(number, record)| (number, (place, record))));
            continue;
        }
        end_stretch(&mut stretch, &mut laid);
        let records = writer.records(&arranged, is_own);
        laid.records
            .extend(records.into_iter().map(|record| (place, record)));
    }
    end_stretch(&mut stretch, &mut laid);
    laid.records.extend(asides.map(|(_, record)| record));
    warnings.extend(writer.lost.into_warnings());
    let layout = own.map_or(&Layout::Messages, |envelope| &envelope.layout);
    let mut written = Written::new(lay_out(layout, &laid, &CONTAINERS));
    written.warnings = warnings;
    written
}

/// Lays down chunks in the order of their records: those of several replies may have been mixed.
fn end_stretch(stretch: &mut Vec<(u64, (Place, String))>, laid: &mut Laid) {
    stretch.sort_by_key(|(number, _)| *number);
    laid.records
        .extend(stretch.drain(..).map(|(_, record)| record));
}

/// Records of a file of LangChain that are no messages, each with its position among the items.
fn asides<'d>(draft: &'d Draft<'_>) -> impl Iterator<Item = (usize, (Place, String))> + 'd {
    draft.items.iter().enumerate().filter_map(|(at, item)| {
        let ItemBody::Other(EventBody::Custom {
            event_type,
            payload,
        }) = &item.body
        else {
            return None;
        };
        let note = item.note()?;
        let is_own = note.format == Format::LangChain && event_type.as_str() == LINE_EVENT;
        is_own.then(|| (at, (note.place, payload.as_str().to_owned())))
    })
}

struct Writer {
    is_exact: bool,
    encoding: Encoding,
    lost: Lost,
}

impl Writer {
    fn records(&mut self, arranged: &Arranged<'_>, is_own: bool) -> Vec<String> {
        let message = &*arranged.message;
        let mut records: Vec<String> = message
            .results()
            .map(|result| self.result(message, result, is_own))
            .collect();
        let is_only_results = message.is_only_results();
        if !is_only_results {
            let was_cut = arranged.kept.is_some();
            records.extend(self.spoken(message, is_own, was_cut));
        }
        records
    }

    fn spoken(&mut self, message: &Message, is_own: bool, was_cut: bool) -> Option<String> {
        let is_exact = is_own && self.is_exact;
        let kind = match &message.role {
            Role::User | Role::Tool => "human",
            Role::Assistant => "ai",
            Role::System | Role::Developer => "system",
            _ if is_own => "chat",
            _ => {
                self.lost
                    .add("message(s) of an unknown role were left out", 1);
                return None;
            }
        };
        let calls: Vec<&ToolCall> = message.calls().collect();
        let content = self.content(&message.parts, message.shape, is_own);
        let mut fields = Object::new();
        match content {
            Some(content) => {
                fields.raw("content", &content);
            }
            None if is_exact => {}
            None if calls.is_empty() && !is_own => {
                self.lost
                    .one("message(s) with nothing this format can say were left out");
                return None;
            }
            None => {
                fields.str("content", "");
            }
        }
        if let Some(name) = &message.name {
            fields.str("name", name);
        }
        for (list, is_invalid) in [("tool_calls", false), (INVALID, true)] {
            let of_list = calls
                .iter()
                .filter(|call| is_invalid == is_unread(call, is_own));
            let written: Vec<String> = of_list.map(|call| self.call(call, is_own)).collect();
            if !written.is_empty() || (!is_own && kind == "ai") {
                fields.raw(list, &array(written));
            }
        }
        Some(self.wrapped(fields, kind, message, is_own, was_cut))
    }

    fn wrapped(
        &self,
        mut fields: Object,
        kind: &str,
        message: &Message,
        is_own: bool,
        was_cut: bool,
    ) -> String {
        let mut encoding = self.encoding;
        if is_own {
            let own = message.extra.get(ENCODING).and_then(Encoding::named);
            encoding = own.unwrap_or(encoding);
            for (name, json) in message
                .extra
                .iter()
                .filter(|(name, _)| !name.starts_with('@'))
            {
                match name.as_str() {
                    "additional_kwargs" if was_cut => {
                        fields.raw(name, &without_calls(json.as_str()));
                    }
                    _ => {
                        fields.json(name, json);
                    }
                }
            }
        } else {
            fields
                .str("type", kind)
                .raw("additional_kwargs", "{}")
                .raw("response_metadata", "{}");
        }
        let outer = message.extra.get(OUTER).filter(|_| is_own);
        encoding::wrap(encoding, kind, &fields.finish(), outer)
    }

    /// The value of `content`; `None` when there is none.
    fn content(&mut self, all: &[Part], shape: Shape, is_own: bool) -> Option<String> {
        let parts: Vec<&Part> = all
            .iter()
            .filter(|part| match part {
                Part::ToolCall(call) => is_own && call.extra.contains_key(BLOCK),
                Part::ToolResult(_) => false,
                Part::Reasoning(reasoning) => !marks::has(&reasoning.extra, REPEATED) || !is_own,
                _ => true,
            })
            .collect();
        let is_exact = is_own && self.is_exact;
        match (parts.as_slice(), shape) {
            ([], Shape::Absent) => return None,
            ([], Shape::Null) if is_exact => return Some("null".into()),
            ([], Shape::Parts) if is_own => return Some("[]".into()),
            ([], _) => return None,
            ([Part::Text(text)], _) if shape != Shape::Parts || !is_own => {
                return Some(quote(&text.text));
            }
            ([Part::Opaque(opaque)], Shape::Text) if opaque.format == FORMAT => {
                return Some(opaque.json.as_str().into());
            }
            _ => {}
        }
        let mut written = Vec::new();
        for part in parts {
            match blocks::block(part, is_own) {
                Some(block) => written.push(block),
                None => {
                    let what = match part {
                        Part::Reasoning(_) => "reasoning part(s) of another format were left out",
                        _ => "part(s) this format has no place for were left out",
                    };
                    self.lost.one(what);
                }
            }
        }
        (is_exact || !written.is_empty()).then(|| array(written))
    }

    fn call(&mut self, call: &ToolCall, is_own: bool) -> String {
        let args = match &call.arguments {
            Arguments::Value(json) if is_own => json.as_str().to_owned(),
            arguments if is_unread(call, is_own) => quote(arguments.as_str()),
            Arguments::Text(text) if is_own && self.is_exact => quote(text),
            arguments => {
                let (args, warning) = arguments_as_object(arguments);
                if let Some(what) = warning {
                    self.lost.one(what);
                }
                args
            }
        };
        let mut object = Object::new();
        object.str("name", &call.name).raw("args", &args);
        if !(call.id.is_empty() && is_own) {
            object.str("id", &call.id);
        }
        match is_own {
            true => object.fields(&call.extra),
            false => object.str("type", "tool_call"),
        };
        object.finish()
    }

    fn result(&mut self, message: &Message, result: &ToolResult, is_own: bool) -> String {
        let is_function = is_own && marks::is(&message.extra, marks::ROLE, "function");
        let mut fields = Object::new();
        let content = self.content(&result.parts, result.shape, is_own);
        match content {
            Some(content) => {
                fields.raw("content", &content);
            }
            None if is_own && self.is_exact => {}
            None => {
                fields.str("content", "");
            }
        }
        if let Some(name) = &result.name {
            fields.str("name", name);
        }
        if !(is_own && marks::has(&result.extra, marks::ABSENT)) {
            fields.str("tool_call_id", &result.call_id);
        }
        if !is_own {
            let is_error = result.is_error == Some(true);
            fields.str("status", if is_error { "error" } else { "success" });
        }
        let kind = if is_function { "function" } else { "tool" };
        self.wrapped(fields, kind, message, is_own, false)
    }
}

/// Whether the call is one whose arguments were no JSON.
fn is_unread(call: &ToolCall, is_own: bool) -> bool {
    is_own && marks::is(&call.extra, marks::FIELD, INVALID)
}

/// The fields of the provider without the calls, which they repeat.
fn without_calls(fields: &str) -> String {
    let mut object = Object::new();
    for (name, value) in Raw::parse(fields)
        .and_then(Raw::members)
        .unwrap_or_default()
        .iter()
    {
        if !matches!(name, "tool_calls" | "function_call") {
            object.raw(name, value.text());
        }
    }
    object.finish()
}
