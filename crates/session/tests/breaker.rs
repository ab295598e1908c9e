//! A summarizer that fails again and again is left alone for a while, and history does not suffer.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{World, block_on, id};
use session::{
    BreakerSettings, Compaction, Error, InvalidSettings, Message, Outcome, Usage, Window,
};
use session_summarizer::{Answer, Scripted, SummarizerError, Summary};

fn keep_one_turn(model: Scripted) -> session::CompactionBuilder {
    Compaction::builder(Window::Turns(1)).summarizer(model)
}

/// Appends one turn and runs a pass: what came of it, as a word.
async fn turn(world: &World, number: usize, compaction: &Compaction) -> String {
    world.append(&format!("u{number} a{number}")).await;
    let passed = world.sessions.compact(&world.id, compaction).await;
    match passed {
        Ok(report) => report.reason().unwrap_or("compacted").to_owned(),
        Err(Error::Summarizer(error)) => error.name().to_owned(),
        Err(error) => panic!("{error}"),
    }
}

fn failing_then(answers: usize) -> Scripted {
    let failure = |number: usize| match number % 3 {
        0 => Answer::from(SummarizerError::unavailable(None)),
        1 => Answer::text("Error: connection refused"),
        _ => Answer::from(SummarizerError::unauthorized()),
    };
    Scripted::new((0..answers).map(failure).chain(["SUM".into()]))
}

#[test]
fn it_rests_for_a_growing_number_of_turns_then_it_is_tried_again() {
    block_on(async {
        let world = World::new().await;
        world.append("u0 a0").await;
        let model = failing_then(5);
        let compaction = keep_one_turn(model.clone()).build().unwrap();
        let mut words = Vec::new();
        for number in 1..=13 {
            words.push(turn(&world, number, &compaction).await);
        }
        let (tried, rests) = (["unavailable", "error_text", "unauthorized"], "resting");
        assert_eq!(words[..3], tried);
        assert_eq!(words[3..5], [rests; 2]);
        assert_eq!(words[5], "unavailable");
        assert_eq!(words[6..10], [rests; 4]);
        assert_eq!(words[10], "error_text");
        assert_eq!(words[11..], [rests; 2]);
        assert_eq!(model.asked().len(), 5);
        assert_eq!(
            world.view().await.split(' ').count(),
            28,
            "nothing left the view"
        );

        // The third rest is eight turns long; then one success closes the breaker.
        for number in 14..=19 {
            assert_eq!(turn(&world, number, &compaction).await, rests);
        }
        assert_eq!(turn(&world, 20, &compaction).await, "compacted");
        assert_eq!(world.view().await, "prompt summary u20 a20");
        assert_eq!(
            turn(&world, 21, &compaction).await,
            "rejected",
            "it is asked at once"
        );
    });
}

#[test]
fn each_session_has_its_own_and_another_value_begins_anew() {
    block_on(async {
        let settings = {
            let mut settings = BreakerSettings::default();
            settings.failures = 1;
            settings
        };
        let model = Scripted::always(SummarizerError::unavailable(None));
        let builder = keep_one_turn(model.clone()).breaker(settings);
        let compaction = builder.build().unwrap();
        let (one, other) = (World::new().await, World::new().await);
        for world in [&one, &other] {
            world.append("u1 a1").await;
            assert_eq!(turn(world, 2, &compaction).await, "unavailable");
            assert_eq!(turn(world, 3, &compaction).await, "resting");
        }
        let clone = compaction.clone();
        assert_eq!(turn(&one, 4, &clone).await, "resting");
        let anew = keep_one_turn(model).breaker(settings).build().unwrap();
        assert_eq!(turn(&one, 5, &anew).await, "unavailable");
    });
}

/// Passes without a turn between them, as a busy driver makes them, do not end the rest.
#[test]
fn only_turns_end_a_rest() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        let model = Scripted::always(SummarizerError::unavailable(None));
        let compaction = keep_one_turn(model.clone()).build().unwrap();
        for _ in 0..50 {
            let _ = world.sessions.compact(&world.id, &compaction).await;
            world.append("").await;
        }
        assert_eq!(model.asked().len(), 3);
    });
}

