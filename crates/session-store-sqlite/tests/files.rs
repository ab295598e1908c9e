//! Files: what is opened, what is refused, what is found out about damage, what is left behind.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use session_log::{EventBody, Message};
use session_store::{
    Batch, BoundaryMark, EventQuery, Expected, NewSession, Scope, SearchQuery, SessionPatch,
    SessionQuery, SessionStore, SessionStoreExt as _, StoreError, attribute,
};
use session_store_sqlite::{Fault, OpenError, SqliteOptions, SqliteStore};
use session_store_testkit::block_on;
use session_store_testkit::make::{
    assistant, at, boundary, eid, json, revert, seq, sid, tokens, user,
};
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("log.db")
    }
}

fn run(future: impl Future<Output = ()> + Send) {
    block_on(Box::pin(future));
}

/// A session with three events, the second of them a secret.
async fn fill(store: &SqliteStore) {
    let new = NewSession::new(sid("s1"), at(0))
        .with_owner("ann")
        .with_attribute(attribute::AGENT, "support");
    let _ = store.create(new).await.unwrap();
    let events = vec![
        user("u1", "one").with_tokens(tokens(3)),
        assistant("a1", "the secret is Zwetschgenmarmelade").with_tokens(tokens(5)),
        user("u2", "two").with_tokens(tokens(3)),
    ];
    let outcome = store
        .append(&sid("s1"), Expected::Any, Batch::new(events))
        .await;
    assert_eq!(outcome.unwrap().done().unwrap().new, 3);
}

/// Changes the file behind the store's back.
fn tamper(path: &Path, sql: &str) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(sql).unwrap();
}

#[test]
fn what_was_written_is_there_after_the_file_was_closed() {
    let folder = Folder::new();
    run(async {
        let store = SqliteStore::open(folder.path()).unwrap();
        fill(&store).await;
        let before = store.load(&sid("s1")).await.unwrap();
        drop(store);
        // The last connection tidied up: one file, no log beside it.
        assert_eq!(std::fs::read_dir(folder.0.path()).unwrap().count(), 1);
        for _ in 0..2 {
            let store = SqliteStore::open(folder.path()).unwrap();
            assert_eq!(store.load(&sid("s1")).await.unwrap(), before);
            assert_eq!(store.doctor().await.unwrap(), []);
        }
    });
}

#[test]
fn a_dropped_store_has_written_everything_that_was_asked_for() {
    let folder = Folder::new();
    run(async {
        let store = SqliteStore::open(folder.path()).unwrap();
        fill(&store).await;
        // Asked for and not waited for.
        let mut asked = Vec::new();
        for number in 0..200 {
            let store = store.clone();
            asked.push(Box::pin(async move {
                let event = user(&format!("x{number}"), "hello");
                store
                    .append(&sid("s1"), Expected::Any, Batch::from(event))
                    .await
            }));
        }
        {
            let mut context = std::task::Context::from_waker(std::task::Waker::noop());
            for future in &mut asked {
                let _ = future.as_mut().poll(&mut context);
            }
        }
        drop(asked);
        drop(store);
        let store = SqliteStore::open(folder.path()).unwrap();
        let log = store.read_all(&sid("s1"), EventQuery::all()).await.unwrap();
        assert_eq!(log.len(), 203);
    });
}

