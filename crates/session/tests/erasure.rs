//! Erasure: the words are gone everywhere, the conversation still stands.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::sync::Arc;

use common::{World, block_on, id};
use session::{Compaction, Outcome, Trigger, Window};
use session_log::is_erased;
use session_store::SearchQuery;
use session_summarizer::Scripted;

fn summarized(summarizer: Arc<Scripted>) -> Compaction {
    Compaction::builder(Window::Turns(1))
        .summarizer(summarizer)
        .build()
        .unwrap()
}

#[test]
fn an_erased_event_keeps_its_place_and_nothing_of_its_words() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 c1 t1 u2").await;
        for name in ["u1", "c1", "t1"] {
            world.sessions.erase(&world.id, &id(name)).await.unwrap();
        }
        assert_eq!(
            world.view().await,
            "u1 c1 t1 u2",
            "turns and pairs are as before"
        );
        let log = world.sessions.log(&world.id).await.unwrap();
        assert_eq!(log[0].as_message().unwrap().text(), "[erased]");
        assert!(
            log[..3]
                .iter()
                .all(|event| is_erased(event.as_message().unwrap()))
        );
        let query = SearchQuery::new(["t1"]);
        let found = world.sessions.search(&world.id, &query).await.unwrap();
        assert!(found.items.is_empty());
        assert!(
            world
                .sessions
                .erase(&world.id, &id("nobody"))
                .await
                .is_err()
        );
    });
}

#[test]
fn the_next_pass_makes_a_stale_summary_again_whatever_its_trigger_says() {
    block_on(async {
        let world = World::new().await;
        let scripted = Arc::new(Scripted::new(["ONE", "TWO"]));
        world.append("u1 a1 u2 a2 u3 a3").await;
        world.compact(&summarized(scripted.clone())).await;
        world.sessions.erase(&world.id, &id("a1")).await.unwrap();

        let never = Compaction::builder(Window::Turns(1))
            .when(Trigger::TurnCount(50))
            .summarizer(scripted.clone())
            .build()
            .unwrap();
        let report = world.compact(&never).await;
        assert_eq!(report.outcome, Outcome::Compacted);
        assert_eq!(world.view().await, "prompt summary u3 a3");
        let view = world.sessions.view(&world.id).await.unwrap();
        assert_eq!(view.events()[1].as_message().unwrap().text(), "TWO");
        let asked = &scripted.asked()[1];
        assert!(asked.prior.is_empty(), "the stale summary is not handed on");
        assert!(
            asked
                .request
                .user
                .contains("User: u1\nAssistant: [erased]\nUser: u2")
        );

        assert_eq!(world.compact(&never).await.outcome, Outcome::NotTriggered);
    });
}

#[test]
fn a_pass_without_summarizer_drops_a_stale_summary() {
    block_on(async {
        let world = World::new().await;
        world.append("s1 u1 a1 u2 a2").await;
        world
            .compact(&summarized(Arc::new(Scripted::new(["ONE"]))))
            .await;
        world.sessions.erase(&world.id, &id("u1")).await.unwrap();
        let plain = Compaction::builder(Window::Turns(1)).build().unwrap();
        world.compact(&plain).await;
        assert_eq!(world.view().await, "s1 u2 a2");
    });
}

#[test]
fn erasing_what_is_shown_leaves_the_summary_alone() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        world
            .compact(&summarized(Arc::new(Scripted::new(["ONE"]))))
            .await;
        world.sessions.erase(&world.id, &id("a2")).await.unwrap();
        let plain = Compaction::builder(Window::Turns(1)).build().unwrap();
        assert_ne!(world.compact(&plain).await.outcome, Outcome::Compacted);
        assert_eq!(world.view().await, "prompt summary u2 a2");
    });
}
