//! What becomes of a batch, decided without a store.

#![allow(clippy::unwrap_used)]

use session_log::{
    Boundary, EventBody, EventId, Json, Message, NewEvent, Receipt, Seq, Timestamp, TokenCount,
    Version,
};
use session_store::{Batch, Counters, Expected, Head, Place, Recount, Settled, StoreError};

fn event(id: &str) -> NewEvent {
    let id = EventId::new(id).unwrap();
    NewEvent::message(id, Timestamp::from_millis(0), Message::user("hello"))
}

fn head(version: u64) -> Head {
    let counters = Some(Counters::new(version, 1, None));
    Head::new(Version::new(version), None, counters, 0)
}

/// Settles a batch of these ids at version 3, where `e1` is at place 1 and `x1` elsewhere.
fn settle(ids: &[&str], expected: Expected) -> Result<(Vec<u64>, usize), String> {
    let batch = Batch::new(ids.iter().map(|id| event(id)).collect());
    let find = |id: &EventId| {
        Ok(match id.as_str() {
            "e1" => Place::Here(event("e1").at(Seq::FIRST).into()),
            "x1" => Place::Elsewhere,
            _ => Place::Free,
        })
    };
    match batch.settle(&head(3), expected, find) {
        Err(error) => Err(error.to_string()),
        Ok(Settled::Conflict { actual }) => Err(format!("at {actual}")),
        Ok(Settled::Write { fresh, written }) => {
            assert_eq!(fresh.len(), written.new);
            let last = 3 + u64::try_from(fresh.len()).unwrap();
            assert_eq!(written.head.version, Version::new(last));
            let places = written.events.iter().map(|event| event.seq.as_u64());
            Ok((places.collect(), written.new))
        }
    }
}

#[test]
fn new_and_known_events_get_their_places() {
    let at = |version| Expected::Exact(Version::new(version));
    for (ids, expected, settled) in [
        (vec!["a"], Expected::Any, Ok((vec![4], 1))),
        (vec!["a", "b"], at(3), Ok((vec![4, 5], 2))),
        (vec!["a", "e1", "b", "a"], at(3), Ok((vec![4, 1, 5, 4], 2))),
        (vec!["e1"], at(0), Ok((vec![1], 0))),
        (vec!["e1", "e1"], at(9), Ok((vec![1, 1], 0))),
        (vec!["e1", "a"], at(2), Err("at 3")),
        (vec![], at(3), Ok((vec![], 0))),
        (vec![], at(2), Err("at 3")),
        (vec![], Expected::Any, Ok((vec![], 0))),
        (
            vec!["a", "x1"],
            at(2),
            Err("event id x1 is used by another session"),
        ),
    ] {
        let settled = settled.map_err(String::from);
        assert_eq!(settle(&ids, expected), settled, "{ids:?} {expected:?}");
    }
}

#[test]
fn what_cannot_be_looked_up_is_passed_on() {
    let find = |_: &EventId| Err(StoreError::unavailable("gone"));
    let settled = Batch::from(event("a")).settle(&head(0), Expected::Any, find);
    assert!(settled.unwrap_err().is_retryable());
}

/// Two events of `i64::MAX` tokens each, the most an event may have, came to a sum that one store
/// kept, one kept as a negative number and one cut off, so that an append answered with other
/// counters than a look at the session afterwards. The sum stays at what all of them can keep.
#[test]
fn counters_stay_at_the_largest_number_that_databases_count_to() {
    let most = i64::MAX.unsigned_abs();
    let full = TokenCount::new("each", most);
    let counters = Counters::new(most, most, Some(full));
    for more in [1, most] {
        let more = event("a")
            .with_tokens(TokenCount::new("each", more))
            .at(Seq::FIRST);
        assert_eq!(counters.clone().and(&more).as_ref(), Some(&counters));
    }
}

#[test]
fn counters_that_no_database_counts_to_are_refused() {
    let huge = i64::MAX.unsigned_abs() + 1;
    let tokens = |count| Some(TokenCount::new("each", count));
    for counters in [
        Counters::new(huge, 0, None),
        Counters::new(0, u64::MAX, None),
        Counters::new(0, 0, tokens(huge)),
    ] {
        let batch = Batch::from(event("a")).with_counters(counters.clone());
        let refused = batch.check(Expected::Exact(Version::EMPTY));
        assert!(matches!(refused, Err(StoreError::InvalidQuery { .. })));
        let refused = Recount::default().with_counters(counters).check();
        assert!(matches!(refused, Err(StoreError::InvalidQuery { .. })));
    }
    let most = Counters::new(huge - 1, huge - 1, tokens(huge - 1));
    assert!(Recount::default().with_counters(most).check().is_ok());
}

#[test]
fn handed_in_counters_win_over_what_a_boundary_makes_unknown() {
    let receipt = Receipt::new(Json::null(), Json::null(), "each");
    let body = EventBody::Compaction(Box::new(Boundary::new(Seq::FIRST, receipt)));
    let id = EventId::new("b").unwrap();
    let drawn = NewEvent::new(id, Timestamp::from_millis(0), body).at(Seq::FIRST);
    let given = Counters::new(7, 2, None);
    let drawn = [drawn.into()];
    assert_eq!(
        head(0).after(&drawn, Some(given.clone())).counters,
        Some(given)
    );
    assert_eq!(head(0).after(&drawn, None).counters, None);
}
