//! Which result answers which call.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use crate::entry::{Entry, Link};
use crate::groups::Groups;

/// A tool call and where its result stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Pair {
    /// The position of the entry that makes the call.
    pub call: usize,
    /// Which of the entry's calls it is: 0 for the first.
    pub call_index: usize,
    /// The position of the entry that answers it, and which of that entry's results it is;
    /// `None` while the call waits.
    pub result: Option<(usize, usize)>,
}

/// The calls of a conversation with their results, and results without a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pairs {
    /// Every call, in order.
    pub calls: Vec<Pair>,
    /// Results that answer no call, as position and index among the entry's results.
    pub orphans: Vec<(usize, usize)>,
}

impl Pairs {
    /// All positions that hang together with `positions` by calls and their results, themselves
    /// included: the result of a call, the other calls of its entry, their results, and so on.
    #[must_use]
    pub fn together(&self, positions: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        let last = |pair: &Pair| pair.result.map_or(pair.call, |(result, _)| result);
        let len = self.calls.iter().map(last).max().map_or(0, |last| last + 1);
        let groups = Groups::of(self, len);
        let mut together: BTreeSet<usize> = positions.into_iter().collect();
        let chosen: BTreeSet<usize> = together.iter().map(|it| groups.first(*it)).collect();
        together.extend((0..len).filter(|it| chosen.contains(&groups.first(*it))));
        together
    }
}

/// Pairs the calls and results of `entries`.
///
/// A result belongs to the nearest earlier call with its id that has no result yet, whatever ids
/// are used again and in whichever order results come. Ids are compared byte by byte; an empty id
/// is an id like any other.
///
/// ```
/// use compaction_core::{Entry, EntryKind, Link, pairs};
///
/// struct Line(EntryKind, Vec<Link<'static>>);
/// impl Entry for Line {
///     fn kind(&self) -> EntryKind {
///         self.0
///     }
///     fn links<'a>(&'a self, each: &mut dyn FnMut(Link<'a>)) {
///         self.1.iter().copied().for_each(each);
///     }
/// }
///
/// let lines = [
///     Line(EntryKind::StepStart, vec![Link::Call("k1")]),
///     Line(EntryKind::StepStart, vec![Link::Call("k2")]),
///     Line(EntryKind::Continuation, vec![Link::Result("k1")]),
/// ];
/// let pairs = pairs(&lines);
/// assert_eq!(pairs.calls[0].result, Some((2, 0)));
/// assert_eq!(pairs.calls[1].result, None); // still waits
/// assert_eq!(pairs.together([2]), [0, 2].into()); // a result goes with its call
/// ```
#[must_use]
pub fn pairs<E: Entry>(entries: &[E]) -> Pairs {
    let mut pairs = Pairs::default();
    let mut waiting: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (position, entry) in entries.iter().enumerate() {
        let (mut call_index, mut result_index) = (0, 0);
        entry.links(&mut |link| match link {
            Link::Call(id) => {
                waiting.entry(id).or_default().push(pairs.calls.len());
                pairs.calls.push(Pair {
                    call: position,
                    call_index,
                    result: None,
                });
                call_index += 1;
            }
            Link::Result(id) => {
                let call = waiting
                    .get_mut(id)
                    .and_then(Vec::pop)
                    .and_then(|number| pairs.calls.get_mut(number));
                match call {
                    Some(pair) => pair.result = Some((position, result_index)),
                    None => pairs.orphans.push((position, result_index)),
                }
                result_index += 1;
            }
        });
    }
    pairs
}
