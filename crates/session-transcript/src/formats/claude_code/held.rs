//! The messages that lines became, and which of them are shown.

use std::collections::{BTreeMap, BTreeSet};

use session_log::{Origin, Seq};

use crate::formats::claude_code::kept::{Keeps, Kept};
use crate::formats::shown::Shown;
use crate::transcript::Warning;

/// The messages of a conversation under construction.
#[derive(Debug, Default)]
pub(super) struct Held {
    shown: Shown,
    kept: Kept,
    /// The lines that the last boundary kept, and how many of them each message has.
    lines: BTreeSet<usize>,
    counts: BTreeMap<Seq, usize>,
    /// The messages of each line; a reply has several lines.
    of_line: BTreeMap<usize, Vec<Seq>>,
    /// The messages since the last boundary.
    new: BTreeSet<Seq>,
}

impl Held {
    /// Adds the newest message. The summary of a boundary is kept by no other, whatever it says.
    pub(super) fn add(
        &mut self,
        seq: Seq,
        origin: &Origin,
        lines: impl IntoIterator<Item = usize>,
    ) {
        self.shown.add(seq, origin);
        if matches!(origin, Origin::Summary { boundary: Some(_) }) {
            return;
        }
        self.new.insert(seq);
        for line in lines {
            self.of_line.entry(line).or_default().push(seq);
            if self.lines.contains(&line) {
                *self.counts.entry(seq).or_default() += 1;
            }
        }
    }

    /// Goes on to a boundary that keeps some lines; `above` has the line that a line hangs on. The
    /// places of the messages that leave.
    pub(super) fn go_on(&mut self, keeps: &Keeps, above: &BTreeMap<usize, usize>) -> Vec<Seq> {
        let change = self.kept.go_on(keeps, above);
        let mut these = std::mem::take(&mut self.new);
        for line in change.gone {
            self.lines.remove(&line);
            for seq in self.of_line.get(&line).into_iter().flatten() {
                let count = self.counts.entry(*seq).or_default();
                *count = count.saturating_sub(1);
                these.insert(*seq);
            }
        }
        for line in change.come {
            self.lines.insert(line);
            for seq in self.of_line.get(&line).into_iter().flatten() {
                *self.counts.entry(*seq).or_default() += 1;
                these.insert(*seq);
            }
        }
        let is_held = |seq: &Seq| self.counts.get(seq).is_some_and(|count| *count > 0);
        self.shown.decide(these, is_held)
    }

    /// The first message that is shown.
    pub(super) fn first(&self) -> Option<Seq> {
        self.shown.first_but(&BTreeSet::new())
    }

    /// The messages from a place on that are not shown.
    pub(super) fn hidden_from(&mut self, from: Seq) -> Vec<Seq> {
        let hidden = self.shown.hidden_from(from);
        self.kept.effort.spend(hidden.len());
        hidden
    }

    /// What is to be told of boundaries that were not followed.
    pub(super) fn warning(&self) -> Option<Warning> {
        self.kept.effort.warning()
    }
}
