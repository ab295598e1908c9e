//! An agent with a tool that is killed in the middle of a turn and goes on where it stood.
//! `cargo run -p session --example agent_loop --features sqlite`
//! The model is scripted; a real one gets `turn.request()`, written as its provider wants it.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::path::Path;
use std::process::{Command, abort};

use compaction_tokens::Bytes4;
use session::{
    Compaction, Happening, Harness, Ledger, Message, SessionId, Sessions, SqliteStore, ToolCall,
    Trigger, Window,
};

const QUESTIONS: [&str; 3] = ["Is it warm in Oslo?", "And in Rome?", "Thank you."];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // The child works on the file it is given, until it dies with a call under way.
    if let [_, file, death] = std::env::args().collect::<Vec<_>>().as_slice() {
        return agent(Path::new(file), Some(death)).await;
    }
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("agent.db");
    let child = Command::new(std::env::current_exe()?)
        .arg(&file)
        .arg("call-2")
        .status()?;
    println!("the first process ended with {child}\n");
    assert!(!child.success());
    agent(&file, None).await
}

/// Answers every question, each in a turn of its own. Turns that are done already are only read.
async fn agent(file: &Path, death: Option<&str>) -> Result<(), Box<dyn Error>> {
    let sessions = Sessions::new(SqliteStore::open(file)?, Bytes4);
    let id = SessionId::new("weather-agent")?;
    sessions
        .find_or_create(sessions.describe(id.clone()))
        .await?;
    let compaction = Compaction::builder(Window::Turns(1))
        .when(Trigger::TurnCount(2))
        .summarizer(Ledger::new(Bytes4))
        .build()?;
    let harness = Harness::new(sessions.clone())
        .with_system(Message::system("You know the weather. Be brief."))
        .with_compaction(compaction)
        .with_observer(|happening| match happening {
            Happening::Appended(event) => println!("  wrote {}", event.id),
            Happening::Passed(report) => println!("  pass: {}", report.outcome.as_str()),
            other => println!("  {other:?}"),
        });

    for (number, question) in (1..).zip(QUESTIONS) {
        println!("turn {number}: {question}");
        // The same turn again, after a crash or a retry, writes nothing twice.
        let name = format!("turn-{number}");
        let mut turn = harness
            .begin_turn(&id, &name, Message::user(question))
            .await?;
        while !turn.is_answered() {
            for call in turn.open_calls() {
                if death == Some(&call.id) {
                    abort();
                }
                let result = weather(&call);
                turn.record(Message::tool_result(call.id, result)).await?;
            }
            let reply = model(number, &turn.request().messages);
            turn.record(reply).await?;
        }
        turn.finish().await?;
    }

    println!("\nthe view:");
    for message in sessions.view(&id).await?.messages() {
        println!("  {}: {}", message.role.as_str(), message.text());
    }
    // Three questions, two of them with a call, its result and an answer; nothing twice.
    let log = sessions.log(&id).await?;
    let written = log
        .iter()
        .filter(|event| event.id.as_str().starts_with("turn-"));
    assert_eq!(written.count(), 4 + 4 + 2);
    Ok(())
}

fn weather(call: &ToolCall) -> &'static str {
    match call.arguments.as_str().contains("Oslo") {
        true => "4 degrees",
        false => "19 degrees",
    }
}

/// Looks the weather up when it is asked for a place, and tells what it found.
fn model(turn: u32, messages: &[Message]) -> Message {
    let asked = messages
        .iter()
        .rfind(|message| message.role.as_str() == "user");
    let question = asked.map(Message::text).unwrap_or_default();
    let found = messages.last().and_then(|last| last.results().next());
    match (found, question.split(" in ").nth(1)) {
        (Some(result), _) => {
            let text: String = result
                .parts
                .iter()
                .filter_map(|part| part.as_text())
                .collect();
            Message::assistant(format!("It has {text}."))
        }
        (None, Some(place)) => {
            let arguments = format!(r#"{{"place":"{}"}}"#, place.trim_end_matches('?'));
            Message::tool_calls([ToolCall::new(format!("call-{turn}"), "weather", arguments)])
        }
        (None, None) => Message::assistant("You are welcome."),
    }
}
