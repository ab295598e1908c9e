//! Where in a tree of sub-agents an event was made.

use alloc::string::String;
use core::fmt;

/// The dot path of the sub-agent that made an event, such as `root.agent_1`.
///
/// Paths are compared by segment: `root.agent_1` is no ancestor of `root.agent_10`.
///
/// ```
/// use session_log::Branch;
///
/// let child = Branch::new("root.agent_1.search").unwrap();
/// assert!(Branch::new("root.agent_1").unwrap().is_self_or_ancestor_of(&child));
/// assert!(!Branch::new("root.agent_10").unwrap().is_self_or_ancestor_of(&child));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Branch(String);

/// A text is no dot path: it is empty or has an empty segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("a branch is a dot path without empty segments")]
pub struct InvalidBranch;

impl Branch {
    /// The branch with this path.
    ///
    /// # Errors
    ///
    /// [`InvalidBranch`] when the path or one of its segments is blank.
    pub fn new(path: impl Into<String>) -> Result<Self, InvalidBranch> {
        let path = path.into();
        if path.split('.').any(|segment| segment.trim().is_empty()) {
            return Err(InvalidBranch);
        }
        Ok(Self(path))
    }

    /// The path.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `other` is this branch or below it.
    #[must_use]
    pub fn is_self_or_ancestor_of(&self, other: &Self) -> bool {
        match other.0.strip_prefix(self.0.as_str()) {
            Some(rest) => rest.is_empty() || rest.starts_with('.'),
            None => false,
        }
    }
}

impl fmt::Debug for Branch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Branch({:?})", self.0)
    }
}

impl fmt::Display for Branch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
