//! One pass, a pass after each turn, and a table of passes.

use serde_json::json;

use crate::case::{Case, PassSpec};
use crate::seen::Seen;
use crate::world::{Runs, Setting, World};

/// One pass over the whole input.
pub(super) fn compact(case: &Case, setting: &Setting, spec: &PassSpec) -> Runs<Seen> {
    let mut world = World::new(case, setting)?;
    world.append_input()?;
    let before = world.look()?;
    world.compact(spec)?;
    let failed = world.passes.iter().any(|pass| pass.report.is_none());
    let mut seen = world.seen()?;
    seen.before = before;
    if failed {
        let usable = world.is_usable()?;
        seen.facts.insert("session_usable", json!(usable));
    } else if wants_drive(case) {
        seen.drive = Some(world.drive(spec)?);
    }
    Ok(seen)
}

/// Turn by turn, with a pass after each.
pub(super) fn turn_by_turn(case: &Case, setting: &Setting, spec: &PassSpec) -> Runs<Seen> {
    let mut world = World::new(case, setting)?;
    let records = std::sync::Arc::clone(&world.records);
    for (number, turn) in (1_u64..).zip(records.turns()) {
        let ran = world.passes.len();
        for record in turn {
            world.append_one(&record.id)?;
        }
        world.compact(spec)?;
        for pass in world.passes.iter_mut().skip(ran) {
            pass.turn = Some(number);
        }
    }
    let mut seen = world.seen()?;
    if wants_drive(case) {
        seen.drive = Some(world.drive(spec)?);
    }
    Ok(seen)
}

/// Each row on a fresh copy of the input.
pub(super) fn table(case: &Case, setting: &Setting, rows: &[PassSpec]) -> Runs<Seen> {
    let mut whole = Seen {
        records: case.input.clone().into(),
        ..Seen::default()
    };
    for row in rows {
        let seen = compact(case, setting, row)?;
        whole.states.extend(seen.states.iter().cloned());
        whole.failures.extend(seen.failures.iter().cloned());
        whole.passes.extend(seen.passes.iter().cloned());
        whole.steps.push(seen);
    }
    Ok(whole)
}

/// Whether a law is called on that speaks of a driver.
pub(super) fn wants_drive(case: &Case) -> bool {
    case.expect.laws.iter().any(|law| law.wants_drive())
}
