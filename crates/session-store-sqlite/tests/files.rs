//! Files: what is opened, what is refused, what is there after closing.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod common;

use std::pin::Pin;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};

use rusqlite::Connection;
use session_store::{
    Batch, EventQuery, Expected, NewSession, SessionStore, SessionStoreExt as _, StoreError,
};
use session_store_sqlite::{OpenError, SqliteOptions, SqliteStore};
use session_store_testkit::make::{at, sid, user};

use crate::common::{Folder, SID, fill, run, tamper};

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
            let mut context = Context::from_waker(Waker::noop());
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

/// An executor that has ended drops a future when it is told to go on with it. That happens on the
/// thread that gives the answer, and where the future had the last handle of the store, this thread
/// waited for its own end.
#[test]
fn the_last_handle_may_go_on_a_thread_of_the_store() {
    type Call = Pin<Box<dyn Future<Output = bool> + Send>>;
    struct Dropping(Mutex<Option<Call>>, Mutex<Sender<()>>);

    impl Wake for Dropping {
        fn wake(self: Arc<Self>) {
            let call = self.0.lock().unwrap().take();
            drop(call);
            self.1.lock().unwrap().send(()).unwrap();
        }
    }

    let calls: [fn(SqliteStore) -> Call; 2] = [
        |store| Box::pin(async move { store.sweep(at(5)).await.is_ok() }),
        |store| Box::pin(async move { store.session(&SID).await.is_ok() }),
    ];
    for call in calls {
        let folder = Folder::new();
        let store = SqliteStore::open(folder.path()).unwrap();
        run(fill(&store));
        let (sender, dropped) = channel();
        let waker = Arc::new(Dropping(Mutex::default(), Mutex::new(sender)));
        {
            // Whoever gives the answer waits until the future is in its place.
            let mut slot = waker.0.lock().unwrap();
            let own = Waker::from(Arc::clone(&waker));
            let mut future = call(store);
            let first = future.as_mut().poll(&mut Context::from_waker(&own));
            assert!(first.is_pending());
            *slot = Some(future);
        }
        dropped.recv().expect("the thread has not panicked");
        run(async {
            let store = SqliteStore::open(folder.path()).unwrap();
            assert_eq!(store.doctor().await.unwrap(), []);
        });
    }
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

/// Two processes that opened a new file in the same moment: one looked whose file it was with three
/// statements, and the other made the tables between them. So the file was nobody's by its mark and
/// not empty, and was refused as that of another program.
#[test]
fn any_number_may_open_a_new_file_at_once() {
    for _ in 0..100 {
        let folder = Folder::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| SqliteStore::open(folder.path()).unwrap());
            }
        });
    }
}

#[test]
#[cfg(unix)]
fn a_file_may_have_any_name() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let folder = Folder::new();
    let names: [&[u8]; 9] = [
        b"a b.db",
        b"what?mode=ro",
        b"100%41.db",
        b"a#b&c=d;e'f\"g\\h",
        b":memory:",
        b"file:x?mode=memory",
        b"caf\xe9.db",
        b"\xf0\x9f\x98\x80",
        b"line\nbreak",
    ];
    for (name, number) in names.into_iter().zip(1..) {
        let path = folder.0.path().join(OsStr::from_bytes(name));
        run(async {
            let store = SqliteStore::open(&path).unwrap();
            fill(&store).await;
            drop(store);
            let store = SqliteStore::open(&path).unwrap();
            let log = store.read_all(&SID, EventQuery::all()).await.unwrap();
            assert_eq!(log.len(), 3);
            assert!(path.exists());
            drop(store);
            let files = std::fs::read_dir(folder.0.path()).unwrap();
            assert_eq!(files.count(), number, "{path:?}");
        });
    }
    for path in ["", "nul\0here"] {
        let error = SqliteStore::open(path).unwrap_err();
        assert!(matches!(error, OpenError::Failed { .. }), "{error}");
    }
}

#[test]
fn a_journal_of_another_sort_is_changed_back() {
    let folder = Folder::new();
    run(async {
        let store = SqliteStore::open(folder.path()).unwrap();
        fill(&store).await;
        // While the store has the file open nobody gets it to change.
        let other = Connection::open(folder.path()).unwrap();
        let mode = "PRAGMA journal_mode = DELETE";
        let changed = other.query_row(mode, [], |row| row.get::<_, String>(0));
        assert!(changed.is_err(), "{changed:?}");
        let next = |id: &str| Batch::from(user(id, "hello"));
        let _ = store.append(&SID, Expected::Any, next("x1")).await.unwrap();
        drop(store);
        drop(other);
        tamper(&folder.path(), "PRAGMA journal_mode = DELETE");
        let store = SqliteStore::open(folder.path()).unwrap();
        let _ = store.append(&SID, Expected::Any, next("x2")).await.unwrap();
        let other = Connection::open(folder.path()).unwrap();
        let mode = other.query_row("PRAGMA journal_mode", [], |row| row.get::<_, String>(0));
        assert_eq!(mode.unwrap(), "wal");
        assert_eq!(store.doctor().await.unwrap(), []);
    });
}

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
