//! A session in a file, found again after a restart, searched, and erased.
//! `cargo run -p session --example sqlite --features sqlite`
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::path::Path;

use compaction_tokens::Bytes4;
use session::{Compaction, Message, Sessions, SqliteStore, Window};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("sessions.db");

    let ann = open(&file)?.scoped("ann");
    let id = ann.create().await?.id;
    ann.append(&id, Message::user("My badge number is 4711."))
        .await?;
    ann.append(&id, Message::assistant("Noted.")).await?;
    ann.append(&id, Message::user("Now to something else."))
        .await?;
    let compaction = Compaction::builder(Window::Turns(1)).build()?;
    ann.compact(&id, &compaction).await?;
    drop(ann);

    // Another process, another day.
    let ann = open(&file)?.scoped("ann");
    assert_eq!(ann.view(&id).await?.events().len(), 1);

    // What is covered is still found, by its owner and nobody else.
    let recall = ann.recall(id.clone());
    let found = recall.call(r#"{"query":"badge"}"#).await?;
    println!("{found}");
    assert!(found.contains("4711"));
    assert!(open(&file)?.scoped("bob").view(&id).await.is_err());

    // The text goes for good, its place in the log stays.
    let log = ann.log(&id).await?;
    let badge = log.first().ok_or("the log has four events")?;
    ann.erase(&id, &badge.id).await?;
    assert!(!recall.call(r#"{"query":"badge"}"#).await?.contains("4711"));
    println!("{} events before and after", ann.log(&id).await?.len());
    Ok(())
}

fn open(file: &Path) -> Result<Sessions, Box<dyn Error>> {
    Ok(Sessions::new(SqliteStore::open(file)?, Bytes4))
}
