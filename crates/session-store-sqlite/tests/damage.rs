//! Damage: named, read around, found by the doctor.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod common;
#[path = "damage/flips.rs"]
mod flips;

use session_store::{
    Batch, EventQuery, Expected, NewSession, Scope, SearchQuery, SessionQuery, SessionStore,
    SessionStoreExt as _, StoreError,
};
use session_store_sqlite::{Fault, OpenError, SqliteOptions, SqliteStore};
use session_store_testkit::make::{assistant, at, seq, sid, user};

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
        ("DELETE FROM search_index WHERE rowid = 2", Fault::Index),
        ("UPDATE search_progress SET row = 99", Fault::Index),
        ("UPDATE session SET metadata = 'x'", Fault::Record),
        ("UPDATE session SET id = ' '", Fault::Record),
        (
            "UPDATE event SET id = CAST(x'ff' AS TEXT) WHERE id = 'a1'",
            Fault::Column,
        ),
        (
            "UPDATE attribute SET value = CAST(x'ff' AS TEXT)",
            Fault::Column,
        ),
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

/// The doctor listed sessions as a caller does, and one row that could not be read was the end of the
/// whole examination: an error named that row and nothing else, when it was needed most.
#[test]
fn the_doctor_goes_on_over_what_it_cannot_read() {
    let folder = Folder::new();
    run(async {
        let store = SqliteStore::open(folder.path()).unwrap();
        fill(&store).await;
        for id in ["s0", "s2"] {
            let new = NewSession::new(sid(id), at(0));
            let _ = store.create(new).await.unwrap();
            let event = Batch::from(user(&format!("{id}/1"), "one"));
            let _ = store.append(&sid(id), Expected::Any, event).await.unwrap();
        }
        tamper(
            &folder.path(),
            "UPDATE session SET metadata = 'x' WHERE id = 's1';
            UPDATE event SET at = 9 WHERE id = 's0/1';
            UPDATE event SET record = '{' WHERE id = 's2/1'",
        );
        let findings = store.doctor().await.unwrap();
        let found: Vec<_> = findings
            .iter()
            .map(|it| (it.session.clone(), it.fault))
            .collect();
        for expected in [
            (Some(sid("s0")), Fault::Column),
            (Some(sid("s1")), Fault::Record),
            (Some(sid("s2")), Fault::Record),
        ] {
            assert!(found.contains(&expected), "{findings:?}");
        }
    });
}

/// A page of a search without an index ends after 20,000 messages behind the last one that could be
/// read. Where none of them could, there was no such place, and the search ended: what lay behind was
/// never found.
#[test]
fn a_search_goes_on_behind_a_page_of_damage() {
    let folder = Folder::new();
    run(async {
        let store = SqliteStore::open(folder.path()).unwrap();
        let new = NewSession::new(SID.clone(), at(0)).with_owner("ann");
        let _ = store.create(new).await.unwrap();
        for part in 0..21 {
            let event = |number| user(&format!("{part}/{number}"), "abc");
            let batch = Batch::new((0..1_000).map(event).collect());
            let _ = store.append(&SID, Expected::Any, batch).await.unwrap();
        }
        let needle = Batch::from(user("needle", "xy"));
        let _ = store.append(&SID, Expected::Any, needle).await.unwrap();
        tamper(
            &folder.path(),
            "UPDATE event SET record = '{' WHERE id <> 'needle'",
        );
        for scope in [Scope::Session(SID.clone()), Scope::Owner("ann".into())] {
            let query = SearchQuery::new(["xy"]);
            let hits = store.search_all(&scope, query).await.unwrap();
            assert_eq!(hits.len(), 1);
        }
    });
}

