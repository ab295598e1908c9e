//! Laws 8 to 15: appending.

mod exact;

use std::collections::BTreeSet;

use session_log::{
    Branch, EventBody, EventType, Json, Message, NewEvent, Origin, Part, Role, SessionId, Shape,
    TokenCount, ToolResult, Version, wire,
};
use session_store::{
    Appended, Batch, Counters, EventQuery, Expected, Recount, Scope, SearchQuery, SessionPatch,
    SessionStore, StoreError,
};

use crate::lab::Lab;
use crate::make::{
    assistant, at, boundary, custom, eid, json, pin, revert, said, seq, sid, tokens, user,
};

pub use self::exact::law_13_byte_for_byte;

/// Law 8: seqs are 1, 2, 3 … under any concurrency, whatever the times say.
///
/// # Panics
///
/// When the law does not hold, as all functions of this module.
pub async fn law_08_contiguous<S: SessionStore>(lab: Lab<S>) {
    let id = lab.create("s1").await;
    assert_eq!(lab.head(&id).await.version, Version::EMPTY);
    lab.together(6, |store, writer| async move {
        for round in 0..10 {
            let event = |half: &str| {
                let mut event = user(&format!("w{writer}/r{round}/{half}"), "hello");
                event.timestamp = at(1_000 - i64::from(round));
                event
            };
            let batch = Batch::new(vec![event("a"), event("b")]);
            let appended = store.append(&sid("s1"), Expected::Any, batch).await;
            let written = appended.unwrap().done().unwrap();
            let [a, b] = written.events.as_slice() else {
                panic!("two events went in");
            };
            assert_eq!(b.seq, a.seq.plus(1), "a batch is not torn apart");
            assert_eq!(written.head.version, Version::from(b.seq));
        }
    });
    let log = lab.log(&id).await;
    let seqs: Vec<u64> = log.iter().map(|event| event.seq.as_u64()).collect();
    assert_eq!(seqs, (1..=120).collect::<Vec<_>>());
    let ids: BTreeSet<_> = log.iter().map(|event| &event.id).collect();
    assert_eq!(ids.len(), 120);
    for writer in 0..6 {
        let own = format!("w{writer}/");
        let mine = log
            .iter()
            .filter(|event| event.id.as_str().starts_with(&own));
        let rounds: Vec<_> = mine.map(|event| event.timestamp).collect();
        assert!(rounds.is_sorted_by(|a, b| a >= b), "own order is kept");
    }
    assert_eq!(lab.head(&id).await.version, Version::new(120));
}

/// Law 9: a batch goes in whole or not at all.
pub async fn law_09_whole<S: SessionStore>(lab: Lab<S>) {
    let id = lab.create("s1").await;
    let other = lab.create("s2").await;
    lab.append(&id, vec![user("e1", "one")]).await;
    lab.append(&other, vec![user("x1", "one")]).await;
    let before = lab.session(&id).await;
    for last in [
        user("e1", "another"),
        user("x1", "one"),
        custom("c1", "COMPACTION", "1"),
    ] {
        let batch = vec![user("e2", "two"), boundary("b1", 2, &[]), last];
        lab.try_append(&id, Expected::Any, batch).await.unwrap_err();
        assert_eq!(lab.session(&id).await, before);
        assert_eq!(lab.log(&id).await.len(), 1);
    }
    let query = SearchQuery::new(["two"]);
    let scope = Scope::Session(id.clone());
    assert!(lab.find(&scope, query).await.is_empty());
    // What was refused left no trace: no boundary comes back, and the same ids go in now.
    let head = lab.append(&other, vec![revert("r0", 9)]).await.head;
    assert_eq!(head.boundary, None);
    let head = lab.append(&id, vec![revert("r1", 9)]).await.head;
    assert_eq!(head.boundary, None);
    let written = lab
        .append(&id, vec![user("e2", "two"), user("e3", "three")])
        .await;
    assert_eq!((written.new, lab.log(&id).await.len()), (2, 4));
}

