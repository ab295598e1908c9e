//! Summaries that are made of the log each time, and not of the summary before.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{World, block_on, event, id};
use session::{Compaction, CompactionBuilder, Expected, SummaryMode, Window};
use session_log::Origin;
use session_summarizer::{Answer, Scripted, SummarizerError};

fn rebuilding(model: Scripted) -> CompactionBuilder {
    Compaction::builder(Window::Turns(1))
        .summarizer(model)
        .summaries(SummaryMode::Rebuilt)
}

/// A summary that is rebuilt is made of every event it stands for, in log order, each once.
#[test]
fn a_rebuilt_summary_is_made_of_the_log_and_not_of_the_summary_before() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        let model = Scripted::new(["ONE", "TWO", "THREE"]);
        let builder = rebuilding(model.clone());
        let compaction = builder.build().unwrap();
        world.compact(&compaction).await;
        world.append("u3 a3").await;
        world.compact(&compaction).await;
        world.append("u4 c4 t4 a4 u5 a5").await;
        let report = world.compact(&compaction).await;
        assert_eq!(world.view().await, "prompt summary u5 a5");
        assert_eq!(report.summary.unwrap().text, "THREE");

        let asked = model.asked();
        let shown = |names: &str| names.split(' ').map(id).collect::<Vec<_>>();
        assert_eq!(asked[0].covered, shown("u1 a1"));
        assert_eq!(asked[1].covered, shown("u1 a1 u2 a2"));
        assert_eq!(asked[2].covered, shown("u1 a1 u2 a2 u3 a3 u4 c4 t4 a4"));
        assert!(asked.iter().all(|it| it.prior.is_empty()));
        assert_eq!(asked[2].overlap, shown("u5 a5"));
    });
}

/// What a plain window cut while there was no summary is in the next one.
#[test]
fn what_was_cut_without_a_summary_is_taken_in_later() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        let model = Scripted::new([
            Answer::from(SummarizerError::unavailable(None)),
            "SUM".into(),
        ]);
        let builder = rebuilding(model.clone()).fall_back_above(1);
        let compaction = builder.build().unwrap();
        let report = world.compact(&compaction).await;
        assert_eq!(report.declined.as_deref(), Some("unavailable"));
        assert_eq!(world.view().await, "u2 a2");
        world.append("u3 a3").await;
        world.compact(&compaction).await;
        assert_eq!(world.view().await, "prompt summary u3 a3");
        assert_eq!(model.asked()[1].covered, ["u1", "a1", "u2", "a2"].map(id));
    });
}

/// A summary that no pass wrote, as imported sessions have it, is all there is of what it tells.
#[test]
fn a_summary_that_came_with_an_import_is_not_lost() {
    block_on(async {
        let world = World::new().await;
        let imported = event("a0").with_origin(Origin::Summary { boundary: None });
        let sessions = &world.sessions;
        let appended = sessions.append_events(&world.id, Expected::Any, vec![imported]);
        assert!(appended.await.unwrap().done().is_some());
        world.append("u1 a1 u2 a2").await;
        let model = Scripted::new(["ONE", "TWO", "THREE"]);
        let compaction = rebuilding(model.clone()).build().unwrap();
        world.compact(&compaction).await;
        world.append("u3 a3").await;
        world.compact(&compaction).await;

        let asked = model.asked();
        assert_eq!(asked[0].prior, ["a0"]);
        assert_eq!(asked[0].covered, ["u1", "a1"].map(id));
        assert!(asked[1].prior.is_empty());
        assert_eq!(asked[1].covered, ["a0", "u1", "a1", "u2", "a2"].map(id));

        // Nor is it when an erasure makes a summary stale.
        let erased = world.sessions.erase(&world.id, &id("a1")).await;
        erased.unwrap();
        world.compact(&compaction).await;
        let asked = model.asked();
        assert_eq!(asked[2].covered, ["a0", "u1", "a1", "u2", "a2"].map(id));
        assert!(
            !asked[2].request.user.contains("a1"),
            "{}",
            asked[2].request.user
        );
    });
}
