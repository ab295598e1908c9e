//! Looking for words, and looking at the view.

use serde_json::{Map, Value, json};
use session_store::Scope;

use crate::case::{Case, Search};
use crate::seen::Seen;
use crate::stopwatch::millis;
use crate::world::{Runs, Setting, World};

/// Searches over the whole input, one after the other.
pub(super) fn search(
    case: &Case,
    setting: &Setting,
    searches: &[Search],
    is_one: bool,
) -> Runs<Seen> {
    let mut world = World::new(case, setting)?;
    world.append_input()?;
    let scope = Scope::Session(world.session.clone());
    let running = setting.stopwatch.start();
    let mut found = Map::new();
    for search in searches {
        if let Some(ids) = world.find(search, &scope) {
            found.insert(search.name.clone(), ids);
        }
    }
    let took = running.stop(0);
    world.facts.insert("time_ms", json!(millis(took)));
    let found = match is_one {
        true => found.into_iter().next().map(|(_, ids)| ids),
        false => Some(Value::Object(found)),
    };
    if let Some(found) = found {
        world.facts.insert("found", found);
    }
    world.seen()
}

/// The view of the input, whole or as a branch sees it.
pub(super) fn view(case: &Case, setting: &Setting, branch: Option<&str>) -> Runs<Seen> {
    let mut world = World::new(case, setting)?;
    world.append_input()?;
    if let Some(branch) = branch {
        world.view_of_branch(branch)?;
    }
    world.seen()
}
