//! Laws 1 to 7: sessions.

use session_log::{EventBody, EventId, Fields, Message, SessionId};
use session_store::{
    Attributes, Batch, Created, Direction, EventQuery, Expected, Head, NewSession, Recount, Scope,
    SearchQuery, Session, SessionPatch, SessionQuery, SessionStore, SessionStoreExt as _,
    StoreError, attribute,
};

use crate::lab::Lab;
use crate::make::{at, json, seq, sid, user};

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
    for new in [full, NewSession::new(sid(&longest), at(i64::MIN))] {
        let expected = new.clone().into_stored();
        assert_eq!(expected.head, Head::empty());
        let created = lab.store.create(new).await.unwrap();
        assert_eq!(created, Created::New(expected.clone()));
        assert_eq!(lab.session(&expected.id).await, expected);
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
        for expected in [Expected::Any, Expected::Exact(Head::empty().version)] {
            let appended = store.append(&ghost, expected, batch.clone()).await;
            assert!(is_unknown(appended.unwrap_err()));
        }
    }
    let recounted = store
        .recount(&ghost, Head::empty().version, Recount::default())
        .await;
    assert!(is_unknown(recounted.unwrap_err()));
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
            for limit in 1..=8 {
                let query = query.clone().with_direction(direction).with_limit(limit);
                let page = lab.store.sessions(&query).await.unwrap();
                assert!(page.items.len() <= limit);
                let listed = lab.store.all_sessions(query.clone()).await.unwrap();
                assert_eq!(listed, expected, "{query:?}");
            }
        }
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

    // Extended in time, it stays.
    let extended = SessionPatch::new().with_expiry(Some(at(200)));
    lab.store.update(&sid("edge"), extended).await.unwrap();
    assert_eq!(lab.store.sweep(at(101)).await.unwrap(), 0);
    assert_eq!(lab.store.sweep(at(i64::MAX)).await.unwrap(), 1);
    assert_eq!(lab.log(&sid("never")).await.len(), 1);
}

/// Law 7: nothing of a deleted session is left.
pub async fn law_07_delete<S: SessionStore>(lab: Lab<S>) {
    let new = NewSession::new(sid("s1"), at(0))
        .with_owner("ann")
        .with_attribute("a", "1");
    let _ = lab.store.create(new.clone()).await.unwrap();
    lab.create("s2").await;
    lab.append(&sid("s1"), vec![user("e1", "plum"), user("e2", "fig")])
        .await;
    lab.append(&sid("s2"), vec![user("e3", "plum")]).await;

    assert!(lab.store.delete(&sid("s1")).await.unwrap());
    assert!(!lab.store.delete(&sid("s1")).await.unwrap());
    assert_eq!(lab.store.session(&sid("s1")).await.unwrap(), None);
    assert!(lab.log(&sid("s1")).await.is_empty());
    let query = SessionQuery::all().with_attribute("a", "1");
    assert!(ids(&lab, query).await.is_empty());
    for scope in [Scope::Session(sid("s1")), Scope::Owner("ann".into())] {
        let query = SearchQuery::new(["plum", "fi"]);
        assert!(
            lab.store
                .search_all(&scope, query)
                .await
                .unwrap()
                .is_empty()
        );
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
    assert!(
        lab.store
            .search_all(&scope, query)
            .await
            .unwrap()
            .is_empty()
    );
}

async fn ids<S: SessionStore>(lab: &Lab<S>, query: SessionQuery) -> Vec<String> {
    let sessions = lab.store.all_sessions(query).await.unwrap();
    let id = |session: Session| -> String { SessionId::as_str(&session.id).into() };
    sessions.into_iter().map(id).collect()
}
