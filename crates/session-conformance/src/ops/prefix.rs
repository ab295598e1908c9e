//! The beginning of what a provider gets: it stays as it is from turn to turn, so that a provider
//! finds it in its cache, and changes only with a pass.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::case::{Case, PassSpec};
use crate::export;
use crate::seen::Seen;
use crate::world::{Runs, Setting, World};

pub(super) fn prefix(case: &Case, setting: &Setting, spec: &PassSpec, format: &str) -> Runs<Seen> {
    let mut world = World::new(case, setting)?;
    let records = Arc::clone(&world.records);
    let mut before: Option<Vec<Value>> = None;
    let mut changed: Vec<u64> = Vec::new();
    let mut is_stable = true;
    for (number, turn) in (1_u64..).zip(records.turns()) {
        for record in turn {
            world.append_one(&record.id)?;
        }
        let ran = world.passes.len();
        if spec.window.is_some() {
            world.compact(spec)?;
        }
        for pass in world.passes.iter_mut().skip(ran) {
            pass.turn = Some(number);
        }
        let wrote = world.passes.iter().skip(ran).any(|pass| pass.is_written());
        let Some(state) = world.look()? else { continue };
        let request = export::request(&state.view, format)?;
        let again = export::request(&state.view, format)?;
        let keeps = before
            .as_ref()
            .is_none_or(|before| request.messages.starts_with(before));
        if !keeps {
            changed.push(number);
        }
        is_stable &= (keeps || wrote) && request.text == again.text;
        before = Some(request.messages.clone());
        world.export = Some(request);
    }
    world.facts.insert("prefix_stable", json!(is_stable));
    world
        .facts
        .insert("prefix_changes_at_turns", json!(changed));
    world.seen()
}
