//! How large the view was at each event of a log.

use std::sync::Arc;

use session::{Event, Sessions, View};
use session_log::{EventBody, Origin};

use crate::output::fates::cost;

/// The tokens a model saw of a log up to each of its events. Messages add to what is seen; what changes the
/// view in other ways has it folded anew.
pub(super) fn growth(log: &[Arc<Event>], sessions: &Sessions) -> Vec<u64> {
    let mut tokens: u64 = 0;
    let mut sizes = Vec::with_capacity(log.len());
    for (at, event) in log.iter().enumerate() {
        match &event.body {
            EventBody::Message(_) if is_half_of_a_summary(event) => {
                tokens = seen(log, at, sessions);
            }
            EventBody::Message(message) => {
                let counted = event.tokens.as_ref();
                let counted = counted.filter(|it| it.estimator == sessions.estimator());
                let more = counted.map_or_else(|| sessions.tokens_of(message), |it| it.tokens);
                tokens = tokens.saturating_add(more);
            }
            EventBody::Custom { .. } => {}
            _ => tokens = seen(log, at, sessions),
        }
        sizes.push(tokens);
    }
    sizes
}

fn is_half_of_a_summary(event: &Event) -> bool {
    matches!(event.origin, Origin::Summary { boundary: Some(_) })
}

fn seen(log: &[Arc<Event>], at: usize, sessions: &Sessions) -> u64 {
    let view = View::fold(log.iter().take(at + 1).cloned());
    let costs = view
        .events()
        .iter()
        .map(|event| cost(sessions, &view, event));
    costs.fold(0, u64::saturating_add)
}
