//! Pages of long logs: what they hold when no index helps, and where they end.

use session_log::{Message, NewEvent};
use session_store::{
    Batch, EventQuery, Expected, NewSession, Page, Reach, Scope, SearchQuery, SessionStore as _,
};
use session_store_postgres::{Extras, PostgresOptions};
use session_store_testkit::make::{at, said, seq, sid, user};

use crate::common::RUNTIME;
use crate::{Open, open};

/// A session of ann that begins with `count` copies of one event.
async fn long_session(options: PostgresOptions, first: NewEvent, count: u32) -> Open {
    let opened = open(options).await;
    let new = NewSession::new(sid("s1"), at(0)).with_owner("ann");
    let _ = opened.store.create(new).await.unwrap();
    let batch = Batch::from(first);
    let appended = opened.store.append(&sid("s1"), Expected::Any, batch).await;
    assert!(appended.unwrap().done().is_some());
    let copy = format!(
        "INSERT INTO {{}}.event SELECT session_id, n, 'copy ' || n, owner_key, n, event_type, \
         role, kind, is_synthetic, branch, tokens, estimator, folded, record \
         FROM {{}}.event, generate_series(2, {count}) AS n;\n\
         UPDATE {{}}.session SET version = {count}"
    );
    opened.sql(&copy).await;
    opened
}

/// How many hits each page has.
async fn pages(opened: &Open, scope: &Scope, mut query: SearchQuery) -> Vec<usize> {
    let mut sizes = Vec::new();
    loop {
        let Page { items, next, .. } = opened.store.search(scope, &query).await.unwrap();
        sizes.push(items.len());
        match next {
            Some(mark) => query.after = Some(mark),
            None => return sizes,
        }
    }
}

#[test]
fn a_page_looks_through_a_part_of_the_log_when_no_index_helps() {
    RUNTIME.block_on(async {
        let first = user("e1", "nothing of interest");
        let opened = long_session(PostgresOptions::default(), first, 120_000).await;
        let mut last = user("last", "x?! plum");
        last.timestamp = at(1_000_000);
        let batch = Batch::from(last);
        let _ = opened
            .store
            .append(&sid("s1"), Expected::Any, batch)
            .await
            .unwrap();
        for scope in [Scope::Session(sid("s1")), Scope::Owner("ann".into())] {
            let short = pages(&opened, &scope, SearchQuery::new(["x?!"])).await;
            assert_eq!(short, [0, 0, 1], "{scope:?}");
            let word = pages(&opened, &scope, SearchQuery::new(["plum"])).await;
            assert_eq!(word, [1], "{scope:?}");
        }
    });
}

#[test]
fn a_page_ends_when_too_many_candidates_were_no_hits() {
    RUNTIME.block_on(async {
        // The pattern finds what a tool said, the search asks for texts only.
        let first = said("e1", Message::tool_result("k1", "plum"));
        let options = PostgresOptions::default().with_extras(Extras::Never);
        let opened = long_session(options, first, 12_000).await;
        opened.append("s1", "last", "plum").await;
        let scope = Scope::Session(sid("s1"));
        let query = SearchQuery::new(["plum"]).with_reach(Reach::Text);
        assert_eq!(pages(&opened, &scope, query.clone()).await, [0, 0, 1]);
        let query = query.with_reach(Reach::TextAndTools).with_limit(5_000);
        assert_eq!(pages(&opened, &scope, query).await, [5_000, 5_000, 2_001]);
    });
}

#[test]
fn a_page_may_hold_places_beside_its_range() {
    RUNTIME.block_on(async {
        let opened = long_session(PostgresOptions::default(), user("e1", "one"), 20_000).await;
        let query = EventQuery::all()
            .with_from(seq(10))
            .with_also([seq(1), seq(3)]);
        let store = &opened.store;
        let page = |query: EventQuery| async move {
            let page = store.read(&sid("s1"), &query).await.unwrap();
            let seqs = page.items.iter().map(|event| event.seq.as_u64());
            (seqs.collect::<Vec<_>>(), page.next.map(|seq| seq.as_u64()))
        };
        let first = query.clone().with_limit(3);
        assert_eq!(page(first).await, (vec![1, 3, 10], Some(10)));
        let last = query.clone().newest(2);
        assert_eq!(page(last).await, (vec![20_000, 19_999], Some(19_999)));
        let rest = query.newest(3).with_after(seq(11));
        assert_eq!(page(rest).await, (vec![10, 3, 1], None));
    });
}
