//! Logs of a thousand events and of many more: what must not grow with the log.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use session_log::{EventId, Message, NewEvent, Timestamp};
use session_store::{Batch, Expected, Scope, SearchQuery, SessionStore as _, SessionStoreExt as _};
use session_store_sqlite::SqliteStore;
use session_store_testkit::block_on;
use session_store_testkit::make::boundary;

use crate::table::{count, line, middle, millis, most_memory, ratio, target};
use crate::{Part, event, id, new_session};

/// How many of the newest events a pass keeps, beside two that are pinned.
const KEPT: u64 = 100;

pub(crate) async fn compare(folder: &Path, lengths: &[u64], parts: &[Part]) {
    let mut logs = Vec::new();
    for length in lengths {
        let path = folder.join(format!("{length}.db"));
        logs.push(Log::write(path, *length).await);
    }
    if parts.contains(&Part::Search) {
        for log in &logs {
            log.search_all().await;
        }
    }
    if !parts.contains(&Part::View) {
        return;
    }
    // In turns, so that a busy machine hits all of them.
    for _ in 0..300 {
        for log in &mut logs {
            log.load().await;
        }
    }
    for round in 0..30 {
        for log in &mut logs {
            log.pass(&format!("pass {round}")).await;
        }
    }
    let results: Vec<Results> = logs.into_iter().map(Log::finish).collect();
    if let Some((first, others)) = results.split_first() {
        others.iter().for_each(|other| other.against(first));
    }
}

/// One log, and the times of what was done with it.
struct Log {
    length: u64,
    path: PathBuf,
    store: SqliteStore,
    loads: Vec<Duration>,
    heads: Vec<Duration>,
    passes: Vec<Duration>,
    /// The most rows that were read for a pass.
    rows: u64,
}

impl Log {
    async fn write(path: PathBuf, length: u64) -> Self {
        let store = SqliteStore::open(&path).unwrap();
        let _ = store.create(new_session()).await.unwrap();
        let begin = Instant::now();
        let mut next = 0;
        while next < length {
            let end = (next + 500).min(length);
            let mut events: Vec<NewEvent> = (next..end).map(event).collect();
            if next == 0 {
                events.push(needle());
            }
            let outcome = store.append(&id(), Expected::Any, Batch::new(events)).await;
            assert!(outcome.unwrap().done().is_some());
            next = end;
        }
        let each = u32::try_from(length).unwrap();
        let imported = begin.elapsed();
        line(&format!("{length}: an event, imported"), imported, each);
        let begin = Instant::now();
        store.update_index().await.unwrap();
        let indexed = begin.elapsed();
        let what = format!("{length}: an event, rest of the index");
        line(&what, indexed, each);
        let mut log = Self {
            length,
            path,
            store,
            loads: Vec::new(),
            heads: Vec::new(),
            passes: Vec::new(),
            rows: 0,
        };
        // The first one reads the whole log: nothing is compacted yet.
        log.pass("first").await;
        log.passes.clear();
        log.rows = 0;
        log
    }

    async fn load(&mut self) {
        let begin = Instant::now();
        let (_, events) = self.store.load(&id()).await.unwrap().unwrap();
        self.loads.push(begin.elapsed());
        assert!(events.len() > 100);
        let begin = Instant::now();
        assert!(self.store.head(&id()).await.unwrap().is_some());
        self.heads.push(begin.elapsed());
    }

    async fn pass(&mut self, name: &str) {
        let begin = Instant::now();
        let rows = pass(&self.store, name).await;
        self.passes.push(begin.elapsed());
        self.rows = self.rows.max(rows);
    }

    /// The worst page of a word, by session and by owner.
    async fn search(&self, word: &str, rounds: u32) -> Duration {
        let mut worst = Duration::ZERO;
        for scope in [Scope::Session(id()), Scope::Owner("ann".into())] {
            let query = SearchQuery::new([word]);
            let mut hits = 0;
            let mut times = Vec::new();
            for _ in 0..rounds {
                let begin = Instant::now();
                hits = self.store.search(&scope, &query).await.unwrap().items.len();
                times.push(begin.elapsed());
            }
            let name = match scope {
                Scope::Session(_) => "session",
                _ => "owner",
            };
            let length = self.length;
            let what = format!("{length}: a page of {word:?} in the {name}, {hits} hits");
            let time = middle(times);
            line(&what, time, 1);
            worst = worst.max(time);
        }
        worst
    }

