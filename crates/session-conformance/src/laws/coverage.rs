//! What is covered and what is in the view is the whole log.

use std::collections::BTreeMap;

use session_log::EventId;

use super::states;
use crate::seen::Seen;

/// Each message is once in the view and was covered by no pass that counts, or is not in the view
/// and was covered by exactly one.
pub(super) fn covered_plus_view_is_log(seen: &Seen) -> Result<(), String> {
    let mut covered: BTreeMap<&EventId, usize> = BTreeMap::new();
    let written = seen
        .passes
        .iter()
        .filter(|pass| pass.is_written() && !pass.is_undone);
    for report in written.filter_map(|pass| pass.report.as_ref()) {
        for id in report.covered.iter().chain(&report.superseded) {
            let times = covered.entry(id).or_default();
            *times = times.saturating_add(1);
        }
    }
    let Some(state) = states(seen)?.last() else {
        return Ok(());
    };
    for event in state.messages() {
        let name = state.name(&event.id);
        let shown = state.view.events();
        let shown = shown.iter().filter(|other| other.id == event.id).count();
        let times = covered.remove(&event.id).unwrap_or(0);
        match (shown, times) {
            (1, 0) | (0, 1) => {}
            (0, 0) => return Err(format!("{name} is in the view no more and was not covered")),
            (1, _) => return Err(format!("{name} was covered and is in the view")),
            (0, times) => return Err(format!("{name} was covered {times} times")),
            (shown, _) => return Err(format!("{name} is {shown} times in the view")),
        }
    }
    match covered.keys().next() {
        None => Ok(()),
        Some(id) => Err(format!("{id} was covered and is not in the log")),
    }
}
