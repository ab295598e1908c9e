//! The tree of lines: which of them are the conversation, from the first to the last.

use std::collections::{BTreeMap, BTreeSet};

use crate::formats::claude_code::boundary;
use crate::formats::claude_code::line::{Line, What};
use crate::formats::claude_code::threads::Thread;
use crate::json::Raw;

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
///
/// Lines that only programs wrote, such as the output of a local command, do not make a branch
/// the live one.
pub(super) fn live_path(lines: &[Line<'_>], thread: &Thread) -> Path {
    let tree = Tree::of(lines, thread);
    let is_end = |at: &&usize| {
        tree.line(**at).is_some_and(|line| line.what.is_message()) && tree.is_first(**at)
    };
    let says_something = |at: &&usize| {
        tree.line(**at)
            .is_some_and(|line| line.what != What::User || !line.is_injected())
    };
    let last = thread.members.iter().rev().find(is_end).copied();
    let last_said = thread
        .members
        .iter()
        .rev()
        .filter(is_end)
        .find(says_something)
        .copied();
    let (mut path, mut cycle) = tree.walk(last);
    if let Some(said) = last_said.filter(|said| !path.contains(said)) {
        (path, cycle) = tree.walk(Some(said));
    }
    Path {
        lines: path,
        orphans: tree.orphans(),
        cycle,
        preserved: tree.preserved,
    }
}

struct Tree<'l, 'a> {
    lines: &'l [Line<'a>],
    members: &'l [usize],
    by_uuid: BTreeMap<&'l str, usize>,
    preserved: BTreeMap<usize, Vec<usize>>,
    /// For a preserved line: the boundary it was kept by, and its place among the kept.
    kept: BTreeMap<usize, (usize, usize)>,
    /// No line of the thread names another one as its parent.
    is_unlinked: bool,
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
            is_unlinked: false,
        };
        let is_link = |at: &usize| {
            let parent = lines.get(*at).and_then(|line| line.parent.as_deref());
            parent.is_some_and(|parent| tree.by_uuid.contains_key(parent))
        };
        tree.is_unlinked = !thread.members.iter().any(is_link);
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

    fn line(&self, at: usize) -> Option<&'l Line<'a>> {
        self.lines.get(at)
    }

    /// The lines from the root to `last`, and where they form a cycle.
    fn walk(&self, last: Option<usize>) -> (Vec<usize>, Option<usize>) {
        let mut walked = Vec::new();
        let mut seen = BTreeSet::new();
        let mut next = last;
        let mut cycle = None;
        while let Some(at) = next {
            if !seen.insert(at) {
                cycle = Some(at);
                break;
            }
            walked.push(at);
            next = self.parent(at, &seen);
        }
        walked.reverse();
        (walked, cycle)
    }

    /// Whether the line is the first with its uuid; a resumed session may repeat lines.
    fn is_first(&self, at: usize) -> bool {
        let Some(line) = self.lines.get(at) else {
            return false;
        };
        match line.uuid.as_deref() {
            Some(uuid) => self.by_uuid.get(uuid) == Some(&at),
            None => line.what.is_message(),
        }
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
        let mut seen = BTreeSet::from([tail]);
        while let Some(last) = kept.last().copied().filter(|last| *last != head) {
            let parent = self
                .lines
                .get(last)
                .and_then(|line| self.find(line.parent.as_deref()?));
            match parent.filter(|parent| seen.insert(*parent)) {
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

    fn parent(&self, at: usize, seen: &BTreeSet<usize>) -> Option<usize> {
        let line = self.lines.get(at)?;
        if let Some((boundary, place)) = self.kept.get(&at) {
            if let Some(before) = place.checked_sub(1) {
                return self.preserved.get(boundary)?.get(before).copied();
            }
            let own = line.parent.as_deref().and_then(|parent| self.find(parent));
            return match own.filter(|own| Some(*own) != self.anchor(*boundary)) {
                Some(own) => Some(own),
                None => self.nearest_before((*boundary).min(at), Some(*boundary), seen),
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
                None => self.nearest_before(at, None, seen),
            },
            None if self.is_rootless(line) || line.uuid.is_none() => {
                self.nearest_before(at, None, seen)
            }
            None => None,
        }
    }

    /// Whether a line without a parent is no root all the same: what it says needs something
    /// before it, or no line of the file is linked to another.
    fn is_rootless(&self, line: &Line<'_>) -> bool {
        match line.what {
            What::User | What::Queued => self.is_unlinked || boundary::is_summary(line),
            _ => true,
        }
    }

    /// The nearest earlier line of the conversation, but none that `boundary` kept or that was
    /// `seen` on the way.
    fn nearest_before(
        &self,
        at: usize,
        boundary: Option<usize>,
        seen: &BTreeSet<usize>,
    ) -> Option<usize> {
        let end = self.members.partition_point(|member| *member < at);
        let is_link = |member: &&usize| {
            let is_kept = self
                .kept
                .get(member)
                .is_some_and(|(by, _)| Some(*by) == boundary);
            let is_fit = self.is_first(**member) && !is_kept && !seen.contains(member);
            is_fit
                && self
                    .line(**member)
                    .is_some_and(|line| line.what != What::Other)
        };
        self.members.get(..end)?.iter().rev().find(is_link).copied()
    }

    fn orphans(&self) -> BTreeSet<usize> {
        let is_orphan = |at: &&usize| match self.line(**at) {
            Some(line) if line.uuid.is_none() => line.what.is_message(),
            Some(line) => line
                .parent
                .as_deref()
                .is_some_and(|parent| self.find(parent).is_none()),
            None => false,
        };
        self.members.iter().filter(is_orphan).copied().collect()
    }
}
