//! Damage: named, read around, found by the doctor.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod common;

use session_store::{
    Batch, EventQuery, Expected, Scope, SearchQuery, SessionQuery, SessionStore,
    SessionStoreExt as _, StoreError,
};
use session_store_sqlite::{Fault, SqliteStore};
use session_store_testkit::make::{assistant, seq, user};

use crate::common::{Folder, SID, fill, run, tamper};

#[test]
fn a_damaged_record_is_named_and_can_be_read_around() {
    for damage in [
        "'{not json'",
        "''",
        "'{\"v\":9}'",
        "CAST(x'ff00fe' AS TEXT)",
    ] {
        let folder = Folder::new();
        run(async {
            let store = SqliteStore::open(folder.path()).unwrap();
            fill(&store).await;
            tamper(
                &folder.path(),
                &format!("UPDATE event SET record = {damage} WHERE id = 'a1'"),
            );
            // Strict: refused, by name.
            let error = store.read(&SID, &EventQuery::all()).await.unwrap_err();
            assert_eq!(error.to_string(), "event 2 of session s1 is damaged");
            assert!(store.load(&SID).await.is_err());
            // Around it.
            let page = store
                .read(&SID, &EventQuery::all().lenient())
                .await
                .unwrap();
            assert_eq!(page.items.len(), 2);
            assert_eq!((page.damaged.len(), page.damaged[0].seq), (1, seq(2)));
            let newest = EventQuery::all().newest(1);
            assert_eq!(store.read(&SID, &newest).await.unwrap().items.len(), 1);
            // Search goes on and says so, whether the index knows the word or not.
            for word in ["two", "tw"] {
                let query = SearchQuery::new([word]);
                let page = store
                    .search(&Scope::Session(SID.clone()), &query)
                    .await
                    .unwrap();
                assert_eq!((page.items.len(), page.damaged.len()), (1, 1));
            }
            // The session takes the next event.
            let next = Batch::from(user("u3", "three"));
            let outcome = store.append(&SID, Expected::Any, next).await.unwrap();
            assert_eq!(outcome.done().unwrap().events[0].seq, seq(4));
            let again = Batch::from(assistant("a1", "again"));
            let error = store.append(&SID, Expected::Any, again).await.unwrap_err();
            assert!(matches!(error, StoreError::Corrupt { .. }));
            let faults: Vec<_> = store.doctor().await.unwrap();
            assert_eq!(faults.len(), 1);
            assert_eq!(
                (faults[0].fault, faults[0].seq),
                (Fault::Record, Some(seq(2)))
            );
            // And the index can still be made.
            store.update_index().await.unwrap();
        });
    }
}

#[test]
fn a_damaged_session_row_is_named() {
    let folder = Folder::new();
    run(async {
        let store = SqliteStore::open(folder.path()).unwrap();
        fill(&store).await;
        tamper(&folder.path(), "UPDATE session SET metadata = 'x'");
        let error = store.session(&SID).await.unwrap_err();
        assert_eq!(error.to_string(), "the row of session s1 is damaged");
        let error = store.sessions(&SessionQuery::all()).await.unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { .. }));
    });
}

#[test]
fn the_doctor_finds_each_sort_of_damage() {
    for (sql, fault) in [
        ("DELETE FROM event WHERE id = 'a1'", Fault::Places),
        ("DELETE FROM event WHERE id = 'u2'", Fault::Places),
        ("UPDATE session SET version = 7", Fault::Places),
        ("UPDATE event SET kind = 4 WHERE id = 'a1'", Fault::Column),
        ("UPDATE event SET id = 'zz' WHERE id = 'a1'", Fault::Column),
        ("UPDATE event SET at = 9 WHERE id = 'a1'", Fault::Column),
        ("UPDATE attribute SET value = 'x'", Fault::Column),
        (
            "UPDATE session SET boundary_seq = 2, boundary_kept_from = 2",
            Fault::Boundary,
        ),
        ("UPDATE session SET view_events = 9", Fault::Counters),
        ("UPDATE session SET view_turns = 9", Fault::Counters),
        ("UPDATE session SET view_tokens = 9", Fault::Counters),
        (
            "PRAGMA foreign_keys = OFF; DELETE FROM owner",
            Fault::Orphan,
        ),
        (
            "PRAGMA foreign_keys = OFF; UPDATE event SET session = 99 WHERE id = 'u2'",
            Fault::Orphan,
        ),
        (
            "INSERT INTO search_index (rowid, words) VALUES (77, 'abc')",
            Fault::Orphan,
        ),
        ("DELETE FROM search_index_data WHERE id > 10", Fault::Index),
    ] {
        let folder = Folder::new();
        run(async {
            let store = SqliteStore::open(folder.path()).unwrap();
            fill(&store).await;
            store.update_index().await.unwrap();
            assert_eq!(store.doctor().await.unwrap(), []);
            tamper(&folder.path(), sql);
            let findings = store.doctor().await.unwrap();
            assert!(
                findings.iter().any(|it| it.fault == fault),
                "{sql}: {findings:?}"
            );
            assert!(findings.iter().all(|it| !it.to_string().contains("secret")));
        });
    }
}

#[test]
fn the_doctor_finds_a_broken_file() {
    let folder = Folder::new();
    run(async {
        let store = SqliteStore::open(folder.path()).unwrap();
        fill(&store).await;
        for number in 0..50 {
            let text = "text ".repeat(500);
            let event = user(&format!("x{number}"), &text);
            let outcome = store.append(&SID, Expected::Any, Batch::from(event)).await;
            assert!(outcome.is_ok());
        }
        drop(store);
        let mut bytes = std::fs::read(folder.path()).unwrap();
        let middle = bytes.len() / 2;
        for byte in &mut bytes[middle..middle + 4096] {
            *byte = 0xAA;
        }
        std::fs::write(folder.path(), bytes).unwrap();
        let store = SqliteStore::open(folder.path()).unwrap();
        match store.doctor().await {
            Ok(findings) => assert!(!findings.is_empty()),
            Err(error) => assert!(!error.is_retryable(), "{error}"),
        }
    });
}
