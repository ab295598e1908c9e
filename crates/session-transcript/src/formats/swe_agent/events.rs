//! From the history to events, or from the steps where there is no history.

use session_log::{Message, Origin, Part, Role, ToolResult};

use crate::format::Format;
use crate::formats::anthropic::blocks_in;
use crate::formats::bodies::Dialect as _;
use crate::formats::log::{Log, Spot};
use crate::formats::openai_chat;
use crate::formats::parts::fields_but;
use crate::json::{Members, Raw};
use crate::read::Context;
use crate::source::Placed;
use crate::transcript::{Conversation, Warning};

/// Fields that an agent keeps beside the message the model reads.
const OWN: [&str; 3] = ["tool_call_ids", "thinking_blocks", "cache_control"];

/// The conversation of a trajectory.
pub(super) fn conversation(value: &Placed<'_>, context: &mut Context<'_>) -> Conversation {
    let about = value.raw.members().unwrap_or_default();
    let list = |name: &str| {
        let items = about.peek(name).and_then(Raw::items).unwrap_or_default();
        let items = items.into_iter().map(|raw| value.inner(raw));
        items.collect::<Vec<_>>()
    };
    of_lists(&list("history"), &list("trajectory"), &about, context)
}

/// The conversation of a history and of steps; `about` is the trajectory they stand in.
pub(super) fn of_lists(
    history: &[Placed<'_>],
    steps: &[Placed<'_>],
    about: &Members<'_>,
    context: &mut Context<'_>,
) -> Conversation {
    let line = history
        .first()
        .or(steps.first())
        .map_or(1, |first| first.line);
    let texts = history.iter().chain(steps).map(|value| value.raw.text());
    let mut log = Log::new(Format::SweAgent, None, texts, context);
    let mut fold = Fold {
        has_task: false,
        demonstrations: 0,
    };
    for (at, value) in history.iter().enumerate() {
        fold.message(&mut log, at, value, context);
    }
    if history.is_empty() {
        let what = "there is no history: it is put together from the steps";
        context.report.warn(Warning::line(line, what));
        for (at, value) in steps.iter().enumerate() {
            step(&mut log, at, value, context);
        }
    } else if !steps.is_empty() {
        let what = format!(
            "{} step(s) repeat the history and are left out",
            steps.len()
        );
        context.report.warn(Warning::line(line, what));
    }
    if fold.demonstrations > 0 {
        let what = format!("{} message(s) are a demonstration", fold.demonstrations);
        context.report.warn(Warning::line(line, what));
    }
    log.into_conversation(fields_but(about, &["history", "trajectory"]), context)
}

struct Fold {
    /// The task was given: what comes in the person's name from now on is what was observed.
    has_task: bool,
    demonstrations: usize,
}

impl Fold {
    fn message(&mut self, log: &mut Log, at: usize, value: &Placed<'_>, context: &mut Context<'_>) {
        let members = value.raw.members().unwrap_or_default();
        let Some(message) = message(&members) else {
            context.skip(value.line, value.bytes.clone(), "a message without a role");
            return;
        };
        let is_demo = members.peek("is_demo").and_then(Raw::as_bool) == Some(true);
        let is_user = message.role == Role::User;
        let origin = match is_demo || (is_user && self.has_task) {
            true => Origin::Injected,
            false => Origin::Real,
        };
        self.demonstrations += usize::from(is_demo);
        self.has_task |= is_user && !is_demo;
        log.message(&Spot::of(value, at), message, origin);
    }
}

/// The message of a record: that of OpenAI chat, with reasoning and results where this agent has
/// them.
fn message(members: &Members<'_>) -> Option<Message> {
    let mut plain = members.clone();
    for name in OWN {
        plain.take(name);
    }
    let mut message = openai_chat::Codec.read(plain)?.pop()?.message;
    let ids = members.peek("tool_call_ids").and_then(Raw::items);
    let ids = ids.unwrap_or_default();
    let id = ids.first().and_then(|id| id.as_str());
    match id {
        Some(id) if message.role == Role::User => {
            let parts = std::mem::take(&mut message.parts);
            let mut result = ToolResult::new(id, parts);
            result.shape = message.shape;
            message.role = Role::Tool;
            message.parts = vec![Part::ToolResult(result)];
        }
        Some(id) => {
            for part in &mut message.parts {
                if let Part::ToolResult(result) = part {
                    result.call_id = id.clone().into_owned();
                }
            }
        }
        None => {}
    }
    let (mut parts, _) = blocks_in::content(members.peek("thinking_blocks"));
    parts.append(&mut message.parts);
    message.parts = parts;
    Some(message)
}

/// What was said in a step, and what was observed.
fn step(log: &mut Log, at: usize, value: &Placed<'_>, context: &mut Context<'_>) {
    let members = value.raw.members().unwrap_or_default();
    let said = ["response", "thought", "action"];
    let said = said.iter().find_map(|name| members.peek_str(name));
    let Some(said) = said else {
        context.skip(value.line, value.bytes.clone(), "a step without a response");
        return;
    };
    let mut message = Message::assistant(said);
    message.extra = fields_but(&members, &["response", "observation", "query"]);
    let spot = Spot::of(value, at);
    log.message(&spot, message, Origin::Real);
    if let Some(seen) = members.peek_str("observation") {
        log.message(&spot.with("/1"), Message::user(seen), Origin::Injected);
    }
}
