//! Counting.

use serde_json::json;

use crate::case::{Case, Records};
use crate::seen::Seen;
use crate::stopwatch::millis;
use crate::world::{Runs, Setting, World};

/// How much shorter what is generated is made, to see whether its length matters.
const DIVISOR: usize = 10;

/// The cost of each message of the input, as an append counts it.
pub(super) fn count(case: &Case, setting: &Setting) -> Runs<Seen> {
    let world = World::new(case, setting)?;
    world.estimator.warm_up();
    let running = setting.stopwatch.start();
    let costs = costs(&world, &case.input)?;
    let took = running.stop(0);
    let shorter = case.input.shortened(DIVISOR).map_err(|e| e.reason)?;
    let is_generated = costs.len() == shorter.all.len()
        && case
            .input
            .all
            .iter()
            .zip(&shorter.all)
            .any(|(record, shorter)| record.json != shorter.json);
    let mut seen = Seen {
        records: case.input.clone().into(),
        shorter_costs: match is_generated {
            true => Some(self::costs(&world, &shorter)?),
            false => None,
        },
        costs: Some(costs),
        ..Seen::default()
    };
    seen.facts.insert("time_ms", json!(millis(took)));
    Ok(seen)
}

fn costs(world: &World, records: &Records) -> Runs<Vec<(String, u64)>> {
    let each = |record: &crate::case::Record| {
        let message = record.message().map_err(|error| error.reason)?;
        let tokens = match world.estimator.cost_of(&record.id) {
            Some(count) => count.tokens,
            None => world.sessions.tokens_of(&message),
        };
        Ok((record.id.clone(), tokens))
    };
    records.all.iter().map(each).collect()
}
