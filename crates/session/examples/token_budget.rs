//! Staying inside a model's window: when to run, how far to cut, what to keep in reserve, and what
//! happens to one turn that is too large alone. `cargo run -p session --example token_budget`
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;

use compaction_tokens::{Bytes4, ModelRegistry};
use session::{
    Clearing, Compaction, Grain, Ledger, MemoryStore, Message, Sessions, ToolCall, Trigger, Window,
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let models = ModelRegistry::built_in();
    let model = models.find("gpt-4").model().ok_or("register the model")?;
    let usable = model.usable_input();
    println!("{usable} tokens of input are usable");

    // At 80 % of what is usable cut to half of it, and leave an eighth of that to the summary.
    let budget = usable / 2;
    let window = Window::Tokens {
        budget,
        reserve: budget / 8,
    };
    let compaction = Compaction::builder(window)
        .when(Trigger::WindowFraction {
            limit: model.limit,
            reserve_output: model.reserve_output,
            per_mille: 800,
        })
        .clear_results(Clearing {
            keep_last: 3,
            larger_than: 200,
        })
        .grain(Grain::Step)
        .summarizer(Ledger::new(Bytes4))
        .build()?;

    // One turn in which a tool is called again and again.
    let sessions = Sessions::new(MemoryStore::new(), Bytes4);
    let id = sessions.create().await?.id;
    let question = Message::user("Why does the build of crates/parser fail?");
    sessions.append(&id, question).await?;
    for step in 1..=60 {
        let call = format!("call_{step}");
        let arguments = format!(r#"{{"path":"crates/parser/src/rule_{step}.rs"}}"#);
        let read = ToolCall::new(call.as_str(), "read_file", arguments.as_str());
        sessions.append(&id, Message::tool_calls([read])).await?;
        let text = "fn rule() { /* a line of code */ }\n".repeat(30);
        sessions
            .append(&id, Message::tool_result(call, text))
            .await?;

        let report = sessions.compact(&id, &compaction).await?;
        if report.fired {
            println!(
                "after step {step}: {} tokens became {} ({} cleared, {} covered)",
                report.before.tokens,
                report.after.tokens,
                report.cleared.len(),
                report.covered.len()
            );
            assert!(report.after.tokens <= budget);
        }
    }
    let view = sessions.view(&id).await?;
    println!("\nthe view begins:");
    for message in view.messages().take(3) {
        let text = message.text();
        let line: String = text.lines().take(12).collect::<Vec<_>>().join("\n    ");
        println!("  {}: {line}", message.role.as_str());
    }
    Ok(())
}
