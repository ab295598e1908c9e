//! What a view does with each event of its log.

use std::collections::BTreeSet;
use std::sync::Arc;

use session::{Event, Seq, View};
use session_log::Origin;

use crate::report::fate::Fate;

/// The events that a view shows, by how it shows them.
pub(super) struct Fates<'a> {
    view: &'a View,
    leading: BTreeSet<Seq>,
    following: BTreeSet<Seq>,
    superseded: BTreeSet<Seq>,
}

impl<'a> Fates<'a> {
    pub(super) fn of(view: &'a View) -> Self {
        let seqs = |events: &[Arc<Event>]| events.iter().map(|event| event.seq).collect();
        let (leading, following) = view.events().split_at(view.lead().min(view.events().len()));
        let boundary = view.boundary().and_then(|event| event.as_boundary());
        Self {
            view,
            leading: seqs(leading),
            following: seqs(following),
            superseded: boundary
                .map(|boundary| boundary.superseded.iter().copied().collect())
                .unwrap_or_default(),
        }
    }

    pub(super) fn fate(&self, event: &Event) -> Fate {
        let is_leading = self.leading.contains(&event.seq);
        let is_shown = is_leading || self.following.contains(&event.seq);
        match event.as_message() {
            None => Fate::Record,
            Some(_) if !is_shown && self.superseded.contains(&event.seq) => Fate::Superseded,
            Some(_) if !is_shown => Fate::Covered,
            Some(_) if matches!(event.origin, Origin::Summary { .. }) => Fate::Summary,
            Some(_) if self.view.is_cleared(event.seq) => Fate::Cleared,
            Some(_) if is_leading || self.view.held().contains(&event.seq) => Fate::Pinned,
            Some(_) => Fate::Kept,
        }
    }
}
