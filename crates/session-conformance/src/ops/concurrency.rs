//! Writers and readers at the same time: processes where the store is in a file, threads where it
//! is in memory.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use serde_json::json;
use session::{Expected, Message, Sessions, Timestamp};
use session_log::{Event, EventId, NewEvent, SessionId};

use crate::fakes::{CaseEstimator, Reads};
use crate::seen::Seen;
use crate::store::{Home, StoreKind, open_at};
use crate::world::{Runs, Setting, service_over, wait};

/// The word that tells the program to be one of the writers or readers.
pub(crate) const WORKER: &str = "__worker";

/// One writer or reader.
#[derive(Clone, Debug)]
pub(crate) struct Worker {
    pub(crate) store: StoreKind,
    pub(crate) address: String,
    pub(crate) session: String,
    pub(crate) name: String,
    pub(crate) times: u64,
    pub(crate) is_reader: bool,
}

impl Worker {
    fn arguments(&self) -> Vec<String> {
        vec![
            WORKER.into(),
            self.store.name().into(),
            self.address.clone(),
            self.session.clone(),
            self.name.clone(),
            self.times.to_string(),
            self.is_reader.to_string(),
        ]
    }

    /// The worker that these arguments, behind the first, describe.
    pub(crate) fn of(arguments: &[String]) -> Option<Self> {
        let [store, address, session, name, times, is_reader] = arguments else {
            return None;
        };
        Some(Self {
            store: store.parse().ok()?,
            address: address.clone(),
            session: session.clone(),
            name: name.clone(),
            times: times.parse().ok()?,
            is_reader: is_reader.parse().ok()?,
        })
    }
}

/// Does what a worker process does.
pub(crate) fn work(worker: &Worker) -> Runs<()> {
    let store = open_at(worker.store, &worker.address)?;
    let sessions = service_over(store, &estimator(), &Reads::default());
    do_work(&sessions, worker)
}

fn estimator() -> CaseEstimator {
    CaseEstimator::new(&crate::case::EstimatorSpec::CharsDiv4)
}

fn do_work(sessions: &Sessions, worker: &Worker) -> Runs<()> {
    let session = SessionId::new(&worker.session).map_err(|error| error.to_string())?;
    for number in 1..=worker.times {
        let done = match worker.is_reader {
            true => wait(sessions.log(&session)).map(|log| is_contiguous(&log)),
            false => {
                let event = event(&worker.name, number)?;
                wait(sessions.append_events(&session, Expected::Any, vec![event])).map(|_| true)
            }
        };
        match done {
            Ok(true) => {}
            Ok(false) => return Err("a reader saw a log with a gap".into()),
            Err(error) => return Err(crate::failure::with_causes(&error)),
        }
    }
    Ok(())
}

fn event(writer: &str, number: u64) -> Runs<NewEvent> {
    let id = EventId::new(format!("{writer}/{number}")).map_err(|error| error.to_string())?;
    let message = Message::user(format!("message {number} of {writer}"));
    Ok(NewEvent::message(id, Timestamp::from_millis(0), message))
}

fn is_contiguous(log: &[Arc<Event>]) -> bool {
    (1_u64..)
        .zip(log)
        .all(|(place, event)| event.seq.as_u64() == place)
}

/// What was found after all were done.
#[derive(Default)]
struct Tally {
    errors: Vec<String>,
    events: u64,
    lost: u64,
    is_in_order: bool,
}

/// Each writer in a session of its own, then all in one session.
pub(super) fn concurrency(
    setting: &Setting,
    writers: u64,
    appends: u64,
    readers: u64,
) -> Runs<Seen> {
    let apart = round(setting, writers, appends, readers, |writer| {
        format!("s{writer}")
    })?;
    let together = round(setting, writers, appends, readers, |_| "s".into())?;
    let wanted = writers.saturating_mul(appends);
    let worse = |a: u64, b: u64| if a == wanted { b } else { a };
    let mut seen = Seen::default();
    let errors: Vec<&String> = apart.errors.iter().chain(&together.errors).collect();
    for error in &errors {
        let failure = crate::failure::Failure::new(&["worker"], error.as_str());
        seen.failures.push(failure);
    }
    let facts = [
        ("events", json!(worse(apart.events, together.events))),
        ("lost", json!(apart.lost.saturating_add(together.lost))),
        (
            "per_session_order_kept",
            json!(apart.is_in_order && together.is_in_order),
        ),
    ];
    seen.facts.extend(facts);
    Ok(seen)
}

