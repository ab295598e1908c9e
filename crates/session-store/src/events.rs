//! Which events to read.

use std::vec::Vec;

use compaction_core::{Entry as _, EntryKind};
use session_log::{Branch, Event, EventId, EventType, Origin, Role, Seq, Timestamp};

use crate::error::StoreError;
use crate::page::Direction;

/// Which events of a session to read. All conditions must hold; an empty list asks for nothing.
///
/// The places asked for are those from [`from`](Self::from) to [`to`](Self::to), and those in
/// [`also`](Self::also) besides: a view is loaded with one query that names the pinned events and
/// where the kept ones begin. The other conditions hold for all of them. Events come in log order
/// and each only once.
///
/// ```
/// use session_log::{Role, Seq};
/// use session_store::EventQuery;
///
/// let seq = |number| Seq::new(number).unwrap();
/// let view = EventQuery::all().with_from(seq(900)).with_also([seq(1), seq(2)]);
/// let newest_ten = EventQuery::all().newest(10);
/// let asked = EventQuery::all().with_roles([Role::User]);
/// # let _ = (view, newest_ten, asked);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventQuery {
    /// The first place, inclusive; `None` for the beginning.
    pub from: Option<Seq>,
    /// The last place, inclusive; `None` for the end.
    pub to: Option<Seq>,
    /// Places to read besides the range, in any order.
    pub also: Vec<Seq>,
    /// Only events with one of these ids.
    pub ids: Vec<EventId>,
    /// Only events of these types.
    pub types: Vec<EventType>,
    /// Only messages of these roles. System and developer stand for each other.
    pub roles: Vec<Role>,
    /// Only messages that are one of these to the cut: turn starts, for example.
    pub kinds: Vec<EntryKind>,
    /// Only events that happened at or after this moment.
    pub since: Option<Timestamp>,
    /// Only events that happened at or before this moment.
    pub until: Option<Timestamp>,
    /// With or without events that nobody said.
    pub synthetic: Synthetic,
    /// Events of which branches.
    pub branches: Branches,
    /// Oldest or newest first.
    pub direction: Direction,
    /// Go on after this place, in the direction of the query.
    pub after: Option<Seq>,
    /// How many at most, at least 1; `None` for all.
    pub limit: Option<usize>,
    /// What to do about events that cannot be read.
    pub on_damage: OnDamage,
}

/// Events that nobody said: summaries, and what a program put in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "with, without, only")]
pub enum Synthetic {
    /// Synthetic and real events.
    #[default]
    With,
    /// Real events only.
    Without,
    /// Synthetic events only.
    Only,
}

/// Events of which branches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Branches {
    /// Of all.
    #[default]
    All,
    /// Of the root only.
    Root,
    /// What this branch sees: the root's events, its ancestors' and its own.
    VisibleTo(Branch),
}

/// What to do about a stored event that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "stop or go on")]
pub enum OnDamage {
    /// Answer with [`StoreError::Corrupt`].
    #[default]
    Refuse,
    /// Leave it out and name it in [`Page::damaged`](crate::Page::damaged).
    Report,
}

impl EventQuery {
    /// All events, oldest first, in one page.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// From this place on.
    #[must_use]
    pub fn with_from(mut self, seq: Seq) -> Self {
        self.from = Some(seq);
        self
    }

    /// Up to this place.
    #[must_use]
    pub fn with_to(mut self, seq: Seq) -> Self {
        self.to = Some(seq);
        self
    }

    /// These places besides the range.
    #[must_use]
    pub fn with_also(mut self, seqs: impl IntoIterator<Item = Seq>) -> Self {
        self.also.extend(seqs);
        self
    }

    /// Only events with these ids.
    #[must_use]
    pub fn with_ids(mut self, ids: impl IntoIterator<Item = EventId>) -> Self {
        self.ids.extend(ids);
        self
    }

    /// Only events of these types.
    #[must_use]
    pub fn with_types(mut self, types: impl IntoIterator<Item = EventType>) -> Self {
        self.types.extend(types);
        self
    }

    /// Only messages of these roles.
    #[must_use]
    pub fn with_roles(mut self, roles: impl IntoIterator<Item = Role>) -> Self {
        self.roles.extend(roles);
        self
    }

    /// Only messages of these kinds.
    #[must_use]
    pub fn with_kinds(mut self, kinds: impl IntoIterator<Item = EntryKind>) -> Self {
        self.kinds.extend(kinds);
        self
    }

