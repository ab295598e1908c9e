//! Sessions on a server: two processes would do the same. One waits for news of a session, the other
//! appends and compacts. `cargo run -p session --example postgres --features postgres -- URL`
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;

use compaction_tokens::Bytes4;
use session::{Compaction, Message, PostgresStore, Sessions, Window};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1);
    let url = url.ok_or("name a database: postgres://user:password@host/database")?;
    let store = PostgresStore::connect(&url).await?;
    let sessions = Sessions::new(store.clone(), Bytes4);
    let id = sessions.create().await?.id;
    let mut news = store.subscribe(&id).await?;

    let writer = {
        let (sessions, id) = (sessions.clone(), id.clone());
        tokio::spawn(async move {
            for turn in 1..=3 {
                let question = Message::user(format!("Question {turn}"));
                sessions.append(&id, question).await?;
            }
            let compaction = Compaction::builder(Window::Turns(1)).build()?;
            sessions.compact(&id, &compaction).await
        })
    };
    // Several appends may come as one piece of news: what counts is how far the log is.
    while let Some(version) = news.next().await {
        println!("the log is at {version}");
        if version.as_u64() == 4 {
            break;
        }
    }
    let report = writer.await??;
    println!("a pass ended: {}", report.outcome.as_str());

    let view = sessions.view(&id).await?;
    assert_eq!(view.events().len(), 1);
    assert!(sessions.delete(&id).await?);
    store.close().await;
    Ok(())
}
