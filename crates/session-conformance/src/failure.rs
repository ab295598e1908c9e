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

    pub(crate) fn of(error: &Error) -> Self {
        Self::new(kinds(error), with_causes(error))
    }

    /// Whether a case means this error: `error_` in front is the same, and `a_or_b` is either.
    pub(crate) fn is(&self, name: &str) -> bool {
        let name = name.trim().to_lowercase().replace([' ', '-'], "_");
        let name = name.strip_prefix("error_").unwrap_or(&name);
        let is_kind = |name: &str| self.kinds.contains(&name);
        is_kind(name) || name.split("_or_").any(is_kind)
    }

    pub(crate) fn kind(&self) -> &'static str {
        self.kinds.first().copied().unwrap_or("unknown")
    }
}

fn kinds(error: &Error) -> &'static [&'static str] {
    match error {
        Error::Settings(settings) => of_settings(settings),
        Error::SessionExists { .. } => &["exists", "session_exists", "already_exists"],
        Error::UnknownSession { .. } => UNKNOWN_SESSION,
        Error::UnknownEvent { .. } => &["not_found", "unknown_event"],
        Error::SystemMessageRefused { .. } => {
            &["system_message", "system_message_refused", "refused"]
        }
        Error::DamagedView { .. } => &["corrupt", "damaged", "damaged_view"],
        Error::InvalidId(_) => &["invalid_id", "id"],
        Error::InvalidPlan { .. } => &["invalid_plan"],
        Error::Summarizer(_) => &["summarizer"],
        Error::Store(error) => of_store(error),
        _ => &["error"],
    }
}

const UNKNOWN_SESSION: &[&str] = &[
    "not_found",
    "unknown_session",
    "session_not_found",
    "expired",
    "denied",
];

fn of_settings(settings: &InvalidSettings) -> &'static [&'static str] {
    match settings {
        InvalidSettings::Zero { setting } => match *setting {
            "last_events" | "last_turns" | "tokens" => {
                &["invalid_window", "zero", "invalid_settings", "settings"]
            }
            _ => &["invalid_trigger", "zero", "invalid_settings", "settings"],
        },
        InvalidSettings::ReserveTooLarge { .. } => &[
            "invalid_window",
            "invalid_reserve",
            "reserve",
            "invalid_settings",
            "settings",
        ],
        InvalidSettings::Fraction | InvalidSettings::NoTriggers => {
            &["invalid_trigger", "invalid_settings", "settings"]
        }
        InvalidSettings::NeverSatisfied { .. } => &[
            "never_satisfied",
            "invalid_pair",
            "contradictory",
            "invalid_settings",
            "settings",
        ],
        InvalidSettings::OverlapTooLarge { .. } => {
            &["invalid_overlap", "overlap", "invalid_settings", "settings"]
        }
        _ => &["invalid_settings", "settings"],
    }
}

fn of_store(error: &StoreError) -> &'static [&'static str] {
    match error {
        StoreError::UnknownSession { .. } => UNKNOWN_SESSION,
        StoreError::UnknownEvent { .. } => &["not_found", "unknown_event"],
        StoreError::EventDiffers { .. } => {
            &["event_differs", "duplicate_id", "id_conflict", "conflict"]
        }
        StoreError::EventElsewhere { .. } => {
            &["event_elsewhere", "duplicate_id", "id_conflict", "conflict"]
        }
        StoreError::InvalidEvent { .. } => &["invalid_event"],
        StoreError::InvalidQuery { .. } => &["invalid_query", "query"],
        StoreError::Corrupt { .. } => &["corrupt", "damaged"],
        StoreError::Unavailable { .. } => &["unavailable", "store"],
        _ => &["store", "failed"],
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
        for name in ["", "summarizer", "conflict", "notfound"] {
            assert!(!failure.is(name), "{name}");
        }
    }
}
