//! A session, a pass over it, and the way back. `cargo run -p session --example quickstart`
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;

use compaction_tokens::{Encoding, Tiktoken};
use session::{Compaction, MemoryStore, Message, Sessions, View, Window};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let sessions = Sessions::new(MemoryStore::new(), Tiktoken::new(Encoding::O200kBase));
    let id = sessions.create().await?.id;
    for (question, answer) in [
        ("Which rooms are free?", "4 and 9."),
        ("Does one have a projector?", "Room 9 has."),
        ("Book it for ten o'clock.", "Room 9 is yours from ten."),
    ] {
        sessions.append(&id, Message::user(question)).await?;
        sessions.append(&id, Message::assistant(answer)).await?;
    }

    // Keep the last turn. Nothing leaves the log, only the view.
    let compaction = Compaction::builder(Window::Turns(1)).build()?;
    let report = sessions.compact(&id, &compaction).await?;
    println!(
        "{}: {} events covered, {} tokens instead of {}",
        report.outcome.as_str(),
        report.covered.len(),
        report.after.tokens,
        report.before.tokens
    );
    show("compacted", &sessions.view(&id).await?);

    sessions.undo(&id).await?;
    show("undone", &sessions.view(&id).await?);
    assert_eq!(sessions.view(&id).await?.events().len(), 6);
    Ok(())
}

fn show(title: &str, view: &View) {
    println!("\n{title}:");
    for message in view.messages() {
        println!("  {}: {}", message.role.as_str(), message.text());
    }
}
