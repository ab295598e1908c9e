//! From steps to events. Steps that are copied after a compaction are there already: they are a
//! boundary, and what is new among them is its summary.

use std::collections::BTreeMap;

use session_log::{Branch, Message, Origin, Role, Seq};

use crate::format::Format;
use crate::formats::atif::step;
use crate::formats::log::{Compaction, Log, Spot};
use crate::formats::parts::fields_but;
use crate::json::{Members, Raw};
use crate::marks;
use crate::read::Context;
use crate::source::Placed;
use crate::transcript::Conversation;

/// The conversation of a trajectory.
pub(super) fn conversation(
    value: &Placed<'_>,
    parent: Option<&str>,
    context: &mut Context<'_>,
) -> Conversation {
    let about = value.raw.members().unwrap_or_default();
    let steps = about.peek("steps").and_then(Raw::items).unwrap_or_default();
    let steps: Vec<Placed<'_>> = steps.into_iter().map(|raw| value.inner(raw)).collect();
    let mut conversation = of_steps(&steps, &about, context);
    conversation.parent = parent.map(Into::into);
    conversation
}

/// The conversation of steps; `about` is the trajectory they stand in.
pub(super) fn of_steps(
    steps: &[Placed<'_>],
    about: &Members<'_>,
    context: &mut Context<'_>,
) -> Conversation {
    let id = ["trajectory_id", "session_id"]
        .iter()
        .find_map(|name| about.peek_str(name));
    let texts = steps.iter().map(|step| step.raw.text());
    let mut fold = Fold {
        log: Log::new(Format::Atif, id.as_deref(), texts, context),
        known: BTreeMap::new(),
        copied: Vec::new(),
    };
    for (at, value) in steps.iter().enumerate() {
        let members = value.raw.members().unwrap_or_default();
        if step::read(&members).is_none() {
            context.skip(value.line, value.bytes.clone(), "a step without a source");
            continue;
        }
        let spot = Spot::of(value, at).at(members.peek("timestamp"));
        fold.step(&spot, value.raw, &members);
    }
    fold.end_of_copies();
    let agent = about.peek("agent").and_then(Raw::members);
    let agent = agent.unwrap_or_default();
    let tools = agent.peek("tool_definitions").filter(|raw| !raw.is_null());
    let model = agent.peek_str("model_name").map(Into::into);
    let mut conversation = fold
        .log
        .into_conversation(fields_but(about, &["steps"]), context);
    conversation.tools = tools.map(Raw::to_json);
    conversation.model = model;
    conversation
}

/// A step that is copied from before a compaction.
struct Copied<'a> {
    spot: Spot<'a>,
    /// The messages it was, if it was there.
    known: Option<Vec<Seq>>,
    messages: Vec<Message>,
}

struct Fold<'a> {
    log: Log,
    /// The messages of steps, by what they say.
    known: BTreeMap<String, Vec<Seq>>,
    copied: Vec<Copied<'a>>,
}

impl<'a> Fold<'a> {
    fn step(&mut self, spot: &Spot<'a>, raw: Raw<'a>, members: &Members<'a>) {
        let Some(step) = step::read(members) else {
            return;
        };
        let key = key(members);
        let is_copied = members.peek("is_copied_context").and_then(Raw::as_bool) == Some(true);
        let mut messages = vec![step.message];
        messages.extend(step.observed);
        if is_copied && (!self.known.is_empty() || !self.copied.is_empty()) {
            self.log.aside(spot, raw);
            self.copied.push(Copied {
                spot: spot.clone(),
                known: self.known.get(&key).cloned(),
                messages,
            });
            return;
        }
        self.end_of_copies();
        let mut spot = spot.clone();
        spot.branch = branch(members);
        let mut seqs = Vec::new();
        for (number, message) in messages.into_iter().enumerate() {
            let is_observed = message.role == Role::User
                && marks::is(&message.extra, marks::FIELD, step::OBSERVATION);
            let origin = match is_observed {
                true => Origin::Injected,
                false => Origin::Real,
            };
            let name = match number {
                0 => spot.clone(),
                number => spot.with(&format!("/{number}")),
            };
            seqs.extend(self.log.message(&name, message, origin));
        }
        self.known.insert(key, seqs);
    }

    /// The view is what was copied: what is known of it comes from the log.
    fn end_of_copies(&mut self) {
        let copied = std::mem::take(&mut self.copied);
        let Some(first) = copied.first() else {
            return;
        };
        let spot = first.spot.with("/boundary");
        let mut compaction = Compaction::default();
        for copy in copied {
            match copy.known {
                Some(seqs) if compaction.summary.is_empty() => compaction.pinned.extend(seqs),
                Some(seqs) => compaction.kept.extend(seqs),
                None => compaction.summary.extend(copy.messages),
            }
        }
        let beside = session_log::Json::string("is_copied_context");
        self.log.compaction(&spot, compaction, beside);
    }
}

/// What a step says, to find it again.
fn key(members: &Members<'_>) -> String {
    let names = ["source", "message", "tool_calls"];
    let texts = names.map(|name| members.peek(name).map_or("", Raw::text));
    texts.join("\n")
}

/// The sub-agent that made a step, where a converter put its steps between those of its parent.
fn branch(members: &Members<'_>) -> Option<Branch> {
    let extra = members.peek("extra")?;
    if extra.member("is_sidechain").and_then(Raw::as_bool) != Some(true) {
        return None;
    }
    let agent = extra.member_str("agent_id");
    let agent = agent.as_deref().unwrap_or("side").replace('.', "_");
    Branch::new(format!("agent_{agent}")).ok()
}
