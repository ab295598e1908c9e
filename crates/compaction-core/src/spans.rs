//! Sets of positions as ranges: a conversation of a million entries is cut in a few words.

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

/// A set of positions, in order.
///
/// ```
/// use compaction_core::Spans;
///
/// let spans: Spans = [1, 2, 3, 7].into_iter().collect();
/// assert_eq!(spans.len(), 4);
/// assert!(spans.contains(3) && !spans.contains(4));
/// assert_eq!(spans.to_string(), "1..4 7..8");
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Spans(Vec<Range<usize>>);

impl Spans {
    /// The empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Every position of `range` but those in `except`, which ascends.
    pub(crate) fn of(range: Range<usize>, except: &[usize]) -> Self {
        let mut spans = Self::new();
        let mut start = range.start;
        for hole in except.iter().filter(|at| range.contains(at)) {
            spans.push_range(start..*hole);
            start = hole.saturating_add(1);
        }
        spans.push_range(start..range.end);
        spans
    }

    /// The positions that are in either set.
    pub(crate) fn union(&self, other: &Self) -> Self {
        let mut ranges: Vec<_> = self.0.iter().chain(&other.0).cloned().collect();
        ranges.sort_unstable_by_key(|range| range.start);
        let mut spans = Self::new();
        for range in ranges {
            spans.push_range(range);
        }
        spans
    }

    /// The positions that are not in `other`.
    pub(crate) fn without(&self, other: &Self) -> Self {
        let except: Vec<_> = other.iter().collect();
        let mut spans = Self::new();
        for range in &self.0 {
            for part in Self::of(range.clone(), &except).0 {
                spans.push_range(part);
            }
        }
        spans
    }

    /// Adds a range that begins at or after the last one there is.
    fn push_range(&mut self, range: Range<usize>) {
        match self.0.last_mut() {
            _ if range.is_empty() => {}
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => self.0.push(range),
        }
    }

    /// Adds `position`, which is ignored unless it lies after all there are. The highest number is
    /// ignored too: no range ends behind it.
    pub(crate) fn push(&mut self, position: usize) {
        match self.0.last_mut() {
            _ if position == usize::MAX => {}
            Some(last) if position < last.end => {}
            Some(last) if position == last.end => last.end += 1,
            _ => self.0.push(position..position + 1),
        }
    }

    /// The number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(Range::len).fold(0, usize::saturating_add)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `position` is one of them.
    #[must_use]
    pub fn contains(&self, position: usize) -> bool {
        let after = self.0.partition_point(|range| range.end <= position);
        self.0
            .get(after)
            .is_some_and(|range| range.contains(&position))
    }

    /// The first position.
    #[must_use]
    pub fn first(&self) -> Option<usize> {
        self.0.first().map(|range| range.start)
    }

    /// The positions, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.0.iter().flat_map(Clone::clone)
    }

    /// The positions as ranges, in order, with a gap between each two.
    #[must_use]
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.0
    }
}

impl FromIterator<usize> for Spans {
    /// Collects ascending positions; one that does not ascend is left out.
    fn from_iter<I: IntoIterator<Item = usize>>(positions: I) -> Self {
        let mut spans = Self::new();
        for position in positions {
            spans.push(position);
        }
        spans
    }
}

impl fmt::Display for Spans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, range) in self.0.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(f, "{space}{}..{}", range.start, range.end)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Spans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Spans({self})")
    }
}
