//! From `from` and `value` to events.

use std::collections::VecDeque;

use session_log::{Arguments, Fields, Message, NewEvent, Origin, Part, Role, ToolCall, ToolResult};

use crate::envelope::Envelope;
use crate::format::Format;
use crate::ids::{digest, event_id};
use crate::json::Raw;
use crate::marks;
use crate::note::{Note, Place};
use crate::read::Context;
use crate::source::Record;
use crate::transcript::{Conversation, Warning};

/// The member with the messages.
pub(super) const LIST: &str = "conversations";

/// The names of speakers that are written where nothing else is known.
const CANONICAL: [&str; 5] = ["human", "gpt", "function_call", "observation", "system"];

/// The text that calls were read from.
pub(super) const VALUE: &str = "@value";

/// The names and arguments in a text that holds a call or a list of them.
pub(super) fn named(value: &str) -> Option<Vec<(String, Arguments)>> {
    let raw = Raw::parse(value)?;
    let call = |call: Raw<'_>| {
        let arguments = match call.member("arguments") {
            Some(raw) => match raw.as_str() {
                Some(text) => Arguments::Text(text.into_owned()),
                None => Arguments::Value(raw.to_json()),
            },
            None => Arguments::Text(String::new()),
        };
        Some((call.member_str("name")?.into_owned(), arguments))
    };
    let calls = raw.items().unwrap_or_else(|| vec![raw]);
    calls.into_iter().map(call).collect()
}

/// The conversation in a value. The answer that was chosen is its end; one that was rejected stays
/// in the envelope.
pub(super) fn conversation(
    record: &Record<'_>,
    raw: Raw<'_>,
    context: &mut Context<'_>,
) -> Conversation {
    let mut about = raw.members().unwrap_or_default();
    let id = about.peek_str("id").map_or_else(
        || format!("{}-{}", Format::ShareGpt, digest([raw.text()])),
        Into::into,
    );
    let mut fold = Fold {
        record,
        id: context.names.name(&id),
        number: 0,
        calls: 0,
        open: VecDeque::new(),
        events: Vec::new(),
    };
    if let Some(system) = about.peek("system")
        && let Some(text) = system.as_str().filter(|text| !text.is_empty())
    {
        fold.push(system, Place::System, Message::system(text), context);
        about.take("system");
    }
    let list = about.take(LIST).and_then(Raw::items).unwrap_or_default();
    for item in list {
        fold.item(item, Place::Messages, context);
    }
    if let Some(chosen) = about
        .peek("chosen")
        .filter(|raw| raw.find("value").is_some())
    {
        fold.item(chosen, Place::Reply, context);
        about.take("chosen");
    }
    let Fold { id, events, .. } = fold;
    let tools = about.peek("tools").map(|tools| {
        let text = tools.as_str();
        let inner = text.as_deref().and_then(Raw::parse).map(Raw::to_json);
        inner.unwrap_or_else(|| tools.to_json())
    });
    let mut envelope = Envelope::new(Format::ShareGpt);
    envelope.fields = about.into_fields();
    Conversation {
        id,
        title: None,
        model: None,
        parent: None,
        tools,
        envelope,
        events,
    }
}

struct Fold<'r, 'a> {
    record: &'r Record<'a>,
    id: String,
    number: u64,
    calls: u64,
    /// Calls without a result, the first one first.
    open: VecDeque<String>,
    events: Vec<NewEvent>,
}

impl Fold<'_, '_> {
    fn item(&mut self, raw: Raw<'_>, place: Place, context: &mut Context<'_>) {
        let (line, bytes) = self.record.place_of(raw);
        let members = raw.members().unwrap_or_default();
        let (Some(from), Some(value)) = (members.peek_str("from"), members.peek_str("value"))
        else {
            self.number += 1;
            context.skip(line, bytes, "a message without from and value");
            return;
        };
        let mut marked = Fields::new();
        if !CANONICAL.contains(&&*from) {
            marks::set(&mut marked, marks::ROLE, &from);
        }
        let mut message = match &*from {
            "function_call" | "tool_call" => match self.calls(&value) {
                Some(calls) => {
                    marks::set(&mut marked, VALUE, &value);
                    Message::new(Role::Assistant, calls)
                }
                None => {
                    let what = "a call that is no JSON with a name is read as text";
                    context.report.warn(Warning::line(line, what));
                    marks::set(&mut marked, marks::ROLE, &from);
                    Message::assistant(&*value)
                }
            },
            "observation" | "tool" | "function_response" | "tool_response" => {
                let call_id = self.open.pop_front().unwrap_or_default();
                let result = ToolResult::text(call_id, &*value);
                Message::new(Role::Tool, vec![Part::ToolResult(result)])
            }
            "human" | "user" => Message::user(&*value),
            "gpt" | "assistant" | "chatgpt" | "bing" | "bard" | "model" => {
                Message::assistant(&*value)
            }
            other => Message::new(Role::from_name(other), vec![Part::text(&*value)]),
        };
        message.extra = members
            .iter()
            .filter(|(name, _)| !matches!(*name, "from" | "value"))
            .map(|(name, raw)| (name.to_owned(), raw.to_json()))
            .collect();
        message.extra.append(&mut marked);
        self.push(raw, place, message, context);
    }

    /// One call or a list of them; they get numbers as ids, since nothing joins them to results.
    fn calls(&mut self, value: &str) -> Option<Vec<Part>> {
        let calls = named(value)?.into_iter().map(|(name, arguments)| {
            self.calls += 1;
            let id = format!("call_{}", self.calls);
            self.open.push_back(id.clone());
            let mut call = ToolCall::new(id, name, "");
            call.arguments = arguments;
            Part::ToolCall(call)
        });
        Some(calls.collect())
    }

    fn push(&mut self, raw: Raw<'_>, place: Place, message: Message, context: &Context<'_>) {
        self.number += 1;
        let Some(id) = event_id(&self.id, &format!("{:05}", self.number)) else {
            return;
        };
        let (line, bytes) = self.record.place_of(raw);
        let note = Note::new(Format::ShareGpt, line, bytes, self.number).at(place);
        let event = NewEvent::message(id, context.options.default_time, message);
        self.events.push(note.on(event.with_origin(Origin::Real)));
    }
}
