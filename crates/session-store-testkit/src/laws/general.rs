//! Laws 26 and 27: dropped futures, senseless queries.

use session_log::{EventBody, Message, Version};
use session_store::{
    Batch, EventQuery, Expected, NewSession, Recount, Scope, SearchQuery, SessionPatch,
    SessionQuery, SessionStore, StoreError,
};

use crate::lab::{Lab, drop_after};
use crate::make::{assistant, at, boundary, seq, sid, tokens, user};

/// Law 26: a future that is dropped half-way has done its whole work or none.
///
/// # Panics
///
/// When the law does not hold, as all functions of this module.
pub async fn law_26_dropped_futures<S: SessionStore>(lab: Lab<S>) {
    let id = lab.create("s1").await;
    lab.append(&id, vec![user("e0", "zero")]).await;
    for polls in 0..6_usize {
        let batch = Batch::new(vec![
            user(&format!("{polls}/u"), "plum"),
            boundary(&format!("{polls}/b"), 1, &[]),
            assistant(&format!("{polls}/a"), "fig"),
        ]);
        let before = lab.log(&id).await.len();
        let appended = lab.store.append(&id, Expected::Any, batch.clone());
        let answer = drop_after(polls, appended).await;

        // The next call waits for whatever is under way, and its answer tells what happened.
        let again = lab.store.append(&id, Expected::Any, batch).await;
        let again = again.unwrap().done().unwrap();
        match answer {
            Some(answer) => assert_eq!((answer.unwrap().done().unwrap().new, again.new), (3, 0)),
            None => assert!(matches!(again.new, 0 | 3), "{} of 3", again.new),
        }
        let log = lab.log(&id).await;
        assert_eq!(log.len(), before + 3);
        let head = lab.head(&id).await;
        assert_eq!(head.version, Version::from(log[log.len() - 1].seq));
        assert_eq!(head.boundary.unwrap().seq, log[log.len() - 2].seq);
    }

    for polls in 0..6_usize {
        let id = sid(&format!("d{polls}"));
        let new = NewSession::new(id.clone(), at(0));
        let created = drop_after(polls, lab.store.create(new.clone())).await;
        let again = lab.store.create(new).await.unwrap();
        if let Some(created) = created {
            assert!(created.unwrap().is_new() && !again.is_new());
        }
        let patch = SessionPatch::new().with_expiry(Some(at(5)));
        let patched = drop_after(polls, lab.store.update(&id, patch)).await;
        let expiry = lab.session(&id).await.expires_at;
        assert!(patched.is_none() || expiry == Some(at(5)));
        lab.append(&id, vec![user(&format!("{id}/e"), "plum")])
            .await;
        let recount = Recount::new(vec![(seq(1), tokens(7))]);
        let counting = lab.store.recount(&id, Version::new(1), recount);
        let _ = drop_after(polls, counting).await;
        let erased = EventBody::Message(Message::user("erased"));
        let _ = drop_after(polls, lab.store.erase(&id, seq(1), erased)).await;
        let deleted = drop_after(polls, lab.store.delete(&id)).await;
        let is_there = lab.store.delete(&id).await.unwrap();
        assert!(deleted.is_none() || !is_there);
        assert!(lab.log(&id).await.is_empty());
        let _ = drop_after(polls, lab.store.sweep(at(0))).await;
    }
}

/// Law 27: a query without sense is refused.
pub async fn law_27_queries_are_checked<S: SessionStore>(lab: Lab<S>) {
    let id = lab.create("s1").await;
    let is_refused = |error| matches!(error, StoreError::InvalidQuery { .. });
    let all = EventQuery::all;
    for query in [
        all().with_limit(0),
        all().with_from(seq(2)).with_to(seq(1)),
        all().with_since(at(2)).with_until(at(1)),
    ] {
        for id in [&id, &sid("ghost")] {
            let error = lab.store.read(id, &query).await.unwrap_err();
            assert!(is_refused(error), "{query:?}");
        }
    }
    let long = "x".repeat(201);
    let longest = "é".repeat(200);
    let many = vec!["word"; 21];
    for words in [vec![], vec![""], vec!["a", " \t"], vec![&long], many] {
        let query = SearchQuery::new(words);
        for scope in [Scope::Session(id.clone()), Scope::Owner("ann".into())] {
            let error = lab.store.search(&scope, &query).await.unwrap_err();
            assert!(is_refused(error), "{query:?}");
        }
    }
    let scope = Scope::Session(id.clone());
    let none = SearchQuery::new(["a"]).with_limit(0);
    assert!(is_refused(
        lab.store.search(&scope, &none).await.unwrap_err()
    ));
    let most = SearchQuery::new(vec![longest.as_str(); 20]);
    assert!(
        lab.store
            .search(&scope, &most)
            .await
            .unwrap()
            .items
            .is_empty()
    );
    let none = SessionQuery::all().with_limit(0);
    assert!(is_refused(lab.store.sessions(&none).await.unwrap_err()));
    let huge = session_log::TokenCount::new("each", u64::MAX);
    let huge = Recount::new(vec![(seq(1), huge)]);
    let refused = lab.store.recount(&id, Version::EMPTY, huge).await;
    assert!(is_refused(refused.unwrap_err()));
}
