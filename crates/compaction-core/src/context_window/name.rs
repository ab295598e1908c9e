//! The names of context windows, as settings have them.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use crate::context_window::ContextWindow;

impl ContextWindow {
    /// Every context window.
    #[must_use]
    pub const fn values() -> [Self; 3] {
        [Self::Fixed, Self::Sliding, Self::Summarized]
    }

    /// The name of every context window.
    ///
    /// ```
    /// assert_eq!(compaction_core::ContextWindow::names(), ["fixed", "sliding", "summarized"]);
    /// ```
    #[must_use]
    pub const fn names() -> [&'static str; 3] {
        [
            Self::Fixed.name(),
            Self::Sliding.name(),
            Self::Summarized.name(),
        ]
    }

    /// The name of this one.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Sliding => "sliding",
            Self::Summarized => "summarized",
        }
    }

    /// The context window with this name, in any case, with or without blanks around it.
    /// `summary` is another name of `summarized`.
    ///
    /// ```
    /// use compaction_core::ContextWindow;
    ///
    /// assert_eq!(ContextWindow::for_name(" Summary ")?, ContextWindow::Summarized);
    /// let error = ContextWindow::for_name("round").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "no context window is named `round`, choose fixed, sliding or summarized"
    /// );
    /// # Ok::<(), compaction_core::UnknownContextWindow>(())
    /// ```
    ///
    /// # Errors
    ///
    /// No context window has this name.
    pub fn for_name(name: &str) -> Result<Self, UnknownContextWindow> {
        let trimmed = name.trim();
        let is = |known: &str| trimmed.eq_ignore_ascii_case(known);
        if is("summary") {
            return Ok(Self::Summarized);
        }
        Self::values()
            .into_iter()
            .find(|window| is(window.name()))
            .ok_or_else(|| UnknownContextWindow { name: name.into() })
    }

    /// Whether it is of use only with a model that writes summaries.
    #[must_use]
    pub const fn requires_llm(self) -> bool {
        matches!(self, Self::Summarized)
    }

    /// The tokens it adds to a conversation, as an estimate for planning: 200 for a summary.
    #[must_use]
    pub const fn overhead_tokens(self) -> u64 {
        match self {
            Self::Fixed | Self::Sliding => 0,
            Self::Summarized => 200,
        }
    }
}

impl fmt::Display for ContextWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ContextWindow {
    type Err = UnknownContextWindow;

    fn from_str(name: &str) -> Result<Self, UnknownContextWindow> {
        Self::for_name(name)
    }
}

/// No context window has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownContextWindow {
    name: String,
}

impl UnknownContextWindow {
    /// The name that was looked for.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for UnknownContextWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second, third] = ContextWindow::names();
        let name = self.name.trim();
        write!(
            f,
            "no context window is named `{name}`, choose {first}, {second} or {third}"
        )
    }
}

impl core::error::Error for UnknownContextWindow {}
