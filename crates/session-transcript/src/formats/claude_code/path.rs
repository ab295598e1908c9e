//! The tree of lines: which of them are the conversation, from the first to the last.

use std::collections::{BTreeMap, BTreeSet};

use crate::formats::claude_code::line::{Line, What};
use crate::json::Raw;

/// The lines of one conversation, by their place in the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Thread {
    /// All lines that belong to it, in file order.
    pub(super) members: Vec<usize>,
    /// A conversation of a sub-agent in the file of its parent.
    pub(super) is_side: bool,
}

/// Parts a file into its main conversation and its side conversations. A file of one sub-agent
/// alone is a main conversation.
pub(super) fn threads<'l, 'a: 'l>(
    count: usize,
    line: impl Fn(usize) -> Option<&'l Line<'a>>,
) -> Vec<Thread> {
    let lines: Vec<(usize, &Line<'a>)> =
        (0..count).filter_map(|at| Some((at, line(at)?))).collect();
    let is_side_file = !lines
        .iter()
        .any(|(_, line)| line.what.is_message() && !line.is_side)
        && lines.iter().any(|(_, line)| line.is_side);
    if is_side_file {
        let agents: BTreeSet<_> = lines
            .iter()
            .filter_map(|(_, line)| line.text("agentId"))
            .collect();
        if agents.len() <= 1 {
            let members = lines.iter().map(|(at, _)| *at).collect();
            return vec![Thread {
                members,
                is_side: false,
            }];
        }
    }
    let mut main = Thread::default();
    let mut sides: Vec<(String, Thread)> = Vec::new();
    let mut root_of: BTreeMap<&str, String> = BTreeMap::new();
    for (at, line) in lines {
        if !line.is_side {
            main.members.push(at);
            continue;
        }
        let above = line
            .parent
            .as_deref()
            .and_then(|parent| root_of.get(parent).cloned());
        let own = || line.uuid.clone().unwrap_or_default();
        let root = line.text("agentId").or(above).unwrap_or_else(own);
        if let Some(uuid) = line.uuid.as_deref() {
            root_of.insert(uuid, root.clone());
        }
        match sides.iter_mut().find(|(name, _)| *name == root) {
            Some((_, side)) => side.members.push(at),
            None => sides.push((
                root,
                Thread {
                    members: vec![at],
                    is_side: true,
                },
            )),
        }
    }
    let mut threads = Vec::new();
    if !main.members.is_empty() {
        threads.push(main);
    }
    threads.extend(sides.into_iter().map(|(_, side)| side));
    threads
}

/// The live path of a thread, and what was wrong with its links.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    /// The lines from the first to the last.
    pub(super) lines: Vec<usize>,
    /// Lines whose parent is not in the file.
    pub(super) orphans: BTreeSet<usize>,
    /// The line where the chain ran into itself.
    pub(super) cycle: Option<usize>,
    /// For each boundary, the earlier lines that stayed in view.
    pub(super) preserved: BTreeMap<usize, Vec<usize>>,
}

/// Walks from the last message up to the root.
pub(super) fn live_path(lines: &[Line<'_>], thread: &Thread) -> Path {
    let tree = Tree::of(lines, thread);
    let mut path = Path {
        orphans: tree.orphans(),
        ..Path::default()
    };
    let is_end = |at: &&usize| {
        lines
            .get(**at)
            .is_some_and(|line| line.what.is_message() && tree.is_first(**at))
    };
    let mut next = thread.members.iter().rev().find(is_end).copied();
    let mut seen = BTreeSet::new();
    while let Some(at) = next {
        if !seen.insert(at) {
            path.cycle = Some(at);
            break;
        }
        path.lines.push(at);
        next = tree.parent(at);
    }
    path.lines.reverse();
    path.preserved = tree.preserved;
    path
}

struct Tree<'l, 'a> {
    lines: &'l [Line<'a>],
    members: &'l [usize],
    by_uuid: BTreeMap<&'l str, usize>,
    preserved: BTreeMap<usize, Vec<usize>>,
    /// For a preserved line: the boundary it was kept by, and its place among the kept.
    kept: BTreeMap<usize, (usize, usize)>,
}

