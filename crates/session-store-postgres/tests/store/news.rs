//! News: who hears of new events, and when.

use session_log::Version;
use session_store::StoreError;
use session_store_postgres::{Extras, PostgresOptions, PostgresStore};
use session_store_testkit::make::sid;

use crate::common::RUNTIME;
use crate::open;

#[test]
fn a_subscriber_hears_of_what_other_processes_append() {
    RUNTIME.block_on(async {
        let mine = open(PostgresOptions::default()).await;
        for id in ["s1", "s 2"] {
            mine.create(id).await;
        }
        mine.append("s1", "e1", "before").await;
        let options = PostgresOptions::default().with_schema(&mine.schema);
        let theirs = PostgresStore::connect_with(&mine.url, &options)
            .await
            .unwrap();

        let mut one = theirs.subscribe(&sid("s1")).await.unwrap();
        let mut two = theirs.subscribe(&sid("s 2")).await.unwrap();
        assert_eq!(
            (one.version(), two.version()),
            (Version::new(1), Version::EMPTY)
        );
        assert_eq!(one.session(), &sid("s1"));
        mine.append("s 2", "f1", "hello").await;
        assert_eq!(two.next().await, Some(Version::new(1)));
        assert_eq!(
            one.version(),
            Version::new(1),
            "it is about another session"
        );

        // What changes nothing is no news.
        mine.append("s1", "e1", "before").await;
        mine.append("s1", "e2", "hello").await;
        assert_eq!(one.next().await, Some(Version::new(2)));
    });
}

#[test]
fn whoever_is_slow_hears_the_newest_version_once() {
    RUNTIME.block_on(async {
        let opened = open(PostgresOptions::default()).await;
        opened.create("s1").await;
        let mut slow = opened.store.subscribe(&sid("s1")).await.unwrap();
        let mut prompt = opened.store.subscribe(&sid("s1")).await.unwrap();
        for number in 1..=5 {
            let event = format!("e{number}");
            assert_eq!(opened.append("s1", &event, "hello").await, number);
            assert_eq!(prompt.next().await, Some(Version::new(number)));
        }
        assert_eq!(slow.next().await, Some(Version::new(5)));
        assert_eq!(slow.version(), Version::new(5));
    });
}

#[test]
fn nobody_hears_of_a_session_that_is_not_there() {
    RUNTIME.block_on(async {
        let opened = open(PostgresOptions::default()).await;
        let error = opened.store.subscribe(&sid("ghost")).await.unwrap_err();
        assert!(matches!(error, StoreError::UnknownSession { session } if session == sid("ghost")));
    });
}

#[test]
fn a_database_that_cannot_notify_says_so() {
    RUNTIME.block_on(async {
        let options = PostgresOptions::default().with_extras(Extras::Never);
        let opened = open(options).await;
        opened.create("s1").await;
        assert!(!opened.store.features().notifications);
        let error = opened.store.subscribe(&sid("s1")).await.unwrap_err();
        assert!(matches!(error, StoreError::Failed { .. }));
    });
}
