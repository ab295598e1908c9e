//! Identities. Ids are opaque text: never a path, never parsed, compared byte by byte.

use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;

/// The longest id, in bytes.
pub const MAX_ID_BYTES: usize = 255;

/// Why a text cannot be an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidId {
    /// The text is empty or white space only.
    #[error("an id must not be blank")]
    Blank,
    /// The text is longer than [`MAX_ID_BYTES`].
    #[error("an id must not be longer than {MAX_ID_BYTES} bytes, this one has {bytes}")]
    TooLong {
        /// The length of the refused text in bytes.
        bytes: usize,
    },
    /// The text holds a control character, such as NUL or a line break.
    #[error("an id must not contain control characters, this one has U+{code:04X}")]
    Control {
        /// The code point that is not allowed.
        code: u32,
    },
}

fn check(text: &str) -> Result<(), InvalidId> {
    if text.trim().is_empty() {
        return Err(InvalidId::Blank);
    }
    if text.len() > MAX_ID_BYTES {
        return Err(InvalidId::TooLong { bytes: text.len() });
    }
    match text.chars().find(|c| c.is_control()) {
        Some(c) => Err(InvalidId::Control { code: c.into() }),
        None => Ok(()),
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Takes `text` as an id, as it is.
            ///
            /// # Errors
            ///
            /// [`InvalidId`] when the text is blank, longer than [`MAX_ID_BYTES`] or has
            /// control characters.
            pub fn new(text: impl AsRef<str>) -> Result<Self, InvalidId> {
                let text = text.as_ref();
                check(text)?;
                Ok(Self(text.into()))
            }

            /// The text of the id.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({:?})", stringify!($name), &*self.0)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl core::str::FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                Self::new(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidId;

            fn try_from(text: String) -> Result<Self, InvalidId> {
                Self::new(text)
            }
        }

        impl TryFrom<&str> for $name {
            type Error = InvalidId;

            fn try_from(text: &str) -> Result<Self, InvalidId> {
                Self::new(text)
            }
        }
    };
}

id! {
    /// The identity of a session.
    ///
    /// ```
    /// use session_log::SessionId;
    ///
    /// let id = SessionId::new("../support:42").unwrap(); // opaque: no meaning is read into it
    /// assert_eq!(id.as_str(), "../support:42");
    /// assert!(SessionId::new("  ").is_err());
    /// ```
    SessionId
}

id! {
    /// The identity of an event, unique across all sessions of a store.
    EventId
}

/// The place of an event in its log: 1, 2, 3 … in append order.
///
/// Order never depends on a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Seq(u64);

impl Seq {
    /// The place of the first event.
    pub const FIRST: Self = Self(1);

    /// The place `number`, if it is not zero.
    #[must_use]
    pub const fn new(number: u64) -> Option<Self> {
        if number == 0 {
            None
        } else {
            Some(Self(number))
        }
    }

    /// The number of the place, at least 1.
    #[must_use]
    pub const fn as_u64(self) -> u64 {
        self.0
    }

    /// The place `count` further on; stays at the last place there is when it would overflow.
    #[must_use]
    pub const fn plus(self, count: u64) -> Self {
        Self(self.0.saturating_add(count))
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The version of a session: the [`Seq`] of its last event, 0 for an empty log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version(u64);

impl Version {
    /// The version of a session without events.
    pub const EMPTY: Self = Self(0);

    /// The version with this number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number, which is also the count of events in the log.
    #[must_use]
    pub const fn as_u64(self) -> u64 {
        self.0
    }

    /// The place the next appended event gets.
    #[must_use]
    pub const fn next_seq(self) -> Seq {
        Seq(self.0.saturating_add(1))
    }
}

impl From<Seq> for Version {
    fn from(seq: Seq) -> Self {
        Self(seq.0)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A moment: milliseconds since 1970-01-01T00:00:00Z.
///
/// It is kept for people and for time filters; nothing is ordered by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The moment `millis` milliseconds after (or before) the epoch.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The moment `millis` later; stays at the last moment there is when it would overflow.
    #[must_use]
    pub const fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }
}
