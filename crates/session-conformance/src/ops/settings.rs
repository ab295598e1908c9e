//! Settings that are made and not run.

use serde_json::json;

use crate::case::{Case, PassSpec};
use crate::seen::Seen;
use crate::world::{Runs, Setting, World};

/// Builds each row. What is refused is an error of its row, and of the whole.
pub(super) fn settings(case: &Case, setting: &Setting, rows: &[PassSpec]) -> Runs<Seen> {
    let mut world = World::new(case, setting)?;
    world.append_input()?;
    for row in rows {
        let mut step = Seen {
            records: case.input.clone().into(),
            ..Seen::default()
        };
        if let Err(failure) = world.ready(row, None) {
            step.failures.push(failure.clone());
            world.failures.push(failure);
        }
        world.steps.push(step);
    }
    let refused = world.steps.iter().filter(|it| !it.failures.is_empty());
    let each = match refused.count() {
        0 => json!(["ok", "accepted"]),
        count if count == rows.len() => {
            json!(["error", "clear_error", "refused", "invalid_settings"])
        }
        _ => json!("some are refused and some are not"),
    };
    world.facts.insert("each", each);
    world.seen()
}
