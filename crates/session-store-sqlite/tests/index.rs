//! The search index: what it takes, what it loses, what is left of erased text.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod common;

use rusqlite::Connection;
use session_log::{EventBody, Message};
use session_store::{
    Batch, Expected, NewSession, Scope, SearchQuery, SessionPatch, SessionStore,
    SessionStoreExt as _,
};
use session_store_sqlite::SqliteStore;
use session_store_testkit::make::{assistant, at, boundary, seq, sid, user};

use crate::common::{Folder, SID, fill, run};

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

/// Erased text was gone from the events and could be read in the index all the same: deleting a row
/// marks it there, and every three characters of it stay with their places until SQLite happens to
/// write that part anew. The test before this one looked for whole words, which the index never has.
#[test]
fn the_index_keeps_nothing_of_erased_and_deleted_text() {
    let folder = Folder::new();
    // Letters that no other text has, in the order in which the index has them.
    let is_known = |letters: &str| {
        let files = std::fs::read_dir(folder.0.path()).unwrap();
        files.into_iter().any(|file| {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            let mut windows = bytes.windows(letters.len());
            windows.any(|window| window == letters.as_bytes())
        })
    };
    let secrets = ["뷁쫗꿹", "뒑췙틡", "쀍럟훯"];
    run(async {
        let store = SqliteStore::open(folder.path()).unwrap();
        fill(&store).await;
        let new = NewSession::new(sid("s2"), at(0)).with_expiry(at(5));
        let _ = store.create(new).await.unwrap();
        for (id, secret) in [
            (&*SID, secrets[0]),
            (&*SID, secrets[1]),
            (&sid("s2"), secrets[2]),
        ] {
            let batch = Batch::from(user(secret, &format!("ab{secret}cd")));
            assert!(store.append(id, Expected::Any, batch).await.is_ok());
            store.update_index().await.unwrap();
        }
        let parts = secrets.map(|secret| secret.chars().skip(1).collect::<String>() + "c");
        assert!(parts.iter().all(|part| is_known(part)));

        let tombstone = || EventBody::Message(Message::user(""));
        store.erase(&SID, seq(4), tombstone()).await.unwrap();
        let after = |store: &SqliteStore| {
            let store = store.clone();
            async move { store.update(&SID, SessionPatch::new()).await.unwrap() }
        };
        after(&store).await;
        assert_eq!(parts.each_ref().map(|it| is_known(it)), [false, true, true]);
        assert_eq!(store.sweep(at(6)).await.unwrap(), 1);
        after(&store).await;
        assert_eq!(
            parts.each_ref().map(|it| is_known(it)),
            [false, true, false]
        );

        // Nobody waits for the answer.
        {
            let mut erasing = store.erase(&SID, seq(5), tombstone());
            let mut context = std::task::Context::from_waker(std::task::Waker::noop());
            let _ = erasing.as_mut().poll(&mut context);
        }
        after(&store).await;
        assert_eq!(
            parts.each_ref().map(|it| is_known(it)),
            [false, false, false]
        );
        assert_eq!(store.doctor().await.unwrap(), []);
        let scope = Scope::Session(SID.clone());
        let query = SearchQuery::new(["secret"]);
        assert_eq!(store.search_all(&scope, query).await.unwrap().len(), 1);
    });
}

/// So is a large index, though not at once, and not by the process that erased if that one ends.
#[test]
fn a_large_index_keeps_nothing_of_erased_text_either() {
    let folder = Folder::new();
    let count = |what: &str| {
        let connection = Connection::open(folder.path()).unwrap();
        let sql = format!("SELECT count(*) FROM search_index_data WHERE {what}");
        connection
            .query_row(&sql, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    let is_known = || {
        let files = std::fs::read_dir(folder.0.path()).unwrap();
        let read = |file: std::io::Result<std::fs::DirEntry>| std::fs::read(file.unwrap().path());
        let secret = "쫗꿹c".as_bytes();
        // The log file may go while it is looked at.
        let mut all = files.filter_map(|file| read(file).ok());
        all.any(|bytes| bytes.windows(secret.len()).any(|window| window == secret))
    };
    run(async {
        let store = SqliteStore::open(folder.path()).unwrap();
        fill(&store).await;
        let mut events = vec![user("secret", "ab뷁쫗꿹cd")];
        let mut number = 1_u64;
        for name in 0..600 {
            let mut words = || {
                number = number
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                format!("{:x} ", number >> 20)
            };
            let text: String = (0..200).map(|_| words()).collect();
            events.push(user(&format!("x{name}"), &text));
        }
        assert!(
            store
                .append(&SID, Expected::Any, Batch::new(events))
                .await
                .is_ok()
        );
        store.update_index().await.unwrap();
        assert!(is_known());
        assert!(count("true") > 300, "{}", count("true"));
        let tombstone = EventBody::Message(Message::user(""));
        store.erase(&SID, seq(4), tombstone).await.unwrap();
        drop(store);
        assert!(
            count("id >= 1 << 53") > 0,
            "it was too much to be done at once"
        );

        let store = SqliteStore::open(folder.path()).unwrap();
        let mut looks = 0;
        while is_known() {
            looks += 1;
            assert!(looks < 10_000, "it is not forgotten");
        }
        let query = SearchQuery::new(["secret"]);
        let scope = Scope::Session(SID.clone());
        assert_eq!(store.search_all(&scope, query).await.unwrap().len(), 1);
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

#[test]
fn a_reader_in_the_way_of_the_checkpoint_holds_up_no_append() {
    let folder = Folder::new();
    run(async {
        let store = SqliteStore::open(folder.path()).unwrap();
        fill(&store).await;
        let reader = Connection::open(folder.path()).unwrap();
        reader.execute_batch("BEGIN").unwrap();
        let count = "SELECT count(*) FROM event";
        let seen: i64 = reader.query_row(count, [], |row| row.get(0)).unwrap();
        let tombstone = EventBody::Message(Message::assistant(""));
        store.erase(&SID, seq(2), tombstone).await.unwrap();
        // It would wait for half a minute if the checkpoint waited.
        let next = Batch::from(user("u3", "three"));
        let outcome = store.append(&SID, Expected::Any, next).await;
        assert_eq!(outcome.unwrap().done().unwrap().new, 1);
        let again: i64 = reader.query_row(count, [], |row| row.get(0)).unwrap();
        assert_eq!((seen, again), (3, 3));
    });
}
