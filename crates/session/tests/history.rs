//! Forks and ways back, at odd places of the log.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::sync::Arc;

use common::{Always, Characters, World, block_on, event, id};
use session::{
    Compaction, Error, Expected, MemoryStore, Message, Outcome, Session, Sessions, Version, View,
    Window,
};
use session_store_testkit::{Fault, FaultyStore};
use session_summarizer::Scripted;

async fn fork(world: &World, version: Version, name: &str) -> Session {
    let into = world.sessions.describe(name.try_into().unwrap());
    let fork = world.sessions.fork(&world.id, version, into).await;
    fork.unwrap()
}

fn texts(view: &View) -> Vec<String> {
    let texts = view.messages().map(|message| message.text().into_owned());
    texts.collect()
}

/// A fork at the place of a boundary left the summary out, since that stands one place further on.
/// The next message of the person then had the summary's place, and was shown before everything.
#[test]
fn a_fork_between_a_boundary_and_its_summary_takes_both() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        let summarized = Compaction::builder(Window::Turns(1)).summarizer(Always("SUM"));
        let report = world.compact(&summarized.build().unwrap()).await;
        let boundary = report.boundary.unwrap().as_u64();
        for (version, name) in [
            (boundary, "one"),
            (boundary + 1, "two"),
            (boundary + 2, "three"),
        ] {
            let fork = fork(&world, Version::new(version), name).await;
            assert_eq!(fork.head.version, report.version, "{name}");
            let said = world.sessions.append(&fork.id, Message::user("u3"));
            said.await.unwrap();
            let view = world.sessions.view(&fork.id).await.unwrap();
            assert!(view.missing().is_empty());
            assert_eq!(texts(&view)[1..], ["SUM", "u2", "a2", "u3"], "{name}");
        }
    });
}

#[test]
fn a_fork_of_nothing_is_empty_and_one_of_more_than_there_is_takes_all() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1").await;
        assert_eq!(
            fork(&world, Version::EMPTY, "none").await.head.version,
            Version::EMPTY
        );
        let all = fork(&world, Version::new(u64::MAX), "all").await;
        assert_eq!(all.head.version, Version::new(2));
    });
}

/// A boundary notes how many events of its session were erased before it. A fork took the number
/// along, though nothing of the fork had been erased; so its own first erasures went unnoticed and
/// their words stayed in the summary. Where the parent's summary was stale, the fork's was never
/// made again.
#[test]
fn what_is_erased_in_a_fork_or_before_it_leaves_the_summary_of_the_fork() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2 u3 a3").await;
        world.sessions.erase(&world.id, &id("a3")).await.unwrap();
        let model = Scripted::new(["of u1 and u2", "without u1", "without u2"]);
        let compaction = Compaction::builder(Window::Turns(1)).summarizer(model);
        let compaction = compaction.build().unwrap();
        world.compact(&compaction).await;

        let version = world.sessions.view(&world.id).await.unwrap().version();
        let sound = fork(&world, version, "sound").await;
        let first = world.sessions.log(&sound.id).await.unwrap()[0].id.clone();
        world.sessions.erase(&sound.id, &first).await.unwrap();
        let report = world
            .sessions
            .compact(&sound.id, &compaction)
            .await
            .unwrap();
        assert_eq!(report.outcome, Outcome::Compacted);
        let view = world.sessions.view(&sound.id).await.unwrap();
        assert_eq!(texts(&view)[1], "without u1");

        world.sessions.erase(&world.id, &id("u2")).await.unwrap();
        let stale = fork(&world, version, "stale").await;
        let view = world.sessions.view(&stale.id).await.unwrap();
        assert_eq!(
            texts(&view),
            texts(&world.sessions.view(&world.id).await.unwrap())
        );
        let report = world
            .sessions
            .compact(&stale.id, &compaction)
            .await
            .unwrap();
        assert_eq!(report.outcome, Outcome::Compacted);
        let view = world.sessions.view(&stale.id).await.unwrap();
        assert_eq!(texts(&view)[1], "without u2");
    });
}

/// A fork whose copies could not be written was an error and a session, empty, whose id was taken.
#[test]
fn a_fork_that_fails_leaves_no_session() {
    block_on(async {
        let store = Arc::new(FaultyStore::new(MemoryStore::new()));
        let sessions = Sessions::new(store.clone(), Characters);
        let parent = sessions.create().await.unwrap().id;
        let events = ["u1", "a1"].map(event).to_vec();
        let appended = sessions.append_events(&parent, Expected::Any, events).await;
        assert!(appended.unwrap().done().is_some());
        let into = || sessions.describe("fork".try_into().unwrap());
        // The session, its log, the new session, its log.
        store.set_fault(store.calls() + 4, Fault::Refused);
        let error = sessions.fork(&parent, Version::new(2), into()).await;
        assert!(matches!(error, Err(Error::Store(_))), "{error:?}");
        let fork = sessions.fork(&parent, Version::new(2), into()).await;
        assert_eq!(fork.unwrap().head.version, Version::new(2));
    });
}

/// Two clicks on undo at the same moment took the same boundary back twice. Redo took back one of
/// the two, said that it had, and the view did not change.
#[test]
fn redo_restores_a_boundary_that_was_taken_back_twice() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        let compaction = Compaction::builder(Window::Turns(1)).build().unwrap();
        let boundary = world.compact(&compaction).await.boundary.unwrap();
        for _ in 0..2 {
            world.sessions.revert(&world.id, boundary).await.unwrap();
        }
        assert_eq!(world.view().await, "u1 a1 u2 a2");
        assert!(world.sessions.redo(&world.id).await.unwrap().is_some());
        assert_eq!(world.view().await, "u2 a2");
        assert!(world.sessions.redo(&world.id).await.unwrap().is_none());
        world.sessions.undo(&world.id).await.unwrap().unwrap();
        assert_eq!(world.view().await, "u1 a1 u2 a2");
    });
}
