//! What is pinned, and what goes with it.

use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use alloc::vec::Vec;

use compaction_core::pairs;

use crate::boundary::Boundary;
use crate::event::{Event, EventBody};
use crate::ids::Seq;

/// What is pinned: by the boundary's word, and by what was pinned and released after it.
pub(crate) fn held(boundary: Option<(Seq, &Boundary)>, events: &[Arc<Event>]) -> BTreeSet<Seq> {
    let (since, mut held): (_, BTreeSet<Seq>) = match boundary {
        Some((seq, boundary)) => (Some(seq), boundary.held.iter().copied().collect()),
        None => (None, BTreeSet::new()),
    };
    for event in events.iter().filter(|event| Some(event.seq) > since) {
        if let EventBody::Pin(pin) = &event.body {
            if pin.is_held {
                held.insert(pin.of);
            } else {
                held.remove(&pin.of);
            }
        }
    }
    // What a boundary covered is not asked for again: a view is the same whatever more was read.
    let is_shown = |event: &&Arc<Event>| match boundary {
        Some((_, named)) => event.seq >= named.kept_from || held.contains(&event.seq),
        None => true,
    };
    let came_later = partners(events.iter().filter(is_shown), &held);
    held.extend(came_later);
    held
}

/// What calls and results link to what is held. A call may be pinned while it waits: its result,
/// once it is there, stays with it.
fn partners<'a>(
    events: impl Iterator<Item = &'a Arc<Event>> + Clone,
    held: &BTreeSet<Seq>,
) -> BTreeSet<Seq> {
    let is_linked = |event: &Arc<Event>| {
        let message = event.as_message();
        message.is_some_and(|it| it.calls().next().is_some() || it.results().next().is_some())
    };
    let is_held_too = |event: &Arc<Event>| held.contains(&event.seq) && is_linked(event);
    if !events.clone().any(is_held_too) {
        return BTreeSet::new();
    }
    let linked: Vec<&Event> = events
        .filter(|event| is_linked(event))
        .map(|event| &**event)
        .collect();
    let is_held = |(_, event): &(usize, &&Event)| held.contains(&event.seq);
    let of_held = linked.iter().enumerate().filter(is_held).map(|(at, _)| at);
    let together = pairs(&linked).together(of_held);
    let together = together.iter().filter_map(|at| linked.get(*at));
    together.map(|event| event.seq).collect()
}
