//! Laws 18 to 21: the head, counts, erasing.

use session_log::{
    Event, EventBody, Fields, Message, NewEvent, Origin, Role, SessionId, TokenCount, Version,
};
use session_store::{
    Batch, BoundaryMark, Counters, EventQuery, Expected, Head, Keywords, Recount, Scope,
    SearchQuery, SessionStore, SessionStoreExt as _, StoreError,
};

use crate::lab::Lab;
use crate::make::{
    assistant, at, boundary, custom, eid, json, pin, revert, said, seq, sid, tokens, user,
};

/// Law 18: the head names the newest live boundary.
///
/// # Panics
///
/// When the law does not hold, as all functions of this module.
pub async fn law_18_boundary<S: SessionStore>(lab: Lab<S>) {
    let id = lab.create("s1").await;
    // What is appended, and the place of the boundary that counts after it.
    let steps: Vec<(Vec<NewEvent>, Option<u64>)> = vec![
        (vec![user("1", "one"), user("2", "two")], None),
        (vec![revert("3", 1)], None),
        (vec![boundary("4", 2, &[1])], Some(4)),
        (vec![user("5", "five")], Some(4)),
        (vec![boundary("6", 5, &[]), user("7", "seven")], Some(6)),
        (vec![revert("8", 6)], Some(4)),
        (vec![revert("9", 8)], Some(6)),
        (vec![revert("10", 9)], Some(4)),
        (vec![revert("11", 4)], None),
        (vec![revert("12", 4), revert("13", 11)], None),
        (vec![revert("14", 12)], Some(4)),
        // Two at once, the second taking back the first.
        (vec![boundary("15", 7, &[2, 1]), revert("16", 15)], Some(4)),
        (vec![boundary("17", 9, &[1, 2])], Some(17)),
        // A revert of what is to come, of itself, of nothing.
        (vec![revert("18", 20), revert("19", 19)], Some(17)),
        (vec![boundary("20", 20, &[])], Some(20)),
        (vec![revert("21", 9_999)], Some(20)),
        // A boundary that keeps only what is to come.
        (vec![boundary("22", 500, &[3])], Some(22)),
        (vec![user("23", "more"), pin("24", 1)], Some(22)),
        (vec![boundary("22", 500, &[3])], Some(22)),
    ];
    for (events, live) in steps {
        let written = lab.append(&id, events).await;
        let log = lab.log(&id).await;
        let folded = BoundaryMark::newest_live(log.iter().map(std::sync::Arc::as_ref));
        let head = lab.head(&id).await;
        assert_eq!(head.boundary, folded, "after {}", log.len());
        assert_eq!(folded.map(|mark| mark.seq), live.map(seq));
        assert_eq!(written.head, head);

        // A view is loaded by what the head says.
        let (session, loaded) = lab.store.load(&id).await.unwrap().unwrap();
        assert_eq!(session.head, head);
        let Some(mark) = head.boundary else {
            assert_eq!(loaded, log);
            continue;
        };
        let is_needed = |event: &Event| {
            event.seq >= mark.kept_from.min(mark.seq) || mark.pinned.contains(&event.seq)
        };
        let needed: Vec<_> = log.into_iter().filter(|event| is_needed(event)).collect();
        assert_eq!(loaded, needed);
    }
    assert_eq!(
        lab.store.load(&sid("ghost")).await.unwrap(),
        None,
        "there is no view of nothing"
    );
    let empty = lab.create("empty").await;
    let (_, events) = lab.store.load(&empty).await.unwrap().unwrap();
    assert!(events.is_empty());
}

