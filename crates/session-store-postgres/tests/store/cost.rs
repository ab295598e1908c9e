//! What a call reads does not depend on the length of the log.

use session_log::{EventBody, Message, TokenCount, Version};
use session_store::{
    Batch, EntryKind, EventQuery, Expected, NewSession, Order, Recount, Scope, SearchQuery,
    SessionStore as _, SessionStoreExt as _,
};
use session_store_postgres::PostgresOptions;
use session_store_testkit::make::{assistant, at, boundary, eid, revert, seq, sid, user};

use crate::common::RUNTIME;
use crate::{Open, open};

const LENGTH: u64 = 12_000;

/// The database keeps a plan for as long as a connection lives. Plans made for a short log once
/// went through all of it when it had become long, until statistics were renewed: an append looked
/// up its ids in every event there was.
#[test]
fn plans_made_for_a_short_log_do_for_a_long_one() {
    RUNTIME.block_on(async {
        // One connection, so that every plan of the first calls is used by the later ones.
        let opened = open(PostgresOptions::default().with_max_connections(1)).await;
        opened
            .sql("ALTER TABLE {}.event SET (autovacuum_enabled = off)")
            .await;
        opened.create("s1").await;
        for round in 0..8 {
            use_everything(&opened, round).await;
        }
        let short = opened
            .store
            .head(&sid("s1"))
            .await
            .unwrap()
            .unwrap()
            .version;
        for batch in 0..LENGTH / 500 {
            let event = |number| user(&format!("long {batch}/{number}"), "more");
            let batch = Batch::new((0..500).map(event).collect());
            let appended = opened.store.append(&sid("s1"), Expected::Any, batch).await;
            assert!(appended.unwrap().done().is_some());
        }
        for round in 100..103 {
            use_everything(&opened, round).await;
        }
        opened.store.close().await;
        let read = opened.rows_read(short.as_u64() + LENGTH).await;
        assert!(read < LENGTH, "{read} rows were read");
    });
}

#[test]
fn rare_words_are_found_without_going_through_the_log() {
    RUNTIME.block_on(async {
        let opened = open(PostgresOptions::default()).await;
        let new = NewSession::new(sid("s1"), at(0)).with_owner("ann");
        let _ = opened.store.create(new).await.unwrap();
        opened.grow("s1").await;
        opened.append("s1", "needle", "A Needle in it").await;
        opened.append("s1", "ночь", "Ночь тиха").await;
        // What the database does by itself, some time after a table has grown.
        opened.sql("VACUUM ANALYZE {}.event").await;
        for words in [
            &["needle"][..],
            &["ночь"],
            &["no such word"],
            &["needle", "ночь", "abc"],
        ] {
            let query = SearchQuery::new(words.iter().copied());
            for scope in [Scope::Session(sid("s1")), Scope::Owner("ann".into())] {
                for order in [Order::OldestFirst, Order::Relevance] {
                    let query = query.clone().with_order(order);
                    let page = opened.store.search(&scope, &query).await.unwrap();
                    assert!(page.items.len() < 3 && page.next.is_none());
                }
            }
        }
        opened.store.close().await;
        let read = opened.rows_read(LENGTH + 2).await;
        assert!(read < LENGTH, "{read} rows were read");
    });
}

/// Calls everything that must not depend on the length of the log.
async fn use_everything(opened: &Open, round: u64) {
    let (store, id) = (&opened.store, sid("s1"));
    let name = |kind: &str| format!("{round}/{kind}");
    let version = store.head(&id).await.unwrap().unwrap().version;
    let place = version.next_seq().as_u64();
    let batch = Batch::new(vec![
        user(&name("u"), "hello"),
        boundary(&name("b"), place, &[1]),
        assistant(&name("a"), "hello"),
    ]);
    for _ in 0..2 {
        let appended = store.append(&id, Expected::Any, batch.clone()).await;
        assert!(appended.unwrap().done().is_some());
    }
    let (_, view) = store.load(&id).await.unwrap().unwrap();
    assert!(view.len() <= 4);
    let back = Batch::from(revert(&name("r"), place + 1));
    let _ = store.append(&id, Expected::Any, back).await.unwrap();

    let all = EventQuery::all;
    for query in [
        all().newest(3),
        all().newest(3).with_kinds([EntryKind::TurnStart]),
        all().with_from(seq(place)).with_also([seq(1), seq(2)]),
        all().with_from(seq(3)).with_also([seq(1)]).with_limit(2),
        all().with_from(seq(u64::MAX)).with_also([seq(1)]),
        all().with_ids([eid(&name("u")), eid("nobody")]),
    ] {
        let page = store.read(&id, &query).await.unwrap();
        assert!((1..=7).contains(&page.items.len()), "{query:?}");
    }
    let counts = vec![(seq(place), TokenCount::new("each", 1))];
    let version = Version::new(place + 3);
    assert!(
        !store
            .recount(&id, version, Recount::new(counts))
            .await
            .unwrap()
    );
    let tombstone = EventBody::Message(Message::user(""));
    store.erase(&id, seq(place), tombstone).await.unwrap();
}

impl Open {
    async fn grow(&self, id: &str) {
        for batch in 0..LENGTH / 500 {
            let event = |number| user(&format!("{id}/{batch}/{number}"), "more of it");
            let batch = Batch::new((0..500).map(event).collect());
            let appended = self.store.append(&sid(id), Expected::Any, batch).await;
            assert!(appended.unwrap().done().is_some());
        }
    }

    /// How many rows of events were read, once the database has counted that many written.
    async fn rows_read(&self, written: u64) -> u64 {
        let counted = "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables \
                       WHERE schemaname = '{}' AND relname = 'event' AND n_tup_ins >= ";
        loop {
            let read = self.query(&format!("{counted}{written}")).await;
            if let [read] = read.as_slice() {
                return read.parse().unwrap();
            }
        }
    }
}
