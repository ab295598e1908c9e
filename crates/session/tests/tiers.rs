//! Clearing tool results, cutting inside a turn, and the older design's strategies, through the
//! whole service.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{Always, World, block_on, event, id};
use session::{
    Clearing, Compaction, Grain, InvalidSettings, Message, Outcome, RecursiveSummarization,
    SlidingWindow, TurnWindow, Version, Window,
};

/// One turn of three steps whose results have 400 characters each, 1,500 tokens in all.
async fn long_turn() -> World {
    let world = World::new().await;
    world.append("u1").await;
    for step in 1..=3 {
        world.append(&format!("c{step}")).await;
        let mut result = event(&format!("t{step}"));
        result.body = session_log::EventBody::Message(Message::tool_result(
            format!("k{step}"),
            "x".repeat(400),
        ));
        let appended = world
            .sessions
            .append_events(&world.id, session::Expected::Any, vec![result])
            .await
            .unwrap();
        assert!(appended.done().is_some());
    }
    world
}

fn tokens(budget: u64) -> session::CompactionBuilder {
    Compaction::builder(Window::Tokens { budget, reserve: 0 })
}

#[test]
fn clearing_comes_first_and_is_enough_when_it_reaches_the_budget() {
    block_on(async {
        let world = long_turn().await;
        let clearing = Clearing {
            keep_last: 1,
            larger_than: 100,
        };
        let compaction = tokens(900).clear_results(clearing).build().unwrap();
        let report = world.compact(&compaction).await;
        assert_eq!(report.outcome, Outcome::Compacted);
        assert_eq!(report.cleared, ["t1", "t2"].map(id));
        assert!(report.covered.is_empty());
        assert_eq!(world.view().await, "u1 c1 t1 c2 t2 c3 t3");
        assert!(report.after.tokens < 900, "{:?}", report.after);

        let view = world.sessions.view(&world.id).await.unwrap();
        let shown: Vec<_> = view.messages().collect();
        let result = shown[2].results().next().unwrap();
        assert_eq!(
            result.parts[0].as_text(),
            Some("[cleared: event t1, 426 tokens]")
        );
        let log = world.sessions.log(&world.id).await.unwrap();
        let kept = log[2].as_message().unwrap().results().next().unwrap();
        assert_eq!(
            kept.parts[0].as_text().unwrap().len(),
            400,
            "the log keeps it"
        );

        let again = world.compact(&compaction).await;
        assert_eq!(
            again.outcome,
            Outcome::Unchanged(session::Reason::FitsWindow)
        );
        assert_eq!(again.before.tokens, report.after.tokens);
        world.sessions.undo(&world.id).await.unwrap();
        let view = world.sessions.view(&world.id).await.unwrap();
        assert!(!view.is_cleared(view.events()[2].seq));
    });
}

#[test]
fn when_clearing_is_not_enough_the_window_cuts_too_and_both_are_in_one_boundary() {
    block_on(async {
        let world = long_turn().await;
        world.append("u2 c4 t4 a2").await;
        let clearing = Clearing {
            keep_last: 1,
            larger_than: 100,
        };
        let compaction = tokens(200).clear_results(clearing).build().unwrap();
        let report = world.compact(&compaction).await;
        assert_eq!(world.view().await, "u2 c4 t4 a2");
        assert!(
            report.cleared.is_empty(),
            "what is covered need not be cleared"
        );
        assert_eq!(report.version, Version::new(12));
    });
}

#[test]
fn a_session_that_is_one_huge_turn_gets_under_its_budget_at_step_grain() {
    block_on(async {
        let world = long_turn().await;
        let at_turns = tokens(600).build().unwrap();
        assert_ne!(world.compact(&at_turns).await.outcome, Outcome::Compacted);

        let at_steps = tokens(600).grain(Grain::Step).build().unwrap();
        let report = world.compact(&at_steps).await;
        assert_eq!(report.covered, ["c1", "t1", "c2", "t2"].map(id));
        assert_eq!(report.pinned, [id("u1")], "the question stays");
        assert_eq!(world.view().await, "u1 c3 t3");
        assert!(report.after.tokens <= 600);

        world.append("a1 u2 a2").await;
        world.compact(&tokens(40).build().unwrap()).await;
        assert_eq!(
            world.view().await,
            "u2 a2",
            "a later pass covers the question too"
        );
    });
}

#[test]
fn the_older_design_keeps_the_system_prompt_where_it_was_stored() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 s1 a2").await;
        let strategy = SlidingWindow { max_events: 2 };
        let compaction = Compaction::builder(strategy).build().unwrap();
        let report = world.compact(&compaction).await;
        assert_eq!(
            report.strategy.as_str(),
            r#"{"name":"sliding-window","max_events":2}"#
        );
        assert_eq!(world.view().await, "u2 s1 a2", "SW14");
    });
}

