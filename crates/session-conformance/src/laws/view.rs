//! Laws of the view.

use std::collections::BTreeSet;

use compaction_core::{Entry as _, EntryKind};

use super::states;
use crate::seen::Seen;

pub(super) fn ids_unique(seen: &Seen) -> Result<(), String> {
    for state in states(seen)? {
        let mut ids = BTreeSet::new();
        for event in state.view.events() {
            if !ids.insert(&event.id) {
                return Err(format!("{} is in the view twice", state.name(&event.id)));
            }
        }
    }
    Ok(())
}

pub(super) fn newest_user_last_turn(seen: &Seen) -> Result<(), String> {
    for state in states(seen)? {
        let newest = state
            .log
            .iter()
            .rfind(|event| event.kind() == EntryKind::TurnStart);
        let last = state
            .view
            .events()
            .iter()
            .rfind(|event| event.kind() == EntryKind::TurnStart);
        let name = |event: Option<&std::sync::Arc<session_log::Event>>| match event {
            Some(event) => state.name(&event.id),
            None => "nothing".into(),
        };
        if newest.map(|event| &event.id) != last.map(|event| &event.id) {
            return Err(format!(
                "{} is the newest user message of the log, {} opens the last turn of the view",
                name(newest),
                name(last)
            ));
        }
    }
    Ok(())
}
