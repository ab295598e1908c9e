//! Turns through the harness: what is stored, what is sent, what a retry does. The rows AD and ID
//! of the upstream tables, as far as they are not about a chat client.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::sync::{Arc, Mutex};

use common::{World, block_on};
use session::{Compaction, Happening, Harness, Message, Outcome, ToolCall, Trigger, Turn, Window};
use session_summarizer::{Scripted, SummarizerError};

fn call(id: &str) -> Message {
    Message::tool_calls([ToolCall::new(id, "tool", "{}")])
}

fn texts(turn: &Turn) -> Vec<String> {
    let shown = |message: &Message| {
        if let Some(call) = message.calls().next() {
            return format!("call {}", call.id);
        }
        match message.results().next() {
            Some(result) => format!("result {}", result.call_id),
            None => message.text().into_owned(),
        }
    };
    turn.request().messages.iter().map(shown).collect()
}

async fn talk(harness: &Harness, world: &World, turn: &str, said: &[&str]) {
    let (first, replies) = said.split_first().unwrap();
    let mut turn = harness
        .begin_turn(&world.id, turn, Message::user(*first))
        .await
        .unwrap();
    for reply in replies {
        turn.record(Message::assistant(*reply)).await.unwrap();
    }
    turn.finish().await.unwrap();
}

#[test]
fn the_request_has_system_messages_once_then_history_then_the_turn() {
    block_on(async {
        let world = World::new().await;
        world.append("s1").await;
        let harness = Harness::new(world.sessions.clone())
            .with_system(Message::system("s1"))
            .with_system(Message::system("Be brief."));
        talk(&harness, &world, "t1", &["q1", "a1"]).await;
        let turn = harness
            .begin_turn(&world.id, "t2", Message::user("q2"))
            .await
            .unwrap();
        assert_eq!(
            texts(&turn),
            ["s1", "Be brief.", "q1", "a1", "q2"],
            "AD2, AD6, AD7, AD11"
        );
    });
}

#[test]
fn of_stored_system_messages_only_the_newest_is_sent_and_first() {
    block_on(async {
        let world = World::new().await;
        world.append("s1 u1 a1 s2").await;
        let harness = Harness::new(world.sessions.clone());
        let turn = harness
            .begin_turn(&world.id, "t", Message::user("q"))
            .await
            .unwrap();
        assert_eq!(texts(&turn), ["s2", "u1", "a1", "q"], "AD8, AD10");
    });
}

#[test]
fn a_tool_loop_stores_each_round_once_and_never_repeats_history() {
    block_on(async {
        let world = World::new().await;
        let harness = Harness::new(world.sessions.clone());
        let mut turn = harness
            .begin_turn(&world.id, "t", Message::user("q"))
            .await
            .unwrap();
        turn.record(call("c1")).await.unwrap();
        assert_eq!(turn.open_calls().len(), 1);
        assert!(!turn.is_answered());
        turn.record(Message::tool_result("c1", "7")).await.unwrap();
        assert_eq!(texts(&turn), ["q", "call c1", "result c1"], "AD22");
        turn.record(Message::assistant("seven")).await.unwrap();
        assert!(turn.is_answered());
        assert_eq!(world.sessions.log(&world.id).await.unwrap().len(), 4);
    });
}

#[test]
fn a_turn_begun_again_goes_on_where_it_stood() {
    block_on(async {
        let world = World::new().await;
        let harness = Harness::new(world.sessions.clone());
        let begin = || harness.begin_turn(&world.id, "t", Message::user("q"));
        let mut turn = begin().await.unwrap();
        turn.record(call("c1")).await.unwrap();
        drop(turn); // killed in mid-turn

        let mut turn = begin().await.unwrap();
        assert_eq!(turn.open_calls()[0].id, "c1");
        assert_eq!(texts(&turn), ["q"], "a call without its result is not sent");
        turn.record(Message::tool_result("c1", "7")).await.unwrap();
        turn.record(Message::assistant("seven")).await.unwrap();

        let turn = begin().await.unwrap();
        assert!(turn.is_answered());
        assert_eq!(texts(&turn), ["q", "call c1", "result c1", "seven"]);
        assert_eq!(
            world.sessions.log(&world.id).await.unwrap().len(),
            4,
            "AD21, ID1, ID3, ID5"
        );

        let other = harness
            .begin_turn(&world.id, "t", Message::user("another question"))
            .await;
        assert!(other.is_err(), "the same turn cannot say something else");
    });
}

/// A turn had the name of another one, a slash and more. Its events were taken for the other's and
/// left out of its history.
#[test]
fn a_turn_whose_name_begins_with_anothers_is_part_of_the_history() {
    block_on(async {
        let world = World::new().await;
        let harness = Harness::new(world.sessions.clone());
        talk(&harness, &world, "t", &["q1"]).await; // given up before the answer
        talk(&harness, &world, "t/b", &["q2", "a2"]).await;
        let turn = harness
            .begin_turn(&world.id, "t", Message::user("q1"))
            .await
            .unwrap();
        assert_eq!(texts(&turn), ["q2", "a2", "q1"]);
    });
}

