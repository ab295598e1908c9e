//! Which messages are shown: the path to the current leaf, or all where no message names a parent.

use std::collections::BTreeSet;

use crate::formats::tree::{self, Node};
use crate::json::Members;
use crate::read::Context;
use crate::source::Placed;
use crate::transcript::Warning;

/// What stands for no parent.
const ROOT: &str = "00000000-0000-4000-8000-000000000000";

/// A message.
pub(super) struct Spoken<'a> {
    pub(super) value: Placed<'a>,
    pub(super) members: Members<'a>,
    pub(super) uuid: Option<String>,
}

/// The messages in the order of the file; others are reported.
pub(super) fn messages<'a>(list: Vec<Placed<'a>>, context: &mut Context<'_>) -> Vec<Spoken<'a>> {
    let mut messages = Vec::new();
    for value in list {
        let members = value.raw.members().filter(|members| members.has("sender"));
        let Some(members) = members else {
            context.skip(value.line, value.bytes, "a message without a sender");
            continue;
        };
        messages.push(Spoken {
            uuid: members.peek_str("uuid").map(Into::into),
            value,
            members,
        });
    }
    messages
}

/// The places of the messages that are shown, from the first on.
pub(super) fn shown(
    messages: &[Spoken<'_>],
    leaf: Option<&str>,
    line: u64,
    context: &mut Context<'_>,
) -> Vec<usize> {
    let has_parents = messages
        .iter()
        .any(|message| message.members.has("parent_message_uuid"));
    if !has_parents {
        return (0..messages.len()).collect();
    }
    let nodes: Vec<Node> = messages.iter().map(node).collect();
    let named = leaf.and_then(|leaf| {
        let mut places = nodes.iter();
        places.rposition(|node| node.id.as_deref() == Some(leaf))
    });
    if named.is_none() && leaf.is_some() {
        let what = "the current leaf is not there: the branch with the last message is taken";
        context.report.warn(Warning::line(line, what));
    }
    let end = named.or_else(|| messages.len().checked_sub(1));
    let path = end.map(|end| tree::path_to(&nodes, end));
    let path = path.unwrap_or_default();
    for warning in path.warnings {
        context.report.warn(warning);
    }
    let live: BTreeSet<&usize> = path.places.iter().collect();
    let left = messages.len() - live.len();
    if left > 0 {
        let what =
            format!("{left} message(s) of given-up branches are kept beside the conversation");
        context.report.warn(Warning::line(line, what));
    }
    path.places
}

fn node(message: &Spoken<'_>) -> Node {
    let parent = message.members.peek_str("parent_message_uuid");
    Node {
        line: message.value.line,
        id: message.uuid.clone(),
        parent: parent
            .filter(|parent| *parent != ROOT)
            .map(|parent| parent.into_owned()),
    }
}
