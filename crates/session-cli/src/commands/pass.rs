//! A pass that ran or was planned, with the view before and after it.

use std::sync::Arc;

use session::{
    Compaction, ContextWindow, Event, OnConflict, PassPlan, Prepared, Report, Seq, SessionId,
    Sessions, View,
};

use crate::failure::Failure;

/// A pass and what it did to the view.
#[derive(Debug)]
pub(crate) struct Pass {
    pub(crate) report: Report,
    pub(crate) before: View,
    pub(crate) after: View,
    /// What is to be committed, if the pass was only planned and there is something to do.
    pub(crate) plan: Option<Box<PassPlan>>,
    /// The context window that selected for one request, if it is no pass at all.
    pub(crate) selected_by: Option<ContextWindow>,
    /// What people should know beyond the warnings of the report.
    pub(crate) notes: Vec<String>,
}

impl Pass {
    /// Plans a pass and writes nothing.
    pub(crate) async fn plan(
        sessions: &Sessions,
        id: &SessionId,
        compaction: &Compaction,
    ) -> Result<Self, Failure> {
        let prepared = sessions.prepare(id, compaction).await?;
        let report = prepared.report().clone();
        let before = sessions.view_at(id, report.version).await?;
        Ok(match prepared {
            Prepared::Plan(plan) => Self {
                report,
                after: view_behind(&before, &plan),
                before,
                plan: Some(plan),
                selected_by: None,
                notes: Vec::new(),
            },
            Prepared::Nothing(_) => Self {
                report,
                after: before.clone(),
                before,
                plan: None,
                selected_by: None,
                notes: Vec::new(),
            },
        })
    }

    /// Lands what was planned.
    pub(crate) async fn land(mut self, sessions: &Sessions) -> Result<Self, Failure> {
        if let Some(plan) = self.plan.take() {
            self.report = sessions.commit(&plan, OnConflict::default()).await?;
            self.after = sessions.view(plan.session()).await?;
        }
        Ok(self)
    }
}

/// The view as it will be when `plan` has landed.
fn view_behind(before: &View, plan: &PassPlan) -> View {
    let next = before.version().next_seq();
    let places = std::iter::successors(Some(next), |seq: &Seq| Some(seq.plus(1)));
    let new: Vec<Arc<Event>> = plan
        .events()
        .iter()
        .zip(places)
        .map(|(event, seq)| Arc::new(event.clone().at(seq)))
        .collect();
    let version = new
        .last()
        .map_or(before.version(), |event| event.seq.into());
    let boundary = new.first().cloned();
    View::assemble(
        version,
        boundary,
        before.events().iter().cloned().chain(new),
    )
}
