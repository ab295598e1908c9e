//! Sessions: identity, attributes to find them by, metadata, expiry.

use std::collections::BTreeMap;
use std::string::String;

use session_log::{Fields, SessionId, Timestamp};

use crate::head::Head;

/// Names of attributes that everybody uses in the same way.
pub mod attribute {
    /// The name of the agent that talks in the session.
    pub const AGENT: &str = "agent";
    /// The version of that agent.
    pub const AGENT_VERSION: &str = "agent_version";
    /// The model behind it.
    pub const MODEL: &str = "model";
}

/// Short texts by which sessions can be found; every store indexes all of them.
///
/// What is only kept and never looked for belongs in the metadata.
pub type Attributes = BTreeMap<String, String>;

/// A session that is not stored yet.
///
/// ```
/// use session_log::{SessionId, Timestamp};
/// use session_store::{NewSession, attribute};
///
/// let session = NewSession::new(SessionId::new("s1").unwrap(), Timestamp::from_millis(0))
///     .with_owner("ann")
///     .with_attribute(attribute::AGENT, "support");
/// assert_eq!(session.expires_at, None); // never
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewSession {
    /// Its identity.
    pub id: SessionId,
    /// Whose it is. It never changes, and a search across sessions is bound to it.
    pub owner: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on a sweep may delete it; `None` for never.
    pub expires_at: Option<Timestamp>,
    /// The session it was forked from or works for. It need not exist.
    pub parent: Option<SessionId>,
    /// What it can be found by.
    pub attributes: Attributes,
    /// What is kept with it.
    pub metadata: Fields,
}

impl NewSession {
    /// A session without owner, attributes and metadata that never expires.
    #[must_use]
    pub fn new(id: SessionId, created_at: Timestamp) -> Self {
        Self {
            id,
            owner: None,
            created_at,
            expires_at: None,
            parent: None,
            attributes: Attributes::new(),
            metadata: Fields::new(),
        }
    }

    /// The same session, of `owner`.
    #[must_use]
    pub fn with_owner(mut self, owner: impl Into<String>) -> Self {
        self.owner = Some(owner.into());
        self
    }

    /// The same session, expiring at `moment`.
    #[must_use]
    pub fn with_expiry(mut self, moment: Timestamp) -> Self {
        self.expires_at = Some(moment);
        self
    }

    /// The same session, as a child of `parent`.
    #[must_use]
    pub fn with_parent(mut self, parent: SessionId) -> Self {
        self.parent = Some(parent);
        self
    }

    /// The same session with one more attribute.
    #[must_use]
    pub fn with_attribute(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.attributes.insert(name.into(), value.into());
        self
    }

    /// The same session with this metadata.
    #[must_use]
    pub fn with_metadata(mut self, metadata: Fields) -> Self {
        self.metadata = metadata;
        self
    }

    /// The session as it is stored first: with an empty log.
    #[must_use]
    pub fn into_stored(self) -> Session {
        Session {
            id: self.id,
            owner: self.owner,
            created_at: self.created_at,
            expires_at: self.expires_at,
            parent: self.parent,
            attributes: self.attributes,
            metadata: self.metadata,
            head: Head::empty(),
        }
    }
}

/// A stored session, without its events.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Session {
    /// Its identity.
    pub id: SessionId,
    /// Whose it is.
    pub owner: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on a sweep may delete it. Until then it can be read and written, expired or not.
    pub expires_at: Option<Timestamp>,
    /// The session it was forked from or works for.
    pub parent: Option<SessionId>,
    /// What it can be found by.
    pub attributes: Attributes,
    /// What is kept with it.
    pub metadata: Fields,
    /// Where its log stands.
    pub head: Head,
}

/// What became of a [`create`](crate::SessionStore::create).
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "the session may have existed already, with another owner"]
#[expect(clippy::exhaustive_enums, reason = "it was there or it was not")]
pub enum Created {
    /// The session is new.
    New(Session),
    /// A session with this id was there; it is returned as it is, and nothing was changed.
    Exists(Session),
}

impl Created {
    /// The session, new or not.
    #[must_use]
    pub fn into_session(self) -> Session {
        match self {
            Self::New(session) | Self::Exists(session) => session,
        }
    }

    /// Whether the session is new.
    #[must_use]
    pub fn is_new(&self) -> bool {
        matches!(self, Self::New(_))
    }
}

/// What to change in a stored session. Identity, owner, parent and creation time never change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionPatch {
    /// The new expiry, `Some(None)` for never; `None` leaves it.
    pub expires_at: Option<Option<Timestamp>>,
    /// All attributes anew; `None` leaves them.
    pub attributes: Option<Attributes>,
    /// All metadata anew; `None` leaves it.
    pub metadata: Option<Fields>,
}

impl SessionPatch {
    /// Changes nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Also sets the expiry, `None` for never.
    #[must_use]
    pub fn with_expiry(mut self, expires_at: Option<Timestamp>) -> Self {
        self.expires_at = Some(expires_at);
        self
    }

    /// Also replaces the attributes.
    #[must_use]
    pub fn with_attributes(mut self, attributes: Attributes) -> Self {
        self.attributes = Some(attributes);
        self
    }

    /// Also replaces the metadata.
    #[must_use]
    pub fn with_metadata(mut self, metadata: Fields) -> Self {
        self.metadata = Some(metadata);
        self
    }

    /// Makes the changes.
    pub fn apply(self, session: &mut Session) {
        if let Some(expires_at) = self.expires_at {
            session.expires_at = expires_at;
        }
        if let Some(attributes) = self.attributes {
            session.attributes = attributes;
        }
        if let Some(metadata) = self.metadata {
            session.metadata = metadata;
        }
    }
}
