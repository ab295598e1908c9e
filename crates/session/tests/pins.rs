//! Pins: what somebody holds stays in every view, whole.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::sync::Arc;

use common::{Characters, World, block_on, event, id, names};
use session::{
    Clearing, Compaction, Expected, MemoryStore, Message, NewEvent, Sessions, SlidingWindow,
    Timestamp, Trigger, View, Warning, Window,
};
use session_store_testkit::{Fault, FaultyStore};

fn turns(count: usize) -> Compaction {
    Compaction::builder(Window::Turns(count)).build().unwrap()
}

/// A call was pinned while it waited, as the documents advise for the answer of a person that comes
/// turns later. When the answer came it was not pinned, the next pass covered it, and the call
/// stayed without it: no provider was sent either.
#[test]
fn a_result_that_comes_after_its_call_was_pinned_stays_with_it() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 c1 u2 a2").await;
        world.sessions.pin(&world.id, &id("c1")).await.unwrap();
        world.compact(&turns(1)).await;
        assert_eq!(world.view().await, "c1 u2 a2");
        world.append("u3 t1 a3").await;
        assert_eq!(world.view().await, "c1 u2 a2 u3 t1 a3");
        world.append("u4 a4").await;
        world.compact(&turns(1)).await;
        assert_eq!(world.view().await, "c1 t1 u4 a4");
        world.append("u5 a5").await;
        world.compact(&turns(1)).await;
        assert_eq!(world.view().await, "c1 t1 u5 a5");
        let log = world.sessions.log(&world.id).await.unwrap();
        let view = world.sessions.view(&world.id).await.unwrap();
        assert_eq!(view, View::fold(log));

        world.sessions.unpin(&world.id, &id("c1")).await.unwrap();
        assert_eq!(world.view().await, "u5 a5", "both are released");
    });
}

/// A tool result was cleared and then pinned: the view went on showing the short line, though what
/// is pinned stays byte for byte.
#[test]
fn a_cleared_result_that_is_pinned_is_shown_whole() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 c1").await;
        let text = "a long listing ".repeat(40);
        let result = Message::tool_result("k1", text.as_str());
        let result = NewEvent::message(id("t1"), Timestamp::from_millis(0), result);
        let appended = world
            .sessions
            .append_events(&world.id, Expected::Any, vec![result]);
        assert!(appended.await.unwrap().done().is_some());
        world.append("a1 u2 c2 t2 a2").await;
        let clearing = Clearing {
            keep_last: 1,
            larger_than: 50,
        };
        let clear = Compaction::builder(Window::Turns(2)).clear_results(clearing);
        let clear = clear.build().unwrap();
        assert_eq!(world.compact(&clear).await.cleared, [id("t1")]);

        let shown = |view: &View| {
            let messages: Vec<_> = view.messages().collect();
            let results = messages.iter().flat_map(|message| message.results());
            let texts = results.filter_map(|result| result.parts[0].as_text());
            texts.map(String::from).next().unwrap()
        };
        let view = world.sessions.view(&world.id).await.unwrap();
        assert!(shown(&view).starts_with("[cleared"));
        world.sessions.pin(&world.id, &id("t1")).await.unwrap();
        for _ in 0..2 {
            let view = world.sessions.view(&world.id).await.unwrap();
            assert_eq!(shown(&view), text);
            // What is shown is what counts.
            let report = world.compact(&turns(2)).await;
            assert!(report.before.tokens > 600, "{report:?}");
            world.append("u3 a3").await;
            world.compact(&clear).await;
        }
        world.sessions.unpin(&world.id, &id("t1")).await.unwrap();
        assert!(!world.view().await.contains("t1"));
    });
}

/// A note was appended and then pinned: who was killed, or refused, between the two had an error
/// and a note that no pin held. Every fault at every call leaves both or none.
#[test]
fn a_note_and_its_pin_are_one_append() {
    for fault in [Fault::Refused, Fault::AnswerLost] {
        for nth in 1..8 {
            block_on(async {
                let store = Arc::new(FaultyStore::new(MemoryStore::new()));
                let sessions = Sessions::new(store.clone(), Characters);
                let session = sessions.create().await.unwrap().id;
                store.set_fault(store.calls() + nth, fault);
                let pinned = sessions.pin_text(&session, "Never on Fridays.").await;
                let inner = Sessions::new(MemoryStore::clone(store.inner()), Characters);
                let view = inner.view(&session).await.unwrap();
                assert_eq!(view.events().len(), view.held().len(), "{fault:?} {nth}");
                if pinned.is_ok() {
                    assert_eq!(view.events().len(), 1);
                }
            });
        }
    }
}

