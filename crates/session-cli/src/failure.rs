//! Why a command did not do its work: what is wrong, where, and what to do.

use std::error::Error;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use crate::output::style::{BOLD, ERROR, HINT};
use crate::output::text::inline;

/// How a command that did run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It did its work, or there was none.
    Done,
    /// It did part of its work, and said why not the rest.
    Partly(Kind),
}

/// Whose turn it is, which is what an exit code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Whoever reads our output has stopped reading. That is no fault: `compaction … | head`.
    Closed,
    /// The work failed.
    Work,
    /// Wrong usage, or input that cannot be read.
    Usage,
}

impl Kind {
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Self::Closed => 0,
            Self::Work => 1,
            Self::Usage => 2,
        }
    }
}

/// A message for the person at the terminal.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: Kind,
    what: String,
    details: Vec<String>,
    hint: Option<String>,
}

impl Failure {
    fn new(kind: Kind, what: impl Into<String>) -> Self {
        Self {
            kind,
            what: what.into(),
            details: Vec::new(),
            hint: None,
        }
    }

    /// The command was called in a way that makes no sense, or its input cannot be read.
    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self::new(Kind::Usage, what)
    }

    /// The command was called well and could not do its work.
    pub(crate) fn work(what: impl Into<String>) -> Self {
        Self::new(Kind::Work, what)
    }

    /// Nobody reads standard output any more.
    pub(crate) fn closed() -> Self {
        Self::new(Kind::Closed, "")
    }

    /// A file cannot be read.
    pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Self {
        let failure = Self::usage(format!(
            "cannot read {}: {}",
            path.display(),
            plainly(error)
        ));
        match error.kind() {
            io::ErrorKind::PermissionDenied => failure.with_hint("you need the right to read it"),
            _ => failure,
        }
    }

    /// The same failure with one more line about it.
    pub(crate) fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.details.push(detail.into());
        self
    }

    /// The same failure with what to do about it.
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same failure with the causes of `error`, outermost first.
    pub(crate) fn with_causes_of(mut self, error: &(dyn Error + 'static)) -> Self {
        let mut cause = error.source();
        while let Some(inner) = cause {
            self.details.push(format!("because: {inner}"));
            cause = inner.source();
        }
        self
    }

    pub(crate) fn what(&self) -> &str {
        &self.what
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// The message, a line each for what, details and hint, with styles that the terminal may take off
    /// again. Names in it, of files and of ids, cannot drive the terminal.
    pub(crate) fn render(&self) -> String {
        let what = inline(&self.what);
        let mut text = format!("{ERROR}error:{ERROR:#} {BOLD}{what}{BOLD:#}\n");
        for detail in &self.details {
            let _ = writeln!(text, "  {}", inline(detail));
        }
        if let Some(hint) = &self.hint {
            let _ = writeln!(text, "{HINT}hint:{HINT:#} {}", inline(hint));
        }
        text
    }
}

impl From<session::Error> for Failure {
    fn from(error: session::Error) -> Self {
        use session::Error as E;
        let failure = match &error {
            E::Settings(_) | E::InvalidId(_) | E::InvalidPlan { .. } | E::UnknownEvent { .. } => {
                Self::usage(error.to_string())
            }
            E::UnknownSession { .. } => Self::usage(error.to_string())
                .with_hint("`compaction sessions` lists what is in the store"),
            E::DamagedView { .. } => {
                Self::work(error.to_string()).with_hint("`compaction doctor` says what is damaged")
            }
            _ => Self::work(error.to_string()),
        };
        let failure = failure.with_causes_of(&error);
        if error.is_retryable() {
            return failure.with_hint("try again in a moment");
        }
        failure
    }
}

impl From<session::StoreError> for Failure {
    fn from(error: session::StoreError) -> Self {
        session::Error::from(error).into()
    }
}

/// What the operating system says, without the number that says it again.
pub(crate) fn plainly(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rfind(" (os error ") {
        Some(at) => text.get(..at).unwrap_or(&text).to_lowercase(),
        None => text,
    }
}
