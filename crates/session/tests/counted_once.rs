//! A text is counted when it is appended, and not again by a pass, however long the log is.

#![allow(clippy::unwrap_used)]

mod common;

use std::sync::{Arc, Mutex};

use common::{Always, block_on};
use session::{
    Compaction, EventId, Expected, FixedClock, MemoryStore, Message, NewEvent, Outcome, SessionId,
    Sessions, Timestamp, TokenEstimator, Window,
};
use session_store::Batch;

const TURNS: usize = 2_000;

/// Counts one token a character, and keeps what it was asked to count.
#[derive(Clone, Default)]
struct Listening(Arc<Mutex<Vec<String>>>);

impl Listening {
    /// What was counted since this was asked last.
    fn heard(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl TokenEstimator for Listening {
    fn name(&self) -> &str {
        "listening"
    }

    fn estimate(&self, text: &str) -> u64 {
        self.0.lock().unwrap().push(text.to_owned());
        text.chars().count() as u64
    }
}

struct World {
    sessions: Sessions,
    id: SessionId,
    estimator: Listening,
}

impl World {
    /// A service and a session of so many turns of two messages.
    async fn new(turns: usize) -> Self {
        let estimator = Listening::default();
        let sessions = Sessions::new(MemoryStore::new(), estimator.clone())
            .with_clock(FixedClock(Timestamp::from_millis(0)));
        let id = sessions.create().await.unwrap().id;
        for turn in 0..turns {
            for event in turn_events(&format!("{turn}")) {
                let appended = sessions.append_events(&id, Expected::Any, vec![event]);
                assert!(appended.await.unwrap().done().is_some());
            }
        }
        Self {
            sessions,
            id,
            estimator,
        }
    }

    /// A pass that cuts; what was counted on the way.
    async fn pass(&self, compaction: &Compaction) -> Vec<String> {
        let report = self.sessions.compact(&self.id, compaction).await.unwrap();
        assert_eq!(report.outcome, Outcome::Compacted);
        self.estimator.heard()
    }
}

fn turn_events(name: &str) -> [NewEvent; 2] {
    [
        Message::user(format!("question {name}")),
        Message::assistant(format!("answer {name}")),
    ]
    .map(|message| {
        let id = EventId::new(message.text()).unwrap();
        NewEvent::message(id, Timestamp::from_millis(0), message)
    })
}

fn tokens(budget: u64) -> Compaction {
    let window = Window::Tokens { budget, reserve: 0 };
    Compaction::builder(window).build().unwrap()
}

#[test]
fn a_message_is_counted_once_when_it_is_appended() {
    block_on(async {
        let world = World::new(TURNS).await;
        let mut heard = world.estimator.heard();
        assert_eq!(heard.len(), 2 * TURNS);
        heard.sort();
        heard.dedup();
        assert_eq!(heard.len(), 2 * TURNS);
    });
}

#[test]
fn a_pass_counts_no_text_again() {
    block_on(async {
        let world = World::new(TURNS).await;
        world.estimator.heard();
        assert_eq!(world.pass(&tokens(10_000)).await, [""; 0]);
        assert_eq!(world.pass(&tokens(1_000)).await, [""; 0]);
        assert!(world.sessions.view(&world.id).await.unwrap().events().len() < 100);
    });
}

#[test]
fn a_pass_with_a_summary_counts_what_the_summary_says_and_nothing_else() {
    block_on(async {
        let mut counted = Vec::new();
        for turns in [10, TURNS] {
            let world = World::new(turns).await;
            world.estimator.heard();
            let summarized = Compaction::builder(Window::Turns(2))
                .summarizer(Always("They spoke of gates."))
                .build()
                .unwrap();
            counted.push(world.pass(&summarized).await);
            let is_of_the_log = |text: &String| text.contains("question ");
            assert!(!counted.iter().flatten().any(is_of_the_log), "{counted:?}");
        }
        assert!(counted.iter().flatten().any(|text| text.contains("gates")));
        assert_eq!(counted.first(), counted.last());
    });
}

#[test]
fn what_others_wrote_without_a_count_is_counted_by_the_first_pass_only() {
    block_on(async {
        let world = World::new(TURNS).await;
        world.estimator.heard();
        let new = Batch::new(turn_events("of another").to_vec());
        let store = world.sessions.store();
        let appended = store.append(&world.id, Expected::Any, new).await.unwrap();
        assert!(appended.done().is_some());

        let heard = world.pass(&tokens(10_000)).await;
        let said = ["User: question of another", "Assistant: answer of another"];
        assert_eq!(heard, said);
        assert_eq!(world.pass(&tokens(1_000)).await, [""; 0]);
    });
}

/// An estimator that says any number. With a number no database can keep, every message was refused.
struct Says(u64);

impl TokenEstimator for Says {
    fn name(&self) -> &str {
        "says"
    }

    fn estimate(&self, _: &str) -> u64 {
        self.0
    }
}

#[test]
fn no_message_is_refused_for_what_an_estimator_says() {
    for says in [0, 1, u64::MAX] {
        block_on(async {
            let sessions = Sessions::new(MemoryStore::new(), Says(says));
            let session = sessions.create().await.unwrap().id;
            for turn in 0..3 {
                let question = Message::user(format!("question {turn}"));
                sessions.append(&session, question).await.unwrap();
            }
            let window = Window::Tokens {
                budget: u64::MAX,
                reserve: 1,
            };
            for window in [window, Window::Turns(1)] {
                let compaction = Compaction::builder(window).build().unwrap();
                sessions.compact(&session, &compaction).await.unwrap();
            }
            assert_eq!(sessions.view(&session).await.unwrap().events().len(), 1);
        });
    }
}
