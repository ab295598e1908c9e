//! Rows: what columns cannot hold as it is, damage, and what is left behind.

use futures_util::future::{Either, select};
use session_log::{EventBody, Message, Timestamp, Version};
use session_store::{
    Batch, EventQuery, Expected, NewSession, Order, Scope, SearchQuery, SessionQuery,
    SessionStore as _, SessionStoreExt as _, StoreError,
};
use session_store_postgres::PostgresOptions;
use session_store_testkit::make::{at, boundary, eid, seq, sid, user};

use crate::common::{RUNTIME, client};
use crate::open;
#[test]
fn long_owners_and_attributes_are_told_apart_by_their_last_letter() {
    RUNTIME.block_on(async {
        let opened = open(PostgresOptions::default()).await;
        let long = |end: &str| "o\0\\".repeat(3_000) + end;
        for end in ["a", "b"] {
            let new = NewSession::new(sid(end), at(0))
                .with_owner(long(end))
                .with_attribute(long("name"), long(end));
            let _ = opened.store.create(new.clone()).await.unwrap();
            opened.append(end, end, "plum").await;
            let stored = opened.store.session(&sid(end)).await.unwrap().unwrap();
            assert_eq!(stored.owner, new.owner);
            assert_eq!(stored.attributes, new.attributes);
        }
        for end in ["a", "b"] {
            for asked in [
                SessionQuery::all().with_owner(long(end)),
                SessionQuery::all().with_attribute(long("name"), long(end)),
            ] {
                let found = opened.store.all_sessions(asked).await.unwrap();
                let ids: Vec<_> = found.iter().map(|found| found.id.as_str()).collect();
                assert_eq!(ids, [end]);
            }
            let scope = Scope::Owner(long(end));
            let hits = opened
                .store
                .search_all(&scope, SearchQuery::new(["plum"]))
                .await;
            assert_eq!(hits.unwrap()[0].session, sid(end));
        }
    });
}

#[test]
fn a_batch_of_many_statements_goes_in_whole() {
    RUNTIME.block_on(async {
        let opened = open(PostgresOptions::default()).await;
        opened.create("s1").await;
        let long = "plum ".repeat(100_000);
        let mut events: Vec<_> = (0..1_700)
            .map(|number| user(&format!("e{number}"), "fig"))
            .collect();
        for number in 0..30 {
            events.insert(number * 50, user(&format!("long{number}"), &long));
        }
        let id = sid("s1");
        let batch = Batch::new(events.clone());
        let appended = opened.store.append(&id, Expected::Any, batch).await;
        let written = appended.unwrap().done().unwrap();
        assert_eq!(written.new, 1_730);
        let log = opened.store.read_all(&id, EventQuery::all()).await.unwrap();
        assert_eq!(log, written.events);

        // The same again with one clash at its end: nothing.
        events.push(user("new", "new"));
        events.push(user("e7", "another"));
        let batch = Batch::new(events);
        let refused = opened.store.append(&id, Expected::Any, batch).await;
        assert!(matches!(refused, Err(StoreError::EventDiffers { event }) if event == eid("e7")));
        let head = opened.store.head(&id).await.unwrap().unwrap();
        assert_eq!(head.version, Version::new(1_730));
    });
}

