//! The nodes of a conversation, and the path of them that is shown.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use session_log::Timestamp;

use crate::json::{Kind, Members, Raw};
use crate::read::Context;
use crate::source::Record;
use crate::time;
use crate::transcript::Warning;

/// A node of the tree.
pub(super) struct Node<'a> {
    pub(super) id: String,
    pub(super) raw: Raw<'a>,
    pub(super) line: u64,
    pub(super) bytes: Range<u64>,
    pub(super) message: Option<Members<'a>>,
    parent: Option<String>,
}

impl Node<'_> {
    fn moment(&self) -> Option<Timestamp> {
        self.message
            .as_ref()?
            .peek("create_time")
            .and_then(time::parse)
    }
}

/// The nodes in the order of the file. Of nodes with one name the last one counts.
pub(super) fn nodes<'a>(
    record: &'a Record<'_>,
    mapping: Raw<'a>,
    context: &mut Context<'_>,
) -> Vec<Node<'a>> {
    let members = mapping.members().unwrap_or_default();
    let repeated = members.repeated();
    if repeated > 0 {
        let (line, _) = record.place_of(mapping);
        let what = format!("{repeated} node(s) are there twice: the last one counts");
        context.report.warn(Warning::line(line, what));
    }
    let last: BTreeMap<&str, Raw<'a>> = members.iter().collect();
    let mut above: BTreeMap<String, &str> = BTreeMap::new();
    let mut nodes = Vec::new();
    for (id, raw) in members.iter() {
        let (line, bytes) = record.place_of(raw);
        if last
            .get(id)
            .is_some_and(|last| last.text().as_ptr() != raw.text().as_ptr())
        {
            continue;
        }
        let Some(node) = raw.members() else {
            context.skip(line, bytes, "a node that is no object");
            continue;
        };
        let children = node.peek("children").and_then(Raw::items);
        for child in children.into_iter().flatten().filter_map(Raw::as_str) {
            above.entry(child.into_owned()).or_insert(id);
        }
        nodes.push(Node {
            id: id.into(),
            raw,
            line,
            bytes,
            message: node
                .peek("message")
                .filter(|raw| raw.kind() == Kind::Object)
                .and_then(Raw::members),
            parent: node.peek_str("parent").map(|parent| parent.into_owned()),
        });
    }
    for node in &mut nodes {
        // Some exporters only write the children.
        node.parent = node
            .parent
            .take()
            .or_else(|| above.get(&node.id).map(|id| (*id).to_owned()));
    }
    nodes
}

/// The places of the nodes that are shown, from the root to the end.
pub(super) fn live_path(
    nodes: &[Node<'_>],
    current: Option<&str>,
    line: u64,
    context: &mut Context<'_>,
) -> Vec<usize> {
    let places: BTreeMap<&str, usize> = nodes
        .iter()
        .enumerate()
        .map(|(at, node)| (node.id.as_str(), at))
        .collect();
    let named = current.and_then(|id| places.get(id).copied());
    if named.is_none() {
        let why = match current {
            Some(_) => "current_node is not in the mapping",
            None => "no current_node",
        };
        let what = format!("{why}: the branch with the newest end is taken");
        context.report.warn(Warning::line(line, what));
    }
    let mut next = named.or_else(|| newest_end(nodes));
    let mut path = Vec::new();
    let mut seen = BTreeSet::new();
    while let Some((at, node)) = next.and_then(|at| Some((at, nodes.get(at)?))) {
        if !seen.insert(at) {
            let what = "the nodes form a cycle: cut here";
            context.report.warn(Warning::line(node.line, what));
            break;
        }
        path.push(at);
        next = node
            .parent
            .as_deref()
            .and_then(|id| places.get(id).copied());
        if next.is_none() && node.parent.is_some() {
            let what = "missing parent: the conversation begins here";
            context.report.warn(Warning::line(node.line, what));
        }
    }
    path.reverse();
    path
}

/// The node without children that was written last: by its moment, then by its place.
fn newest_end(nodes: &[Node<'_>]) -> Option<usize> {
    let parents: BTreeSet<&str> = nodes
        .iter()
        .filter_map(|node| node.parent.as_deref())
        .collect();
    let ends = nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.message.is_some());
    let rank = |(at, node): &(usize, &Node<'_>)| {
        let is_end = !parents.contains(node.id.as_str());
        (is_end, node.moment(), *at)
    };
    ends.max_by_key(rank).map(|(at, _)| at)
}