/// Law 10: at another version than the expected one nothing is written.
pub async fn law_10_expected<S: SessionStore>(lab: Lab<S>) {
    let id = lab.create("s1").await;
    let exact = |number| Expected::Exact(Version::new(number));
    let conflict = |actual| Appended::Conflict {
        actual: Version::new(actual),
    };
    let first = lab.try_append(&id, exact(0), vec![user("e1", "one")]).await;
    assert!(first.unwrap().done().is_some());
    for wrong in [0, 2, 3, u64::MAX] {
        let batch = vec![user("e2", "two"), user("e3", "three")];
        let outcome = lab.try_append(&id, exact(wrong), batch).await.unwrap();
        assert_eq!(outcome, conflict(1));
        let outcome = lab.try_append(&id, exact(wrong), Vec::new()).await.unwrap();
        assert_eq!(outcome, conflict(1), "an empty batch is a check");
    }
    assert_eq!(lab.log(&id).await.len(), 1);
    for expected in [exact(1), Expected::Any] {
        let checked = lab.try_append(&id, expected, Vec::new()).await.unwrap();
        let checked = checked.done().unwrap();
        assert_eq!((checked.new, checked.events.len()), (0, 0));
        assert_eq!(checked.head, lab.head(&id).await);
    }
    // Counters are those of an append, and nothing was appended.
    let before = lab.session(&id).await;
    for events in [Vec::new(), vec![user("e1", "one")]] {
        let batch = Batch::new(events).with_counters(Counters::new(9, 9, None));
        let checked = lab.store.append(&id, exact(1), batch).await.unwrap();
        assert_eq!(checked.done().unwrap().head, before.head);
        assert_eq!(lab.session(&id).await, before);
    }

    let outcomes = lab.together(8, |store, writer| async move {
        let batch = Batch::from(user(&format!("w{writer}"), "mine"));
        let expected = Expected::Exact(Version::new(1));
        store.append(&sid("s1"), expected, batch).await.unwrap()
    });
    let landed = outcomes.into_iter().filter_map(|outcome| match outcome {
        Appended::Done(written) => Some(written),
        Appended::Conflict { actual } => {
            assert_eq!(actual, Version::new(2));
            None
        }
    });
    assert_eq!(landed.count(), 1);
    assert_eq!(lab.log(&id).await.len(), 2);
}

/// Law 11: the same event again changes nothing.
pub async fn law_11_again<S: SessionStore>(lab: Lab<S>) {
    let id = lab.create("s1").await;
    let exact = |number| Expected::Exact(Version::new(number));
    let mut first = user("e1", "one");
    first.timestamp = at(5);
    let first = first.with_metadata("k", json("1"));
    let stored = lab.append(&id, vec![first.clone()]).await;
    let after = lab.session(&id).await;

    // Time, metadata and count may differ; the stored ones stay.
    let mut again = user("e1", "one").with_tokens(TokenCount::new("other", 9));
    again.timestamp = at(6);
    for expected in [Expected::Any, exact(0), exact(1), exact(7)] {
        let outcome = lab.try_append(&id, expected, vec![again.clone()]).await;
        let written = outcome.unwrap().done().unwrap();
        assert_eq!(written.new, 0);
        assert_eq!(written.events, stored.events);
        assert_eq!(written.head, after.head);
        assert_eq!(lab.session(&id).await, after);
        assert_eq!(lab.log(&id).await, stored.events);
    }

    // Together with a new event, the new one goes in and the version counts.
    let mixed = vec![again.clone(), user("e2", "two"), first.clone()];
    let outcome = lab.try_append(&id, exact(0), mixed.clone()).await.unwrap();
    let actual = Version::new(1);
    assert_eq!(outcome, Appended::Conflict { actual });
    let written = lab.append(&id, mixed).await;
    let places: Vec<u64> = written.events.iter().map(|it| it.seq.as_u64()).collect();
    assert_eq!((places, written.new), (vec![1, 2, 1], 1));

    // Inside a batch too.
    let twice = vec![user("e3", "three"), user("e3", "three"), user("e4", "four")];
    let written = lab.append(&id, twice).await;
    let places: Vec<u64> = written.events.iter().map(|it| it.seq.as_u64()).collect();
    assert_eq!((places, written.new), (vec![3, 3, 4], 2));
    assert_eq!(lab.log(&id).await.len(), 4);

    // Many at once: one goes in.
    let new = lab.together(8, |store, _| async move {
        let batch = Batch::from(user("e5", "five"));
        let appended = store.append(&sid("s1"), Expected::Any, batch).await;
        appended.unwrap().done().unwrap().new
    });
    assert_eq!(new.iter().sum::<usize>(), 1);
    assert_eq!(lab.log(&id).await.len(), 5);
}

