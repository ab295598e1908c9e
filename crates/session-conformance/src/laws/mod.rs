//! The laws a case may call on: what holds whatever the case is about.
//!
//! Each looks at what was stored and shown, not at what was reported. `all_storages_equal` and
//! `no_panic` are about whole runs, so the runner checks them.

mod coverage;
mod effort;
mod log;
mod provider;
#[cfg(test)]
mod tests;
mod view;

use std::fmt;

use crate::json::{Parsed, malformed};
use crate::seen::Seen;

/// A law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Law {
    /// Every tool message in the provider form answers a call of an earlier assistant message.
    ExportValid,
    /// The log before is a prefix of the log after.
    LogAppendOnly,
    /// Each logged message is once in the view, or was covered, and never both.
    CoveredPlusViewIsLog,
    /// No event is in the view twice.
    ViewIdsUnique,
    /// Nothing is in the log, the view or an export that nobody put there.
    NoInventedEvents,
    /// The newest real user message opens the last turn of the view.
    NewestUserLastTurn,
    /// A pass that changes nothing costs no model call and no write.
    Progress,
    /// A driver that runs the pass until it changes nothing comes to an end.
    Terminates,
    /// Every store shows the same.
    AllStoragesEqual,
    /// Nothing panics.
    NoPanic,
}

impl Law {
    /// Every law.
    pub const ALL: [Self; 10] = [
        Self::ExportValid,
        Self::LogAppendOnly,
        Self::CoveredPlusViewIsLog,
        Self::ViewIdsUnique,
        Self::NoInventedEvents,
        Self::NewestUserLastTurn,
        Self::Progress,
        Self::Terminates,
        Self::AllStoragesEqual,
        Self::NoPanic,
    ];

    /// The name in cases.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ExportValid => "export_valid",
            Self::LogAppendOnly => "log_append_only",
            Self::CoveredPlusViewIsLog => "covered_plus_view_is_log",
            Self::ViewIdsUnique => "view_ids_unique",
            Self::NoInventedEvents => "no_invented_events",
            Self::NewestUserLastTurn => "newest_user_last_turn",
            Self::Progress => "progress",
            Self::Terminates => "terminates",
            Self::AllStoragesEqual => "all_storages_equal",
            Self::NoPanic => "no_panic",
        }
    }

    pub(crate) fn parse(name: &str) -> Parsed<Self> {
        match Self::ALL.into_iter().find(|law| law.name() == name) {
            Some(law) => Ok(law),
            None => malformed(format!("unknown invariant `{name}`")),
        }
    }

    /// Whether the law holds for what was seen; else what breaks it.
    pub(crate) fn check(self, seen: &Seen) -> Result<(), String> {
        let verdict = match self {
            Self::ExportValid => provider::export_valid(seen),
            Self::LogAppendOnly => log::append_only(seen),
            Self::CoveredPlusViewIsLog => coverage::covered_plus_view_is_log(seen),
            Self::ViewIdsUnique => view::ids_unique(seen),
            Self::NoInventedEvents => log::no_invented_events(seen),
            Self::NewestUserLastTurn => view::newest_user_last_turn(seen),
            Self::Progress => effort::progress(seen),
            Self::Terminates => effort::terminates(seen),
            Self::AllStoragesEqual | Self::NoPanic => Ok(()),
        };
        verdict.map_err(|came| format!("{self}: {came}"))
    }

    /// Whether the law speaks of a driver that runs passes until nothing changes.
    pub(crate) fn wants_drive(self) -> bool {
        matches!(self, Self::Progress | Self::Terminates)
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The states of a session that were seen.
fn states(seen: &Seen) -> Result<&[std::sync::Arc<crate::seen::Snapshot>], String> {
    match seen.states.as_slice() {
        [] => Err("there is no session to look at".into()),
        states => Ok(states),
    }
}
