//! Boundaries of an imported conversation name places in it, counted from its first event. In a
//! session that had events before, those stand elsewhere.

use session::{NewEvent, Seq};
use session_log::EventBody;

/// Where the events of a conversation stand in a session.
#[derive(Debug)]
pub(crate) struct Places(Vec<Seq>);

impl Places {
    /// The place of each event, in their order.
    pub(crate) fn new(seqs: Vec<Seq>) -> Self {
        Self(seqs)
    }

    /// The place in the session of what stands at `ordinal` in the conversation. Places behind its
    /// end stay behind the end.
    fn of(&self, ordinal: Seq) -> Seq {
        let at = usize::try_from(ordinal.as_u64() - 1).unwrap_or(usize::MAX);
        match self.0.get(at) {
            Some(seq) => *seq,
            None => {
                let count = u64::try_from(self.0.len()).unwrap_or(u64::MAX);
                let beyond = ordinal.as_u64().saturating_sub(count);
                self.0.last().map_or(ordinal, |last| last.plus(beyond))
            }
        }
    }

    /// Makes the events name places in the session.
    pub(crate) fn apply(&self, events: &mut [NewEvent]) {
        for event in events {
            match &mut event.body {
                EventBody::Compaction(boundary) => {
                    boundary.kept_from = self.of(boundary.kept_from);
                    let lists = [
                        &mut boundary.pinned,
                        &mut boundary.superseded,
                        &mut boundary.held,
                        &mut boundary.pins,
                        &mut boundary.cleared,
                    ];
                    for seq in lists.into_iter().flatten() {
                        *seq = self.of(*seq);
                    }
                    let covered = &mut boundary.receipt.covered;
                    covered.first = covered.first.map(|seq| self.of(seq));
                    covered.last = covered.last.map(|seq| self.of(seq));
                }
                EventBody::Revert(revert) => revert.of = self.of(revert.of),
                EventBody::Pin(pin) => pin.of = self.of(pin.of),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use session::{EventId, Timestamp};
    use session_log::{Boundary, Json, Pin, Receipt, Revert};

    use super::*;

    fn seq(number: u64) -> Seq {
        Seq::new(number).unwrap()
    }

    #[test]
    fn places_move_with_the_events_they_name() {
        let receipt = Receipt::new(Json::null(), Json::null(), "none");
        let mut boundary = Boundary::new(seq(4), receipt);
        boundary.pinned = vec![seq(1)];
        let bodies = [
            EventBody::Compaction(Box::new(boundary)),
            EventBody::Revert(Revert::new(seq(2))),
            EventBody::Pin(Pin::hold(seq(9))),
        ];
        let mut events: Vec<NewEvent> = bodies
            .into_iter()
            .map(|body| NewEvent::new(EventId::new("e").unwrap(), Timestamp::default(), body))
            .collect();
        let places = Places::new([1, 2, 3, 11, 12, 13].into_iter().map(seq).collect());
        places.apply(&mut events);
        let EventBody::Compaction(boundary) = &events[0].body else {
            panic!("it was a boundary");
        };
        assert_eq!(boundary.kept_from, seq(11));
        assert_eq!(boundary.pinned, [seq(1)]);
        assert_eq!(events[1].body, EventBody::Revert(Revert::new(seq(2))));
        assert_eq!(events[2].body, EventBody::Pin(Pin::hold(seq(16))));
    }
}
