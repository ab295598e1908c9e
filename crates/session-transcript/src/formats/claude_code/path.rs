//! The tree of lines: which of them are the conversation, from the first to the last.

use std::collections::{BTreeMap, BTreeSet};

use crate::formats::claude_code::boundary;
use crate::formats::claude_code::kept::{Keeps, Kept};
use crate::formats::claude_code::line::{Line, What};
use crate::formats::claude_code::threads::Thread;
use crate::formats::claude_code::unpassed::Unpassed;
use crate::transcript::Warning;

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
    pub(super) keeps: BTreeMap<usize, Keeps>,
    /// The line that a line names as its parent.
    pub(super) above: BTreeMap<usize, usize>,
    /// What is to be told of boundaries that were not followed.
    pub(super) unkept: Option<Warning>,
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
        keeps: tree.keeps,
        above: tree.above,
        unkept: tree.unkept,
    }
}

struct Tree<'l, 'a> {
    lines: &'l [Line<'a>],
    members: &'l [usize],
    by_uuid: BTreeMap<&'l str, usize>,
    above: BTreeMap<usize, usize>,
    keeps: BTreeMap<usize, Keeps>,
    /// For a preserved line: the last boundary it was kept by.
    kept: BTreeMap<usize, usize>,
    unkept: Option<Warning>,
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
            above: BTreeMap::new(),
            keeps: BTreeMap::new(),
            kept: BTreeMap::new(),
            unkept: None,
        };
        for at in &thread.members {
            let parent = tree.line(*at).and_then(|line| line.parent.as_deref());
            if let Some(parent) = parent.and_then(|parent| tree.find(parent)) {
                tree.above.insert(*at, parent);
            }
        }
        tree.keep();
        tree
    }

    /// Finds what each boundary keeps, and the last boundary that keeps a line.
    fn keep(&mut self) {
        let mut kept = Kept::default();
        let mut last = None;
        for at in self.members {
            let Some(line) = self.line(*at).filter(|line| line.what == What::Boundary) else {
                continue;
            };
            let keeps = Keeps::of(&line.members, |uuid| self.find(uuid));
            self.leave(kept.go_on(&keeps, &self.above).gone, last.replace(*at));
            self.keeps.insert(*at, keeps);
        }
        self.leave(kept.go_on(&Keeps::Nothing, &self.above).gone, last);
        self.unkept = kept.effort.warning();
    }

    fn leave(&mut self, lines: Vec<usize>, boundary: Option<usize>) {
        let kept = lines.into_iter().filter_map(|line| Some((line, boundary?)));
        self.kept.extend(kept);
    }

    fn line(&self, at: usize) -> Option<&'l Line<'a>> {
        self.lines.get(at)
    }

    /// The lines from the root to `last`, and where they form a cycle.
    fn walk(&self, last: Option<usize>) -> (Vec<usize>, Option<usize>) {
        let mut walked = Vec::new();
        let mut seen = BTreeSet::new();
        let mut unpassed = Unpassed::new(self.members, |at| self.is_link(at));
        let mut next = last;
        let mut cycle = None;
        while let Some(at) = next {
            if !seen.insert(at) {
                cycle = Some(at);
                break;
            }
            walked.push(at);
            unpassed.pass(at);
            next = self.parent(at, &mut unpassed);
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

    fn anchor(&self, boundary: usize) -> Option<usize> {
        let metadata = self.lines.get(boundary)?.members.peek("compactMetadata")?;
        let names = ["preservedSegment", "preservedMessages"];
        names
            .iter()
            .find_map(|name| self.find(&metadata.member(name)?.member_str("anchorUuid")?))
    }

    fn parent(&self, at: usize, unpassed: &mut Unpassed<'_>) -> Option<usize> {
        let line = self.line(at)?;
        let above = self.above.get(&at).copied();
        if let Some(boundary) = self.kept.get(&at) {
            let before = match self.keeps.get(boundary)? {
                Keeps::Listed(lines) => lines.get(&at).copied().flatten(),
                Keeps::Segment { head, .. } => above.filter(|_| *head != at),
                Keeps::Nothing => None,
            };
            return before
                .or_else(|| above.filter(|above| Some(*above) != self.anchor(*boundary)))
                .or_else(|| {
                    let is_kept = |line| self.kept.get(&line) == Some(boundary);
                    unpassed.nearest_before((*boundary).min(at), is_kept)
                });
        }
        let Some(above) = above else {
            let is_joined = line.parent.is_some() || line.uuid.is_none() || self.is_rootless(line);
            return match is_joined {
                true => unpassed.nearest_before(at, |_| false),
                false => None,
            };
        };
        // What follows the kept lines follows the summary they were hung under.
        match self.kept.get(&above) {
            Some(boundary) if *boundary < at && line.what != What::Boundary => {
                Some(self.anchor(*boundary).unwrap_or(*boundary))
            }
            _ => Some(above),
        }
    }

    /// Whether a line without a parent is no root all the same: what it says needs something
    /// before it, or no line of the file is linked to another.
    fn is_rootless(&self, line: &Line<'_>) -> bool {
        match line.what {
            What::User | What::Queued => self.above.is_empty() || boundary::is_summary(line),
            _ => true,
        }
    }

    /// Whether a line can stand in for a missing parent.
    fn is_link(&self, at: usize) -> bool {
        self.is_first(at) && self.line(at).is_some_and(|line| line.what != What::Other)
    }

    fn orphans(&self) -> BTreeSet<usize> {
        let is_orphan = |at: &&usize| match self.line(**at) {
            Some(line) if line.uuid.is_none() => line.what.is_message(),
            Some(line) => line.parent.is_some() && !self.above.contains_key(at),
            None => false,
        };
        self.members.iter().filter(is_orphan).copied().collect()
    }
}
