//! Appending event by event to SQLite, and loading what a model is shown.

use std::path::Path;
use std::time::Instant;

use cpu_time::ProcessTime;
use futures_executor::block_on;
use session_log::{
    Boundary, EventBody, EventId, Json, NewEvent, Receipt, Seq, SessionId, Timestamp, Version,
};
use session_store::{Batch, Expected, NewSession, SessionStore as _, SessionStoreExt as _};
use session_store_sqlite::{Durability, SqliteOptions, SqliteStore};

use crate::data::{Conversation, Line};
use crate::line::Peer;

const SHOWN: u64 = 100;

/// One round in a new database of this durability.
pub fn measure(conversation: &Conversation, folder: &Path, durability: &str) {
    let (name, durability, count) = match durability {
        "FULL" => ("ours, `synchronous=FULL`", Durability::Full, 3_000),
        _ => ("ours, `synchronous=NORMAL`", Durability::Normal, 10_000),
    };
    let version = "this tree";
    let path = folder.join(format!("ours-{durability:?}.db"));
    let lines = &conversation.messages[..count];
    run(Peer { name, version }, lines, &path, durability);
}

fn run(peer: Peer, lines: &[Line], path: &Path, durability: Durability) {
    let options = SqliteOptions::default().with_durability(durability);
    let store = SqliteStore::open_with(path, options).unwrap();
    let id = SessionId::new("one").unwrap();
    let new = NewSession::new(id.clone(), Timestamp::from_millis(0));
    let _ = block_on(store.create(new)).unwrap();
    let count = lines.len();
    let lines = lines.iter().enumerate();
    let events: Vec<NewEvent> = lines.map(|(at, line)| line.event(at)).collect();

    let begin = (Instant::now(), ProcessTime::now());
    for (version, event) in (0..).zip(events) {
        let expected = Expected::Exact(Version::new(version));
        let appended = block_on(store.append(&id, expected, Batch::from(event)));
        assert!(appended.unwrap().done().is_some());
    }
    let (wall, cpu) = (begin.0.elapsed(), begin.1.elapsed());
    let each = count as u32;
    peer.store("append", count, wall / each, cpu / each);

    // What makes it searchable; it is done when nothing is written.
    let begin = (Instant::now(), ProcessTime::now());
    block_on(store.update_index()).unwrap();
    let (wall, cpu) = (begin.0.elapsed(), begin.1.elapsed());
    peer.store("index", count, wall / each, cpu / each);

    let kept_from = Seq::new(count as u64 - SHOWN + 1).unwrap();
    let receipt = Receipt::new(Json::null(), Json::null(), "none");
    let boundary = Boundary::new(kept_from, receipt);
    let body = EventBody::Compaction(Box::new(boundary));
    let boundary = NewEvent::new(
        EventId::new("boundary").unwrap(),
        Timestamp::from_millis(0),
        body,
    );
    let _ = block_on(store.append(&id, Expected::Any, Batch::from(boundary))).unwrap();

    block_on(store.update_index()).unwrap();
    let loads = 1_000;
    let begin = (Instant::now(), ProcessTime::now());
    for _ in 0..loads {
        let (_, events) = block_on(store.load(&id)).unwrap().unwrap();
        assert_eq!(events.len(), SHOWN as usize + 1); // and the boundary
    }
    let (wall, cpu) = (begin.0.elapsed(), begin.1.elapsed());
    peer.store("load", count, wall / loads, cpu / loads);
}
