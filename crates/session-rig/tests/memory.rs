//! The memory by itself: what is stored, what a second try does, and what a failing pass does not.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use std::sync::{Arc, Mutex};

use common::{id, in_memory, loaded, over, run};
use futures_executor::block_on;
use rig_core::completion::Message as RigMessage;
use rig_core::memory::{ConversationMemory, MemoryError};
use session::{Clearing, Compaction, Error, MemoryStore, Outcome, SqliteStore, Trigger, Window};
use session_rig::SessionMemory;
use session_store_testkit::{Fault, FaultyStore};
use session_summarizer::{Scripted, SummarizerError};

async fn append(memory: &SessionMemory, messages: Vec<RigMessage>) {
    memory.append(&"thread-1".into(), messages).await.unwrap();
}

/// As rig does it: load, run, append.
async fn turn(memory: &SessionMemory, question: &str, answer: &str) {
    memory.load(&"thread-1".into()).await.unwrap();
    append(memory, run(question, answer)).await;
}

async fn events(memory: &SessionMemory) -> usize {
    memory.sessions().log(&id()).await.unwrap().len()
}

#[test]
fn a_conversation_that_nobody_began_is_empty_and_makes_no_session() {
    block_on(async {
        let memory = in_memory();
        assert!(loaded(&memory).await.is_empty());
        assert!(memory.sessions().find(&id()).await.unwrap().is_none());
        append(&memory, vec![]).await;
        assert!(memory.sessions().find(&id()).await.unwrap().is_none());
    });
}

#[test]
fn what_was_appended_is_loaded() {
    block_on(async {
        let memory = in_memory();
        turn(&memory, "q1", "a1").await;
        turn(&memory, "q2", "a2").await;
        let expected = ["user: q1", "assistant: a1", "user: q2", "assistant: a2"];
        assert_eq!(loaded(&memory).await, expected);
    });
}

#[test]
fn a_run_that_is_appended_again_is_stored_once() {
    block_on(async {
        let memory = in_memory();
        turn(&memory, "q1", "a1").await;
        append(&memory, run("q1", "a1")).await;
        append(&memory, run("q1", "a1")).await;
        assert_eq!(events(&memory).await, 2);

        // By another process too, as long as it did not begin a run of its own.
        let other = SessionMemory::new(memory.sessions().clone());
        append(&other, run("q1", "a1")).await;
        assert_eq!(events(&memory).await, 2);
    });
}

#[test]
fn the_same_words_said_again_are_another_run() {
    block_on(async {
        let memory = in_memory();
        turn(&memory, "go on", "done").await;
        turn(&memory, "go on", "done").await;
        turn(&memory, "go on", "done").await;
        assert_eq!(events(&memory).await, 6);
    });
}

#[test]
fn two_runs_at_once_are_both_stored() {
    block_on(async {
        let memory = in_memory();
        memory.load(&"thread-1".into()).await.unwrap();
        memory.load(&"thread-1".into()).await.unwrap();
        append(&memory, run("q1", "a1")).await;
        append(&memory, run("q2", "a2")).await;
        assert_eq!(events(&memory).await, 4);
        append(&memory, run("q1", "a1")).await;
        append(&memory, run("q2", "a2")).await;
        assert_eq!(
            events(&memory).await,
            4,
            "and once, in whichever order they are tried again"
        );
    });
}

#[test]
fn a_run_is_stored_once_wherever_the_store_fails() {
    for fault in [Fault::Refused, Fault::AnswerLost] {
        // Calls of the store while a run is loaded and appended, each of which fails in turn.
        let calls = block_on(async {
            let store = Arc::new(FaultyStore::new(MemoryStore::new()));
            let memory = SessionMemory::new(over(store.clone()));
            turn(&memory, "go on", "done").await;
            let before = store.calls();
            turn(&memory, "go on", "done").await;
            before + 1..=store.calls()
        });
        for nth in calls {
            block_on(async {
                let store = Arc::new(FaultyStore::new(MemoryStore::new()));
                let memory = SessionMemory::new(over(store.clone()));
                turn(&memory, "go on", "done").await;
                store.set_fault(nth, fault);
                let mut failed = 0;
                while let Err(error) = memory.load(&"thread-1".into()).await {
                    assert!(is_retryable(&error), "{error}");
                    failed += 1;
                }
                while let Err(error) = memory
                    .append(&"thread-1".into(), run("go on", "done"))
                    .await
                {
                    assert!(is_retryable(&error), "{error}");
                    failed += 1;
                }
                assert_eq!(failed, 1, "call {nth}");
                assert_eq!(events(&memory).await, 4, "call {nth}, {fault:?}");
            });
        }
    }
}

fn is_retryable(error: &MemoryError) -> bool {
    let MemoryError::Backend(cause) = error else {
        return false;
    };
    cause
        .downcast_ref::<Error>()
        .is_some_and(Error::is_retryable)
}

#[test]
fn a_failing_pass_fails_no_run_and_is_told() {
    block_on(async {
        let told = Arc::new(Mutex::new(Vec::new()));
        let compaction = Compaction::builder(Window::Turns(1))
            .when(Trigger::TurnCount(2))
            .summarizer(Scripted::always(SummarizerError::unavailable(None)))
            .build()
            .unwrap();
        let seen = told.clone();
        let memory = in_memory()
            .with_compaction(compaction)
            .with_observer(move |id, passed| {
                let how = match passed {
                    Ok(report) => report.outcome.as_str().to_owned(),
                    Err(error) => error.to_string(),
                };
                seen.lock().unwrap().push(format!("{id}: {how}"));
            });
        for at in 0..3 {
            turn(&memory, &format!("q{at}"), "a").await;
        }
        let last = told.lock().unwrap().pop();
        assert_eq!(last.unwrap(), "thread-1: the summarizer failed");
        assert_eq!(
            events(&memory).await,
            6,
            "all runs are there, and no boundary"
        );
    });
}

