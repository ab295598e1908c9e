//! The types of events: the library's own, and those of applications.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;

/// The type of an event: `MESSAGE`, `COMPACTION`, `REVERT`, `PIN`, or an application's own.
///
/// Own names have upper-case letters, digits, `_` and `.`, start with a letter and have at most
/// 64 characters.
///
/// ```
/// use session_log::EventType;
///
/// assert_eq!(EventType::new("ACME.AUDIT").unwrap().as_str(), "ACME.AUDIT");
/// assert!(EventType::new("acme").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventType(Cow<'static, str>);

/// A text is no name of an event type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error(
    "an event type has 1 to 64 upper-case letters, digits, '_' or '.' and starts with a letter"
)]
pub struct InvalidEventType;

impl EventType {
    /// Events that carry a message.
    pub const MESSAGE: Self = Self(Cow::Borrowed("MESSAGE"));
    /// Boundaries.
    pub const COMPACTION: Self = Self(Cow::Borrowed("COMPACTION"));
    /// Events that take a boundary back.
    pub const REVERT: Self = Self(Cow::Borrowed("REVERT"));
    /// Events that pin another one, or release it.
    pub const PIN: Self = Self(Cow::Borrowed("PIN"));
    /// Events that say who is at a pass, so that others do not begin one: custom events, which no
    /// view and no boundary knows.
    pub const LEASE: Self = Self(Cow::Borrowed("SESSION.LEASE"));

    /// The type with this name.
    ///
    /// # Errors
    ///
    /// [`InvalidEventType`] when the name has other characters, starts with no letter, is empty
    /// or longer than 64 characters.
    pub fn new(name: &str) -> Result<Self, InvalidEventType> {
        let starts_well = name.starts_with(|c: char| c.is_ascii_uppercase());
        let is_allowed =
            |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '_' | '.');
        if !starts_well || name.len() > 64 || !name.chars().all(is_allowed) {
            return Err(InvalidEventType);
        }
        Ok(Self(String::from(name).into()))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the type is the library's, not an application's own.
    #[must_use]
    pub fn is_built_in(&self) -> bool {
        [Self::MESSAGE, Self::COMPACTION, Self::REVERT, Self::PIN].contains(self)
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