    /// Only events that happened at or after `moment`.
    #[must_use]
    pub fn with_since(mut self, moment: Timestamp) -> Self {
        self.since = Some(moment);
        self
    }

    /// Only events that happened at or before `moment`.
    #[must_use]
    pub fn with_until(mut self, moment: Timestamp) -> Self {
        self.until = Some(moment);
        self
    }

    /// With or without events that nobody said.
    #[must_use]
    pub fn with_synthetic(mut self, synthetic: Synthetic) -> Self {
        self.synthetic = synthetic;
        self
    }

    /// Only events of these branches.
    #[must_use]
    pub fn with_branches(mut self, branches: Branches) -> Self {
        self.branches = branches;
        self
    }

    /// In this direction.
    #[must_use]
    pub fn with_direction(mut self, direction: Direction) -> Self {
        self.direction = direction;
        self
    }

    /// From behind this place on, in the direction of the query.
    #[must_use]
    pub fn with_after(mut self, seq: Seq) -> Self {
        self.after = Some(seq);
        self
    }

    /// At most `limit` a page.
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Leaves out and names what cannot be read, instead of refusing.
    #[must_use]
    pub fn lenient(mut self) -> Self {
        self.on_damage = OnDamage::Report;
        self
    }

    /// The newest `count` that match, newest first.
    #[must_use]
    pub fn newest(self, count: usize) -> Self {
        self.with_direction(Direction::Backward).with_limit(count)
    }

    /// Checks the query, as every store must before it answers.
    ///
    /// # Errors
    ///
    /// [`StoreError::InvalidQuery`] for a page of zero events, or a range or a time that ends
    /// before it begins.
    pub fn check(&self) -> Result<(), StoreError> {
        if self.limit == Some(0) {
            return Err(StoreError::invalid_query("a page needs at least 1 event"));
        }
        if matches!((self.from, self.to), (Some(from), Some(to)) if to < from) {
            return Err(StoreError::invalid_query(
                "the last place is before the first",
            ));
        }
        if matches!((self.since, self.until), (Some(since), Some(until)) if until < since) {
            return Err(StoreError::invalid_query("the time ends before it begins"));
        }
        Ok(())
    }

    /// Whether the query asks for the place `seq`, wherever the page begins.
    #[must_use]
    pub fn covers(&self, seq: Seq) -> bool {
        let is_in_range =
            self.from.is_none_or(|from| from <= seq) && self.to.is_none_or(|to| seq <= to);
        is_in_range || self.also.contains(&seq)
    }

    /// Whether `event` is asked for, wherever the page begins.
    #[must_use]
    pub fn matches(&self, event: &Event) -> bool {
        self.covers(event.seq) && self.accepts(event)
    }

    /// Whether `event` meets all conditions but those on its place.
    #[must_use]
    pub fn accepts(&self, event: &Event) -> bool {
        let is_of_kind = || event.as_message().is_some() && self.kinds.contains(&event.kind());
        (self.ids.is_empty() || self.ids.contains(&event.id))
            && (self.types.is_empty() || self.types.contains(&event.event_type()))
            && (self.roles.is_empty() || has_role(event, &self.roles))
            && (self.kinds.is_empty() || is_of_kind())
            && self.since.is_none_or(|since| since <= event.timestamp)
            && self.until.is_none_or(|until| event.timestamp <= until)
            && self.synthetic.accepts(&event.origin)
            && self.branches.accepts(event.branch.as_ref())
    }
}

/// Whether `event` is a message of one of `roles`; system and developer stand for each other.
pub(crate) fn has_role(event: &Event, roles: &[Role]) -> bool {
    event.as_message().is_some_and(|message| {
        let is_same =
            |role: &Role| *role == message.role || (role.is_system() && message.role.is_system());
        roles.iter().any(is_same)
    })
}

impl Synthetic {
    /// Whether an event of this origin is asked for.
    #[must_use]
    pub fn accepts(self, origin: &Origin) -> bool {
        match self {
            Self::With => true,
            Self::Without => !origin.is_synthetic(),
            Self::Only => origin.is_synthetic(),
        }
    }
}

impl Branches {
    /// Whether an event of `branch` is asked for.
    #[must_use]
    pub fn accepts(&self, branch: Option<&Branch>) -> bool {
        match (self, branch) {
            (_, None) | (Self::All, _) => true,
            (Self::Root, Some(_)) => false,
            (Self::VisibleTo(viewer), Some(branch)) => branch.is_self_or_ancestor_of(viewer),
        }
    }
}
