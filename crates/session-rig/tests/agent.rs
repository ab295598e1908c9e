//! A real agent of rig on the memory, with a model that answers from a script: runs with a tool,
//! a pass in between, and a new process that goes on.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use std::convert::Infallible;
use std::path::Path;

use common::{id, over, short};
use futures_executor::block_on;
use rig_agent::tool::{Tool, ToolContext};
use rig_agent::{Agent, AgentBuilder};
use rig_core::test_utils::{MockCompletionModel, MockTurn};
use serde_json::json;
use session::{Compaction, Outcome, Reason, Sessions, SqliteStore, Trigger, Window};
use session_rig::SessionMemory;
use session_summarizer::{Answer, Scripted};

struct Weather;

impl Tool for Weather {
    const NAME: &'static str = "weather";
    type Args = serde_json::Value;
    type Output = String;
    type Error = Infallible;

    fn description(&self) -> String {
        "The weather in a city".into()
    }

    fn parameters(&self) -> serde_json::Value {
        json!({"type": "object", "properties": {"city": {"type": "string"}}})
    }

    async fn call(
        &self,
        _context: &mut ToolContext,
        arguments: serde_json::Value,
    ) -> Result<String, Infallible> {
        Ok(format!("21 degrees in {}", arguments["city"]))
    }
}

fn open(path: &Path) -> Sessions {
    over(SqliteStore::open(path).unwrap())
}

fn memory(sessions: Sessions, summaries: &[&str]) -> SessionMemory {
    let compaction = Compaction::builder(Window::Turns(1))
        .when(Trigger::TurnCount(2))
        .summarizer(Scripted::new(
            summaries.iter().map(|text| Answer::text(*text)),
        ))
        .build()
        .unwrap();
    SessionMemory::new(sessions).with_compaction(compaction)
}

fn agent(memory: SessionMemory, model: &MockCompletionModel) -> Agent {
    AgentBuilder::new(model.clone())
        .preamble("Be brief.")
        .tool(Weather)
        .memory(memory)
        .conversation("thread-1")
        .build()
}

async fn ask(agent: &Agent, question: &str) -> String {
    let response = agent.prompt(question).max_turns(3).await.unwrap();
    assert!(response.memory_append().unwrap().is_acknowledged());
    response.output()
}

/// What the model was shown last.
fn shown(model: &MockCompletionModel) -> Vec<String> {
    let requests = model.requests();
    requests
        .last()
        .unwrap()
        .chat_history
        .iter()
        .map(short)
        .collect()
}

const LONG: &str = "Tell me in many words what the weather is like in the city by the fjord, since \
                    I want to know whether to take a coat, a hat, both or neither of them today";

#[test]
fn an_agent_remembers_compacts_and_goes_on_in_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.db");

    block_on(async {
        let sessions = open(&path);
        let model = MockCompletionModel::from_turns([
            MockTurn::tool_call("k1", "weather", json!({"city": "Oslo"})),
            MockTurn::text("It is warm."),
            MockTurn::text("Neither."),
            MockTurn::text("You are welcome."),
            MockTurn::text("Goodbye."),
        ]);
        let agent = agent(
            memory(sessions.clone(), &["Oslo: 21 degrees, no coat."]),
            &model,
        );

        assert_eq!(ask(&agent, LONG).await, "It is warm.");
        let all = sessions.log(&id()).await.unwrap();
        assert_eq!(all.len(), 4, "question, call, result, answer");
        assert_eq!(ask(&agent, "A coat?").await, "Neither.");
        let whole = [
            format!("user: {LONG}"),
            "assistant: calls weather".into(),
            "user: weather gave 21 degrees in \"Oslo\"".into(),
            "assistant: It is warm.".into(),
            "user: A coat?".into(),
        ];
        assert!(shown(&model).ends_with(&whole), "{:?}", shown(&model));

        // The third turn is one more than two: a pass puts the first two behind a summary.
        assert_eq!(ask(&agent, "Thanks").await, "You are welcome.");
        assert_eq!(
            sessions.log(&id()).await.unwrap().len(),
            8 + 3,
            "a boundary, and its summary"
        );
        assert_eq!(ask(&agent, "Bye").await, "Goodbye.");
        let folded = [
            "user: Summarize the conversation we had so far.",
            "assistant: Oslo: 21 degrees, no coat.",
            "user: Thanks",
            "assistant: You are welcome.",
            "user: Bye",
        ];
        assert!(
            shown(&model).ends_with(&folded.map(String::from)),
            "{:?}",
            shown(&model)
        );
        assert_eq!(model.request_count(), 5);
    });

    block_on(async {
        let sessions = open(&path);
        let model = MockCompletionModel::from_turns([MockTurn::text("No coat.")]);
        let agent = agent(memory(sessions.clone(), &["Oslo again."]), &model);
        assert_eq!(ask(&agent, "What did you say?").await, "No coat.");
        let shown = shown(&model);
        assert!(
            shown.contains(&"assistant: Oslo: 21 degrees, no coat.".to_owned()),
            "{shown:?}"
        );
        assert_eq!(shown.last().unwrap(), "user: What did you say?");

        // Nothing left the log, and the pass can be undone.
        let log = sessions.log(&id()).await.unwrap();
        let first = log[0].as_message().unwrap();
        assert_eq!(first.text(), LONG);
        let report = sessions.compact(&id(), &always()).await.unwrap();
        assert!(
            matches!(report.outcome, Outcome::Unchanged(Reason::FitsWindow)),
            "{:?}",
            report.outcome
        );
    });
}

fn always() -> Compaction {
    Compaction::builder(Window::Turns(9)).build().unwrap()
}

#[test]
fn a_run_that_failed_leaves_no_trace_and_the_next_one_is_stored() {
    block_on(async {
        let memory = common::in_memory();
        let sessions = memory.sessions().clone();
        let model =
            MockCompletionModel::from_turns([MockTurn::error("overloaded"), MockTurn::text("a")]);
        let agent = agent(memory, &model);
        agent.prompt("q").await.unwrap_err();
        assert!(sessions.find(&id()).await.unwrap().is_none());
        assert_eq!(ask(&agent, "q").await, "a");
        assert_eq!(sessions.log(&id()).await.unwrap().len(), 2);
    });
}