impl<'l, 'a> Tree<'l, 'a> {
    fn of(lines: &'l [Line<'a>], thread: &'l Thread) -> Self {
        let mut by_uuid = BTreeMap::new();
        for at in &thread.members {
            if let Some(uuid) = lines.get(*at).and_then(|line| line.uuid.as_deref()) {
                by_uuid.entry(uuid).or_insert(*at);
            }
        }
        let mut tree = Self {
            lines,
            members: &thread.members,
            by_uuid,
            preserved: BTreeMap::new(),
            kept: BTreeMap::new(),
        };
        for at in &thread.members {
            if lines
                .get(*at)
                .is_some_and(|line| line.what == What::Boundary)
            {
                let kept = tree.kept_by(*at);
                for (place, line) in kept.iter().enumerate() {
                    tree.kept.insert(*line, (*at, place));
                }
                tree.preserved.insert(*at, kept);
            }
        }
        tree
    }

    /// Whether the line is the first with its uuid; a resumed session may repeat lines.
    fn is_first(&self, at: usize) -> bool {
        let uuid = self.lines.get(at).and_then(|line| line.uuid.as_deref());
        uuid.is_some_and(|uuid| self.by_uuid.get(uuid) == Some(&at))
    }

    fn find(&self, uuid: &str) -> Option<usize> {
        self.by_uuid.get(uuid).copied()
    }

    /// The lines a boundary says stay in view, oldest first.
    fn kept_by(&self, boundary: usize) -> Vec<usize> {
        let metadata = self
            .lines
            .get(boundary)
            .and_then(|line| line.members.peek("compactMetadata"));
        let Some(metadata) = metadata else {
            return Vec::new();
        };
        let listed = metadata
            .member("preservedMessages")
            .and_then(|kept| kept.member("uuids"))
            .and_then(Raw::items);
        if let Some(uuids) = listed {
            return uuids
                .into_iter()
                .filter_map(|uuid| self.find(&uuid.as_str()?))
                .collect();
        }
        let Some(segment) = metadata.member("preservedSegment") else {
            return Vec::new();
        };
        let end = |name: &str| segment.member_str(name).and_then(|uuid| self.find(&uuid));
        let (Some(head), Some(tail)) = (end("headUuid"), end("tailUuid")) else {
            return Vec::new();
        };
        let mut kept = vec![tail];
        while let Some(last) = kept.last().copied().filter(|last| *last != head) {
            let parent = self
                .lines
                .get(last)
                .and_then(|line| self.find(line.parent.as_deref()?));
            match parent.filter(|parent| !kept.contains(parent)) {
                Some(parent) => kept.push(parent),
                None => return Vec::new(),
            }
        }
        kept.reverse();
        kept
    }

    fn anchor(&self, boundary: usize) -> Option<usize> {
        let metadata = self.lines.get(boundary)?.members.peek("compactMetadata")?;
        let names = ["preservedSegment", "preservedMessages"];
        names
            .iter()
            .find_map(|name| self.find(&metadata.member(name)?.member_str("anchorUuid")?))
    }

    fn parent(&self, at: usize) -> Option<usize> {
        let line = self.lines.get(at)?;
        if let Some((boundary, place)) = self.kept.get(&at) {
            if let Some(before) = place.checked_sub(1) {
                return self.preserved.get(boundary)?.get(before).copied();
            }
            let own = line.parent.as_deref().and_then(|parent| self.find(parent));
            return match own.filter(|own| Some(*own) != self.anchor(*boundary)) {
                Some(own) => Some(own),
                None => self.nearest_before((*boundary).min(at), Some(*boundary)),
            };
        }
        match line.parent.as_deref() {
            Some(parent) => match self.find(parent) {
                // What follows the kept lines follows the summary they were hung under.
                Some(parent) => match self.kept.get(&parent) {
                    Some((boundary, _)) if *boundary < at && line.what != What::Boundary => {
                        Some(self.anchor(*boundary).unwrap_or(*boundary))
                    }
                    _ => Some(parent),
                },
                None => self.nearest_before(at, None),
            },
            None if line.what == What::Boundary => self.nearest_before(at, None),
            None => None,
        }
    }

    /// The nearest earlier line of the conversation, but none that `boundary` kept.
    fn nearest_before(&self, at: usize, boundary: Option<usize>) -> Option<usize> {
        let end = self.members.partition_point(|member| *member < at);
        let is_link = |member: &&usize| {
            let is_kept = self
                .kept
                .get(member)
                .is_some_and(|(by, _)| Some(*by) == boundary);
            let line = self.lines.get(**member);
            !is_kept && self.is_first(**member) && line.is_some_and(|line| line.what != What::Other)
        };
        self.members.get(..end)?.iter().rev().find(is_link).copied()
    }

    fn orphans(&self) -> BTreeSet<usize> {
        let is_orphan = |at: &&usize| {
            let parent = self.lines.get(**at).and_then(|line| line.parent.as_deref());
            parent.is_some_and(|parent| self.find(parent).is_none())
        };
        self.members.iter().filter(is_orphan).copied().collect()
    }
}
