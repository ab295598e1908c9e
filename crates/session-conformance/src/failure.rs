//! Errors that came, under the names that cases may use for them.

use session::{Error, InvalidSettings};
use session_store::StoreError;

/// An error that came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// Names for it, the plainest first.
    pub(crate) kinds: Vec<&'static str>,
    /// What it says, with its causes.
    pub(crate) message: String,
    /// Whether the runner made it come.
    pub(crate) is_wanted: bool,
}

impl Failure {
    pub(crate) fn new(kinds: &[&'static str], message: impl Into<String>) -> Self {
        Self {
            kinds: kinds.to_vec(),
            message: message.into(),
            is_wanted: false,
        }
    }

    /// A fault of the runner or of what it stands on, which no case can expect.
    pub(crate) fn broken(message: impl Into<String>) -> Self {
        Self::new(&["broken"], message)
    }

    /// Somebody else wrote in between: an outcome of the library, and an error to most cases.
    pub(crate) fn conflict(actual: session::Version) -> Self {
        let message = format!("the version is {actual}, which is not the expected one");
        Self::new(CONFLICT, message)
    }

    pub(crate) fn of(error: &Error) -> Self {
        Self::new(kinds(error), with_causes(error))
    }

    /// Whether a case means this error: `error_` in front is the same, and `a_or_b` is either,
    /// if both are known.
    pub(crate) fn is(&self, name: &str) -> bool {
        let name = name.trim().to_lowercase().replace([' ', '-'], "_");
        let name = name.strip_prefix("error_").unwrap_or(&name);
        let is_kind = |name: &str| self.kinds.contains(&name);
        let is_known = |name: &str| KNOWN.iter().any(|kinds| kinds.contains(&name));
        is_kind(name) || (name.split("_or_").all(is_known) && name.split("_or_").any(is_kind))
    }

    pub(crate) fn kind(&self) -> &'static str {
        self.kinds.first().copied().unwrap_or("unknown")
    }
}

type Kinds = &'static [&'static str];

const CONFLICT: Kinds = &["conflict", "version_conflict", "stale"];

/// Every name of every error.
const KNOWN: [Kinds; 23] = [
    CONFLICT,
    EXISTS,
    UNKNOWN_SESSION,
    UNKNOWN_EVENT,
    SYSTEM_MESSAGE,
    CORRUPT,
    INVALID_ID,
    INVALID_PLAN,
    SUMMARIZER,
    INVALID_WINDOW,
    INVALID_RESERVE,
    INVALID_TRIGGER,
    NEVER_SATISFIED,
    INVALID_OVERLAP,
    INVALID_SETTINGS,
    EVENT_DIFFERS,
    EVENT_ELSEWHERE,
    INVALID_EVENT,
    INVALID_QUERY,
    UNAVAILABLE,
    FAILED,
    OTHER,
    OF_THE_RUNNER,
];

const EXISTS: Kinds = &["exists", "session_exists", "already_exists"];
const UNKNOWN_SESSION: Kinds = &[
    "not_found",
    "unknown_session",
    "session_not_found",
    "expired",
    "denied",
];
const UNKNOWN_EVENT: Kinds = &["not_found", "unknown_event"];
const SYSTEM_MESSAGE: Kinds = &["system_message", "system_message_refused", "refused"];
const CORRUPT: Kinds = &["corrupt", "damaged", "damaged_view"];
const INVALID_ID: Kinds = &["invalid_id", "id"];
const INVALID_PLAN: Kinds = &["invalid_plan"];
const SUMMARIZER: Kinds = &["summarizer"];
const INVALID_WINDOW: Kinds = &["invalid_window", "zero", "invalid_settings", "settings"];
const INVALID_RESERVE: Kinds = &[
    "invalid_window",
    "invalid_reserve",
    "reserve",
    "invalid_settings",
    "settings",
];
const INVALID_TRIGGER: Kinds = &["invalid_trigger", "zero", "invalid_settings", "settings"];
const NEVER_SATISFIED: Kinds = &[
    "never_satisfied",
    "invalid_pair",
    "contradictory",
    "invalid_settings",
    "settings",
];
const INVALID_OVERLAP: Kinds = &["invalid_overlap", "overlap", "invalid_settings", "settings"];
const INVALID_SETTINGS: Kinds = &["invalid_settings", "settings"];
const EVENT_DIFFERS: Kinds = &["event_differs", "duplicate_id", "id_conflict", "conflict"];
const EVENT_ELSEWHERE: Kinds = &["event_elsewhere", "duplicate_id", "id_conflict", "conflict"];
const INVALID_EVENT: Kinds = &["invalid_event"];
const INVALID_QUERY: Kinds = &["invalid_query", "query"];
const UNAVAILABLE: Kinds = &["unavailable", "store"];
const FAILED: Kinds = &["store", "failed"];
const OTHER: Kinds = &["error"];
/// What other modules of the runner call errors of theirs.
const OF_THE_RUNNER: Kinds = &[
    "unknown_format",
    "format",
    "unreadable",
    "import",
    "export",
    "worker",
];

fn kinds(error: &Error) -> Kinds {
    match error {
        Error::Settings(settings) => of_settings(settings),
        Error::SessionExists { .. } => EXISTS,
        Error::UnknownSession { .. } => UNKNOWN_SESSION,
        Error::UnknownEvent { .. } => UNKNOWN_EVENT,
        Error::SystemMessageRefused { .. } => SYSTEM_MESSAGE,
        Error::DamagedView { .. } => CORRUPT,
        Error::InvalidId(_) => INVALID_ID,
        Error::InvalidPlan { .. } => INVALID_PLAN,
        Error::Summarizer(_) => SUMMARIZER,
        Error::Store(error) => of_store(error),
        _ => OTHER,
    }
}

fn of_settings(settings: &InvalidSettings) -> Kinds {
    match settings {
        InvalidSettings::Zero { setting } => match *setting {
            "last_events" | "last_turns" | "tokens" => INVALID_WINDOW,
            _ => INVALID_TRIGGER,
        },
        InvalidSettings::ReserveTooLarge { .. } => INVALID_RESERVE,
        InvalidSettings::Fraction | InvalidSettings::NoTriggers => INVALID_TRIGGER,
        InvalidSettings::NeverSatisfied { .. } => NEVER_SATISFIED,
        InvalidSettings::OverlapTooLarge { .. } => INVALID_OVERLAP,
        _ => INVALID_SETTINGS,
    }
}

fn of_store(error: &StoreError) -> Kinds {
    match error {
        StoreError::UnknownSession { .. } => UNKNOWN_SESSION,
        StoreError::UnknownEvent { .. } => UNKNOWN_EVENT,
        StoreError::EventDiffers { .. } => EVENT_DIFFERS,
        StoreError::EventElsewhere { .. } => EVENT_ELSEWHERE,
        StoreError::InvalidEvent { .. } => INVALID_EVENT,
        StoreError::InvalidQuery { .. } => INVALID_QUERY,
        StoreError::Corrupt { .. } => CORRUPT,
        StoreError::Unavailable { .. } => UNAVAILABLE,
        _ => FAILED,
    }
}

/// What the error says, and what its causes say.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_goes_by_several_names() {
        let failure = Failure::new(UNKNOWN_SESSION, "no such session");
        for name in ["not_found", "error_not_found_or_expired", "Unknown session"] {
            assert!(failure.is(name), "{name}");
        }
        for name in [
            "",
            "summarizer",
            "conflict",
            "notfound",
            "not_found_or_what",
        ] {
            assert!(!failure.is(name), "{name}");
        }
    }
}
