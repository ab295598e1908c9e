//! Which sessions to list.

use std::string::String;

use session_log::{SessionId, Timestamp};

use crate::error::StoreError;
use crate::page::Direction;
use crate::session::{Attributes, Session};

/// Which sessions to list. All conditions must hold; without any, all sessions are listed.
///
/// The order is that of [`SessionMark`]: by creation time, then by id.
///
/// ```
/// use session_store::{SessionQuery, attribute};
///
/// let of_ann = SessionQuery::all()
///     .with_owner("ann")
///     .with_attribute(attribute::MODEL, "small");
/// assert_eq!(of_ann.limit, 100);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionQuery {
    /// Whose sessions.
    pub owner: Option<String>,
    /// Which children.
    pub parent: Option<SessionId>,
    /// Attributes with exactly these values.
    pub attributes: Attributes,
    /// Only sessions that expire before this moment.
    pub expires_before: Option<Timestamp>,
    /// Oldest or newest first.
    pub direction: Direction,
    /// Go on after this session.
    pub after: Option<SessionMark>,
    /// How many at most, at least 1.
    pub limit: usize,
}

impl SessionQuery {
    /// All sessions, oldest first, a hundred a page.
    #[must_use]
    pub fn all() -> Self {
        Self {
            owner: None,
            parent: None,
            attributes: Attributes::new(),
            expires_before: None,
            direction: Direction::Forward,
            after: None,
            limit: 100,
        }
    }

    /// Only sessions of `owner`.
    #[must_use]
    pub fn with_owner(mut self, owner: impl Into<String>) -> Self {
        self.owner = Some(owner.into());
        self
    }

    /// Only children of `parent`.
    #[must_use]
    pub fn with_parent(mut self, parent: SessionId) -> Self {
        self.parent = Some(parent);
        self
    }

    /// Only sessions whose attribute `name` is exactly `value`.
    #[must_use]
    pub fn with_attribute(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.attributes.insert(name.into(), value.into());
        self
    }

    /// Only sessions that expire before `moment`.
    #[must_use]
    pub fn with_expires_before(mut self, moment: Timestamp) -> Self {
        self.expires_before = Some(moment);
        self
    }

    /// In this direction.
    #[must_use]
    pub fn with_direction(mut self, direction: Direction) -> Self {
        self.direction = direction;
        self
    }

    /// From behind `mark` on.
    #[must_use]
    pub fn with_after(mut self, mark: SessionMark) -> Self {
        self.after = Some(mark);
        self
    }

    /// At most `limit` a page.
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Checks the query, as every store must before it answers.
    ///
    /// # Errors
    ///
    /// [`StoreError::InvalidQuery`] for a page of zero sessions.
    pub fn check(&self) -> Result<(), StoreError> {
        if self.limit == 0 {
            return Err(StoreError::invalid_query("a page needs at least 1 session"));
        }
        Ok(())
    }

    /// Whether `session` is asked for, wherever the page begins.
    #[must_use]
    pub fn matches(&self, session: &Session) -> bool {
        let is_owned = self.owner.is_none() || self.owner == session.owner;
        let is_child = self.parent.is_none() || self.parent == session.parent;
        let expires = match (self.expires_before, session.expires_at) {
            (None, _) => true,
            (Some(before), Some(at)) => at < before,
            (Some(_), None) => false,
        };
        is_owned
            && is_child
            && expires
            && self
                .attributes
                .iter()
                .all(|(name, value)| session.attributes.get(name) == Some(value))
    }
}

/// The place of a session in a list: sessions are ordered by it, ids byte by byte.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct SessionMark {
    /// When the session was created.
    pub created_at: Timestamp,
    /// Its id.
    pub id: SessionId,
}

impl SessionMark {
    /// The place of the session with this id and creation time.
    #[must_use]
    pub fn new(created_at: Timestamp, id: SessionId) -> Self {
        Self { created_at, id }
    }

    /// The place of `session`.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        Self::new(session.created_at, session.id.clone())
    }
}
