//! Why a command failed, in words for the person who ran it.

use std::fmt;

/// A text that says what is wrong and, where it can, what to do.
#[derive(Debug)]
pub(crate) struct Failure {
    text: String,
}

impl Failure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// Something was asked of the machine and it said no.
    pub(crate) fn because(what: &str, error: impl fmt::Display) -> Self {
        Self::new(format!("{what}: {error}"))
    }

    /// Nothing found is success; anything found is listed, one line each, under `headline`.
    pub(crate) fn unless_empty(headline: &str, findings: &[String]) -> Result<(), Self> {
        if findings.is_empty() {
            return Ok(());
        }
        let mut text = format!("{headline}:");
        for finding in findings {
            text.push_str("\n  - ");
            text.push_str(finding);
        }
        Err(Self::new(text))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
