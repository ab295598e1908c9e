//! ATIF trajectories: steps of a system, a user or an agent, each with the calls it makes and what
//! was observed.

mod events;
mod step;
mod steps_out;
mod write;

use crate::error::WriteError;
use crate::format::Format;
use crate::formats::{self, Head};
use crate::json::{Kind, Members, Raw};
use crate::read::{Context, SideConversations};
use crate::source::{Placed, Scan};
use crate::transcript::Conversation;
use crate::write::{Draft, Written};

/// The codec.
#[derive(Debug)]
pub(crate) struct Codec;

impl formats::Codec for Codec {
    fn format(&self) -> Format {
        Format::Atif
    }

    fn recognise(&self, head: &Head<'_>) -> Option<String> {
        let first = *head.values.first()?;
        (is_trajectory(first) || is_step(first)).then(|| "steps of a trajectory".into())
    }

    fn read(&self, scan: &Scan<'_>, context: &mut Context<'_>) -> Vec<Conversation> {
        let (found, strangers): (Vec<_>, Vec<_>) = Placed::all(scan)
            .into_iter()
            .partition(|value| is_trajectory(value.raw));
        let (loose, strangers): (Vec<_>, Vec<_>) = strangers
            .into_iter()
            .partition(|value| found.is_empty() && is_step(value.raw));
        if found.is_empty() && loose.is_empty() {
            return Vec::new();
        }
        context.skip_all(strangers, "no trajectory");
        if !loose.is_empty() {
            // What is left of a trajectory that is broken.
            return vec![events::of_steps(&loose, &Members::default(), context)];
        }
        let mut conversations = Vec::new();
        for value in &found {
            let conversation = events::conversation(value, None, context);
            let parent = conversation.id.clone();
            conversations.push(conversation);
            if context.options.side == SideConversations::LeaveOut {
                continue;
            }
            for side in sides(value) {
                conversations.push(events::conversation(&side, Some(&parent), context));
            }
        }
        conversations
    }

    fn write(&self, draft: &Draft<'_>) -> Result<Written, WriteError> {
        Ok(write::write(draft))
    }
}

/// The trajectories of sub-agents that stand in the one of their parent.
fn sides<'a>(value: &Placed<'a>) -> Vec<Placed<'a>> {
    let side = value.raw.member("subagent_trajectories");
    let sides = match side {
        Some(raw) if raw.kind() == Kind::Array => raw.items().unwrap_or_default(),
        Some(raw) => raw
            .members()
            .map(|members| members.iter().map(|(_, raw)| raw).collect())
            .unwrap_or_default(),
        None => Vec::new(),
    };
    let sides = sides.into_iter().filter(|raw| is_trajectory(*raw));
    sides.map(|raw| value.inner(raw)).collect()
}

fn is_step(raw: Raw<'_>) -> bool {
    raw.find("step_id").is_some() && raw.find("source").is_some()
}

fn is_trajectory(raw: Raw<'_>) -> bool {
    let Some(steps) = raw.find("steps").and_then(|steps| steps.first_items(1)) else {
        return false;
    };
    let version = raw.find_str("schema_version");
    version.is_some_and(|version| version.starts_with("ATIF-"))
        || (raw.find("agent").is_some() && steps.into_iter().any(is_step))
}
