//! From our messages to contents.

use std::collections::BTreeMap;

use session_log::{Message, Part, Shape, ToolCall, ToolResult};

use crate::call_ids::Fit;
use crate::format::Format;
use crate::formats::gemini::CONTAINERS;
use crate::formats::gemini::fold::EVENT;
use crate::formats::gemini::parts_in::KINDS;
use crate::formats::gemini::parts_out;
use crate::formats::lists::{Containers, Records, Turn};
use crate::formats::style::Style;
use crate::json::{Object, Raw, array, quote};
use crate::marks;

/// What of the writer is this format's own.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// Names of tools by the ids of their calls.
    names: BTreeMap<String, Vec<String>>,
    /// The value of the system member, as it was.
    system: Option<String>,
}

impl Records for Contents {
    const FORMAT: Format = Format::Gemini;
    const CONTAINERS: &'static Containers = &CONTAINERS;
    const MODEL: &'static str = "model";
    const OTHER: Option<&'static str> = Some("other");
    const FOREIGN: &'static str =
        "part(s) of another format have no place in a content and were left out";

    fn fit(is_request: bool) -> Fit {
        match is_request {
            true => Fit::Unique,
            false => Fit::Present,
        }
    }

    fn call(&mut self, call: &ToolCall, id: &str, style: Style) -> (String, Option<&'static str>) {
        let names = self.names.entry(call.id.clone()).or_default();
        names.push(call.name.clone());
        parts_out::call(call, id, style)
    }

    fn result(&mut self, result: &ToolResult, id: &str, style: Style) -> String {
        let name = self.names.get_mut(&result.call_id).and_then(Vec::pop);
        parts_out::result(result, id, name.as_deref(), style)
    }

    fn part(part: &Part, style: Style) -> Option<String> {
        parts_out::part(part, style)
    }

    /// It is an object, and none that we know: in those something was not as it must be.
    fn is_sent(json: &str) -> bool {
        let members = Raw::parse(json).and_then(Raw::members);
        members.is_some_and(|members| !KINDS.iter().take(9).any(|kind| members.has(kind)))
    }

    fn own_system(&mut self, message: &Message, parts: &[String]) {
        if self.system.is_some() {
            return;
        }
        let mut object = Object::new();
        if message.shape == Shape::Parts {
            object.raw("parts", &array(parts));
        }
        object.fields(&message.extra);
        self.system = Some(match marks::has(&message.extra, marks::BARE) {
            true => quote(&message.text()),
            false => object.finish(),
        });
    }

    fn system(self, parts: Option<Vec<String>>, is_exact: bool) -> Option<String> {
        let parts = parts.unwrap_or_default();
        let own = self.system.filter(|_| is_exact || parts.len() == 1);
        own.or_else(|| {
            let mut body = Object::new();
            body.raw("parts", &array(&parts));
            (!parts.is_empty()).then(|| body.finish())
        })
    }

    fn add_fields(turn: &mut Turn, message: &Message) {
        let kept = message.extra.iter().filter(|(name, _)| {
            !name.starts_with('@') || matches!(name.as_str(), marks::ROLE | marks::ABSENT)
        });
        turn.extra = kept
            .map(|(name, json)| (name.clone(), json.as_str().into()))
            .collect();
        turn.wrap = message.extra.get(EVENT).map(|json| json.as_str().into());
    }

    fn record(turn: &Turn) -> String {
        record(turn)
    }
}

/// A turn as a content, in the event it stood in.
fn record(turn: &Turn) -> String {
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
        return content;
    };
    let mut event = Object::new();
    event.raw("content", &content);
    if let Some(members) = Raw::parse(wrap).and_then(Raw::members) {
        for (name, value) in members.iter() {
            event.raw(name, value.text());
        }
    }
    event.finish()
}