#[test]
fn declining_and_cancelling_are_no_failures() {
    block_on(async {
        let world = World::new().await;
        world.append("u0 a0").await;
        let answers = [Answer::Decline, SummarizerError::Cancelled.into()];
        let model = Scripted::new(answers.into_iter().cycle().take(12));
        let compaction = keep_one_turn(model.clone()).build().unwrap();
        for number in 1..=12 {
            let word = turn(&world, number, &compaction).await;
            assert!(["declined", "cancelled"].contains(&word.as_str()), "{word}");
        }
        assert_eq!(model.asked().len(), 12);
    });
}

#[test]
fn above_the_limit_the_plain_window_cuts_when_the_user_allowed_that() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        // A user event has 8 tokens, an assistant event 13.
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = calls.clone();
        let model = Scripted::new([
            "SUM".into(),
            Answer::from(SummarizerError::unavailable(None)),
            "Error: busy".into(),
            "Error: busy".into(),
        ]);
        let builder = keep_one_turn(model.clone()).fall_back_above(140);
        let compaction = builder
            .on_failure(move |report| {
                assert_ne!(report.declined.as_deref(), Some("resting"));
                counted.fetch_add(1, Ordering::Relaxed);
            })
            .build()
            .unwrap();
        assert_eq!(world.compact(&compaction).await.outcome, Outcome::Compacted);
        assert_eq!(world.view().await, "prompt summary u2 a2");

        // Below the limit a failure is what it was: the error of the pass, or its outcome.
        assert_eq!(turn(&world, 3, &compaction).await, "unavailable");
        assert_eq!(turn(&world, 4, &compaction).await, "error_text");
        assert_eq!(world.view().await, "prompt summary u2 a2 u3 a3 u4 a4");
        let before = world.sessions.log(&world.id).await.unwrap();

        // Above it the window cuts, and the summary before is carried.
        world.append("u5 a5").await;
        let report = world.compact(&compaction).await;
        assert!(report.before.tokens > 140, "{:?}", report.before);
        assert_eq!(report.outcome, Outcome::Compacted);
        assert_eq!(report.declined.as_deref(), Some("error_text"));
        assert_eq!(report.summary, None);
        assert_eq!(report.covered, ["u2", "a2", "u3", "a3", "u4", "a4"].map(id));
        assert_eq!(world.view().await, "prompt summary u5 a5");
        let after = world.sessions.log(&world.id).await.unwrap();
        assert_eq!(after[..before.len()], before[..]);

        // The breaker is open now, and it falls back without asking.
        world.append("u6 a6").await;
        let long = Message::assistant("well ".repeat(9));
        world.sessions.append(&world.id, long).await.unwrap();
        world.append("u7 a7").await;
        let report = world.compact(&compaction).await;
        assert_eq!(report.declined.as_deref(), Some("resting"));
        assert_eq!(world.view().await, "prompt summary u7 a7");
        assert_eq!(model.asked().len(), 4);
        assert_eq!(
            calls.load(Ordering::Relaxed),
            2,
            "an error is no failed check"
        );
    });
}

#[test]
fn an_error_that_the_window_stands_in_for_is_named() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        let model = Scripted::new([SummarizerError::rejected("no such model")]);
        let compaction = keep_one_turn(model).fall_back_above(1).build().unwrap();
        let report = world.compact(&compaction).await;
        assert_eq!(report.outcome, Outcome::Compacted);
        assert_eq!(report.declined.as_deref(), Some("rejected"));
        assert_eq!(world.view().await, "u2 a2");

        let model = Scripted::new([SummarizerError::Cancelled]);
        let compaction = keep_one_turn(model).fall_back_above(1).build().unwrap();
        assert_eq!(turn(&world, 3, &compaction).await, "cancelled");
        let refused = keep_one_turn(Scripted::new(["x"])).fall_back_above(0);
        let refused = refused.build().unwrap_err();
        assert!(matches!(refused, InvalidSettings::Zero { .. }), "{refused}");
    });
}

#[test]
fn what_was_paid_in_vain_is_in_the_report() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2").await;
        let paid = |text: &str| {
            let summary = Summary::new(text, "m").unwrap();
            Answer::Summary(summary.with_usage(Some(100), Some(10)))
        };
        let model = Scripted::new([paid("Error: busy"), paid("SUM")]);
        let compaction = keep_one_turn(model).build().unwrap();
        let report = world.compact(&compaction).await;
        assert_eq!(report.reason(), Some("error_text"));
        assert_eq!(report.lost, Usage::new(Some(100), Some(10)));
        let report = world.compact(&compaction).await;
        assert_eq!(report.lost, Usage::default());
        assert_eq!(report.summary.unwrap().receipt.input_tokens, Some(100));
    });
}
