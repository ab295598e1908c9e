//! Which result answers which call.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::entry::{Entry, Link};

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