#[test]
fn no_database_is_refused_and_left_alone() {
    let folder = Folder::new();
    let text = "this is a shopping list, and long enough to have a header. ".repeat(10);
    std::fs::write(folder.path(), &text).unwrap();
    let error = SqliteStore::open(folder.path()).unwrap_err();
    assert!(matches!(error, OpenError::NotADatabase { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(folder.path()).unwrap(), text);
}

#[test]
fn an_empty_file_becomes_a_database() {
    let folder = Folder::new();
    std::fs::write(folder.path(), "").unwrap();
    run(async {
        let store = SqliteStore::open(folder.path()).unwrap();
        fill(&store).await;
    });
}

#[test]
fn the_database_of_another_program_is_refused_and_left_alone() {
    for sql in [
        "CREATE TABLE notes (text TEXT)",
        "PRAGMA application_id = 7",
        "PRAGMA user_version = 1",
    ] {
        let folder = Folder::new();
        tamper(&folder.path(), sql);
        let before = std::fs::read(folder.path()).unwrap();
        let error = SqliteStore::open(folder.path()).unwrap_err();
        assert!(matches!(error, OpenError::Foreign), "{error}");
        assert_eq!(std::fs::read(folder.path()).unwrap(), before);
    }
}

#[test]
fn a_later_schema_is_refused_by_number() {
    let folder = Folder::new();
    drop(SqliteStore::open(folder.path()).unwrap());
    tamper(&folder.path(), "PRAGMA user_version = 2");
    let error = SqliteStore::open(folder.path()).unwrap_err();
    let message = "the database has schema 2, this release reads up to schema 1";
    assert_eq!(error.to_string(), message);
    assert!(!error.is_retryable());
    assert!(matches!(StoreError::from(error), StoreError::Failed { .. }));
}

#[test]
fn a_write_protected_file_is_refused() {
    let folder = Folder::new();
    drop(SqliteStore::open(folder.path()).unwrap());
    let mut permissions = std::fs::metadata(folder.path()).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(folder.path(), permissions).unwrap();
    let error = SqliteStore::open(folder.path()).unwrap_err();
    assert!(matches!(error, OpenError::ReadOnly { .. }), "{error}");
}

#[test]
fn a_folder_and_a_missing_folder_are_refused() {
    let folder = Folder::new();
    for path in [
        folder.0.path().to_owned(),
        folder.0.path().join("no/log.db"),
    ] {
        let error = SqliteStore::open(path).unwrap_err();
        assert!(matches!(error, OpenError::Failed { .. }), "{error}");
    }
}

#[test]
fn a_held_database_is_unavailable_and_can_be_tried_again() {
    let folder = Folder::new();
    let options = SqliteOptions::default().with_busy_timeout(std::time::Duration::ZERO);
    let store = SqliteStore::open_with(folder.path(), options.clone()).unwrap();
    run(async {
        fill(&store).await;
        let holder = Connection::open(folder.path()).unwrap();
        holder.execute_batch("BEGIN IMMEDIATE").unwrap();
        let append = |id: &str| store.append(&SID, Expected::Any, Batch::from(user(id, "x")));
        let error = append("x1").await.unwrap_err();
        assert!(error.is_retryable(), "{error}");
        assert!(
            SqliteStore::open_with(folder.path(), options)
                .unwrap_err()
                .is_retryable()
        );
        assert_eq!(
            store.read_all(&SID, EventQuery::all()).await.unwrap().len(),
            3
        );
        holder.execute_batch("ROLLBACK").unwrap();
        drop(holder);
        assert_eq!(append("x1").await.unwrap().done().unwrap().new, 1);
    });
}

static SID: std::sync::LazyLock<session_log::SessionId> = std::sync::LazyLock::new(|| sid("s1"));

#[test]
fn session_ids_make_no_files() {
    let folder = Folder::new();
    run(async {
        let store = SqliteStore::open(folder.path()).unwrap();
        for id in [
            "../../etc/x",
            "..\\..\\x",
            "/abs/x",
            "a/../b",
            "C:\\x",
            ".",
            "..",
            "con",
        ] {
            let _ = store.create(NewSession::new(sid(id), at(0))).await.unwrap();
        }
        drop(store);
        let names = std::fs::read_dir(folder.0.path()).unwrap();
        assert_eq!(names.count(), 1);
    });
}

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

#[test]
fn erased_and_deleted_text_is_in_no_file() {
    let folder = Folder::new();
    let is_in_a_file = |word: &str| {
        let files = std::fs::read_dir(folder.0.path()).unwrap();
        files.into_iter().any(|file| {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            bytes
                .windows(word.len())
                .any(|window| window == word.as_bytes())
        })
    };
    run(async {
        let store = SqliteStore::open(folder.path()).unwrap();
        fill(&store).await;
        let long = "Pflaumenkuchen ".repeat(2_000);
        let more = Batch::new(vec![user("u3", &long), user("u4", "Mirabellenkompott")]);
        assert!(store.append(&SID, Expected::Any, more).await.is_ok());
        store.update_index().await.unwrap();
        let words = ["Zwetschgenmarmelade", "Pflaumenkuchen", "Mirabellenkompott"];
        assert!(words.iter().all(|word| is_in_a_file(word)));

        for place in [2, 4] {
            let role = if place == 2 {
                Message::assistant("")
            } else {
                Message::user("")
            };
            let tombstone = EventBody::Message(role);
            store.erase(&SID, seq(place), tombstone).await.unwrap();
        }
        let wait = SessionPatch::new();
        store.update(&SID, wait).await.unwrap();
        assert_eq!(words.map(is_in_a_file), [false, false, true]);
        assert_eq!(store.doctor().await.unwrap(), []);

        store.delete(&SID).await.unwrap();
        assert!(!store.delete(&SID).await.unwrap());
        assert_eq!(words.map(is_in_a_file), [false, false, false]);
        assert_eq!(store.doctor().await.unwrap(), []);
    });
}

#[test]
fn the_index_takes_what_is_searched_and_loses_what_is_deleted() {
    let folder = Folder::new();
    let count = || {
        let connection = Connection::open(folder.path()).unwrap();
        let count = "SELECT count(*) FROM search_index";
        connection
            .query_row(count, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    run(async {
        let store = SqliteStore::open(folder.path()).unwrap();
        fill(&store).await;
        let other = NewSession::new(sid("s2"), at(0)).with_owner("ann");
        let _ = store.create(other).await.unwrap();
        let more = Batch::new(vec![boundary("b1", 1, &[]), user("u3", "secret two")]);
        assert!(store.append(&sid("s2"), Expected::Any, more).await.is_ok());
        assert_eq!(count(), 0);
        store.update_index().await.unwrap();
        assert_eq!(count(), 4);
        store.update_index().await.unwrap();
        assert_eq!(count(), 4);
        let query = SearchQuery::new(["SECRET"]);
        let hits = |scope: Scope| {
            let (store, query) = (store.clone(), query.clone());
            async move { store.search_all(&scope, query).await.unwrap().len() }
        };
        assert_eq!(hits(Scope::Owner("ann".into())).await, 2);
        assert_eq!(hits(Scope::Session(sid("s2"))).await, 1);

        // Rows that are deleted at the end may be given again; they are searched all the same.
        assert!(store.delete(&sid("s2")).await.unwrap());
        assert_eq!(count(), 3);
        let again = NewSession::new(sid("s3"), at(0)).with_owner("ann");
        let _ = store.create(again).await.unwrap();
        let more = Batch::from(user("u9", "another secret"));
        assert!(store.append(&sid("s3"), Expected::Any, more).await.is_ok());
        assert_eq!(hits(Scope::Session(sid("s3"))).await, 1);
        store.update_index().await.unwrap();
        assert_eq!(count(), 4);
        assert_eq!(hits(Scope::Session(sid("s3"))).await, 1);
        assert_eq!(hits(Scope::Owner("ann".into())).await, 2);
        assert_eq!(store.doctor().await.unwrap(), []);
    });
}

#[test]
fn a_short_word_is_looked_for_in_pages_of_bounded_work() {
    let folder = Folder::new();
    run(async {
        let store = SqliteStore::open(folder.path()).unwrap();
        let new = NewSession::new(sid("s1"), at(0)).with_owner("ann");
        let _ = store.create(new).await.unwrap();
        for hundred in 0..210 {
            let events = (0..100).map(|number| assistant(&format!("{hundred}/{number}"), "abc"));
            let batch = Batch::new(events.collect());
            assert!(store.append(&SID, Expected::Any, batch).await.is_ok());
        }
        let needle = Batch::from(user("needle", "xy"));
        assert!(store.append(&SID, Expected::Any, needle).await.is_ok());
        for scope in [Scope::Session(SID.clone()), Scope::Owner("ann".into())] {
            let query = SearchQuery::new(["xy"]);
            let first = store.search(&scope, &query).await.unwrap();
            assert!(first.items.is_empty() && first.next.is_some());
            let second = query.clone().with_after(first.next.unwrap());
            let second = store.search(&scope, &second).await.unwrap();
            assert_eq!((second.items.len(), second.next), (1, None));
            assert_eq!(store.search_all(&scope, query).await.unwrap().len(), 1);
        }
    });
}

/// The database in `fixtures` was written by the first release. Every release must open it.
#[test]
fn a_database_of_schema_1_opens() {
    let folder = Folder::new();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/schema-1.db");
    std::fs::copy(fixture, folder.path()).unwrap();
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