#[test]
fn a_note_is_pinned_although_somebody_goes_on_talking() {
    block_on(async {
        let world = World::new().await;
        world.append("u1 a1").await;
        let note = world.sessions.pin_text(&world.id, "Never on Fridays.");
        let note = note.await.unwrap();
        world.append("u2 a2 u3 a3").await;
        world.compact(&turns(1)).await;
        let view = world.sessions.view(&world.id).await.unwrap();
        assert_eq!(names(&view), format!("{} u3 a3", note.id));
    });
}

/// What is pinned costs more than a trigger allows, and nobody was told: the trigger was one of
/// several in an `AnyOf`. And where the older design counts the preamble, it was called pinned.
#[test]
fn pins_that_keep_a_trigger_firing_are_reported_and_nothing_else_is() {
    let tokens = || Trigger::TokenCount(100);
    let many = || Trigger::TurnCount(50);
    let over = [Warning::PinnedExceedTrigger {
        pinned: 156,
        threshold: 100,
    }];
    for (trigger, expected) in [
        (tokens(), over.as_slice()),
        (Trigger::AnyOf(vec![many(), tokens()]), &over),
        (
            Trigger::AllOf(vec![tokens(), Trigger::TokenCount(90)]),
            &over,
        ),
        // Turns come to an end although the tokens do not.
        (Trigger::AllOf(vec![tokens(), Trigger::TurnCount(1)]), &[]),
        (Trigger::TokenCount(157), &[]),
    ] {
        block_on(async {
            let world = World::new().await;
            world.append("u1 a1 u2 a2").await;
            let note = "n".repeat(150);
            world.sessions.pin_text(&world.id, note).await.unwrap();
            let compaction = Compaction::builder(Window::Turns(5)).when(trigger.clone());
            let report = world.compact(&compaction.build().unwrap()).await;
            assert_eq!(report.warnings, expected, "{trigger}");
        });
    }
    block_on(async {
        let world = World::new().await;
        let greeting = NewEvent::message(
            id("a0"),
            Timestamp::from_millis(0),
            Message::assistant("g".repeat(150)),
        );
        let events = vec![greeting, event("u1"), event("a1")];
        let appended = world
            .sessions
            .append_events(&world.id, Expected::Any, events);
        assert!(appended.await.unwrap().done().is_some());
        let compaction = Compaction::builder(SlidingWindow { max_events: 9 }).when(tokens());
        let report = world.compact(&compaction.build().unwrap()).await;
        assert_eq!(report.warnings, []);
    });
}

/// A trigger on turns or events counts pinned ones too. When these alone are more than it takes, every
/// turn runs a pass, and nobody was told why.
#[test]
fn pinned_turns_and_events_that_keep_a_trigger_firing_are_reported() {
    for (trigger, expected) in [
        (
            Trigger::TurnCount(2),
            "pinned events alone are 3 turns and the trigger fires on more than 2: it fires for ever; \
             pin less or fire later",
        ),
        (Trigger::TurnCount(3), ""),
        (
            Trigger::EventCount(4),
            "pinned events alone are 5 and the trigger fires on more than 4: it fires for ever; pin \
             less or fire later",
        ),
        (Trigger::EventCount(5), ""),
        (Trigger::Always, ""),
    ] {
        block_on(async {
            let world = World::new().await;
            // The system prompt, the preamble and three turn starts stay.
            world.append("s1 a0 u1 a1 u2 a2 u3 a3 u4 a4").await;
            for name in ["u1", "u2", "u3"] {
                world.sessions.pin(&world.id, &id(name)).await.unwrap();
            }
            let compaction = Compaction::builder(Window::Turns(1)).when(trigger.clone());
            let report = world.compact(&compaction.build().unwrap()).await;
            let told: Vec<_> = report.warnings.iter().map(ToString::to_string).collect();
            assert_eq!(told.join(""), expected, "{trigger}");
        });
    }
}
