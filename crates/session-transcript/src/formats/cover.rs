//! What the boundaries of one log cover, each of all in front of it that is not shown. A digest of
//! what an earlier boundary covered goes on where it can, so that many boundaries cost little.

use std::fmt::Write as _;

use session_log::{Covered, EventBody, EventId, NewEvent, Seq};
use sha2::{Digest as _, Sha256};

/// After how many events a digest on the way is kept.
const STRIDE: u64 = 64;

/// What was covered last, with the digests on the way.
#[derive(Debug, Default)]
pub(crate) struct Cover {
    /// The events that were shown, in log order.
    shown: Vec<Seq>,
    marks: Vec<Mark>,
}

/// A digest of what is covered in front of a place.
#[derive(Clone, Debug)]
struct Mark {
    next: Seq,
    covered: Covered,
    digest: Sha256,
}

impl Cover {
    /// The messages of `events` that are not `shown`.
    pub(crate) fn all_but(&mut self, mut shown: Vec<Seq>, events: &[NewEvent]) -> Covered {
        shown.sort_unstable();
        shown.dedup();
        let pairs = self.shown.iter().zip(&shown);
        let same = pairs.take_while(|(before, now)| before == now).count();
        let other = [self.shown.get(same), shown.get(same)];
        if let Some(other) = other.into_iter().flatten().min() {
            let fit = self.marks.partition_point(|mark| mark.next <= *other);
            self.marks.truncate(fit);
        }
        self.shown = shown;
        let mark = self.go_on(events);
        let mut covered = mark.covered;
        for byte in mark.digest.finalize() {
            let _ = write!(covered.digest, "{byte:02x}");
        }
        covered
    }

    fn go_on(&mut self, events: &[NewEvent]) -> Mark {
        let mut mark = self.marks.last().cloned().unwrap_or_default();
        let from = self.shown.partition_point(|seq| *seq < mark.next);
        let mut shown = self.shown.iter().skip(from).peekable();
        let done = mark.next.as_u64().saturating_sub(Seq::FIRST.as_u64());
        let done = usize::try_from(done).unwrap_or(usize::MAX);
        for event in events.get(done..).unwrap_or_default() {
            let seq = mark.next;
            let is_shown = shown.next_if(|shown| **shown == seq).is_some();
            if matches!(event.body, EventBody::Message(_)) && !is_shown {
                mark.add(seq, &event.id);
            }
            mark.next = seq.plus(1);
            if mark.next.as_u64().is_multiple_of(STRIDE) {
                self.marks.push(mark.clone());
            }
        }
        if self.marks.last().is_none_or(|last| last.next < mark.next) {
            self.marks.push(mark.clone());
        }
        mark
    }
}

impl Default for Mark {
    fn default() -> Self {
        Self {
            next: Seq::FIRST,
            covered: Covered::default(),
            digest: Sha256::new(),
        }
    }
}

impl Mark {
    fn add(&mut self, seq: Seq, id: &EventId) {
        self.covered.count += 1;
        self.covered.first = self.covered.first.or(Some(seq));
        self.covered.last = Some(seq);
        self.digest.update(id.as_str());
        self.digest.update(b"\n");
    }
}

#[cfg(test)]
mod tests {
    use session_log::{Message, Timestamp};

    use super::*;

    /// Boundaries that show this and that, each with so many messages in front of it.
    const CASES: [(usize, &[u64]); 9] = [
        (0, &[]),
        (1, &[1]),
        (100, &[1]),
        (200, &[1, 150, 199]),
        (200, &[1, 150, 150, 199, 200]),
        (300, &[1, 70, 299]),
        (301, &[]),
        (400, &[400]),
        (500, &[2, 300]),
    ];

    #[test]
    fn a_digest_that_goes_on_is_the_digest_of_all() {
        let message = |number: usize| {
            let id = EventId::new(format!("e{number}")).unwrap();
            NewEvent::message(id, Timestamp::from_millis(0), Message::user("Hi"))
        };
        let events: Vec<NewEvent> = (1..=500).map(message).collect();
        let mut cover = Cover::default();
        for (count, shown) in CASES {
            let shown: Vec<Seq> = shown.iter().copied().filter_map(Seq::new).collect();
            let events = events.get(..count).unwrap();
            let places = (1..).filter_map(Seq::new).zip(events);
            let left = places.filter(|(seq, _)| !shown.contains(seq));
            let wanted = Covered::of(left.map(|(seq, event)| (seq, &event.id)));
            assert_eq!(cover.all_but(shown, events), wanted, "{count} events");
        }
    }
}
