//! The worked cases of the upstream design on the service: RP, SV, and those of V about names and
//! questions. Cases about in-place flags and about other databases have no counterpart.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{Characters, World, block_on, event, id};
use session::{
    Appended, Error, EventType, Expected, Filter, FixedClock, MemoryStore, Message, NewSession,
    SearchQuery, SessionId, SessionQuery, Sessions, Timestamp, Version,
};
use session_store::{SessionPatch, StoreError};

const DAY: i64 = 24 * 60 * 60 * 1000;

fn service(store: &MemoryStore, now: i64) -> Sessions {
    let clock = FixedClock(Timestamp::from_millis(now));
    Sessions::new(store.clone(), Characters).with_clock(clock)
}

fn sid(name: &str) -> SessionId {
    SessionId::new(name).unwrap()
}

async fn messages(sessions: &Sessions, id: &SessionId) -> Vec<String> {
    let events = sessions.events(id, &Filter::all()).await.unwrap();
    let texts = events.iter().filter_map(|event| event.as_message());
    texts.map(|message| message.text().into_owned()).collect()
}

#[test]
fn sessions_are_made_found_changed_and_deleted() {
    block_on(async {
        let store = MemoryStore::new();
        let sessions = service(&store, 1_000);
        let made = sessions.create().await.unwrap();
        assert!(!made.id.as_str().is_empty(), "SV1");
        assert_eq!(made.head.version, Version::EMPTY, "SV1, RP6");
        assert_eq!(
            made.expires_at,
            Some(Timestamp::from_millis(1_000 + 60 * DAY)),
            "SV2"
        );
        let for_ever = service(&store, 0)
            .with_time_to_live(None)
            .create()
            .await
            .unwrap();
        assert_eq!(for_ever.expires_at, None, "SV2");
        let short = sessions
            .describe(sid("short"))
            .with_expiry(Timestamp::from_millis(5_000));
        let short = sessions.create_as(short).await.unwrap();
        assert_eq!(short.expires_at, Some(Timestamp::from_millis(5_000)), "SV2");

        assert_eq!(
            sessions.find(&made.id).await.unwrap(),
            Some(made.clone()),
            "RP1"
        );
        assert_eq!(sessions.find(&sid("ghost")).await.unwrap(), None, "RP2");
        let again = sessions.create_as(sessions.describe(made.id.clone())).await;
        assert!(matches!(again, Err(Error::SessionExists { .. })), "SV3");
        let other_owner = sessions.describe(made.id.clone()).with_owner("mallory");
        let found = sessions.find_or_create(other_owner).await.unwrap();
        assert_eq!(found, made, "SV3, AD34: what is there stays as it is");

        sessions.append(&made.id, Message::user("q")).await.unwrap();
        let patch =
            SessionPatch::new().with_attributes([("model".to_owned(), "m".to_owned())].into());
        let changed = sessions.store().update(&made.id, patch).await.unwrap();
        assert_eq!(changed.created_at, made.created_at, "RP12");
        assert_eq!(changed.head.version, Version::new(1), "RP12: the log stays");

        assert!(sessions.delete(&made.id).await.unwrap(), "RP9");
        assert!(!sessions.delete(&made.id).await.unwrap(), "RP9");
        let gone = sessions.log(&made.id).await;
        assert!(matches!(gone, Err(Error::UnknownSession { .. })), "RP9");
    });
}

#[test]
fn appending_keeps_order_counts_versions_and_refuses_what_clashes() {
    block_on(async {
        let world = World::new().await;
        let sessions = &world.sessions;
        let ghost = sessions
            .append(&sid("ghost"), Message::user("q"))
            .await
            .unwrap_err();
        assert!(
            matches!(ghost, Error::UnknownSession { .. }),
            "RP3: {ghost}"
        );

        world.append("u1 a1 u2").await;
        assert_eq!(
            messages(sessions, &world.id).await,
            ["u1", "a1", "u2"],
            "SV4"
        );
        world.append("u1").await;
        let version = sessions
            .find(&world.id)
            .await
            .unwrap()
            .unwrap()
            .head
            .version;
        assert_eq!(
            version,
            Version::new(3),
            "RP4: the same event again changes nothing"
        );

        let mut differs = event("a9");
        differs.id = id("u1");
        let clash = sessions
            .append_events(&world.id, Expected::Any, vec![event("u3"), differs])
            .await;
        let is_clash = matches!(clash, Err(Error::Store(StoreError::EventDiffers { .. })));
        assert!(is_clash, "the same id with other words");
        let elsewhere = sessions.create().await.unwrap();
        let stolen = sessions
            .append_events(&elsewhere.id, Expected::Any, vec![event("u1")])
            .await;
        let is_elsewhere = matches!(stolen, Err(Error::Store(StoreError::EventElsewhere { .. })));
        assert!(is_elsewhere, "RP24");
        assert_eq!(
            messages(sessions, &world.id).await.len(),
            3,
            "nothing of the batch"
        );

        let refusing = service(&MemoryStore::new(), 0);
        let id = refusing.create().await.unwrap().id;
        let refused = refusing.append(&id, Message::system("Be brief.")).await;
        assert!(
            matches!(refused, Err(Error::SystemMessageRefused { .. })),
            "SV11"
        );
        sessions
            .append(&world.id, Message::system("Be brief."))
            .await
            .unwrap();
    });
}