/// Law 19: counters move with the events.
pub async fn law_19_counters<S: SessionStore>(lab: Lab<S>) {
    let id = lab.create("s1").await;
    let counters = |events, turns, tokens: Option<u64>| {
        let tokens = tokens.map(crate::make::tokens);
        Some(Counters::new(events, turns, tokens))
    };
    let counted = |event: NewEvent, count| event.with_tokens(tokens(count));
    let summary = Origin::Summary {
        boundary: Some(eid("b")),
    };
    let steps: Vec<(Vec<NewEvent>, Option<Counters>)> = vec![
        (vec![], counters(0, 0, None)),
        (vec![custom("x", "ACME.AUDIT", "1")], counters(0, 0, None)),
        (vec![counted(user("1", "a"), 5)], counters(1, 1, Some(5))),
        (
            vec![
                counted(assistant("2", "b"), 7),
                counted(said("3", Message::tool_result("k", "r")), 11),
            ],
            counters(3, 1, Some(23)),
        ),
        // Again: nothing.
        (vec![counted(user("1", "a"), 5)], counters(3, 1, Some(23))),
        (
            vec![counted(user("4", "c").with_origin(Origin::Injected), 1)],
            counters(4, 1, Some(24)),
        ),
        (
            vec![counted(user("5", "d").with_origin(summary), 100)],
            counters(4, 1, Some(24)),
        ),
        (vec![user("6", "not counted")], counters(5, 2, None)),
        (vec![counted(user("7", "e"), 5)], counters(6, 3, None)),
    ];
    let mut expected_head = Head::empty();
    for (events, expected) in steps {
        let written = lab.append(&id, events).await;
        let fresh = &written.events[written.events.len() - written.new..];
        expected_head = expected_head.after(fresh, None);
        assert_eq!(lab.head(&id).await, expected_head);
        assert_eq!(written.head, expected_head);
        assert_eq!(expected_head.counters, expected);
    }

    // Handed in with an exact version they are taken as they are, or not at all.
    let new = Counters::new(3, 1, Some(tokens(9)));
    let version = lab.head(&id).await.version;
    let batch = || Batch::new(vec![boundary("8", 6, &[])]).with_counters(new.clone());
    let stale = Expected::Exact(Version::new(1));
    let outcome = lab.store.append(&id, stale, batch()).await.unwrap();
    assert_eq!(outcome.done(), None);
    assert_eq!(lab.head(&id).await.counters, expected_head.counters);
    let outcome = lab
        .store
        .append(&id, Expected::Exact(version), batch())
        .await;
    assert_eq!(
        outcome.unwrap().done().unwrap().head.counters,
        Some(new.clone())
    );
    assert_eq!(lab.head(&id).await.counters, Some(new));

    // What takes events out of the view, or brings some back, makes them unknown.
    for (index, event) in [
        boundary("l0", 6, &[]),
        revert("l1", 3),
        pin("l2", 1),
        said("l3", Message::system("Be brief.")),
    ]
    .into_iter()
    .enumerate()
    {
        let id = lab.create(&format!("l{index}")).await;
        let before = user(&format!("before {index}"), "a").with_tokens(tokens(1));
        lab.append(&id, vec![before]).await;
        assert_ne!(lab.head(&id).await.counters, None);
        lab.append(&id, vec![event]).await;
        assert_eq!(lab.head(&id).await.counters, None);
        lab.append(&id, vec![user(&format!("after {index}"), "b")])
            .await;
        assert_eq!(lab.head(&id).await.counters, None);
    }

    // No sum is more than every store can keep.
    let id = lab.create("most").await;
    let most = i64::MAX.unsigned_abs();
    lab.append(&id, vec![counted(user("h1", "a"), most)]).await;
    let written = lab.append(&id, vec![counted(user("h2", "b"), most)]).await;
    assert_eq!(written.head.counters, counters(2, 2, Some(most)));
    assert_eq!(lab.head(&id).await, written.head);
    let full = Counters::new(most, most, Some(tokens(most)));
    let batch = Batch::from(counted(user("h3", "c"), 1)).with_counters(full.clone());
    let expected = Expected::Exact(Version::new(2));
    let _ = lab.store.append(&id, expected, batch).await.unwrap();
    let written = lab.append(&id, vec![counted(user("h4", "d"), 1)]).await;
    assert_eq!(written.head.counters, Some(full));
    assert_eq!(lab.head(&id).await, written.head);

    // Counts of two estimators are not added.
    let id = lab.create("mixed").await;
    let other = user("m2", "b").with_tokens(TokenCount::new("other", 3));
    lab.append(&id, vec![counted(user("m1", "a"), 5), other])
        .await;
    assert_eq!(lab.head(&id).await.counters, counters(2, 2, None));
}

/// Law 20: a recount replaces counts of events, and the counters only at its version.
pub async fn law_20_recount<S: SessionStore>(lab: Lab<S>) {
    let id = lab.create("s1").await;
    let other = lab.create("s2").await;
    lab.append(&other, vec![user("o1", "one")]).await;
    let events = vec![
        user("e1", "one").with_tokens(tokens(1)),
        assistant("e2", "two"),
        custom("e3", "ACME.AUDIT", "1"),
    ];
    lab.append(&id, events).await;
    let before = lab.head(&id).await;
    let new = |count| TokenCount::new("o200k", count);

    let size = Counters::new(2, 1, Some(new(30)));
    let counts = vec![
        (seq(1), new(99)),
        (seq(99), new(1)),
        (seq(u64::MAX), new(1)),
        (seq(2), new(20)),
        (seq(1), new(10)),
    ];
    let recount = Recount::new(counts).with_counters(size.clone());
    let stale = Version::new(2);
    assert!(
        !lab.store
            .recount(&id, stale, recount.clone())
            .await
            .unwrap()
    );
    let log = lab.log(&id).await;
    let counts: Vec<_> = log.iter().map(|event| event.tokens.clone()).collect();
    assert_eq!(counts, [Some(new(10)), Some(new(20)), None]);
    assert_eq!(
        lab.head(&id).await,
        before,
        "the counters were for another version"
    );

    assert!(
        lab.store
            .recount(&id, before.version, recount)
            .await
            .unwrap()
    );
    let mut expected = before.clone();
    expected.counters = Some(size.clone());
    assert_eq!(lab.head(&id).await, expected);
    assert!(
        !lab.store
            .recount(&id, before.version, Recount::default())
            .await
            .unwrap()
    );
    assert_eq!(lab.head(&id).await, expected);

    // The count is no part of what an event says.
    let again = lab.append(&id, vec![user("e1", "one")]).await;
    assert_eq!((again.new, &again.events[0].tokens), (0, &Some(new(10))));
    assert_eq!(lab.log(&other).await[0].tokens, None);

    // Appending goes on from the new counters.
    lab.append(&id, vec![user("e4", "four").with_tokens(new(5))])
        .await;
    let grown = Counters::new(3, 2, Some(new(35)));
    assert_eq!(lab.head(&id).await.counters, Some(grown));
}

