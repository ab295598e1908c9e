//! Answers that come in pieces.

use std::string::String;
use std::vec::Vec;

use session_log::{Seq, SessionId};

/// Which way a list is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a list has two directions")]
pub enum Direction {
    /// Oldest first.
    #[default]
    Forward,
    /// Newest first.
    Backward,
}

/// A part of an answer, and where the rest begins.
///
/// Pages are keyset pages: what is written between two pages neither repeats nor hides an item.
/// A page may hold fewer items than asked for, even none, and still not be the last one; only
/// [`next`](Self::next) tells.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page<T, Mark> {
    /// The items, in the order of the query.
    pub items: Vec<T>,
    /// What to hand in as `after` for the next page; `None` when this is the last.
    pub next: Option<Mark>,
    /// Stored events that could not be read and were left out. Only filled where the query asks
    /// to go on over damage.
    pub damaged: Vec<Damage>,
}

impl<T, Mark> Page<T, Mark> {
    /// A page of `items`, with the mark of the next one.
    #[must_use]
    pub fn new(items: Vec<T>, next: Option<Mark>) -> Self {
        Self {
            items,
            next,
            damaged: Vec::new(),
        }
    }

    /// The same page, with what could not be read.
    #[must_use]
    pub fn with_damaged(mut self, damaged: Vec<Damage>) -> Self {
        self.damaged = damaged;
        self
    }

    /// A page of the first `limit` of `items`; if there are more, the next page begins behind the
    /// last item of this one. A store reads one item more than asked for and calls this.
    #[must_use]
    pub fn cut(mut items: Vec<T>, limit: usize, mark: impl FnOnce(&T) -> Mark) -> Self {
        let has_more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().filter(|_| has_more).map(mark);
        Self::new(items, next)
    }

    /// The last page, without items.
    #[must_use]
    pub fn empty() -> Self {
        Self::new(Vec::new(), None)
    }
}

/// A stored event that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The session it is in.
    pub session: SessionId,
    /// Its place.
    pub seq: Seq,
    /// What is wrong, in a clause.
    pub reason: String,
}

impl Damage {
    /// The event at `seq` cannot be read, for this reason.
    #[must_use]
    pub fn new(session: SessionId, seq: Seq, reason: impl Into<String>) -> Self {
        Self {
            session,
            seq,
            reason: reason.into(),
        }
    }
}