#[test]
fn a_damaged_event_is_refused_or_named() {
    RUNTIME.block_on(async {
        let opened = open(PostgresOptions::default()).await;
        for id in ["s1", "s2"] {
            opened.create(id).await;
            for number in 1..=3 {
                opened.append(id, &format!("{id}/{number}"), "plum").await;
            }
        }
        opened
            .sql("UPDATE {}.event SET record = left(record, 20) WHERE id = 's1/2'")
            .await;
        let (store, id) = (&opened.store, sid("s1"));
        let error = store.read(&id, &EventQuery::all()).await.unwrap_err();
        assert!(matches!(&error, StoreError::Corrupt { session, what, .. }
                if *session == id && what == "event 2"));
        let page = store.read(&id, &EventQuery::all().lenient()).await.unwrap();
        assert_eq!((page.items.len(), page.damaged.len()), (2, 1));
        assert_eq!(page.damaged[0].seq, seq(2));
        let around = EventQuery::all().with_from(seq(3));
        assert_eq!(store.read(&id, &around).await.unwrap().items.len(), 1);

        for order in [Order::OldestFirst, Order::Relevance] {
            let search = SearchQuery::new(["plum"]).with_order(order);
            let page = store
                .search(&Scope::Session(id.clone()), &search)
                .await
                .unwrap();
            assert_eq!((page.items.len(), page.damaged.len()), (2, 1));
        }

        let again = Batch::from(user("s1/2", "plum"));
        let error = store.append(&id, Expected::Any, again).await.unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { .. }));
        assert_eq!(opened.append("s1", "s1/4", "plum").await, 4);
        let whole = store.read(&sid("s2"), &EventQuery::all()).await.unwrap();
        assert_eq!(whole.items.len(), 3);

        opened
            .sql("UPDATE {}.session SET metadata = '{' WHERE id = 's1'")
            .await;
        let error = store.session(&id).await.unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { session, .. } if session == id));
        assert!(store.session(&sid("s2")).await.unwrap().is_some());
        assert!(
            store.delete(&id).await.unwrap(),
            "what is damaged can be deleted"
        );
    });
}

#[test]
fn what_was_erased_is_in_no_column() {
    RUNTIME.block_on(async {
        let opened = open(PostgresOptions::default()).await;
        opened.create("s1").await;
        opened.append("s1", "e1", "The Secret").await;
        let tombstone = EventBody::Message(Message::user(""));
        opened
            .store
            .erase(&sid("s1"), seq(1), tombstone)
            .await
            .unwrap();
        let rows = "SELECT event::text FROM {}.event AS event";
        let row = opened.query(rows).await.join("\n");
        assert!(
            row.contains("e1") && !row.to_lowercase().contains("secret"),
            "{row}"
        );
    });
}

#[test]
fn nothing_of_a_deleted_session_is_in_any_table() {
    RUNTIME.block_on(async {
        let opened = open(PostgresOptions::default()).await;
        let new = NewSession::new(sid("s1"), at(0))
            .with_attribute("a", "1")
            .with_expiry(at(5));
        let _ = opened.store.create(new).await.unwrap();
        let batch = vec![user("e1", "plum"), boundary("e2", 1, &[])];
        let batch = Batch::new(batch);
        let _ = opened
            .store
            .append(&sid("s1"), Expected::Any, batch)
            .await
            .unwrap();
        assert_eq!(
            opened.store.sweep(Timestamp::from_millis(6)).await.unwrap(),
            1
        );
        let tables = opened
            .query(
                "SELECT tablename FROM pg_tables WHERE schemaname = '{}' \
                 AND tablename NOT LIKE 'migration%'",
            )
            .await;
        assert_eq!(tables.len(), 4);
        for table in tables {
            let rows = opened.query(&format!("SELECT 1 FROM {{}}.{table}")).await;
            assert!(rows.is_empty(), "{table}");
        }
    });
}

#[test]
fn an_append_that_meets_a_deletion_leaves_nothing_behind() {
    RUNTIME.block_on(async {
        let opened = open(PostgresOptions::default()).await;
        opened.create("s1").await;
        let other = client(&opened.url).await;
        let delete = format!("BEGIN; DELETE FROM {}.session", opened.schema);
        other.batch_execute(&delete).await.unwrap();
        let (id, batch) = (sid("s1"), Batch::from(user("e1", "late")));
        let append = Box::pin(opened.store.append(&id, Expected::Any, batch));
        let Either::Right((_, append)) = select(append, Box::pin(opened.is_blocked())).await else {
            panic!("the session is locked");
        };
        other.batch_execute("COMMIT").await.unwrap();
        let error = append.await.unwrap_err();
        assert!(matches!(error, StoreError::UnknownSession { .. }));
        assert!(opened.query("SELECT 1 FROM {}.event").await.is_empty());
    });
}