#[test]
fn the_doctor_finds_a_broken_file() {
    let folder = Folder::new();
    run(async {
        fill_many_pages(&folder).await;
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

#[test]
fn whoever_meets_broken_pages_is_told_and_the_rest_is_read() {
    let folder = Folder::new();
    run(async {
        fill_many_pages(&folder).await;
        let mut bytes = std::fs::read(folder.path()).unwrap();
        let half = bytes.len() / 2 / 4096 * 4096;
        bytes[half..].fill(0xAA);
        std::fs::write(folder.path(), bytes).unwrap();
        let store = SqliteStore::open(folder.path()).unwrap();
        let failed = |error: StoreError| assert!(matches!(error, StoreError::Failed { .. }));
        for _ in 0..2 {
            failed(store.read_all(&SID, EventQuery::all()).await.unwrap_err());
            let lenient = EventQuery::all().lenient();
            failed(store.read_all(&SID, lenient).await.unwrap_err());
            failed(store.load(&SID).await.unwrap_err());
            let query = SearchQuery::new(["no such text"]);
            let scope = Scope::Session(SID.clone());
            failed(store.search_all(&scope, query).await.unwrap_err());
            // What is on whole pages is there.
            let first = EventQuery::all().with_limit(2);
            assert_eq!(store.read(&SID, &first).await.unwrap().items.len(), 2);
            let sessions = store.sessions(&SessionQuery::all()).await.unwrap();
            assert_eq!(sessions.items.len(), 1);
        }
        // Writing is refused or works; either way it is not worth waiting for.
        let next = Batch::from(user("next", "next"));
        if let Err(error) = store.append(&SID, Expected::Any, next).await {
            failed(error);
        }
    });
}

#[test]
fn a_file_that_was_cut_off_is_refused_or_read_up_to_there() {
    for part in [8, 2] {
        let folder = Folder::new();
        run(async {
            fill_many_pages(&folder).await;
            let bytes = std::fs::read(folder.path()).unwrap();
            std::fs::write(folder.path(), &bytes[..bytes.len() / part]).unwrap();
            let store = match SqliteStore::open(folder.path()) {
                Ok(store) => store,
                Err(error) => return assert!(matches!(error, OpenError::NotADatabase { .. })),
            };
            let read = store.read_all(&SID, EventQuery::all()).await;
            assert!(!read.unwrap_err().is_retryable());
            match store.doctor().await {
                Ok(findings) => assert!(!findings.is_empty()),
                Err(error) => assert!(!error.is_retryable(), "{error}"),
            }
        });
    }
}

#[test]
fn a_file_with_a_broken_first_page_is_refused_and_left_alone() {
    for damaged in [0..16, 100..4096] {
        let folder = Folder::new();
        run(fill_many_pages(&folder));
        let mut bytes = std::fs::read(folder.path()).unwrap();
        bytes[damaged].fill(0xAA);
        std::fs::write(folder.path(), &bytes).unwrap();
        let error = SqliteStore::open(folder.path()).unwrap_err();
        assert!(matches!(error, OpenError::NotADatabase { .. }), "{error:?}");
        assert!(!error.is_retryable());
        assert_eq!(std::fs::read(folder.path()).unwrap(), bytes);
    }
}

#[test]
fn searches_that_nobody_waits_for_hold_up_nobody() {
    let folder = Folder::new();
    run(async {
        fill_many_pages(&folder).await;
        let options = SqliteOptions::default().with_readers(1);
        let store = SqliteStore::open_with(folder.path(), options).unwrap();
        for _ in 0..200 {
            let (query, scope) = (SearchQuery::new(["xt"]), Scope::Session(SID.clone()));
            let mut search = std::pin::pin!(store.search(&scope, &query));
            let mut context = std::task::Context::from_waker(std::task::Waker::noop());
            let _ = search.as_mut().poll(&mut context);
        }
        let log = store.read_all(&SID, EventQuery::all()).await.unwrap();
        assert_eq!(log.len(), 53);
        assert_eq!(store.doctor().await.unwrap(), []);
    });
}

/// A closed database of about fifty pages, most of them with one event each.
async fn fill_many_pages(folder: &Folder) {
    let store = SqliteStore::open(folder.path()).unwrap();
    fill(&store).await;
    let text = "text ".repeat(500);
    let event = |number| user(&format!("x{number}"), &text);
    let batch = Batch::new((0..50).map(event).collect());
    let outcome = store.append(&SID, Expected::Any, batch).await.unwrap();
    assert_eq!(outcome.done().unwrap().new, 50);
}
