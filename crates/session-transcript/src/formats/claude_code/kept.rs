//! The lines that stay in view at boundaries. A boundary may keep all from the first line on, and so
//! may each one behind it, so only what changes from one to the next is looked at. Where that is much
//! again and again, boundaries are not followed any more.

use std::collections::{BTreeMap, BTreeSet};

use crate::formats::effort::Effort;
use crate::json::{Members, Raw};

/// What a boundary says stays in view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Keeps {
    /// Nothing.
    #[default]
    Nothing,
    /// These lines, each with the one that is listed in front of it.
    Listed(BTreeMap<usize, Option<usize>>),
    /// The newest of some lines and those it hangs on, up to the oldest.
    Segment {
        /// The oldest.
        head: usize,
        /// The newest.
        tail: usize,
    },
}

impl Keeps {
    /// What a boundary's line says; `find` gives the line with a uuid.
    pub(super) fn of(members: &Members<'_>, find: impl Fn(&str) -> Option<usize>) -> Self {
        let metadata = members.peek("compactMetadata");
        let member = |name: &str| metadata?.member(name);
        let listed = member("preservedMessages").and_then(|kept| kept.member("uuids"));
        if let Some(uuids) = listed.and_then(Raw::items) {
            let lines = uuids.into_iter().filter_map(|uuid| find(&uuid.as_str()?));
            let mut before = None;
            let place = |line| (line, before.replace(line));
            return Self::Listed(lines.map(place).collect());
        }
        let segment = member("preservedSegment");
        let end = |name: &str| find(&segment?.member_str(name)?);
        match (end("headUuid"), end("tailUuid")) {
            (Some(head), Some(tail)) => Self::Segment { head, tail },
            _ => Self::Nothing,
        }
    }
}

/// What is kept at a boundary but was not at the one before, and the other way round.
#[derive(Debug, Default)]
pub(super) struct Change {
    pub(super) gone: Vec<usize>,
    pub(super) come: Vec<usize>,
}

/// What is kept at the last boundary so far.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// The lines from the root to the tail of the last segment, and the place of each among them.
    chain: Vec<usize>,
    places: BTreeMap<usize, usize>,
    /// The place of the head.
    from: usize,
    listed: Vec<usize>,
    pub(super) effort: Effort,
}

impl Kept {
    /// Goes on to the next boundary; `above` has the line that a line hangs on.
    pub(super) fn go_on(&mut self, keeps: &Keeps, above: &BTreeMap<usize, usize>) -> Change {
        let mut change = Change {
            gone: std::mem::take(&mut self.listed),
            come: Vec::new(),
        };
        match keeps {
            Keeps::Nothing => self.clear(&mut change),
            _ if !self.effort.has_room(above.len()) => self.clear(&mut change),
            Keeps::Segment { head, tail } => self.move_to(*head, *tail, above, &mut change),
            Keeps::Listed(lines) => {
                self.clear(&mut change);
                self.listed.extend(lines.keys());
                change.come.clone_from(&self.listed);
            }
        }
        self.effort.spend(change.gone.len() + change.come.len());
        change
    }

    fn clear(&mut self, change: &mut Change) {
        change.gone.extend(self.chain.iter().skip(self.from));
        self.from = self.chain.len();
    }

    fn move_to(
        &mut self,
        head: usize,
        tail: usize,
        above: &BTreeMap<usize, usize>,
        change: &mut Change,
    ) {
        let before = self.from;
        let (common, left) = self.climb(tail, above);
        let left = left.iter().skip(before.saturating_sub(common));
        change.gone.extend(left);
        let end = self.chain.len();
        self.from = self.places.get(&head).copied().unwrap_or(end);
        let (old, new) = (before.min(common), self.from.min(common));
        let part = |from, to| self.chain.get(from..to).unwrap_or_default();
        change.gone.extend(part(old, new));
        change.come.extend(part(new, old));
        change.come.extend(part(self.from.max(common), end));
    }