/// Law 21: erasing replaces the content and leaves the place.
pub async fn law_21_erase<S: SessionStore>(lab: Lab<S>) {
    let id = lab.create("s1").await;
    let mut secret = user("e1", "the secret is plum")
        .with_tokens(tokens(5))
        .with_metadata("note", json("\"plum\""));
    secret.timestamp = at(7);
    let events = vec![
        secret.clone(),
        assistant("e2", "I see"),
        custom("e3", "ACME.AUDIT", "\"plum\""),
        boundary("e4", 1, &[]),
        revert("e5", 4),
    ];
    lab.append(&id, events).await;
    let before = lab.log(&id).await;
    let head = lab.head(&id).await;

    let tombstone = || EventBody::Message(Message::new(Role::User, Vec::new()));
    let erased = lab.store.erase(&id, seq(1), tombstone()).await.unwrap();
    let mut expected_head = head.clone();
    expected_head.counters = None;
    expected_head.erasures = 1;
    assert_eq!(erased, expected_head);
    assert_eq!(lab.head(&id).await, expected_head);

    let mut expected = Event::clone(&before[0]);
    expected.body = tombstone();
    expected.metadata = Fields::new();
    expected.tokens = None;
    let log = lab.log(&id).await;
    assert_eq!(*log[0], expected);
    assert_eq!(log[1..], before[1..]);
    assert!(!is_found(&lab, &id, &["secret", "plum", "lu"]).await);

    // Counters that were known are not known any more.
    let counted = lab.create("counted").await;
    let event = user("c1", "plum").with_tokens(tokens(5));
    let before = lab.append(&counted, vec![event]).await.head;
    assert_ne!(before.counters, None);
    let erased = lab.store.erase(&counted, seq(1), tombstone()).await;
    assert_eq!(erased.unwrap().counters, None);
    assert_eq!(lab.head(&counted).await.counters, None);

    // What was erased does not come back by a retry.
    let again = lab
        .try_append(&id, Expected::Any, vec![secret.clone()])
        .await;
    assert!(matches!(again, Err(StoreError::EventDiffers { .. })));
    let other = lab.create("s2").await;
    let again = lab.try_append(&other, Expected::Any, vec![secret]).await;
    assert!(matches!(again, Err(StoreError::EventElsewhere { .. })));

    let payload = EventBody::Custom {
        event_type: log[2].event_type(),
        payload: json("null"),
    };
    let erased = lab.store.erase(&id, seq(3), payload).await.unwrap();
    assert_eq!(erased.erasures, 2);

    // Again, with another text, which is found, and in another role, which is asked for.
    let erased = lab
        .store
        .erase(&id, seq(1), EventBody::Message(Message::user("Gone")));
    assert_eq!(erased.await.unwrap().erasures, 3);
    assert!(is_found(&lab, &id, &["gone"]).await);
    assert!(is_found(&lab, &id, &["on"]).await);
    let role = || Role::Other("critic".into());
    let reply = EventBody::Message(Message::new(role(), Vec::new()));
    lab.store.erase(&id, seq(2), reply).await.unwrap();
    for (asked, places) in [(role(), vec![2]), (Role::Assistant, vec![])] {
        let found = lab.read(&id, EventQuery::all().with_roles([asked])).await;
        let found: Vec<u64> = found.iter().map(|event| event.seq.as_u64()).collect();
        assert_eq!(found, places);
    }

    // Refused: what would change the log's structure.
    let head = lab.head(&id).await;
    let reply = EventBody::Message(Message::assistant("erased"));
    for (place, tombstone) in [
        (4, tombstone()),
        (5, tombstone()),
        (3, tombstone()),
        (1, reply),
    ] {
        let refused = lab.store.erase(&id, seq(place), tombstone).await;
        let error = refused.unwrap_err();
        assert!(matches!(error, StoreError::InvalidEvent { .. }), "{error}");
    }
    for place in [6, u64::MAX] {
        let refused = lab.store.erase(&id, seq(place), tombstone()).await;
        let error = refused.unwrap_err();
        assert!(matches!(error, StoreError::UnknownEvent { seq: it, .. } if it == seq(place)));
    }
    let elsewhere = lab.store.erase(&other, seq(1), tombstone()).await;
    assert!(matches!(elsewhere, Err(StoreError::UnknownEvent { .. })));
    assert_eq!(lab.head(&id).await, head);
    assert_eq!(lab.read(&id, EventQuery::all()).await.len(), 5);
}

async fn is_found<S: SessionStore>(lab: &Lab<S>, id: &SessionId, words: &[&str]) -> bool {
    let query = SearchQuery::new(words.iter().copied()).with_keywords(Keywords::Any);
    let scope = Scope::Session(id.clone());
    let hits = lab.find(&scope, query).await;
    !hits.is_empty()
}