/// Law 12: an id that is taken by something else is an error that names it.
pub async fn law_12_clash<S: SessionStore>(lab: Lab<S>) {
    let id = lab.create("s1").await;
    let other = lab.create("s2").await;
    lab.append(&id, vec![user("e1", "one")]).await;
    lab.append(&other, vec![user("x1", "one")]).await;

    let branch = Branch::new("root.a").unwrap();
    let differing = [
        user("e1", "One"),
        user("e1", "one ").with_origin(Origin::Real),
        assistant("e1", "one"),
        user("e1", "one").with_origin(Origin::Injected),
        user("e1", "one").with_branch(branch),
        said("e1", Message::user("one").with_name("ann")),
        said("e1", Message::user("one").with_shape(Shape::Parts)),
        boundary("e1", 1, &[]),
    ];
    let stale = Expected::Exact(Version::new(7));
    for event in differing {
        for expected in [Expected::Any, stale] {
            let batch = vec![user("e2", "two"), event.clone()];
            let error = lab.try_append(&id, expected, batch).await.unwrap_err();
            assert!(matches!(error, StoreError::EventDiffers { event } if event == eid("e1")));
        }
    }
    for expected in [Expected::Any, stale] {
        let batch = vec![user("e2", "two"), user("x1", "one")];
        let error = lab.try_append(&id, expected, batch).await.unwrap_err();
        assert!(matches!(error, StoreError::EventElsewhere { event } if event == eid("x1")));
    }
    let within = vec![user("e2", "two"), user("e2", "three")];
    let error = lab
        .try_append(&id, Expected::Any, within)
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::EventDiffers { event } if event == eid("e2")));

    assert_eq!(lab.log(&id).await.len(), 1);
    assert_eq!(lab.head(&id).await.version, Version::new(1));
    assert_eq!(lab.log(&other).await.len(), 1);

    // What is no message clashes too.
    let kept = vec![
        boundary("b", 1, &[1]),
        revert("r", 9),
        pin("p", 1),
        custom("c", "ACME.AUDIT", "1"),
    ];
    lab.append(&id, kept.clone()).await;
    assert_eq!(lab.append(&id, kept).await.new, 0);
    for event in [
        boundary("b", 2, &[1]),
        boundary("b", 1, &[]),
        revert("r", 8),
        pin("p", 2),
        custom("c", "ACME.AUDIT", "1.0"),
        custom("c", "ACME.AUDIT_2", "1"),
        user("c", "1"),
    ] {
        let taken = event.id.clone();
        let clash = lab.try_append(&id, Expected::Any, vec![event]).await;
        let error = clash.unwrap_err();
        assert!(matches!(error, StoreError::EventDiffers { event } if event == taken));
    }
    assert_eq!(lab.head(&id).await.version, Version::new(5));
}