#[test]
fn a_call_that_waits_puts_the_pass_off_and_stays_out_of_the_history() {
    block_on(async {
        let told = Arc::new(Mutex::new(0));
        let seen = told.clone();
        let compaction = Compaction::builder(Window::Turns(1)).build().unwrap();
        let memory = in_memory()
            .with_compaction(compaction)
            .with_observer(move |_, _| *seen.lock().unwrap() += 1);
        let call = rig_core::message::ToolCall::from_wire(
            "k1",
            rig_core::message::ToolFunction::parse(
                rig_core::message::ToolName::new("weather").unwrap(),
                "{}",
            ),
        );
        append(&memory, vec![RigMessage::user("q"), call.into()]).await;
        assert_eq!(*told.lock().unwrap(), 0);
        assert_eq!(events(&memory).await, 2);
        assert_eq!(loaded(&memory).await, ["user: q"]);
    });
}

#[test]
fn an_answer_that_says_nothing_is_not_stored() {
    block_on(async {
        let memory = in_memory();
        append(&memory, run("q", " \n")).await;
        assert_eq!(loaded(&memory).await, ["user: q"]);
    });
}

#[test]
fn a_history_shows_cleared_results_in_short() {
    block_on(async {
        let clearing = Clearing {
            keep_last: 0,
            larger_than: 50,
        };
        let compaction = Compaction::builder(Window::Turns(9))
            .clear_results(clearing)
            .build()
            .unwrap();
        let memory = in_memory();
        let call = rig_core::message::ToolCall::from_wire(
            "k1",
            rig_core::message::ToolFunction::parse(
                rig_core::message::ToolName::new("weather").unwrap(),
                "{}",
            ),
        );
        let found = rig_core::message::ToolResultContent::text("warm and ".repeat(100));
        let result = RigMessage::User {
            content: vec![rig_core::message::UserContent::ToolResult(
                call.result(vec![found]),
            )],
        };
        let said = vec![
            RigMessage::user("q"),
            call.into(),
            result,
            RigMessage::assistant("a"),
        ];
        append(&memory, said).await;
        turn(&memory, "q2", "a2").await;
        let report = memory.sessions().compact(&id(), &compaction).await.unwrap();
        assert!(
            matches!(report.outcome, Outcome::Compacted),
            "{:?}",
            report.outcome
        );
        let history = loaded(&memory).await;
        assert_eq!(history.len(), 6);
        assert!(
            history[2].starts_with("user: weather gave "),
            "{}",
            history[2]
        );
        assert!(!history[2].contains("warm"), "{}", history[2]);
    });
}

#[test]
fn clearing_a_conversation_deletes_its_session_and_it_can_begin_again() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("s.db")).unwrap();
        let memory = SessionMemory::new(over(store));
        turn(&memory, "q", "a").await;
        memory.clear(&"thread-1".into()).await.unwrap();
        assert!(memory.sessions().find(&id()).await.unwrap().is_none());
        memory.clear(&"thread-1".into()).await.unwrap();
        turn(&memory, "q", "a").await;
        assert_eq!(loaded(&memory).await, ["user: q", "assistant: a"]);
    });
}

#[test]
fn a_conversation_whose_name_cannot_be_an_id_is_an_error() {
    block_on(async {
        let memory = in_memory();
        for name in ["", " ", "a\nb"] {
            let error = memory.load(&name.into()).await.unwrap_err();
            let MemoryError::Backend(cause) = error else {
                panic!("the cause is ours")
            };
            assert!(matches!(cause.downcast_ref(), Some(Error::InvalidId(_))));
        }
    });
}

#[test]
fn system_messages_are_refused_as_the_service_says() {
    block_on(async {
        let memory = in_memory();
        let said = vec![RigMessage::system("Be brief."), RigMessage::user("q")];
        let refused = memory.append(&"thread-1".into(), said.clone()).await;
        let Err(MemoryError::Backend(cause)) = refused else {
            panic!("refused")
        };
        assert!(matches!(
            cause.downcast_ref(),
            Some(Error::SystemMessageRefused { .. })
        ));
        let allowed = memory
            .sessions()
            .clone()
            .with_system_messages(session::SystemMessages::Allowed);
        let memory = SessionMemory::new(allowed);
        append(&memory, said).await;
        assert_eq!(loaded(&memory).await, ["system: Be brief.", "user: q"]);
    });
}

#[test]
fn debug_output_tells_nothing_that_was_said() {
    block_on(async {
        let memory = in_memory();
        turn(&memory, "secret", "secret").await;
        assert!(!format!("{memory:?}").contains("secret"));
    });
}

#[test]
fn a_memory_of_one_owner_neither_sees_nor_touches_anothers_conversation() {
    block_on(async {
        let sessions = over(MemoryStore::new());
        let ann = SessionMemory::new(sessions.scoped("ann"));
        let bob = SessionMemory::new(sessions.scoped("bob"));
        turn(&ann, "q", "a").await;
        assert!(loaded(&bob).await.is_empty());
        assert!(bob.append(&"thread-1".into(), run("q", "b")).await.is_err());
        bob.clear(&"thread-1".into()).await.unwrap();
        assert_eq!(loaded(&ann).await, ["user: q", "assistant: a"]);
    });
}
