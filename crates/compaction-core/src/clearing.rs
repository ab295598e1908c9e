//! Which tool results are old and large enough to be shown as a short line.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::entry::{Entry, Link};
use crate::groups::Groups;
use crate::pairs::pairs;
use crate::spans::Spans;
use crate::view::View;

/// Clears old, large tool results: the view shows a short line in their place, the log keeps them.
///
/// It needs [`Entry::links`]. Never cleared are pinned entries, system prompts, summaries, and
/// results that go together with a call that still waits for one.
///
/// ```
/// use compaction_core::{Clearing, Entry, EntryKind, Link, Outline, View};
///
/// struct Line(EntryKind, Option<Link<'static>>);
/// impl Entry for Line {
///     fn kind(&self) -> EntryKind {
///         self.0
///     }
///     fn links<'a>(&'a self, each: &mut dyn FnMut(Link<'a>)) {
///         self.1.into_iter().for_each(each);
///     }
/// }
///
/// let lines = [
///     Line(EntryKind::TurnStart, None),
///     Line(EntryKind::StepStart, Some(Link::Call("k1"))),
///     Line(EntryKind::Continuation, Some(Link::Result("k1"))),
///     Line(EntryKind::StepStart, Some(Link::Call("k2"))),
///     Line(EntryKind::Continuation, Some(Link::Result("k2"))),
/// ];
/// let outline = Outline::of(&lines, |_| 500);
/// let clearing = Clearing { keep_last: 1, larger_than: 100 };
/// assert_eq!(clearing.positions(&View::new(&lines, &outline)).to_string(), "2..3");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(
    clippy::exhaustive_structs,
    reason = "it is its settings, and people write them out"
)]
pub struct Clearing {
    /// How many of the newest results stay as they are. An entry that brings several results is
    /// cleared when all of them are older than these.
    pub keep_last: usize,
    /// An entry must have more tokens than these to be cleared. Choose at least what the line
    /// costs that is shown instead, then clearing twice is clearing once.
    pub larger_than: u64,
}

impl Clearing {
    /// The entries whose results are to be cleared.
    #[must_use]
    pub fn positions<E: Entry>(&self, view: &View<'_, E>) -> Spans {
        let entries = view.entries();
        let outline = view.outline();
        let waits = waiting(entries);
        let mut newer_results = 0_usize;
        let mut positions = Vec::new();
        for (position, entry) in entries.iter().enumerate().rev() {
            let results = results(entry);
            let is_old = results > 0 && newer_results >= self.keep_last;
            newer_results = newer_results.saturating_add(results);
            let is_free = outline.is_conversation(position) && !waits(position);
            let tokens = outline
                .conversation_tokens(position)
                .saturating_sub(outline.conversation_tokens(position.saturating_add(1)));
            if is_old && is_free && tokens > self.larger_than {
                positions.push(position);
            }
        }
        positions.into_iter().rev().collect()
    }
}

fn results<E: Entry>(entry: &E) -> usize {
    let mut results = 0;
    entry.links(&mut |link| results += usize::from(matches!(link, Link::Result(_))));
    results
}

/// Whether an entry goes together with a call that waits.
fn waiting<E: Entry>(entries: &[E]) -> impl Fn(usize) -> bool {
    let pairs = pairs(entries);
    let groups = Groups::of(&pairs, entries.len());
    let unanswered = pairs.calls.iter().filter(|pair| pair.result.is_none());
    let open: BTreeSet<usize> = unanswered.map(|pair| groups.first(pair.call)).collect();
    move |position| open.contains(&groups.first(position))
}