#[test]
fn expired_sessions_are_readable_until_they_are_swept() {
    block_on(async {
        let store = MemoryStore::new();
        let sessions = service(&store, 0);
        assert_eq!(sessions.expire().await.unwrap(), 0, "SV10");
        for (name, at) in [
            ("old", Some(10)),
            ("edge", Some(20)),
            ("new", Some(21)),
            ("ever", None),
        ] {
            let new = NewSession::new(sid(name), Timestamp::from_millis(0));
            let new = match at {
                Some(at) => new.with_expiry(Timestamp::from_millis(at)),
                None => new,
            };
            sessions.create_as(new).await.unwrap();
        }
        let later = service(&store, 20);
        assert!(later.log(&sid("old")).await.is_ok(), "still there");
        assert_eq!(
            later.expire().await.unwrap(),
            1,
            "RP10, SV10: only what expires before"
        );
        assert_eq!(later.expire().await.unwrap(), 0, "SV10");
        assert!(later.find(&sid("edge")).await.unwrap().is_some(), "RP10");
    });
}

#[test]
fn sessions_are_found_by_owner_and_attribute_oldest_first() {
    block_on(async {
        let store = MemoryStore::new();
        for (at, name, owner) in [(3, "c", "alice"), (1, "a", "alice"), (2, "b", "bob")] {
            let sessions = service(&store, at).scoped(owner);
            let new = sessions
                .describe(sid(name))
                .with_attribute("agent", "clerk");
            sessions.create_as(new).await.unwrap();
        }
        let sessions = service(&store, 9);
        let found = async |query: SessionQuery| {
            let page = sessions.list(&query).await.unwrap();
            page.items
                .iter()
                .map(|session| session.id.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            found(SessionQuery::all().with_owner("alice")).await,
            ["a", "c"],
            "RP11"
        );
        let clerks = SessionQuery::all().with_attribute("agent", "clerk");
        assert_eq!(found(clerks).await, ["a", "b", "c"], "V17");
        let unknown = SessionQuery::all().with_attribute("colour", "red");
        assert!(found(unknown).await.is_empty(), "V17: nobody has it");
    });
}

#[test]
fn a_version_that_moved_on_writes_nothing() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1").await;
        let expected = Expected::Exact(Version::new(1));
        let batch = ["u2", "a2"].map(event).to_vec();
        let late = world
            .sessions
            .append_events(&world.id, expected, batch)
            .await
            .unwrap();
        let is_conflict =
            matches!(late, Appended::Conflict { actual } if actual == Version::new(2));
        assert!(is_conflict, "V6");
        assert_eq!(
            messages(&world.sessions, &world.id).await,
            ["u1", "a1"],
            "V6: no half batch"
        );
    });
}

#[test]
fn names_and_questions_that_make_no_sense_are_refused() {
    for (name, is_valid) in [
        ("ACME.AUDIT", true),
        ("a", false),
        ("1A", false),
        ("A-B", false),
    ] {
        assert_eq!(EventType::new(name).is_ok(), is_valid, "V13: {name}");
    }
    assert!(EventType::new(&"A".repeat(64)).is_ok(), "V13");
    assert!(EventType::new(&"A".repeat(65)).is_err(), "V13");
    block_on(async {
        let world = World::new().await;
        let search = async |words: Vec<String>| {
            let query = SearchQuery::new(words);
            world.sessions.search(&world.id, &query).await.is_ok()
        };
        assert!(!search(vec![]).await, "V15: no keyword");
        assert!(!search(vec!["  ".into()]).await, "V15: a blank one");
        assert!(search(vec!["x".into(); 20]).await, "V15: 20");
        assert!(!search(vec!["x".into(); 21]).await, "V15: 21");
        assert!(search(vec!["x".repeat(200)]).await, "V15: 200 characters");
        assert!(!search(vec!["x".repeat(201)]).await, "V15: 201 characters");
    });
}

#[test]
fn keywords_are_plain_text() {
    block_on(async {
        let world = World::new().await;
        for text in [
            "100% done",
            "1000 done",
            "snake_case",
            "snakeXcase",
            "a!b",
            "ab",
            "Hello World",
        ] {
            world
                .sessions
                .append(&world.id, Message::user(text))
                .await
                .unwrap();
        }
        for (word, expected) in [
            ("100%", vec!["100% done"]),
            ("_case", vec!["snake_case"]),
            ("a!b", vec!["a!b"]),
            ("hello", vec!["Hello World"]),
        ] {
            let found = world
                .sessions
                .search(&world.id, &SearchQuery::new([word]))
                .await
                .unwrap();
            let texts: Vec<_> = found
                .items
                .iter()
                .map(|hit| hit.snippet.text.as_str())
                .collect();
            assert_eq!(texts, expected, "RP20: {word}");
        }
    });
}