    async fn search_all(&self) {
        let rare = self.search("needle", 20).await;
        for (word, rounds) in [
            ("room 976", 20),
            ("invoice", 20),
            ("qx", 3),
            ("xyzzy plugh", 20),
        ] {
            self.search(word, rounds).await;
        }
        let what = format!("a rare word at {}", self.length);
        target(&what, millis(rare), 20.0, "ms");
    }

    fn finish(self) -> Results {
        let Self {
            length,
            path,
            store,
            loads,
            heads,
            passes,
            rows,
        } = self;
        drop(store);
        let opens = (0..5).map(|_| {
            let begin = Instant::now();
            let store = SqliteStore::open(&path).unwrap();
            let open = begin.elapsed();
            drop(store);
            open
        });
        let open = middle(opens.collect());
        let results = Results {
            length,
            load: middle(loads),
            head: middle(heads),
            pass: middle(passes),
            rows,
            open,
            memory: memory_apart(&path),
        };
        results.print(std::fs::metadata(&path).unwrap().len());
        results
    }
}

/// What a pass of a plain window asks of the store: the view, and one append. Gives how many rows
/// it was handed.
async fn pass(store: &SqliteStore, name: &str) -> u64 {
    let (session, events) = store.load(&id()).await.unwrap().unwrap();
    let version = session.head.version;
    let kept = version.as_u64() + 1 - KEPT;
    let batch = Batch::from(boundary(name, kept, &[1, 2]));
    let outcome = store.append(&id(), Expected::Exact(version), batch).await;
    assert_eq!(outcome.unwrap().done().unwrap().new, 1);
    u64::try_from(events.len()).unwrap() + 1
}

/// Opens the store and runs a pass in a process of its own, whose memory has seen nothing else.
fn memory_apart(path: &Path) -> Option<u64> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output = command.arg(ALONE).arg(path).output().unwrap();
    assert!(output.status.success());
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}

/// What that process does.
pub(crate) fn pass_alone(path: &str) {
    block_on(Box::pin(async {
        let store = SqliteStore::open(path).unwrap();
        pass(&store, "alone").await;
    }));
    if let Some(kib) = most_memory() {
        println!("{kib}");
    }
}

/// The argument that asks for it.
pub(crate) const ALONE: &str = "one-pass";

fn needle() -> NewEvent {
    let id = EventId::new("needle").unwrap();
    let message = Message::user("a needle in the stack");
    NewEvent::message(id, Timestamp::from_millis(0), message)
}

struct Results {
    length: u64,
    load: Duration,
    head: Duration,
    pass: Duration,
    rows: u64,
    open: Duration,
    /// In KiB, of a process that opens the store and runs one pass.
    memory: Option<u64>,
}

impl Results {
    fn print(&self, bytes: u64) {
        let of = |what: &str| format!("{}: {what}", self.length);
        line(&of("load a view of 100"), self.load, 1);
        line(&of("read the head, as a trigger does"), self.head, 1);
        line(&of("a plain pass: load and append"), self.pass, 1);
        count(&of("a plain pass reads"), self.rows, "rows");
        line(&of("open"), self.open, 1);
        match self.memory {
            Some(kib) => count(&of("memory of a process that runs a pass"), kib, "KiB"),
            None => println!("{}: the system does not tell memory", self.length),
        }
        count(&of("the file"), bytes / self.length, "bytes an event");
    }

    fn against(&self, short: &Self) {
        let growth = format!("{} against {} events", self.length, short.length);
        for (what, long, short) in [
            ("load a view", self.load, short.load),
            ("a trigger's row", self.head, short.head),
            ("a plain pass", self.pass, short.pass),
        ] {
            target(&format!("{what}, {growth}"), ratio(long, short), 1.3, "×");
        }
        let of = |what: &str| format!("{what} at {}", self.length);
        // The head, what is kept, what is pinned, and the boundary.
        let most = u32::try_from(KEPT + 4).map_or(0.0, f64::from);
        let rows = u32::try_from(self.rows).map_or(f64::INFINITY, f64::from);
        target(&of("rows of a plain pass"), rows, most, "rows");
        target(&of("open"), millis(self.open), 50.0, "ms");
        if let (Some(long), Some(short)) = (self.memory, short.memory) {
            let more = u32::try_from(long.saturating_sub(short)).map_or(f64::INFINITY, f64::from);
            let what = format!("memory of a pass, {growth}, more by");
            target(&what, more / 1024.0, 4.0, "MiB");
        }
    }
}
