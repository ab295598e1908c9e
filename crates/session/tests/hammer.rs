//! Two processes of four threads each hammer one session with appends, passes, undoing and reading,
//! on SQLite and on PostgreSQL: no error reaches a caller, nothing is lost or doubled, and as many
//! boundaries are in the log as passes landed. `HAMMER_ROUNDS` sets how long; the default is 25.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

#[path = "../../session-store-postgres/tests/common/cluster.rs"]
mod cluster;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use compaction_tokens::Bytes4;
use session::{
    Appended, Compaction, EventId, EventType, Expected, Message, NewEvent, OnConflict, Outcome,
    PostgresStore, Prepared, SessionId, Sessions, SqliteStore, Timestamp, ToolCall, View, Window,
};
use tokio::runtime::{Builder, Runtime};

const PROCESSES: usize = 2;
const THREADS: usize = 4;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, role, backend, address, process] = arguments.as_slice()
        && role == "hammer"
    {
        return work(backend, address, process);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.db");
    hammer("sqlite", file.to_str().unwrap());
    let server = cluster::Cluster::start("");
    hammer("postgres", &server.url("postgres"));
    example(&server.url("postgres"));
}

/// Runs the example that needs a server, since here is one. Cargo builds it beside the tests.
fn example(url: &str) {
    let test = std::env::current_exe().unwrap();
    let folder = test
        .parent()
        .and_then(Path::parent)
        .unwrap()
        .join("examples");
    let ended = Command::new(folder.join("postgres")).arg(url).status();
    assert!(
        ended
            .expect("a whole `cargo test` builds the example")
            .success()
    );
}

fn rounds() -> usize {
    std::env::var("HAMMER_ROUNDS").map_or(25, |rounds| rounds.parse().unwrap())
}

fn runtime() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

async fn open(backend: &str, address: &str) -> Sessions {
    match backend {
        "sqlite" => Sessions::new(SqliteStore::open(address).unwrap(), Bytes4),
        _ => Sessions::new(PostgresStore::connect(address).await.unwrap(), Bytes4),
    }
}

fn session() -> SessionId {
    SessionId::new("s").unwrap()
}

/// Starts the processes, adds up what they say they did, and looks at what is there.
fn hammer(backend: &str, address: &str) {
    let started: Vec<Child> = (0..PROCESSES)
        .map(|process| {
            Command::new(std::env::current_exe().unwrap())
                .args(["hammer", backend, address, &process.to_string()])
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut landed = 0;
    let mut undone = 0;
    for process in started {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success(), "{backend}: a process failed");
        let said = String::from_utf8(output.stdout).unwrap();
        let mut numbers = said
            .split_whitespace()
            .map(|number| number.parse::<usize>().unwrap());
        landed += numbers.next().unwrap();
        undone += numbers.next().unwrap();
    }
    runtime().block_on(check(backend, address, landed, undone));
}

async fn check(backend: &str, address: &str, landed: usize, undone: usize) {
    let sessions = open(backend, address).await;
    let log = sessions.log(&session()).await.unwrap();
    let seqs = log.iter().map(|event| event.seq.as_u64());
    assert!(seqs.eq(1..=log.len() as u64), "places without a gap");
    let ids: BTreeSet<&EventId> = log.iter().map(|event| &event.id).collect();
    assert_eq!(ids.len(), log.len(), "no event twice");
    let count = |event_type: EventType| {
        log.iter()
            .filter(|event| event.event_type() == event_type)
            .count()
    };
    let turns = PROCESSES * THREADS * rounds();
    assert_eq!(count(EventType::MESSAGE), turns * 4, "no message lost");
    assert_eq!(
        count(EventType::COMPACTION),
        landed,
        "one boundary a landed pass"
    );
    assert_eq!(count(EventType::REVERT), undone);
    let view = sessions.view(&session()).await.unwrap();
    assert_eq!(
        view,
        View::fold(log.iter().cloned()),
        "the view is the fold"
    );
    check_view(&view);
    println!("{backend}: {turns} turns, {landed} passes landed, {undone} were undone");
}

/// What every view has, whoever is writing.
fn check_view(view: &View) {
    assert!(view.missing().is_empty());
    let pairs = compaction_core::pairs(view.events());
    assert!(pairs.orphans.is_empty(), "a result without its call");
    assert!(
        pairs.calls.iter().all(|pair| pair.result.is_some()),
        "a call without its result"
    );
    let seqs: Vec<_> = view.events().iter().map(|event| event.seq).collect();
    assert!(seqs.is_sorted(), "{seqs:?}");
}

fn work(backend: &str, address: &str, process: &str) {
    let runtime = runtime();
    let sessions = runtime.block_on(async {
        let sessions = open(backend, address).await;
        sessions
            .find_or_create(sessions.describe(session()))
            .await
            .unwrap();
        sessions
    });
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            let (sessions, name) = (sessions.clone(), format!("{process}/{thread}"));
            let handle = runtime.handle().clone();
            std::thread::spawn(move || handle.block_on(caller(&sessions, &name, thread)))
        })
        .collect();
    let done: Vec<_> = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();
    let landed: usize = done.iter().map(|(landed, _)| landed).sum();
    let undone: usize = done.iter().map(|(_, undone)| undone).sum();
    println!("{landed} {undone}");
}

