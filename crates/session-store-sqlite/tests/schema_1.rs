//! A database of the first schema opens in every release.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod common;

use std::path::PathBuf;

use session_store::{
    Batch, BoundaryMark, EventQuery, Expected, NewSession, Scope, SearchQuery, SessionStore,
    SessionStoreExt as _, attribute,
};
use session_store_sqlite::SqliteStore;
use session_store_testkit::make::{assistant, at, boundary, eid, json, revert, sid, tokens, user};

use crate::common::{Folder, SID, run};

/// The database in `fixtures` was written by the first release. Every release must open it.
#[test]
fn a_database_of_schema_1_opens() {
    let folder = Folder::new();
    std::fs::write(folder.path(), include_bytes!("fixtures/schema-1.db")).unwrap();
    run(async {
        let store = SqliteStore::open(folder.path()).unwrap();
        let expected = SqliteStore::open(folder.0.path().join("new.db")).unwrap();
        fill_fixture(&expected).await;
        for id in ["s1", "../é:1", "forked"] {
            let (old, new) = (store.load(&sid(id)).await, expected.load(&sid(id)).await);
            let (old, new) = (old.unwrap().unwrap(), new.unwrap().unwrap());
            assert_eq!(old, new, "{id}");
            let all = EventQuery::all;
            let old = store.read_all(&sid(id), all()).await.unwrap();
            assert_eq!(old, expected.read_all(&sid(id), all()).await.unwrap());
        }
        for word in ["plum", "草", "pl"] {
            let scope = Scope::Owner("ann \0 é".into());
            let query = SearchQuery::new([word]);
            let old = store.search_all(&scope, query.clone()).await.unwrap();
            assert!(!old.is_empty());
            assert_eq!(old, expected.search_all(&scope, query).await.unwrap());
        }
        assert_eq!(store.doctor().await.unwrap(), []);
        let head = store.head(&SID).await.unwrap().unwrap();
        let batch = Batch::new(vec![boundary("new", 5, &[1]), revert("back", 20)]);
        let outcome = store
            .append(&SID, Expected::Exact(head.version), batch)
            .await;
        let head = outcome.unwrap().done().unwrap().head;
        let log = store.read_all(&SID, EventQuery::all()).await.unwrap();
        let folded = BoundaryMark::newest_live(log.iter().map(AsRef::as_ref));
        assert_eq!(head.boundary, folded);
        store.update_index().await.unwrap();
        assert_eq!(store.doctor().await.unwrap(), []);
    });
}

/// What is in the database of schema 1. Never changed: the file was made from it once, by running
/// the tests with `WRITE_FIXTURE` set to its path.
async fn fill_fixture(store: &SqliteStore) {
    fill_first(store).await;
    let mut metadata = session_log::Fields::new();
    metadata.insert("spaced".into(), json("{ \"b\": 1.0 }"));
    let odd = NewSession::new(sid("../é:1"), at(-5))
        .with_owner("ann \0 é")
        .with_expiry(at(99))
        .with_attribute("nul", "a\0b")
        .with_metadata(metadata);
    let _ = store.create(odd).await.unwrap();
    let forked = NewSession::new(sid("forked"), at(7))
        .with_owner("ann \0 é")
        .with_parent(sid("s1"));
    let _ = store.create(forked).await.unwrap();
    let events = vec![
        user("f1", "plum again"),
        assistant("f2", "nul \0 and 草 plum"),
    ];
    let outcome = store
        .append(&sid("forked"), Expected::Any, Batch::new(events))
        .await;
    assert!(outcome.unwrap().done().is_some());
}

async fn fill_first(store: &SqliteStore) {
    let new = NewSession::new(sid("s1"), at(0))
        .with_owner("ann \0 é")
        .with_attribute(attribute::MODEL, "small");
    let _ = store.create(new).await.unwrap();
    let mut events = Vec::new();
    for number in 1..=8 {
        let text = format!("question {number}: where is the plum?");
        events.push(user(&format!("u{number}"), &text).with_tokens(tokens(9)));
        events.push(assistant(&format!("a{number}"), "Here.").with_tokens(tokens(2)));
    }
    let outcome = store.append(&SID, Expected::Any, Batch::new(events)).await;
    assert!(outcome.unwrap().done().is_some());
    store.update_index().await.unwrap();
    let events = vec![
        boundary("b1", 5, &[1]),
        boundary("b2", 9, &[2, 1]),
        revert("r1", 18),
        user("late", "草 after the boundary").with_metadata("m", json("[ 1 ]")),
    ];
    let outcome = store.append(&SID, Expected::Any, Batch::new(events)).await;
    assert!(outcome.unwrap().done().is_some());
    assert!(store.event(&SID, &eid("late")).await.unwrap().is_some());
}

#[test]
fn the_fixture_can_be_made_again() {
    let folder = Folder::new();
    let path = std::env::var_os("WRITE_FIXTURE").map_or(folder.path(), PathBuf::from);
    run(async {
        let store = SqliteStore::open(&path).unwrap();
        fill_fixture(&store).await;
        assert_eq!(store.doctor().await.unwrap(), []);
    });
}