#[test]
fn in_the_older_design_superseded_system_prompts_leave_with_every_pass() {
    block_on(async {
        let world = World::new().await;
        world.append("s1 u1 a1 s2 u2 a2").await;
        let compaction = Compaction::builder(TurnWindow::default()).build().unwrap();
        let report = world.compact(&compaction).await;
        assert_eq!(report.outcome, Outcome::Compacted);
        assert_eq!(report.superseded, [id("s1")], "SW11");
        assert_eq!(world.view().await, "u1 a1 s2 u2 a2");
    });
}

#[test]
fn recursive_summarization_needs_a_summarizer_and_an_overlap_smaller_than_what_it_keeps() {
    let strategy = RecursiveSummarization {
        max_events_to_keep: 2,
        overlap_size: 2,
    };
    let refused = Compaction::builder(strategy)
        .summarizer(Always("S"))
        .build();
    assert_eq!(
        refused.unwrap_err().to_string(),
        "overlap_size (2) must be smaller than max_events_to_keep (2)"
    );
    let refused = Compaction::builder(RecursiveSummarization::default()).build();
    assert!(matches!(
        refused.unwrap_err(),
        InvalidSettings::NoSummarizer { .. }
    ));
    let zero = Compaction::builder(SlidingWindow { max_events: 0 }).build();
    assert_eq!(
        zero.unwrap_err().to_string(),
        "max_events must be greater than 0"
    );
}

#[test]
fn recursive_summarization_keeps_the_system_prompt_before_the_summary() {
    block_on(async {
        let world = World::new().await;
        world.append("s1 u1 a1 s2 u2 a2").await;
        let strategy = RecursiveSummarization {
            max_events_to_keep: 2,
            overlap_size: 1,
        };
        let compaction = Compaction::builder(strategy)
            .summarizer(Always("S"))
            .build()
            .unwrap();
        world.compact(&compaction).await;
        assert_eq!(world.view().await, "s2 prompt summary u2 a2", "RS12");
    });
}

/// Three turns of two messages of 100 characters, which the notation's estimator counts.
async fn three_turns() -> World {
    let world = World::new().await;
    for turn in 1..=3 {
        for name in [format!("u{turn}"), format!("a{turn}")] {
            let mut long = event(&name);
            let text = "x".repeat(100);
            long.body = session_log::EventBody::Message(if name.starts_with('u') {
                Message::user(text)
            } else {
                Message::assistant(text)
            });
            let events = vec![long];
            let appended = world
                .sessions
                .append_events(&world.id, session::Expected::Any, events)
                .await
                .unwrap();
            assert!(appended.done().is_some());
        }
    }
    world
}

fn tiered(target: u64) -> Compaction {
    Compaction::builder(Window::Turns(1))
        .target(target)
        .tier(Window::Turns(3))
        .tier(Window::Turns(2))
        .summarizer(Always("S"))
        .build()
        .unwrap()
}

#[test]
fn the_first_tier_that_reaches_the_target_is_taken_and_asks_for_no_summary() {
    block_on(async {
        let world = three_turns().await;
        let report = world.compact(&tiered(500)).await;
        assert_eq!(report.outcome, Outcome::Compacted);
        assert_eq!(world.view().await, "u2 a2 u3 a3");
        assert_eq!(
            report.strategy.as_str(),
            r#"{"name":"window","window":{"last_turns":2}}"#,
            "the receipt names the tier that did it"
        );
        assert!(report.summary.is_none());
    });
}

#[test]
fn when_no_tier_reaches_the_target_the_strategy_runs_on_the_whole_view() {
    block_on(async {
        let world = three_turns().await;
        let report = world.compact(&tiered(300)).await;
        assert_eq!(report.covered, ["u1", "a1", "u2", "a2"].map(id));
        assert!(report.summary.is_some());
        assert_eq!(world.view().await, "prompt summary u3 a3");
    });
}

#[test]
fn tiers_without_anything_that_says_when_one_is_enough_are_refused() {
    let builder = Compaction::builder(Window::Turns(1)).tier(Window::Turns(2));
    let refused = builder.clone().build().unwrap_err();
    assert_eq!(refused, InvalidSettings::NoTarget);
    builder
        .clone()
        .when(session::Trigger::TurnCount(2))
        .build()
        .unwrap();
    builder.clone().target(100).build().unwrap();
    let zero = builder.target(100).tier(Window::Turns(0)).build();
    assert!(matches!(zero, Err(InvalidSettings::Zero { .. })));
}