/// One turn a round, and between them passes of each kind; says how many landed and how many
/// boundaries it took back.
async fn caller(sessions: &Sessions, name: &str, thread: usize) -> (usize, usize) {
    let id = session();
    let window = Compaction::builder(Window::Turns(3)).build().unwrap();
    let (mut landed, mut undone) = (0, 0);
    for round in 0..rounds() {
        say(sessions, turn(&format!("{name}/{round}")), round % 2 == 0).await;
        let outcome = match (round + thread) % 4 {
            0 => sessions.compact(&id, &window).await.unwrap().outcome,
            1 => match sessions.prepare(&id, &window).await.unwrap() {
                Prepared::Plan(plan) => {
                    let rebase = sessions.commit(&plan, OnConflict::Rebase).await;
                    rebase.unwrap().outcome
                }
                Prepared::Nothing(report) => report.outcome,
            },
            2 => match sessions.prepare(&id, &window).await.unwrap() {
                Prepared::Plan(plan) => {
                    let skip = sessions.commit(&plan, OnConflict::Skip).await;
                    skip.unwrap().outcome
                }
                Prepared::Nothing(report) => report.outcome,
            },
            _ => {
                if round % 8 == 3 && sessions.undo(&id).await.unwrap().is_some() {
                    undone += 1;
                }
                Outcome::NotTriggered
            }
        };
        landed += usize::from(outcome == Outcome::Compacted);
        check_view(&sessions.view(&id).await.unwrap());
    }
    (landed, undone)
}

/// A turn with a call and its result: four events that go in whole.
fn turn(name: &str) -> Vec<NewEvent> {
    let messages = [
        Message::user("Is it warm?"),
        Message::tool_calls([ToolCall::new(name, "weather", "{}")]),
        Message::tool_result(name, "24 degrees"),
        Message::assistant("It is."),
    ];
    let event = |(place, message)| {
        let id = EventId::new(format!("{name}/{place}")).unwrap();
        NewEvent::message(id, Timestamp::from_millis(0), message)
    };
    messages.into_iter().enumerate().map(event).collect()
}

/// Appends, at whatever version or at the one just read.
async fn say(sessions: &Sessions, events: Vec<NewEvent>, is_exact: bool) {
    let id = session();
    loop {
        let expected = if is_exact {
            Expected::Exact(sessions.find(&id).await.unwrap().unwrap().head.version)
        } else {
            Expected::Any
        };
        match sessions
            .append_events(&id, expected, events.clone())
            .await
            .unwrap()
        {
            Appended::Done(written) => return assert_eq!(written.new, events.len()),
            Appended::Conflict { .. } => assert!(is_exact),
        }
    }
}
