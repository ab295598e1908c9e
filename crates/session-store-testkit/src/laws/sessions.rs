//! Laws 1 to 7: sessions.

use session_log::{EventBody, EventId, Fields, Message, SessionId, Version};
use session_store::{
    Attributes, Batch, Created, Direction, EventQuery, Expected, Head, NewSession, Recount, Scope,
    SearchQuery, Session, SessionPatch, SessionQuery, SessionStore, StoreError, attribute,
};

use crate::lab::Lab;
use crate::make::{at, boundary, json, revert, seq, sid, user};

/// Law 1: of any number of concurrent creations exactly one makes the session.
///
/// # Panics
///
/// When the law does not hold, as all functions of this module.
pub async fn law_01_create_once<S: SessionStore>(lab: Lab<S>) {
    let winners = lab.together(8, |store, index| async move {
        let new = NewSession::new(sid("s1"), at(0)).with_owner(format!("owner-{index}"));
        match store.create(new).await.unwrap() {
            Created::New(session) => (1, session),
            Created::Exists(session) => (0, session),
        }
    });
    assert_eq!(winners.iter().map(|(won, _)| won).sum::<i32>(), 1);
    let stored = lab.session(&sid("s1")).await;
    for (_, session) in winners {
        assert_eq!(session, stored);
    }

    // Creating again changes neither the session nor its log.
    lab.append(&sid("s1"), vec![user("e1", "hello")]).await;
    let before = lab.session(&sid("s1")).await;
    let again = NewSession::new(sid("s1"), at(9)).with_owner("somebody else");
    let again = lab.store.create(again).await.unwrap();
    assert_eq!(again, Created::Exists(before));
    assert_eq!(lab.log(&sid("s1")).await.len(), 1);
}

