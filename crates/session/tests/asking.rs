//! What a summarizer is asked, and in which words.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{Always, Characters, World, block_on};
use session::{Compaction, Ledger, MemoryStore, Message, Outcome, Sessions, Window};
use session_log::MessageFormat;
use session_summarizer::{Prompt, Scripted};

/// A ledger was as long as what it replaced, and longer as a message; a model was asked for more
/// than it could be taken for. Passes over a few short turns were refused as `inflated`, one after
/// the other, until the summarizer was left alone.
#[test]
fn nobody_is_asked_for_more_than_what_there_is_to_replace() {
    let said = [
        "Fix the gate in src/gate.rs.",
        "Done.",
        "Never touch a.yml.",
        "It is 12:30.",
        "The fault was in src/auth.rs, where sessions were ended in the wrong order. It is right now, \
         and the test of it passes again on every machine that we tried it on since then.",
    ];
    let windows = [
        Window::Turns(1),
        Window::Tokens {
            budget: 100,
            reserve: 60,
        },
    ];
    let mut landed = 0;
    for (question, answer, window) in said
        .iter()
        .flat_map(|question| said.iter().map(move |answer| (question, answer)))
        .flat_map(|(question, answer)| windows.map(|window| (question, answer, window)))
    {
        block_on(async {
            let world = World::new().await;
            for message in [Message::user(*question), Message::assistant(*answer)] {
                world.sessions.append(&world.id, message).await.unwrap();
            }
            world.append("u2 a2 u3 a3").await;
            let ledger = Compaction::builder(window).summarizer(Ledger::new(Characters));
            let report = world.compact(&ledger.build().unwrap()).await;
            assert_ne!(report.reason(), Some("inflated"), "{question} {answer}");
            landed += usize::from(report.outcome == Outcome::Compacted);
        });
    }
    assert!(landed >= 5, "{landed}");

    block_on(async {
        let world = World::new().await;
        world.append("u1 a1 u2 a2 u3 a3").await;
        let model = Scripted::new(["SUM"]);
        let builder = Compaction::builder(Window::Turns(1)).summarizer(model.clone());
        world
            .compact(&builder.summary_tokens(500).build().unwrap())
            .await;
        // Four lines of 42 tokens, less the 11 of "Assistant: ".
        assert_eq!(model.asked()[0].budget, Some(31));
    });
}

/// Settings that no summary could satisfy, and a question nobody asks, were taken: the first
/// declined every pass, the second put a message without a word into every request.
#[test]
fn a_minimum_above_all_and_a_blank_shadow_prompt_are_refused() {
    let builder = || Compaction::builder(Window::Turns(1)).summarizer(Always("SUM"));
    assert!(builder().min_retained(1000).build().is_ok());
    for (builder, refusal) in [
        (
            builder().min_retained(1001),
            "no summary keeps 1001 of 1000; ask for at most 1000",
        ),
        (
            builder().shadow_prompt(" \n"),
            "the shadow prompt must not be blank",
        ),
    ] {
        assert_eq!(builder.build().unwrap_err().to_string(), refusal);
    }
}

/// Renders a message as its role, in capitals.
#[derive(Clone, Copy, Debug)]
struct Loud(&'static str);

impl MessageFormat for Loud {
    fn format(&self, message: &Message, out: &mut String) {
        out.push_str(self.0);
        out.push_str(&message.role.as_str().to_uppercase());
    }
}

/// A service was given another formatter, for counting and for prompts. It counted with it and asked
/// with the built-in one.
#[test]
fn what_is_counted_is_what_a_summarizer_reads() {
    let own = Prompt::new().with_format(Loud("own "));
    for (prompt, read) in [
        (Prompt::new(), "USER\nASSISTANT\n"),
        (own, "own USER\nown ASSISTANT\n"),
    ] {
        block_on(async {
            let sessions = Sessions::new(MemoryStore::new(), Characters).with_format(Loud(""));
            let session = sessions.create().await.unwrap().id;
            for message in [
                Message::user("question"),
                Message::assistant("answer"),
                Message::user("question"),
            ] {
                sessions.append(&session, message).await.unwrap();
            }
            let model = Scripted::new(["SUM"]);
            let compaction = Compaction::builder(Window::Turns(1))
                .summarizer(model.clone())
                .prompt(prompt)
                .build()
                .unwrap();
            let report = sessions.compact(&session, &compaction).await.unwrap();
            assert_eq!(report.before.tokens, 4 + 9 + 4);
            assert!(model.asked()[0].request.user.contains(read));
        });
    }
}

/// A prompt can be given another question for the view. In a compaction it was passed over, and the
/// view had the built-in one.
#[test]
fn the_view_has_the_question_of_the_prompt_unless_another_one_is_set() {
    let asking = || Prompt::new().with_shadow("What was this about?").unwrap();
    let builder = || Compaction::builder(Window::Turns(1)).summarizer(Always("SUM"));
    for (builder, question) in [
        (builder(), "Summarize the conversation we had so far."),
        (builder().prompt(asking()), "What was this about?"),
        (builder().shadow_prompt("And?").prompt(asking()), "And?"),
    ] {
        block_on(async {
            let world = World::new().await;
            world.append("u1 a1 u2 a2").await;
            world.compact(&builder.build().unwrap()).await;
            let view = world.sessions.view(&world.id).await.unwrap();
            assert_eq!(view.messages().next().unwrap().text(), question);
        });
    }
}