fn round(
    setting: &Setting,
    writers: u64,
    appends: u64,
    readers: u64,
    session_of: impl Fn(u64) -> String,
) -> Runs<Tally> {
    let home = Home::new(setting.store)?;
    let sessions = service_over(home.open()?, &estimator(), &Reads::default());
    let names: BTreeSet<String> = (1..=writers).map(&session_of).collect();
    for name in &names {
        let id = SessionId::new(name).map_err(|error| error.to_string())?;
        let created = wait(sessions.create_as(sessions.describe(id)));
        created.map_err(|error| error.to_string())?;
    }
    let worker = |number: u64, is_reader: bool| Worker {
        store: setting.store,
        address: home.address(),
        session: session_of(number),
        name: format!("w{number}"),
        times: appends,
        is_reader,
    };
    let mut workers: Vec<Worker> = (1..=writers).map(|number| worker(number, false)).collect();
    for reader in 0..readers {
        let number = reader.checked_rem(writers).unwrap_or(0).saturating_add(1);
        workers.push(worker(number, true));
    }
    let errors = match setting.store.is_durable() {
        true => in_processes(setting.program.as_deref(), &workers)?,
        false => in_threads(&sessions, &workers),
    };
    let mut tally = Tally {
        errors,
        is_in_order: true,
        ..Tally::default()
    };
    let mut found: BTreeSet<String> = BTreeSet::new();
    for name in &names {
        let id = SessionId::new(name).map_err(|error| error.to_string())?;
        let log = wait(sessions.log(&id)).map_err(|error| error.to_string())?;
        tally.events = tally
            .events
            .saturating_add(u64::try_from(log.len()).unwrap_or(u64::MAX));
        tally.is_in_order &= is_contiguous(&log) && is_in_order(&log);
        found.extend(log.iter().map(|event| event.id.as_str().to_owned()));
    }
    for writer in 1..=writers {
        let missing =
            (1..=appends).filter(|number| !found.contains(&format!("w{writer}/{number}")));
        let missing = u64::try_from(missing.count()).unwrap_or(u64::MAX);
        tally.lost = tally.lost.saturating_add(missing);
    }
    Ok(tally)
}

/// Whether the events of each writer stand in the order it appended them.
fn is_in_order(log: &[Arc<Event>]) -> bool {
    let mut last = std::collections::BTreeMap::new();
    log.iter().all(|event| {
        let Some((writer, number)) = event.id.as_str().split_once('/') else {
            return false;
        };
        let number: u64 = number.parse().unwrap_or(0);
        let before = last.insert(writer.to_owned(), number);
        before.is_none_or(|before| before < number)
    })
}

fn in_processes(program: Option<&Path>, workers: &[Worker]) -> Runs<Vec<String>> {
    let program = program.ok_or("other processes are needed, and the program is not known")?;
    let mut running = Vec::new();
    for worker in workers {
        let child = Command::new(program)
            .args(worker.arguments())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        running.push(child.map_err(|error| format!("no process: {error}"))?);
    }
    let mut errors = Vec::new();
    for child in running {
        let output = child
            .wait_with_output()
            .map_err(|error| error.to_string())?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            errors.push(said.trim().to_owned());
        }
    }
    Ok(errors)
}

fn in_threads(sessions: &Sessions, workers: &[Worker]) -> Vec<String> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = workers
            .iter()
            .map(|worker| scope.spawn(move || do_work(sessions, worker)))
            .collect();
        let ended = threads.into_iter().map(|thread| match thread.join() {
            Ok(done) => done,
            Err(_) => Err("a worker panicked".into()),
        });
        ended.filter_map(Result::err).collect()
    })
}
