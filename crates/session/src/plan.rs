//! A pass that is planned and not committed yet.

use session_log::{NewEvent, SessionId, Version};
use session_store::Counters;

use crate::report::Report;

/// What a pass would do, summary included. It is a value: look at it, store it, and commit it
/// later, unchanged.
///
/// It stays good while nothing it relies on changes: no newer boundary, revert, pin or erasure.
/// Events that are appended meanwhile do not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassPlan {
    pub(crate) report: Report,
    pub(crate) based_on: Version,
    pub(crate) erasures: u64,
    /// The boundary and, behind it, the summary turn.
    pub(crate) events: Vec<NewEvent>,
    /// The size of the view at the version the plan is based on, as it is after the pass.
    pub(crate) counters: Counters,
}

impl PassPlan {
    /// What the pass would do.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> &SessionId {
        &self.report.session
    }

    /// What will be appended: the boundary and, behind it, the summary turn.
    #[must_use]
    pub fn events(&self) -> &[NewEvent] {
        &self.events
    }

    /// The version of the log the plan was made at.
    #[must_use]
    pub fn based_on(&self) -> Version {
        self.based_on
    }
}