    /// Makes `tail` the end of the chain: how many of its lines stay in it, and the others.
    fn climb(&mut self, tail: usize, above: &BTreeMap<usize, usize>) -> (usize, Vec<usize>) {
        let mut climbed = Vec::new();
        let mut seen = BTreeSet::new();
        let mut common = 0;
        let mut next = Some(tail);
        while let Some(line) = next {
            if let Some(place) = self.places.get(&line) {
                common = place + 1;
                break;
            }
            // Lines that hang on each other in a circle are no root, but end the chain as one.
            if !seen.insert(line) {
                break;
            }
            climbed.push(line);
            next = above.get(&line).copied();
        }
        let left = self.chain.split_off(common);
        self.effort.spend(climbed.len() + left.len());
        for line in &left {
            self.places.remove(line);
        }
        for line in climbed.into_iter().rev() {
            self.places.insert(line, self.chain.len());
            self.chain.push(line);
        }
        (common, left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each line hangs on the one before it, but for a branch: 20 hangs on 3.
    fn above() -> BTreeMap<usize, usize> {
        let chain = (1..1000).map(|line| (line, line - 1));
        chain.chain([(20, 3)]).collect()
    }

    /// What is kept, found in the slow way.
    fn wanted(keeps: &Keeps, above: &BTreeMap<usize, usize>) -> BTreeSet<usize> {
        match keeps {
            Keeps::Nothing => BTreeSet::new(),
            Keeps::Listed(lines) => lines.keys().copied().collect(),
            Keeps::Segment { head, tail } => {
                let mut lines = BTreeSet::from([*tail]);
                let mut line = *tail;
                while line != *head {
                    match above.get(&line) {
                        Some(next) if lines.insert(*next) => line = *next,
                        _ => return BTreeSet::new(),
                    }
                }
                lines
            }
        }
    }

    #[test]
    fn what_changes_from_one_boundary_to_the_next_adds_up_to_what_is_kept() {
        let mut keeps = vec![Keeps::Nothing, Keeps::Listed(BTreeMap::new())];
        for lines in [vec![1, 2, 30], vec![19], vec![0, 21, 4]] {
            let lines = lines.into_iter().map(|line| (line, None));
            keeps.push(Keeps::Listed(lines.collect()));
        }
        for head in [0, 2, 3, 4, 10, 20, 25] {
            for tail in [0, 3, 10, 19, 20, 25, 40] {
                keeps.push(Keeps::Segment { head, tail });
            }
        }
        let above = above();
        for first in &keeps {
            for second in &keeps {
                let mut kept = Kept::default();
                let mut lines = BTreeSet::new();
                for keeps in [first, second, first] {
                    let change = kept.go_on(keeps, &above);
                    assert!(change.gone.iter().all(|line| lines.remove(line)));
                    assert!(change.come.iter().all(|line| lines.insert(*line)));
                    assert_eq!(lines, wanted(keeps, &above), "{first:?}, {second:?}");
                }
            }
        }
    }

    #[test]
    fn a_circle_ends_a_segment() {
        let above = BTreeMap::from([(0, 2), (1, 0), (2, 1), (3, 2)]);
        let mut kept = Kept::default();
        let around = Keeps::Segment { head: 0, tail: 3 };
        assert_eq!(kept.go_on(&around, &above).come, [0, 1, 2, 3]);
        let beside = Keeps::Segment { head: 9, tail: 3 };
        assert_eq!(kept.go_on(&beside, &above).gone, [0, 1, 2, 3]);
    }

    /// Sessions whose compactions all kept everything were read in quadratic time, since each
    /// segment was walked from its end to the first line.
    #[test]
    fn segments_that_all_reach_back_to_the_first_line_are_looked_at_once() {
        let above = above();
        let mut kept = Kept::default();
        let mut looked = 0;
        for tail in 20..1000 {
            let change = kept.go_on(&Keeps::Segment { head: 20, tail }, &above);
            looked += change.gone.len() + change.come.len();
        }
        assert_eq!(looked, 980);
    }

    /// Sessions whose compactions kept everything and nothing in turn, or each another branch, were
    /// read in quadratic time, since what changes from one to the next is then all there is.
    #[test]
    fn boundaries_that_change_much_again_and_again_are_not_followed_for_ever() {
        const LINES: usize = 4000;
        let trunk = (1..LINES).map(|line| (line, line - 1));
        let branch = (LINES + 1..2 * LINES).map(|line| (line, line - 1));
        let above: BTreeMap<usize, usize> = trunk.chain([(LINES, 0)]).chain(branch).collect();
        let segment = |head, tail| Keeps::Segment { head, tail };
        let whole = segment(0, LINES - 1);
        let listed = Keeps::Listed(BTreeMap::from([(0, None)]));
        for in_turn in [
            [whole.clone(), Keeps::Nothing],
            [whole.clone(), listed],
            [whole, segment(0, 2)],
            [
                segment(LINES - 1, LINES - 1),
                segment(2 * LINES - 1, 2 * LINES - 1),
            ],
        ] {
            let mut kept = Kept::default();
            let (mut looked, mut lines) = (0, BTreeSet::new());
            for keeps in in_turn.iter().cycle().take(LINES) {
                let change = kept.go_on(keeps, &above);
                looked += change.gone.len() + change.come.len();
                assert!(change.gone.iter().all(|line| lines.remove(line)));
                lines.extend(change.come);
            }
            assert!(looked < LINES * 200, "{looked} lines for {in_turn:?}");
            assert_eq!(lines, BTreeSet::new(), "{in_turn:?}");
            assert!(kept.effort.warning().is_some(), "{in_turn:?}");
        }
    }
}
