//! Templates: the sections a summary is to have.

use core::fmt;

/// The sections that a summary must have, in order.
///
/// ```
/// use session_summarizer::{Section, Template};
///
/// let template = Template::new([Section::new("Goal", "what the person wants")]);
/// assert!(template.to_string().ends_with("## Goal\n(what the person wants)"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Template {
    sections: Vec<Section>,
}

/// A section of a template.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Section {
    /// The heading, without marks.
    pub heading: String,
    /// What belongs under it.
    pub hint: String,
}

impl Section {
    /// A section with a heading, and what belongs under it.
    #[must_use]
    pub fn new(heading: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            heading: heading.into(),
            hint: hint.into(),
        }
    }
}

impl Template {
    /// A template of these sections.
    #[must_use]
    pub fn new(sections: impl IntoIterator<Item = Section>) -> Self {
        Self {
            sections: sections.into_iter().collect(),
        }
    }

    /// Goal, state, decisions, files, open questions: what work with tools needs to go on.
    #[must_use]
    pub fn standard() -> Self {
        Self::new([
            Section::new(
                "Goal",
                "what the person wants, in their words, and the rules they set",
            ),
            Section::new(
                "State",
                "what is done, what failed and how it ended, with numbers and error messages",
            ),
            Section::new(
                "Decisions",
                "what was decided and why, and what was rejected",
            ),
            Section::new(
                "Files",
                "paths that were read, made or changed, and commands that matter",
            ),
            Section::new("Open questions", "what is not done or not answered yet"),
        ])
    }

    /// The sections, in order.
    #[must_use]
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }
}

impl fmt::Display for Template {
    /// The instruction to use it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "Use exactly these sections, in this order, and write \"None.\" where there is nothing:",
        )?;
        for Section { heading, hint } in &self.sections {
            write!(f, "\n## {heading}\n({hint})")?;
        }
        Ok(())
    }
}