#[test]
fn the_same_words_in_two_turns_are_two_events() {
    block_on(async {
        let world = World::new().await;
        let harness = Harness::new(world.sessions.clone());
        talk(&harness, &world, "t1", &["yes", "ok"]).await;
        talk(&harness, &world, "t2", &["yes", "ok"]).await;
        assert_eq!(world.sessions.log(&world.id).await.unwrap().len(), 4, "ID4");
    });
}

#[test]
fn calls_of_an_abandoned_turn_are_left_out_of_the_request_with_a_warning() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 c1 u2 a2").await;
        let harness = Harness::new(world.sessions.clone());
        let turn = harness
            .begin_turn(&world.id, "t", Message::user("q"))
            .await
            .unwrap();
        assert_eq!(texts(&turn), ["u1", "u2", "a2", "q"], "AD28");
        assert_eq!(turn.request().warnings.len(), 1);
        assert_eq!(
            world.sessions.log(&world.id).await.unwrap().len(),
            5,
            "the log keeps it"
        );
    });
}

#[test]
fn empty_frames_are_not_stored_and_everything_else_is() {
    block_on(async {
        let world = World::new().await;
        let harness = Harness::new(world.sessions.clone());
        let mut turn = harness
            .begin_turn(&world.id, "t", Message::user(""))
            .await
            .unwrap();
        for empty in ["", "  "] {
            turn.record(Message::assistant(empty)).await.unwrap();
        }
        turn.record(call("c1")).await.unwrap();
        turn.record(Message::tool_result("c1", "")).await.unwrap();
        assert_eq!(turn.recorded().len(), 2, "AD15, AD16");
        assert_eq!(world.sessions.log(&world.id).await.unwrap().len(), 3);
    });
}

#[test]
fn the_pass_runs_after_the_turn_and_not_while_a_call_waits() {
    block_on(async {
        let world = World::new().await;
        let compaction = Compaction::builder(Window::Turns(1))
            .when(Trigger::TurnCount(1))
            .build()
            .unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = seen.clone();
        let harness = Harness::new(world.sessions.clone())
            .with_compaction(compaction)
            .with_observer(move |happening| {
                log.lock().unwrap().push(match happening {
                    Happening::Appended(_) => "appended",
                    Happening::Passed(report) => report.outcome.as_str(),
                    _ => "failed",
                });
            });
        talk(&harness, &world, "t1", &["q1", "a1"]).await;
        let mut turn = harness
            .begin_turn(&world.id, "t2", Message::user("q2"))
            .await
            .unwrap();
        turn.record(call("c1")).await.unwrap();
        let end = turn.finish().await.unwrap();
        assert!(end.compaction.is_none(), "AD23");

        let mut turn = harness
            .begin_turn(&world.id, "t2", Message::user("q2"))
            .await
            .unwrap();
        turn.record(Message::tool_result("c1", "7")).await.unwrap();
        turn.record(Message::assistant("seven")).await.unwrap();
        let end = turn.finish().await.unwrap();
        assert_eq!(
            end.compaction.unwrap().unwrap().outcome,
            Outcome::Compacted,
            "AD5"
        );
        assert_eq!(world.view().await, "0 1 2 3");
        let seen = seen.lock().unwrap();
        assert_eq!(seen[..3], ["appended", "appended", "not_triggered"]);
        assert_eq!(seen[seen.len() - 1], "compacted");
    });
}

#[test]
fn a_failing_pass_does_not_fail_the_turn() {
    block_on(async {
        let world = World::new().await;
        let failing = Scripted::always(SummarizerError::unavailable(None));
        let compaction = Compaction::builder(Window::Turns(1))
            .summarizer(failing)
            .build()
            .unwrap();
        let reasons = Arc::new(Mutex::new(Vec::new()));
        let seen = reasons.clone();
        let harness = Harness::new(world.sessions.clone())
            .with_compaction(compaction)
            .with_observer(move |happening| {
                if let Happening::PassFailed { reason, .. } = happening {
                    seen.lock().unwrap().push(reason.clone());
                }
            });
        talk(&harness, &world, "t1", &["q1", "a1"]).await;
        let mut turn = harness
            .begin_turn(&world.id, "t2", Message::user("q2"))
            .await
            .unwrap();
        turn.record(Message::assistant("a2")).await.unwrap();
        let end = turn.finish().await.unwrap();
        assert!(end.compaction.unwrap().is_err(), "AD25");
        assert_eq!(world.sessions.log(&world.id).await.unwrap().len(), 4);
        // An observer was told that it failed, and not why.
        assert_eq!(
            *reasons.lock().unwrap(),
            ["the summarizer failed: the summarizer is not available, try again later"]
        );
    });
}
