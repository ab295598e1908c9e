//! A file in which bytes are not what they were, or that ends too early: whoever looks at it hears an
//! error, is told by the doctor, or gets the right answer. Nobody waits for ever and nothing panics.
//!
//! SQLite keeps no checksums, so a letter that became another letter inside a text is something nobody
//! can tell, and neither is one in the index of words. `FLIPS` sets how many files are tried; the
//! default is 150.

use std::error::Error as _;
use std::fmt::Debug;

use session_log::{EventBody, Message, SessionId, Timestamp};
use session_store::{
    Batch, EventQuery, Expected, Keywords, NewSession, Scope, SearchQuery, Session, SessionQuery,
    SessionStore, SessionStoreExt as _, StoreError,
};
use session_store_sqlite::{SqliteOptions, SqliteStore};
use session_store_testkit::make::{assistant, at, boundary, seq, sid, tokens, user};

use crate::common::{Folder, run};

#[test]
fn whoever_looks_at_a_changed_file_is_told_or_gets_the_right_answer() {
    let rounds = std::env::var("FLIPS").map_or(150, |rounds| rounds.parse().unwrap());
    let folder = Folder::new();
    let mut whole = Seen::default();
    run(async {
        fill(&folder).await;
        let store = SqliteStore::open(folder.path()).unwrap();
        whole = look(&store).await.unwrap();
        assert_eq!(store.doctor().await.unwrap(), []);
    });
    let bytes = std::fs::read(folder.path()).unwrap();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..rounds {
        let mut changed = bytes.clone();
        if round % 5 == 0 {
            changed.truncate(random.below(bytes.len()));
        } else {
            for _ in 0..=random.below(6) {
                let place = random.below(changed.len());
                changed[place] ^= 1 << random.below(8);
            }
        }
        let folder = Folder::new();
        std::fs::write(folder.path(), &changed).unwrap();
        run(check(&folder, &whole, round));
    }
}

/// What can be seen of a store, but for the text of messages, which nobody vouches for.
#[derive(Clone, Debug, Default, PartialEq)]
struct Seen {
    sessions: Vec<(SessionId, Option<String>, Timestamp, u64)>,
    logs: Vec<String>,
    records: Vec<String>,
    found: Vec<String>,
}

async fn check(folder: &Folder, whole: &Seen, round: usize) {
    let options = SqliteOptions::default().with_readers(1);
    let store = match SqliteStore::open_with(folder.path(), options) {
        Ok(store) => store,
        Err(error) => return assert!(!error.is_retryable(), "{error:?} in round {round}"),
    };
    let seen = look(&store).await;
    let findings = store.doctor().await;
    if let (Ok(seen), Ok(findings)) = (&seen, &findings)
        && findings.is_empty()
    {
        assert_eq!(seen.sessions, whole.sessions, "in round {round}");
        assert_eq!(seen.logs, whole.logs, "in round {round}");
        // Where the text is the same, so is what is found in it.
        if seen.records == whole.records {
            assert_eq!(seen.found, whole.found, "in round {round}");
        }
    }
    for error in [seen.err(), findings.err()].into_iter().flatten() {
        assert_told(&error, round);
    }
    // Writing is refused or works.
    let next = Batch::from(user("next", "next"));
    told(store.append(&sid("s1"), Expected::Any, next).await, round);
    let tombstone = EventBody::Message(Message::user(""));
    told(store.erase(&sid("s1"), seq(1), tombstone).await, round);
    told(store.update_index().await, round);
    told(store.delete(&sid("s0")).await, round);
    told(store.sweep(at(1_000)).await, round);
    told(store.doctor().await, round);
}

fn told<T: Debug>(answer: Result<T, StoreError>, round: usize) {
    if let Err(error) = answer {
        assert_told(&error, round);
    }
}

/// A thread that panicked has ended.
fn assert_told(error: &StoreError, round: usize) {
    let source = error.source().map(ToString::to_string).unwrap_or_default();
    assert!(!source.contains("thread has ended"), "in round {round}");
    assert!(!error.is_retryable(), "{error:?} in round {round}");
}

async fn look(store: &SqliteStore) -> Result<Seen, StoreError> {
    let mut seen = Seen::default();
    let sessions = store.all_sessions(SessionQuery::all()).await?;
    let shown = |it: &Session| {
        let version = it.head.version.as_u64();
        (it.id.clone(), it.owner.clone(), it.created_at, version)
    };
    seen.sessions = sessions.iter().map(shown).collect();
    for id in ["s0", "s1", "s2"] {
        for event in store.read_all(&sid(id), EventQuery::all()).await? {
            let role = event.as_message().map(|message| message.role.clone());
            let shown = (event.seq, &event.id, event.event_type(), role);
            seen.logs.push(format!("{shown:?}"));
            let event = session_log::Event::clone(&event).into_new();
            seen.records
                .push(session_log::wire::encode(&event).unwrap());
        }
        store.load(&sid(id)).await?;
        store.read(&sid(id), &EventQuery::all().lenient()).await?;
    }
    for scope in [Scope::Session(sid("s1")), Scope::Owner("ann".into())] {
        for word in ["plum number", "pl", "nowhere"] {
            let query = SearchQuery::new([word]).with_keywords(Keywords::All);
            for hit in store.search_all(&scope, query).await? {
                // Looked for without the index.
                if word == "pl" {
                    seen.found
                        .push(format!("{} {}", hit.session, hit.event.seq));
                }
            }
        }
    }
    Ok(seen)
}

/// A closed database with a bit of everything, most of it in the index.
async fn fill(folder: &Folder) {
    let store = SqliteStore::open(folder.path()).unwrap();
    for (id, created) in [("s0", 3), ("s1", 2), ("s2", 1)] {
        let new = NewSession::new(sid(id), at(created))
            .with_owner("ann")
            .with_expiry(at(500))
            .with_attribute("agent", "support");
        let _ = store.create(new).await.unwrap();
        for part in 0..3 {
            let mut events = Vec::new();
            for number in 0..10 {
                let name = |what: &str| format!("{id}/{part}/{number}/{what}");
                let text = format!("where is plum number {number}?").repeat(3);
                events.push(user(&name("u"), &text).with_tokens(tokens(9)));
                events.push(assistant(&name("a"), "here").with_tokens(tokens(2)));
            }
            events.push(boundary(&format!("{id}/{part}/b"), 5, &[1]));
            let batch = Batch::new(events);
            let _ = store.append(&sid(id), Expected::Any, batch).await.unwrap();
            if part == 1 {
                store.update_index().await.unwrap();
            }
        }
    }
}

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}