/// Law 2: a session comes back as it was created.
pub async fn law_02_round_trip<S: SessionStore>(lab: Lab<S>) {
    let mut metadata = Fields::new();
    metadata.insert("spaced".into(), json(r#"{ "b": 1.0, "a" : 1e2 }"#));
    metadata.insert("nul \0 and 😀".into(), json(r#""\u0000 \ud83d\ude00""#));
    let full = NewSession::new(sid("../é:1"), at(-1_234_567))
        .with_owner("ann' OR 1=1 --")
        .with_expiry(at(i64::MAX))
        .with_parent(sid("gone"))
        .with_attribute(attribute::AGENT, "support 😀")
        .with_attribute("", "")
        .with_attribute("note", "nul \0 here")
        .with_metadata(metadata);
    let longest = "x".repeat(session_log::MAX_ID_BYTES);
    let mut many = NewSession::new(sid("many"), at(i64::MAX))
        .with_owner("")
        .with_expiry(at(i64::MIN))
        .with_attribute("nul \0", " two blanks  ");
    for number in 0..2_000 {
        let value = "é\u{301}😀".repeat(number % 50);
        many.attributes.insert(format!("a{number}"), value);
    }
    let long = "w".repeat(20_000);
    let long = NewSession::new(sid("long"), at(0))
        .with_owner(long.clone())
        .with_attribute(long.clone(), long);
    let nul = NewSession::new(sid("nul"), at(0)).with_owner(" \0 ann\\0 ");
    let plain = NewSession::new(sid(&longest), at(i64::MIN));
    for new in [full, many, long, nul, plain] {
        let expected = new.clone().into_stored();
        assert_eq!(expected.head, Head::empty());
        let created = lab.store.create(new).await.unwrap();
        assert_eq!(created, Created::New(expected.clone()));
        assert_eq!(lab.session(&expected.id).await, expected);
        if let Some(owner) = &expected.owner {
            let own = SessionQuery::all().with_owner(owner.clone());
            assert_eq!(ids(&lab, own).await, [expected.id.as_str()], "{owner:?}");
        }
    }
}

/// Law 3: a session that is not there is read as nothing and written to with an error.
pub async fn law_03_unknown<S: SessionStore>(lab: Lab<S>) {
    let ghost = sid("ghost");
    let store = &lab.store;
    let is_unknown =
        |error| matches!(error, StoreError::UnknownSession { session } if session == sid("ghost"));

    assert_eq!(store.session(&ghost).await.unwrap(), None);
    let page = store.read(&ghost, &EventQuery::all()).await.unwrap();
    assert!(page.items.is_empty() && page.next.is_none());
    let scope = Scope::Session(ghost.clone());
    let page = store
        .search(&scope, &SearchQuery::new(["abc"]))
        .await
        .unwrap();
    assert!(page.items.is_empty() && page.next.is_none());
    assert!(!store.delete(&ghost).await.unwrap());

    let patched = store.update(&ghost, SessionPatch::new()).await;
    assert!(is_unknown(patched.unwrap_err()));
    for batch in [Batch::default(), Batch::from(user("e1", "hello"))] {
        for expected in [Some(0), Some(7), None] {
            let expected = expected.map_or(Expected::Any, |it| Expected::Exact(Version::new(it)));
            let appended = store.append(&ghost, expected, batch.clone()).await;
            assert!(is_unknown(appended.unwrap_err()));
        }
    }
    for version in [0, 7] {
        let recounted = store
            .recount(&ghost, Version::new(version), Recount::default())
            .await;
        assert!(is_unknown(recounted.unwrap_err()));
    }
    let tombstone = EventBody::Message(Message::user("erased"));
    let erased = store.erase(&ghost, seq(1), tombstone).await;
    assert!(is_unknown(erased.unwrap_err()));

    assert_eq!(store.session(&ghost).await.unwrap(), None);
    assert!(ids(&lab, SessionQuery::all()).await.is_empty());
}

/// Law 4: a patch changes what it names and nothing else.
pub async fn law_04_update<S: SessionStore>(lab: Lab<S>) {
    let new = NewSession::new(sid("s1"), at(5))
        .with_owner("ann")
        .with_parent(sid("p"))
        .with_expiry(at(100))
        .with_attribute("a", "1")
        .with_attribute("b", "2");
    let _ = lab.store.create(new).await.unwrap();
    lab.create("s2").await;
    lab.append(&sid("s1"), vec![user("e1", "hello")]).await;
    let other = lab.session(&sid("s2")).await;
    let mut expected = lab.session(&sid("s1")).await;

    let mut metadata = Fields::new();
    metadata.insert("m".into(), json("[ 1 ]"));
    let attributes: Attributes = [("b".into(), "3".into()), ("c".into(), "4".into())].into();
    for patch in [
        SessionPatch::new(),
        SessionPatch::new().with_expiry(None),
        SessionPatch::new().with_expiry(Some(at(7))),
        SessionPatch::new().with_metadata(metadata),
        SessionPatch::new().with_attributes(attributes),
        SessionPatch::new()
            .with_attributes(Attributes::new())
            .with_metadata(Fields::new()),
    ] {
        patch.clone().apply(&mut expected);
        let updated = lab.store.update(&sid("s1"), patch).await.unwrap();
        assert_eq!(updated, expected);
        assert_eq!(lab.session(&sid("s1")).await, expected);
        for (name, value) in [("a", "1"), ("b", "2"), ("b", "3"), ("c", "4")] {
            let query = SessionQuery::all().with_attribute(name, value);
            let is_found = !ids(&lab, query).await.is_empty();
            let has = expected.attributes.get(name).is_some_and(|it| it == value);
            assert_eq!(is_found, has, "{name}={value}");
        }
        for before in [7, 8, 100, 101] {
            let query = SessionQuery::all().with_expires_before(at(before));
            let is_found = !ids(&lab, query).await.is_empty();
            let has = expected.expires_at.is_some_and(|it| it < at(before));
            assert_eq!(is_found, has, "before {before}");
        }
        for query in [
            SessionQuery::all().with_owner("ann"),
            SessionQuery::all().with_parent(sid("p")),
        ] {
            assert_eq!(ids(&lab, query).await, ["s1"]);
        }
    }
    assert_eq!(lab.session(&sid("s2")).await, other);
    assert_eq!(lab.log(&sid("s1")).await.len(), 1);
}

/// Law 5: sessions come in their order, and conditions select exactly.
pub async fn law_05_list<S: SessionStore>(lab: Lab<S>) {
    let mut all: Vec<Session> = Vec::new();
    for (id, created, owner, agent, expires) in [
        ("b", 20, Some("ann"), "x", None),
        ("a", 20, Some("bo"), "x", Some(50)),
        ("é", 20, Some("ann"), "y", Some(51)),
        ("B", 20, None, "X", Some(49)),
        ("c", -10, Some("ann"), "x", Some(50)),
        ("d", 10, Some("Ann"), "x ", None),
        ("e", 30, Some("ann%"), "%", None),
        // Ordered otherwise by languages, by letter case, and by units of UTF-16.
        ("a-b", 20, Some(""), "", Some(i64::MIN)),
        ("ab", 20, Some("ann "), "x", Some(i64::MAX)),
        ("a b", 20, Some("ANN"), "x", None),
        ("a_b", 20, Some("a_n"), "x", None),
        ("aa", 20, Some("a_n"), "x", None),
        ("e\u{301}", 20, Some("bo"), "e\u{301}", None),
        ("\u{FF5E}", 20, Some("bo"), "é", None),
        ("😀", 20, Some("bo"), "é", None),
        ("z", i64::MIN, Some("bo"), "x", None),
        ("y", i64::MAX, Some("bo"), "x", None),
    ] {
        let mut new = NewSession::new(sid(id), at(created)).with_attribute("agent", agent);
        new.owner = owner.map(Into::into);
        new.expires_at = expires.map(at);
        new.parent = (id > "b").then(|| sid("b"));
        let _ = lab.store.create(new.clone()).await.unwrap();
        all.push(new.into_stored());
    }
    all.sort_by_key(|session| (session.created_at, session.id.clone()));

    let everything = SessionQuery::all();
    for query in [
        everything.clone(),
        everything.clone().with_owner("ann"),
        everything.clone().with_owner("nobody"),
        everything.clone().with_owner("ann%"),
        everything.clone().with_owner(""),
        everything.clone().with_owner("é"),
        everything.clone().with_attribute("agent", ""),
        everything.clone().with_attribute("agent", "é"),
        everything.clone().with_attribute("agent", "e\u{301}"),
        everything.clone().with_attribute("", ""),
        everything.clone().with_expires_before(at(i64::MIN)),
        everything.clone().with_expires_before(at(i64::MIN + 1)),
        everything.clone().with_expires_before(at(i64::MAX)),
        everything.clone().with_parent(sid("b")),
        everything.clone().with_attribute("agent", "x"),
        everything.clone().with_attribute("agent", "%"),
        everything
            .clone()
            .with_owner("ann")
            .with_attribute("agent", "x"),
        everything
            .clone()
            .with_attribute("agent", "x")
            .with_attribute("model", "m"),
        everything.clone().with_expires_before(at(50)),
        everything
            .clone()
            .with_expires_before(at(51))
            .with_owner("ann"),
    ] {
        for direction in [Direction::Forward, Direction::Backward] {
            let mut expected: Vec<_> = all
                .iter()
                .filter(|session| query.matches(session))
                .cloned()
                .collect();
            if direction == Direction::Backward {
                expected.reverse();
            }
            for limit in [1, 2, 3, 5, 8, 17, 18, usize::MAX] {
                let query = query.clone().with_direction(direction).with_limit(limit);
                let page = lab.store.sessions(&query).await.unwrap();
                assert!(page.items.len() <= limit);
                let listed = lab.list(query.clone()).await;
                assert_eq!(listed, expected, "{query:?}");
            }
        }
    }
    many_conditions(&lab).await;
    pages_while_others_come_and_go(&lab, all).await;
}

/// As many attributes as a session may have can be asked for at once.
async fn many_conditions<S: SessionStore>(lab: &Lab<S>) {
    let mut new = NewSession::new(sid("many"), at(15));
    let mut query = SessionQuery::all();
    for number in 0..1_500 {
        new = new.with_attribute(format!("n{number}"), "1");
        query = query.with_attribute(format!("n{number}"), "1");
    }
    let _ = lab.store.create(new).await.unwrap();
    assert_eq!(ids(lab, query.clone()).await, ["many"]);
    let one_more = query.with_attribute("n1500", "1");
    assert!(ids(lab, one_more).await.is_empty());
    assert!(lab.store.delete(&sid("many")).await.unwrap());
}

/// `all` are the stored sessions in their order.
async fn pages_while_others_come_and_go<S: SessionStore>(lab: &Lab<S>, mut all: Vec<Session>) {
    for direction in [Direction::Forward, Direction::Backward] {
        if direction == Direction::Backward {
            all.reverse();
        }
        let mut query = SessionQuery::all().with_direction(direction).with_limit(2);
        let page = lab.store.sessions(&query).await.unwrap();
        assert_eq!(page.items, all[..2]);
        query.after = page.next;
        assert!(lab.store.delete(&all[1].id).await.unwrap());
        let (first, last) = (all[0].created_at, all[all.len() - 1].created_at);
        let before = NewSession::new(sid("!before"), first);
        let behind = NewSession::new(sid("!behind"), last);
        for new in [before, behind.clone()] {
            let _ = lab.store.create(new).await.unwrap();
        }
        let mut expected = all[2..].to_vec();
        expected.push(behind.into_stored());
        expected.sort_by_key(|session| (session.created_at, session.id.clone()));
        if direction == Direction::Backward {
            expected.reverse();
        }
        assert_eq!(lab.list(query).await, expected);
        for id in ["!before", "!behind"] {
            assert!(lab.store.delete(&sid(id)).await.unwrap());
        }
        all.remove(1);
    }
}

/// Law 6: a sweep takes what expired strictly before, and only that.
pub async fn law_06_sweep<S: SessionStore>(lab: Lab<S>) {
    for (id, expires) in [("old", Some(99)), ("edge", Some(100)), ("never", None)] {
        let mut new = NewSession::new(sid(id), at(0));
        new.expires_at = expires.map(at);
        let _ = lab.store.create(new).await.unwrap();
    }
    // Expired long ago by any clock, and yet to be read and written.
    let event = |id: &str| user(&format!("{id}/e1"), "remember me");
    for id in ["old", "edge", "never"] {
        lab.append(&sid(id), vec![event(id)]).await;
        assert_eq!(lab.log(&sid(id)).await.len(), 1);
    }

    assert_eq!(lab.store.sweep(at(99)).await.unwrap(), 0);
    assert_eq!(lab.store.sweep(at(100)).await.unwrap(), 1);
    assert_eq!(lab.store.sweep(at(100)).await.unwrap(), 0);
    assert_eq!(lab.store.session(&sid("old")).await.unwrap(), None);
    let late = lab
        .try_append(&sid("old"), Expected::Any, vec![user("e9", "hello?")])
        .await;
    assert!(matches!(late, Err(StoreError::UnknownSession { .. })));
    assert_eq!(ids(&lab, SessionQuery::all()).await, ["edge", "never"]);
    // Nothing of it is left, as after a deletion.
    let again = NewSession::new(sid("old"), at(0));
    assert!(lab.store.create(again).await.unwrap().is_new());
    assert_eq!(lab.head(&sid("old")).await, Head::empty());
    assert!(lab.log(&sid("old")).await.is_empty());
    let query = SearchQuery::new(["remember"]);
    let scope = Scope::Session(sid("old"));
    let hits = lab.find(&scope, query).await;
    assert!(hits.is_empty());
    lab.append(&sid("never"), vec![event("old")]).await;
    assert_eq!(lab.log(&sid("never")).await.len(), 2);

    // Extended in time, it stays.
    let extended = SessionPatch::new().with_expiry(Some(at(200)));
    lab.store.update(&sid("edge"), extended).await.unwrap();
    assert_eq!(lab.store.sweep(at(101)).await.unwrap(), 0);
    assert_eq!(lab.store.sweep(at(i64::MAX)).await.unwrap(), 1);
    assert_eq!(lab.log(&sid("never")).await.len(), 2);

    for (id, expires) in [("first", i64::MIN), ("last", i64::MAX)] {
        let new = NewSession::new(sid(id), at(0)).with_expiry(at(expires));
        let _ = lab.store.create(new).await.unwrap();
    }
    assert_eq!(lab.store.sweep(at(i64::MIN)).await.unwrap(), 0);
    assert_eq!(lab.store.sweep(at(i64::MIN + 1)).await.unwrap(), 1);
    assert_eq!(lab.store.sweep(at(i64::MAX)).await.unwrap(), 0);

    // Swept by several at once, each is counted once.
    for number in 0..20 {
        let new = NewSession::new(sid(&format!("many{number}")), at(0)).with_expiry(at(1));
        let _ = lab.store.create(new).await.unwrap();
    }
    let swept = lab.together(
        4,
        |store, _| async move { store.sweep(at(2)).await.unwrap() },
    );
    assert_eq!(swept.iter().sum::<u64>(), 20);
}

/// Law 7: nothing of a deleted session is left.
pub async fn law_07_delete<S: SessionStore>(lab: Lab<S>) {
    let new = NewSession::new(sid("s1"), at(0))
        .with_owner("ann")
        .with_attribute("a", "1");
    let _ = lab.store.create(new.clone()).await.unwrap();
    lab.create("s2").await;
    let child = NewSession::new(sid("child"), at(0)).with_parent(sid("s1"));
    let _ = lab.store.create(child.clone()).await.unwrap();
    let events = vec![
        user("e1", "plum"),
        user("e2", "fig"),
        boundary("b1", 1, &[]),
    ];
    lab.append(&sid("s1"), events).await;
    lab.append(&sid("s2"), vec![user("e3", "plum")]).await;

    assert!(lab.store.delete(&sid("s1")).await.unwrap());
    assert!(!lab.store.delete(&sid("s1")).await.unwrap());
    assert_eq!(lab.store.session(&sid("s1")).await.unwrap(), None);
    assert!(lab.log(&sid("s1")).await.is_empty());
    assert_eq!(lab.session(&sid("child")).await, child.into_stored());
    let children = SessionQuery::all().with_parent(sid("s1"));
    assert_eq!(ids(&lab, children).await, ["child"]);
    let query = SessionQuery::all().with_attribute("a", "1");
    assert!(ids(&lab, query).await.is_empty());
    for scope in [Scope::Session(sid("s1")), Scope::Owner("ann".into())] {
        let query = SearchQuery::new(["plum", "fi"]);
        assert!(lab.find(&scope, query).await.is_empty());
    }

    // Its ids are free again: of the session and of its events, in any session.
    let _ = lab.store.create(new).await.unwrap();
    assert_eq!(lab.head(&sid("s1")).await, Head::empty());
    lab.append(&sid("s1"), vec![user("e2", "date")]).await;
    lab.append(&sid("s2"), vec![user("e1", "date")]).await;
    let ids_of = |log: Vec<std::sync::Arc<session_log::Event>>| {
        let ids = log.iter().map(|event| event.id.clone());
        ids.collect::<Vec<EventId>>()
    };
    assert_eq!(ids_of(lab.log(&sid("s1")).await), [user("e2", "").id]);
    let both = [user("e3", "").id, user("e1", "").id];
    assert_eq!(ids_of(lab.log(&sid("s2")).await), both);
    let scope = Scope::Owner("ann".into());
    let query = SearchQuery::new(["plum", "fig"]);
    assert!(lab.find(&scope, query).await.is_empty());
    // No boundary of the deleted log comes back when one is looked for.
    let head = lab.append(&sid("s1"), vec![revert("r1", 9)]).await.head;
    assert_eq!(head.boundary, None);
}

async fn ids<S: SessionStore>(lab: &Lab<S>, query: SessionQuery) -> Vec<String> {
    let sessions = lab.list(query).await;
    let id = |session: Session| -> String { SessionId::as_str(&session.id).into() };
    sessions.into_iter().map(id).collect()
}
