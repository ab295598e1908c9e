//! Records that name their parents: the path of them that is shown.

use std::collections::{BTreeMap, BTreeSet};

use crate::transcript::Warning;

/// A record of a tree.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) line: u64,
    pub(crate) id: Option<String>,
    pub(crate) parent: Option<String>,
}

/// A path from a root to an end, and what was found on the way.
#[derive(Debug, Default)]
pub(crate) struct Path {
    /// The places of its nodes, from the root on.
    pub(crate) places: Vec<usize>,
    pub(crate) warnings: Vec<Warning>,
}

/// The path to the node at `end`. Where a parent is missing the node before it in the file stands
/// in for it, since its line may be the one that was lost; a circle is cut. Of nodes with one id
/// the last one in front of its child counts, else the first.
pub(crate) fn path_to(nodes: &[Node], end: usize) -> Path {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, node) in nodes.iter().enumerate() {
        if let Some(id) = &node.id {
            places.entry(id).or_default().push(at);
        }
    }
    let mut path = Path::default();
    let mut seen = BTreeSet::new();
    let mut next = Some(end);
    while let Some((at, node)) = next.and_then(|at| Some((at, nodes.get(at)?))) {
        if !seen.insert(at) {
            let what = "the records form a cycle: cut here";
            path.warnings.push(Warning::line(node.line, what));
            break;
        }
        path.places.push(at);
        let Some(parent) = node.parent.as_deref() else {
            break;
        };
        next = places.get(parent).and_then(|named| {
            let before = named.partition_point(|place| *place < at);
            let last = before.checked_sub(1).and_then(|at| named.get(at));
            last.or_else(|| named.first()).copied()
        });
        if next.is_none() {
            let before = nodes.get(..at).unwrap_or_default();
            next = before.iter().rposition(|node| node.id.is_some());
            let what = match next {
                Some(_) => "missing parent: joined to the record before",
                None => "missing parent: the conversation begins here",
            };
            path.warnings.push(Warning::line(node.line, what));
        }
    }
    path.places.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(links: &[(&str, Option<&str>)]) -> Vec<Node> {
        let node = |(id, parent): &(&str, Option<&str>)| Node {
            line: 1,
            id: Some((*id).into()),
            parent: parent.map(Into::into),
        };
        links.iter().map(node).collect()
    }

    #[test]
    fn a_path_goes_up_by_parents_and_ends_where_they_do() {
        let tree = nodes(&[("a", None), ("b", Some("a")), ("c", Some("a"))]);
        assert_eq!(path_to(&tree, 2).places, [0, 2]);
        assert!(path_to(&tree, 2).warnings.is_empty());
        assert!(path_to(&[], 0).places.is_empty());
    }

    #[test]
    fn circles_and_missing_parents_are_told() {
        let circle = nodes(&[("a", Some("b")), ("b", Some("a"))]);
        let path = path_to(&circle, 1);
        assert_eq!((path.places, path.warnings.len()), (vec![0, 1], 1));
        let itself = nodes(&[("a", Some("a"))]);
        assert_eq!(path_to(&itself, 0).places, [0]);
        let orphan = nodes(&[("b", Some("a"))]);
        assert_eq!(path_to(&orphan, 0).warnings.len(), 1);
        let gap = nodes(&[("a", None), ("c", Some("b"))]);
        assert_eq!(path_to(&gap, 1).places, [0, 1]);
    }

    #[test]
    fn an_id_that_is_there_again_means_the_one_before() {
        let tree = nodes(&[("a", None), ("a", None), ("b", Some("a")), ("a", None)]);
        assert_eq!(path_to(&tree, 2).places, [1, 2]);
    }
}
