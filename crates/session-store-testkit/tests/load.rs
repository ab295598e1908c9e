//! Loading a view while others are at the session.

#![allow(clippy::unwrap_used)]

use session_log::SessionId;
use session_store::{Batch, Expected, NewSession, SessionStore, SessionStoreExt as _};
use session_store_memory::MemoryStore;
use session_store_testkit::make::{at, sid, user};
use session_store_testkit::{BoxFuture, SteppingStore, block_on, for_each_interleaving};

async fn fill(store: &impl SessionStore, id: &SessionId, name: &str, count: usize) {
    let _ = store
        .create(NewSession::new(id.clone(), at(0)))
        .await
        .unwrap();
    let events = (0..count).map(|number| user(&format!("{name}{number}"), "hello"));
    let batch = Batch::new(events.collect());
    let _ = store.append(id, Expected::Any, batch).await.unwrap();
}

/// A view takes two reads. A session that was deleted between them was loaded without its events, as
/// if nothing had ever been said in it; one that was made again meanwhile, with the events of the new
/// one under the head of the old.
#[test]
fn a_session_that_is_deleted_meanwhile_is_loaded_whole_or_not_at_all() {
    let orders = for_each_interleaving(|schedule| {
        let memory = MemoryStore::new();
        let store = SteppingStore::new(memory.clone());
        let id = sid("s1");
        block_on(Box::pin(fill(&memory, &id, "old", 3)));
        let load: BoxFuture<'_> = Box::pin(async {
            let Some((session, events)) = store.load(&id).await.unwrap() else {
                return;
            };
            let count = u64::try_from(events.len()).unwrap();
            assert_eq!(session.head.version.as_u64(), count);
            let ids: Vec<_> = events.iter().map(|event| event.id.as_str()).collect();
            let is_of = |name: &str| ids.iter().all(|id| id.starts_with(name));
            assert!(is_of("old") || is_of("new"), "{ids:?}");
        });
        let replace: BoxFuture<'_> = Box::pin(async {
            assert!(store.delete(&id).await.unwrap());
            fill(&store, &id, "new", 2).await;
        });
        schedule.run(vec![load, replace]);
    });
    assert!(orders > 10, "{orders}");
}
