//! Which messages of a log the model sees while the log is built, and which leave with a boundary.
//! A boundary covers what was shown until then and is not shown any more, as a pass does.

use std::collections::BTreeSet;

use session_log::{Covered, NewEvent, Origin, Seq};

/// The messages of a log under construction.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    shown: BTreeSet<Seq>,
    /// Those that are not shown any more; summaries of boundaries leave by themselves.
    hidden: BTreeSet<Seq>,
    /// Those of the shown ones that are the summary of a boundary.
    summaries: BTreeSet<Seq>,
}

impl Shown {
    /// Adds the newest message.
    pub(crate) fn add(&mut self, seq: Seq, origin: &Origin) {
        self.shown.insert(seq);
        if matches!(origin, Origin::Summary { boundary: Some(_) }) {
            self.summaries.insert(seq);
        }
    }

    /// Hides all that is shown in front of `end` but what stays, and shows what stays and all from
    /// `end` on; the places of what left. What is from `end` on is not looked at one by one, so
    /// that many boundaries that keep much cost little.
    pub(crate) fn leave(&mut self, stays: &BTreeSet<Seq>, end: Seq) -> Vec<Seq> {
        // The summary of an earlier boundary leaves wherever it is.
        let before = self.shown.range(..end);
        let summaries = self.summaries.range(end..);
        let is_left = |seq: &&Seq| !stays.contains(seq);
        let left: Vec<Seq> = before.chain(summaries).filter(is_left).copied().collect();
        self.hide(&left);
        let back = self.hidden.split_off(&end);
        self.shown.extend(back);
        self.show(stays.iter().copied());
        left
    }

    /// Hides some messages but what stays, and the summary of an earlier boundary; the places of
    /// what left.
    pub(crate) fn leave_only(&mut self, only: &BTreeSet<Seq>, stays: &BTreeSet<Seq>) -> Vec<Seq> {
        let these = only.iter().chain(&self.summaries);
        let left: BTreeSet<Seq> = these.filter(|seq| !stays.contains(seq)).copied().collect();
        let left = left.into_iter().filter(|seq| self.shown.contains(seq));
        let left: Vec<Seq> = left.collect();
        self.hide(&left);
        left
    }

    /// Decides on some messages alone, and on the summary of an earlier boundary, which leaves; the
    /// places of what left.
    pub(crate) fn decide(
        &mut self,
        these: BTreeSet<Seq>,
        stays: impl Fn(&Seq) -> bool,
    ) -> Vec<Seq> {
        let (stay, leave): (BTreeSet<Seq>, BTreeSet<Seq>) = these.into_iter().partition(stays);
        let left = self.leave_only(&leave, &BTreeSet::new());
        self.show(stay);
        left
    }

    /// The first message that is shown and not among `others`.
    pub(crate) fn first_but(&self, others: &BTreeSet<Seq>) -> Option<Seq> {
        let mut shown = self.shown.iter();
        shown.find(|seq| !others.contains(seq)).copied()
    }

    /// What a boundary that keeps all from `from` on has to name, since it is not shown.
    pub(crate) fn hidden_from(&self, from: Seq) -> Vec<Seq> {
        self.hidden.range(from..).copied().collect()
    }

    fn hide(&mut self, left: &[Seq]) {
        for seq in left {
            self.shown.remove(seq);
            if !self.summaries.remove(seq) {
                self.hidden.insert(*seq);
            }
        }
    }

    fn show(&mut self, these: impl IntoIterator<Item = Seq>) {
        for seq in these {
            self.hidden.remove(&seq);
            self.shown.insert(seq);
        }
    }
}

/// The event at a place of a log.
pub(crate) fn event_at(events: &[NewEvent], seq: Seq) -> Option<&NewEvent> {
    let at = seq.as_u64().checked_sub(Seq::FIRST.as_u64())?;
    events.get(usize::try_from(at).ok()?)
}

/// What a boundary covers of a log: the messages that left with it, in log order.
pub(crate) fn covered(left: &[Seq], events: &[NewEvent]) -> Covered {
    let ids = left
        .iter()
        .filter_map(|seq| Some((*seq, &event_at(events, *seq)?.id)));
    Covered::of(ids)
}

/// The place behind so many events.
pub(crate) fn next_seq(events: &[NewEvent]) -> Seq {
    Seq::FIRST.plus(u64::try_from(events.len()).unwrap_or(u64::MAX))
}
