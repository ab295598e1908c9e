//! Which entries the model reads: the path from the last one to the root, or all of them in files
//! of the first version, which are no tree.

use std::collections::BTreeSet;

use crate::formats::tree::{self, Node};
use crate::read::Context;
use crate::source::Placed;
use crate::transcript::Warning;

/// The places of the entries that are shown, in their order. Entries without an id are shown where
/// they stand.
pub(super) fn shown(entries: &[Placed<'_>], context: &mut Context<'_>) -> Vec<usize> {
    let nodes: Vec<Node> = entries.iter().map(node).collect();
    let Some(end) = nodes.iter().rposition(|node| node.id.is_some()) else {
        return (0..entries.len()).collect();
    };
    let path = tree::path_to(&nodes, end);
    for warning in path.warnings {
        context.report.warn(warning);
    }
    let live: BTreeSet<usize> = path.places.iter().copied().collect();
    let left = |at: &usize| !live.contains(at) && nodes.get(*at).is_some_and(|n| n.id.is_some());
    let count = (0..nodes.len()).filter(left).count();
    if count > 0 {
        let what = format!("{count} entries of given-up branches are kept beside the conversation");
        context.report.warn(Warning::file(what));
    }
    let is_loose = |at: &usize| nodes.get(*at).is_some_and(|node| node.id.is_none());
    let mut loose = (0..nodes.len()).filter(is_loose).peekable();
    let mut shown = Vec::with_capacity(path.places.len());
    for at in path.places {
        while let Some(before) = loose.next_if(|loose| *loose < at) {
            shown.push(before);
        }
        shown.push(at);
    }
    shown.extend(loose);
    shown
}

/// The head has an id of its own, which is no place in the tree.
fn node(entry: &Placed<'_>) -> Node {
    let members = entry.raw.members().unwrap_or_default();
    let is_head = members.peek_str("type").as_deref() == Some("session");
    let text = |name: &str| {
        let text = members.peek_str(name).filter(|_| !is_head)?;
        Some(text.into_owned())
    };
    Node {
        line: entry.line,
        id: text("id"),
        parent: text("parentId"),
    }
}
