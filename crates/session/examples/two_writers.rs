//! Two writers on one session: who appends says at which version, and of two passes exactly one
//! lands. `cargo run -p session --example two_writers`
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;

use compaction_tokens::Bytes4;
use session::{
    Appended, Compaction, EventId, Expected, MemoryStore, Message, NewEvent, OnConflict, Outcome,
    Prepared, Sessions, Timestamp, Window,
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let sessions = Sessions::new(MemoryStore::new(), Bytes4);
    let id = sessions.create().await?.id;
    let event = |name: &str, text: &str| -> Result<NewEvent, session::Error> {
        let at = Timestamp::from_millis(1_700_000_000_000);
        Ok(NewEvent::message(
            EventId::new(name)?,
            at,
            Message::user(text),
        ))
    };

    // Both saw version 0. The second one is told, and nothing of it is written.
    let expected = Expected::Exact(session::Version::EMPTY);
    let ann = vec![event("ann/1", "I go first.")?];
    let bob = vec![event("bob/1", "So do I.")?];
    let first = sessions.append_events(&id, expected, ann.clone()).await?;
    assert!(matches!(first, Appended::Done(_)));
    match sessions.append_events(&id, expected, bob.clone()).await? {
        Appended::Conflict { actual } => println!("Bob was late: the log is at {actual}"),
        Appended::Done(_) => return Err("both came first".into()),
    }

    // Whoever does not care says so. Sending the same event again changes nothing.
    let _ = sessions
        .append_events(&id, Expected::Any, bob.clone())
        .await?;
    let _ = sessions.append_events(&id, Expected::Any, bob).await?;
    let _ = sessions.append_events(&id, expected, ann).await?;
    assert_eq!(sessions.log(&id).await?.len(), 2);

    // Two passes over the same view: one boundary, and no error.
    let compaction = Compaction::builder(Window::Turns(1)).build()?;
    let mut plans = Vec::new();
    for _ in 0..2 {
        if let Prepared::Plan(plan) = sessions.prepare(&id, &compaction).await? {
            plans.push(plan);
        }
    }
    for plan in &plans {
        let report = sessions.commit(plan, OnConflict::Rebase).await?;
        println!("a pass ends: {}", report.outcome.as_str());
    }
    let last = plans.last().ok_or("there were two plans")?;
    let again = sessions.commit(last, OnConflict::Rebase).await?;
    assert_eq!(again.outcome, Outcome::Stale);
    assert_eq!(sessions.log(&id).await?.len(), 3);
    Ok(())
}
