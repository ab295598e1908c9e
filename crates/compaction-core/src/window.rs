//! How much of a conversation is kept: the built-in windows, and the port for others.

use core::fmt;

use crate::entry::Entry;
use crate::policy::Policy;
use crate::steps::Steps;
use crate::view::View;

/// Decides how far back a conversation is kept.
///
/// A strategy only proposes a position: the first entry it would keep, 0 to keep all, anything
/// past the end to keep as little as possible. **Any number is safe.** The core snaps it forward
/// to the next legal place, never past the newest turn, and decides itself what is pinned,
/// superseded and covered. So the structural laws hold for every strategy; see
/// [`compact`](crate::compact).
///
/// ```
/// use compaction_core::{Entry, Strategy, View};
///
/// /// Keeps the newest half.
/// struct Half;
///
/// impl<E: Entry> Strategy<E> for Half {
///     fn keep_from(&self, view: &View<'_, E>) -> usize {
///         view.entries().len() / 2
///     }
/// }
/// ```
pub trait Strategy<E> {
    /// The position of the first entry to keep.
    fn keep_from(&self, view: &View<'_, E>) -> usize;

    /// What stays around the window.
    fn policy(&self) -> Policy {
        Policy::WINDOW
    }
}

impl<E, S: Strategy<E> + ?Sized> Strategy<E> for &S {
    fn keep_from(&self, view: &View<'_, E>) -> usize {
        (**self).keep_from(view)
    }

    fn policy(&self) -> Policy {
        (**self).policy()
    }
}

impl<E, S: Strategy<E> + ?Sized> Strategy<E> for alloc::boxed::Box<S> {
    fn keep_from(&self, view: &View<'_, E>) -> usize {
        (**self).keep_from(view)
    }

    fn policy(&self) -> Policy {
        (**self).policy()
    }
}

/// A window over the newest part of a conversation.
///
/// Zero is harmless: it keeps the newest turn. Pinned entries use no slot of an event or turn
/// window and come off a token budget first.
///
/// ```
/// use compaction_core::{EntryKind::*, Outline, Strategy, View, Window};
///
/// let entries = [TurnStart, Continuation, TurnStart, Continuation];
/// let outline = Outline::of(&entries, |_| 10);
/// let view = View::new(&entries, &outline);
/// assert_eq!(Window::Events(3).keep_from(&view), 1); // a proposal: the core snaps it to 2
/// assert_eq!(Window::Turns(1).keep_from(&view), 2);
/// let tokens = Window::Tokens { budget: 25, reserve: 0 };
/// assert_eq!(tokens.keep_from(&view), 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Window {
    /// The last so many conversation entries.
    Events(usize),
    /// The last so many turns.
    Turns(usize),
    /// The longest run of newest entries that fits. Entries are never skipped: the run ends at
    /// the first that does not fit.
    Tokens {
        /// The tokens the view may hold, pinned entries included.
        budget: u64,
        /// Tokens of the budget that a pass leaves free for the summary it makes, so that one
        /// pass is not followed by another at once. A view that fits the whole budget is left
        /// alone.
        reserve: u64,
    },
}

impl<E: Entry> Strategy<E> for Window {
    fn keep_from(&self, view: &View<'_, E>) -> usize {
        let proposal = self.turn_proposal(view);
        match view.steps() {
            Some(steps) if proposal > steps.turn() => self.step_proposal(view, &steps),
            _ => proposal,
        }
    }
}

impl Window {
    fn turn_proposal<E: Entry>(self, view: &View<'_, E>) -> usize {
        let outline = view.outline();
        let floor = view.floor();
        match self {
            Self::Events(count) => {
                outline.first_from(floor, |at| outline.conversation_entries(at) <= count)
            }
            Self::Turns(count) => {
                let mut newest_first = outline
                    .turns()
                    .iter()
                    .rev()
                    .filter(|turn| outline.is_conversation(**turn));
                let Some(last_kept) = count.checked_sub(1) else {
                    return outline.len();
                };
                match newest_first.nth(last_kept) {
                    Some(turn) if newest_first.next().is_some() => *turn,
                    _ => 0,
                }
            }
            Self::Tokens { budget, reserve } => {
                if outline.tokens() <= budget {
                    return 0;
                }
                match room(budget, reserve, view.fixed_tokens()) {
                    Some(room) if outline.conversation_tokens(floor) <= room => 0,
                    Some(room) => {
                        outline.first_from(floor, |at| outline.conversation_tokens(at) <= room)
                    }
                    None => outline.len(),
                }
            }
        }
    }

    /// The first legal place inside the newest turn from which the rest fits, with what is held
    /// of the turn; the end when none does.
    fn step_proposal<E: Entry>(self, view: &View<'_, E>, steps: &Steps) -> usize {
        let outline = view.outline();
        // One that is pinned adds nothing here, its tokens are fixed.
        let mut held = steps.held(outline.len()).peekable();
        let mut held_tokens = 0_u64;
        let fits = |cut: &usize| match self {
            Self::Events(count) => outline.conversation_entries(*cut) <= count,
            Self::Turns(_) => false,
            Self::Tokens { budget, reserve } => {
                while let Some(position) = held.next_if(|position| position < cut) {
                    let tokens = outline
                        .conversation_tokens(position)
                        .saturating_sub(outline.conversation_tokens(position + 1));
                    held_tokens = held_tokens.saturating_add(tokens);
                }
                let fixed = view.fixed_tokens().saturating_add(held_tokens);
                room(budget, reserve, fixed)
                    .is_some_and(|room| outline.conversation_tokens(*cut) <= room)
            }
        };
        steps
            .starts()
            .iter()
            .copied()
            .find(fits)
            .unwrap_or(outline.len())
    }
}

/// What a token budget leaves for the conversation; `None` when what is fixed exceeds it.
fn room(budget: u64, reserve: u64, fixed: u64) -> Option<u64> {
    budget.checked_sub(reserve)?.checked_sub(fixed)
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Events(count) => write!(f, "the last {count} events"),
            Self::Turns(count) => write!(f, "the last {count} turns"),
            Self::Tokens { budget, reserve: 0 } => write!(f, "{budget} tokens"),
            Self::Tokens { budget, reserve } => {
                write!(f, "{budget} tokens, {reserve} of them in reserve")
            }
        }
    }
}