/// Law 14: no call on one session reads or changes another.
pub async fn law_14_isolation<S: SessionStore>(lab: Lab<S>) {
    // Ids that a careless join, pattern or path would mix up.
    let names = ["a", "A", "a%", "a_", "a/b", "../a", "a'", "é", "e\u{301}"];
    for name in names {
        let id = lab.create(name).await;
        let own = |part: &str| format!("{name}|{part}");
        let events = vec![user(&own("1"), name), boundary(&own("2"), 1, &[])];
        lab.append(&id, events).await;
    }
    for name in names {
        let log = lab.log(&sid(name)).await;
        assert_eq!(log.len(), 2, "{name}");
        let own = format!("{name}|1");
        assert_eq!(log[0].id, eid(&own));
        let foreign = names.iter().filter(|other| **other != name);
        for other in foreign {
            let theirs = eid(&format!("{other}|1"));
            let query = EventQuery::all().with_ids([theirs]);
            assert!(lab.read(&sid(name), query).await.is_empty());
        }
        let scope = Scope::Session(sid(name));
        let hits = lab.find(&scope, SearchQuery::new(names)).await;
        assert_eq!(hits.len(), 1);
    }
    let mut before = Vec::new();
    for name in names.iter().filter(|name| **name != "a") {
        before.push((lab.session(&sid(name)).await, lab.log(&sid(name)).await));
    }
    go_through_everything(&lab, &sid("a")).await;
    for (session, log) in &before {
        assert_eq!(lab.session(&session.id).await, *session);
        assert_eq!(lab.log(&session.id).await, *log);
    }
    assert_eq!(lab.store.sweep(at(6)).await.unwrap(), 1);
    for (session, log) in &before {
        assert_eq!(lab.session(&session.id).await, *session);
        assert_eq!(lab.log(&session.id).await, *log);
    }
}

/// All that one session can go through, at places that others have too.
async fn go_through_everything<S: SessionStore>(lab: &Lab<S>, id: &SessionId) {
    let erased = || EventBody::Message(Message::user("erased"));
    let written = lab.append(id, vec![revert("undone", 2)]).await;
    assert_eq!(written.head.boundary, None, "the boundaries of others");
    let recount = Recount::new(vec![(seq(1), tokens(7))]);
    let recount = recount.with_counters(Counters::new(9, 9, None));
    let version = written.head.version;
    assert!(lab.store.recount(id, version, recount).await.unwrap());
    lab.store.erase(id, seq(1), erased()).await.unwrap();
    let patch = SessionPatch::new().with_expiry(Some(at(5)));
    let patch = patch.with_attributes([("k".into(), "v".into())].into());
    lab.store.update(id, patch).await.unwrap();
    lab.append(id, vec![user("more", "more")]).await;
}

/// Law 15: what no store can keep is refused by every store.
pub async fn law_15_refused<S: SessionStore>(lab: Lab<S>) {
    let id = lab.create("s1").await;
    let mut part = Part::text("innermost");
    for _ in 0..=wire::v1::MAX_NESTING {
        part = Part::ToolResult(ToolResult::new("k", vec![part]));
    }
    let huge = user("e1", "x").with_tokens(TokenCount::new("each", u64::MAX));
    for event in [
        said("e1", Message::new(Role::Tool, vec![part])),
        custom("e1", "MESSAGE", "1"),
        custom("e1", "COMPACTION", "1"),
        custom("e1", "REVERT", "1"),
        custom("e1", "PIN", "1"),
        boundary("e1", u64::MAX, &[]),
        boundary("e1", 1, &[u64::MAX]),
        huge,
    ] {
        let batch = vec![user("e0", "fine"), event];
        let error = lab.try_append(&id, Expected::Any, batch).await.unwrap_err();
        assert!(
            matches!(&error, StoreError::InvalidEvent { event, .. } if *event == eid("e1")),
            "{error}"
        );
    }
    let exact = Expected::Exact(Version::EMPTY);
    let huge = i64::MAX.unsigned_abs() + 1;
    for (expected, counters) in [
        (Expected::Any, Counters::default()),
        (exact, Counters::new(huge, 0, None)),
        (exact, Counters::new(0, huge, None)),
        (
            exact,
            Counters::new(0, 0, Some(TokenCount::new("each", huge))),
        ),
    ] {
        let counted = Batch::from(user("e0", "fine")).with_counters(counters);
        let error = lab.store.append(&id, expected, counted).await.unwrap_err();
        assert!(matches!(error, StoreError::InvalidQuery { .. }), "{error}");
    }
    assert!(lab.log(&id).await.is_empty());

    let audit = EventBody::Custom {
        event_type: EventType::new("ACME.AUDIT").unwrap(),
        payload: Json::null(),
    };
    let written = lab
        .append(&id, vec![NewEvent::new(eid("e1"), at(0), audit)])
        .await;
    assert_eq!(written.new, 1);
}
