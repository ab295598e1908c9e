//! A pass in the background: the plan with its finished summary is a value that waits in a queue
//! while the conversation goes on, and lands unchanged. `cargo run -p session --example job_queue`
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::collections::VecDeque;
use std::error::Error;

use compaction_tokens::Bytes4;
use session::{
    Compaction, Ledger, MemoryStore, Message, OnConflict, Outcome, PassPlan, Prepared, Sessions,
    Window,
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let sessions = Sessions::new(MemoryStore::new(), Bytes4);
    let id = sessions.create().await?.id;
    for turn in 1..=8 {
        let question = format!("Question {turn}: what of docs/page-{turn}.md?");
        sessions.append(&id, Message::user(question)).await?;
        let answer = format!("It has {turn} errors.");
        sessions.append(&id, Message::assistant(answer)).await?;
    }

    // One process prepares: here a model may take its time.
    let compaction = Compaction::builder(Window::Turns(2))
        .summarizer(Ledger::new(Bytes4))
        .build()?;
    let Prepared::Plan(plan) = sessions.prepare(&id, &compaction).await? else {
        return Err("eight turns are more than two".into());
    };
    let mut queue: VecDeque<String> = VecDeque::from([plan.to_json()?]);

    // Meanwhile the conversation goes on.
    sessions.append(&id, Message::user("And page 9?")).await?;
    sessions.append(&id, Message::assistant("None.")).await?;

    // Another process takes the plan and lands it. Doing so twice changes nothing.
    let job = queue.pop_front().ok_or("there is one job")?;
    let plan = PassPlan::from_json(&job)?;
    for _ in 0..2 {
        let report = sessions.commit(&plan, OnConflict::Rebase).await?;
        assert_eq!(report.outcome, Outcome::Compacted);
    }
    let view = sessions.view(&id).await?;
    for message in view.messages() {
        println!("{}: {}", message.role.as_str(), message.text());
    }
    assert_eq!(view.events().len(), 2 + 4 + 2, "summary, kept, appended");

    // A plan whose ground has changed does not land.
    sessions.undo(&id).await?;
    let Prepared::Plan(late) = sessions.prepare(&id, &compaction).await? else {
        return Err("nine turns are more than two".into());
    };
    let _ = sessions.compact(&id, &compaction).await?;
    let report = sessions.commit(&late, OnConflict::Rebase).await?;
    assert_eq!(report.outcome, Outcome::Stale);
    println!("\nthe late plan is {}", report.outcome.as_str());
    Ok(())
}
