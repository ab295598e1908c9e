//! Erasure: the words are gone everywhere, the conversation still stands.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::sync::Arc;

use common::{World, block_on, id};
use session::{Compaction, Outcome, PassPlan, Prepared, Trigger, Window};
use session_log::is_erased;
use session_store::SearchQuery;
use session_summarizer::{Scripted, SummarizerError};

fn summarized(summarizer: Arc<Scripted>) -> Compaction {
    Compaction::builder(Window::Turns(1))
        .summarizer(summarizer)
        .build()
        .unwrap()
}

/// A conversation whose older turns are behind the summary `ONE`, and of which an event was erased
/// then.
async fn summarized_and_erased(words: &str, erased: &str) -> World {
    let world = World::new().await;
    world.append(words).await;
    world
        .compact(&summarized(Arc::new(Scripted::new(["ONE"]))))
        .await;
    world.sessions.erase(&world.id, &id(erased)).await.unwrap();
    world
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
        let world = summarized_and_erased("s1 u1 a1 u2 a2", "u1").await;
        let plain = Compaction::builder(Window::Turns(1)).build().unwrap();
        world.compact(&plain).await;
        assert_eq!(world.view().await, "s1 u2 a2");
    });
}

#[test]
fn erasing_what_is_shown_leaves_the_summary_alone() {
    block_on(async {
        let world = summarized_and_erased("u1 a1 u2 a2", "a2").await;
        let plain = Compaction::builder(Window::Turns(1)).build().unwrap();
        assert_ne!(world.compact(&plain).await.outcome, Outcome::Compacted);
        assert_eq!(world.view().await, "prompt summary u2 a2");
    });
}

/// The summary itself was erased, and the view told nothing of what it hid for ever after.
#[test]
fn a_summary_that_is_erased_is_made_again() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        let compaction = summarized(Arc::new(Scripted::new(["ONE", "TWO"])));
        world.compact(&compaction).await;
        let view = world.sessions.view(&world.id).await.unwrap();
        let summary = view.events()[1].id.clone();
        world.sessions.erase(&world.id, &summary).await.unwrap();
        assert_eq!(world.compact(&compaction).await.outcome, Outcome::Compacted);
        let view = world.sessions.view(&world.id).await.unwrap();
        assert_eq!(view.events()[1].as_message().unwrap().text(), "TWO");
        assert_ne!(world.compact(&compaction).await.outcome, Outcome::Compacted);
    });
}

/// The receipt of a pass that made a stale summary again said that it covered nothing; the report
/// of the same pass named the old summary turn.
#[test]
fn the_receipt_of_a_rebuilt_summary_names_the_one_it_replaces() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        let compaction = summarized(Arc::new(Scripted::new(["ONE", "TWO"])));
        let first = world.compact(&compaction).await.boundary.unwrap();
        world.sessions.erase(&world.id, &id("u1")).await.unwrap();
        let report = world.compact(&compaction).await;
        let view = world.sessions.view(&world.id).await.unwrap();
        let boundary = view.boundary().unwrap().as_boundary().unwrap();
        let covered = &boundary.receipt.covered;
        assert_eq!((covered.count, report.covered.len()), (2, 2));
        assert_eq!(covered.first, Some(first.plus(1)));
        assert_eq!(covered.last, Some(first.plus(2)));
    });
}

/// Somebody erased twice, since the first answer was lost. The tombstone then had size and digest of
/// the first tombstone, and what the event had been could not be told any more.
#[test]
fn erasing_again_leaves_the_tombstone_as_it_is() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1").await;
        world.sessions.erase(&world.id, &id("u1")).await.unwrap();
        let once = world.sessions.log(&world.id).await.unwrap();
        world.sessions.erase(&world.id, &id("u1")).await.unwrap();
        assert_eq!(world.sessions.log(&world.id).await.unwrap(), once);
    });
}

/// While a model is away a stale summary cannot be made again. Whoever allowed the plain window to
/// stand in above a size was left with a view that grew, and with the words in it.
#[test]
fn above_the_limit_a_stale_summary_goes_when_there_is_no_new_one() {
    block_on(async {
        let world = summarized_and_erased("u1 a1 u2 a2", "u1").await;
        let away = |limit| {
            Compaction::builder(Window::Turns(1))
                .summarizer(Scripted::always(SummarizerError::unavailable(None)))
                .fall_back_above(limit)
                .build()
                .unwrap()
        };
        let failed = world.sessions.compact(&world.id, &away(500)).await;
        assert!(failed.is_err());
        assert_eq!(world.view().await, "prompt summary u2 a2");
        let report = world.compact(&away(20)).await;
        assert_eq!(report.outcome, Outcome::Compacted);
        assert_eq!(report.declined.as_deref(), Some("unavailable"));
        assert_eq!(world.view().await, "u2 a2");
    });
}

/// A plan that was made although the trigger did not fire came back from its stored form as one
/// that had fired, and without its warnings and what was paid in vain.
#[test]
fn a_stored_plan_tells_what_it_told_before() {
    block_on(async {
        let world = summarized_and_erased("u1 a1 u2 a2", "u1").await;
        let refusing = Scripted::always("Error: connection refused");
        let compaction = Compaction::builder(Window::Tokens {
            budget: 10,
            reserve: 0,
        })
        .when(Trigger::TokenCount(5_000))
        .summarizer(refusing)
        .fall_back_above(20)
        .build()
        .unwrap();
        let prepared = world.sessions.prepare(&world.id, &compaction).await;
        let Prepared::Plan(plan) = prepared.unwrap() else {
            panic!("the summary is stale");
        };
        assert!(!plan.report().fired && !plan.report().warnings.is_empty());
        assert_eq!(plan.report().declined.as_deref(), Some("error_text"));
        let stored = plan.to_json().unwrap();
        assert_eq!(PassPlan::from_json(&stored).unwrap(), *plan);

        // As plans were stored before they told all of it.
        let (older, _) = stored.split_once(r#","declined""#).unwrap();
        let older = older.replacen(r#""fired":false,"#, "", 1) + "}";
        let older = PassPlan::from_json(&older).unwrap();
        assert!(older.report().fired && older.report().warnings.is_empty());
        assert_eq!(older.events(), plan.events());
    });
}
