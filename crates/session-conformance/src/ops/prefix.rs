//! The beginning of what a provider gets: it stays as it is from turn to turn, so that a provider
//! finds it in its cache, and changes only with a pass.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::case::{Action, Case, PassSpec};
use crate::export;
use crate::seen::Seen;
use crate::world::{Runs, Setting, World};

/// Turn by turn, with a pass after each if one is described.
pub(super) fn by_turn(case: &Case, setting: &Setting, spec: &PassSpec, format: &str) -> Runs<Seen> {
    let mut world = World::new(case, setting)?;
    let records = Arc::clone(&world.records);
    let mut watch = Watch::new(format);
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
        watch.look(&mut world, number, ran)?;
    }
    watch.tell(&mut world);
    world.seen()
}

/// Action by action. What the input has and no action appends is there from the beginning.
pub(super) fn by_step(
    case: &Case,
    setting: &Setting,
    steps: &[Action],
    format: &str,
) -> Runs<Seen> {
    let mut world = World::new(case, setting)?;
    let appended: Vec<&String> = steps
        .iter()
        .filter_map(|step| match step {
            Action::Append { ids, .. } => Some(ids),
            _ => None,
        })
        .flatten()
        .collect();
    for record in &case.input.all {
        if !appended.contains(&&record.id) {
            world.append_one(&record.id)?;
        }
    }
    let mut watch = Watch::new(format);
    watch.look(&mut world, 0, 0)?;
    for (number, step) in (1_u64..).zip(steps) {
        let ran = world.passes.len();
        world.act_all(std::slice::from_ref(step))?;
        watch.look(&mut world, number, ran)?;
    }
    watch.tell(&mut world);
    world.seen()
}

/// The request that was made last, and when its beginning changed.
struct Watch<'a> {
    format: &'a str,
    before: Option<Vec<Value>>,
    changed: Vec<u64>,
    is_stable: bool,
}

impl<'a> Watch<'a> {
    fn new(format: &'a str) -> Self {
        Self {
            format,
            before: None,
            changed: Vec::new(),
            is_stable: true,
        }
    }

    /// Compares the request as it is now with the last one. `ran` passes were run before.
    fn look(&mut self, world: &mut World, number: u64, ran: usize) -> Runs<()> {
        let Some(state) = world.look()? else {
            return Ok(());
        };
        let request = export::request(&state.view, self.format)?;
        let again = export::request(&state.view, self.format)?;
        let keeps = self
            .before
            .as_ref()
            .is_none_or(|before| request.messages.starts_with(before));
        if !keeps {
            self.changed.push(number);
        }
        let wrote = world.passes.iter().skip(ran).any(|pass| pass.is_written());
        self.is_stable &= (keeps || wrote) && request.text == again.text;
        self.before = Some(request.messages.clone());
        world.export = Some(request);
        Ok(())
    }

    fn tell(self, world: &mut World) {
        world.facts.insert("prefix_stable", json!(self.is_stable));
        world
            .facts
            .insert("prefix_changes_at_turns", json!(self.changed));
    }
}
