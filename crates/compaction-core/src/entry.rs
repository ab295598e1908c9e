//! What the core wants to know of a conversation: one kind an entry, and which calls it links.

use alloc::boxed::Box;
use alloc::sync::Arc;

/// What an entry is to the cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a conversation has these and no others; a new one would change every law"
)]
pub enum EntryKind {
    /// A system prompt. The latest one is pinned, earlier ones are superseded.
    System,
    /// A summary turn's entry, made by an earlier pass.
    Summary,
    /// A message of the person that opens a turn.
    TurnStart,
    /// A message of the model that makes tool calls, which opens a step.
    StepStart,
    /// Anything else: replies, tool results, what rides along with a turn.
    Continuation,
}

/// A tool call that an entry makes, or one that it answers, by the call's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a link has two ends")]
pub enum Link<'a> {
    /// The entry makes the call with this id.
    Call(&'a str),
    /// The entry brings a result for the call with this id.
    Result(&'a str),
}

/// One entry of a conversation, of any type.
///
/// [`kind`](Self::kind) is all that cutting at turns needs. [`links`](Self::links) is for what
/// must keep calls and results together inside a turn: the step grain, clearing, pinning.
///
/// ```
/// use compaction_core::{Entry, EntryKind};
///
/// enum Line {
///     Person(String),
///     Model(String),
/// }
///
/// impl Entry for Line {
///     fn kind(&self) -> EntryKind {
///         match self {
///             Self::Person(_) => EntryKind::TurnStart,
///             Self::Model(_) => EntryKind::Continuation,
///         }
///     }
/// }
/// ```
pub trait Entry {
    /// What the entry is to the cut. It must not change while the entry is in a view.
    fn kind(&self) -> EntryKind;

    /// Names each tool call the entry makes and each it answers, in order.
    ///
    /// A result belongs to the nearest earlier call with its id that has no result yet, so ids
    /// may be used again. Entries that name none are free: they part no pair.
    fn links<'a>(&'a self, each: &mut dyn FnMut(Link<'a>)) {
        let _ = each;
    }
}

/// A kind stands for itself, which is handy in tests.
impl Entry for EntryKind {
    fn kind(&self) -> EntryKind {
        *self
    }
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<T: Entry + ?Sized> Entry for $pointer {
            fn kind(&self) -> EntryKind {
                (**self).kind()
            }

            fn links<'a>(&'a self, each: &mut dyn FnMut(Link<'a>)) {
                (**self).links(each);
            }
        }
    )*};
}

forward!(&T, Box<T>, Arc<T>);
