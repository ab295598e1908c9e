//! From our messages to those of this provider.

use session_log::{Message, Part, Shape, ToolCall, ToolResult};

use crate::call_ids::Fit;
use crate::format::Format;
use crate::formats::bedrock::CONTAINERS;
use crate::formats::bedrock::blocks_in::is_block;
use crate::formats::bedrock::blocks_out;
use crate::formats::lists::{Containers, Records, Turn};
use crate::formats::style::Style;
use crate::json::{Object, Raw, array, quote};

/// What of the writer is this format's own.
#[derive(Debug, Default)]
pub(super) struct Messages;

impl Records for Messages {
    const FORMAT: Format = Format::Bedrock;
    const CONTAINERS: &'static Containers = &CONTAINERS;
    const MODEL: &'static str = "assistant";
    const OTHER: Option<&'static str> = None;
    const FOREIGN: &'static str =
        "part(s) of another format have no place in a message and were left out";

    fn fit(_: bool) -> Fit {
        Fit::Unique
    }

    fn call(&mut self, call: &ToolCall, id: &str, style: Style) -> (String, Option<&'static str>) {
        blocks_out::call(call, id, style)
    }

    fn result(&mut self, result: &ToolResult, id: &str, style: Style) -> String {
        blocks_out::result(result, id, style)
    }

    fn part(part: &Part, style: Style) -> Option<String> {
        blocks_out::block(part, style)
    }

    /// It has a kind, and is none that we know but could not read.
    fn is_sent(json: &str) -> bool {
        let known = ["text", "toolUse", "toolResult"];
        Raw::parse(json)
            .is_some_and(|raw| is_block(raw) && known.iter().all(|kind| raw.find(kind).is_none()))
    }

    fn own_system(&mut self, _: &Message, _: &[String]) {}

    fn system(self, parts: Option<Vec<String>>, is_exact: bool) -> Option<String> {
        let parts = parts.filter(|parts| is_exact || !parts.is_empty());
        parts.map(array)
    }

    fn add_fields(turn: &mut Turn, message: &Message) {
        turn.extra = extra(message);
        // Only what was read had content that was no list.
        if turn.from.is_none() {
            turn.extra.retain(|(name, _)| name != CONTENT);
        }
    }

    fn record(turn: &Turn) -> String {
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
        object.finish()
    }
}

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
