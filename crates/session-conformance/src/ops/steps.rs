//! Rows of actions.

use serde_json::json;

use super::passes::wants_drive;
use crate::case::{Action, Case};
use crate::seen::Seen;
use crate::world::{Runs, Setting, World};

pub(super) fn steps(case: &Case, setting: &Setting, actions: &[Action]) -> Runs<Seen> {
    let mut world = World::new(case, setting)?;
    world.act_all(actions)?;
    let mut seen = world.seen()?;
    let last = actions.iter().rev().find_map(|action| match action {
        Action::Compact(spec) => Some(spec),
        _ => None,
    });
    if let Some(spec) = last.filter(|_| wants_drive(case)) {
        seen.drive = Some(world.drive(spec)?);
    }
    Ok(seen)
}

/// What users see of each other: an action that is refused or comes back with nothing of another
/// user's is denied.
pub(super) fn isolation(
    case: &Case,
    setting: &Setting,
    actions: &[(String, Action)],
) -> Runs<Seen> {
    let mut world = World::new(case, setting)?;
    let ids: Vec<String> = case
        .input
        .all
        .iter()
        .map(|record| record.id.clone())
        .collect();
    for id in ids {
        world.append_one(&id)?;
    }
    let mut denied: Vec<&str> = Vec::new();
    for (sentence, action) in actions {
        let failures = world.failures.len();
        world.act_all(std::slice::from_ref(action))?;
        let refused = world.failures.get_mut(failures..).unwrap_or_default();
        if refused.iter().any(|failure| failure.is("denied")) {
            let (plain, _) = sentence.rsplit_once(" as ").unwrap_or((sentence, ""));
            denied.push(plain);
            for failure in refused {
                failure.is_wanted = true;
            }
        }
    }
    world.facts.insert("denied", json!(denied));
    world.seen()
}
