//! A few threads that read, each with a connection of its own.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use futures_channel::oneshot;
use rusqlite::Connection;
use session_store::StoreError;

use crate::error::{closed, failed};
use crate::open::open_reader;
use crate::options::SqliteOptions;
use crate::writer::join;

type Job = Box<dyn FnOnce(rusqlite::Result<&Connection>) + Send>;

#[derive(Debug)]
pub(crate) struct Readers {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    options: SqliteOptions,
    state: Mutex<State>,
    has_work: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: Vec<JoinHandle<()>>,
    idle: usize,
    is_closing: bool,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("waiting", &self.jobs.len())
            .field("threads", &self.threads.len())
            .finish_non_exhaustive()
    }
}

impl Readers {
    pub(crate) fn new(path: PathBuf, options: SqliteOptions) -> Self {
        let shared = Shared {
            path,
            options,
            state: Mutex::default(),
            has_work: Condvar::new(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Does `work` on a connection that sees everything committed so far.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let job = move |connection: rusqlite::Result<&Connection>| {
            // Whoever asked may have given up while others were served.
            if reply.is_canceled() {
                return;
            }
            let result = connection.map_err(|error| failed(&error)).and_then(work);
            // Nobody listens when the future was dropped.
            let _ = reply.send(result);
        };
        self.push(Box::new(job))?;
        answer.await.map_err(|_| closed())?
    }

    fn push(&self, job: Job) -> Result<(), StoreError> {
        let mut state = self.shared.state();
        state.jobs.push_back(job);
        if state.jobs.len() > state.idle && state.threads.len() < self.shared.options.readers.max(1)
        {
            let shared = Arc::clone(&self.shared);
            let started = thread::Builder::new()
                .name("session-store-sqlite reader".into())
                .spawn(move || shared.run());
            match started {
                Ok(thread) => state.threads.push(thread),
                // The threads there are do it, one after the other.
                Err(_) if !state.threads.is_empty() => {}
                Err(error) => {
                    state.jobs.pop_back();
                    return Err(StoreError::unavailable(error));
                }
            }
        }
        drop(state);
        self.shared.has_work.notify_one();
        Ok(())
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.is_closing = true;
        let threads = std::mem::take(&mut state.threads);
        drop(state);
        self.shared.has_work.notify_all();
        for thread in threads {
            join(thread);
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut connection = None;
        while let Some(job) = self.next() {
            match &connection {
                Some(open) => job(Ok(open)),
                None => match open_reader(&self.path, &self.options) {
                    Ok(open) => job(Ok(connection.insert(open))),
                    Err(error) => job(Err(error)),
                },
            }
        }
    }

    /// The next job; `None` when the store is closed and all is done.
    fn next(&self) -> Option<Job> {
        let mut state = self.state();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                return Some(job);
            }
            if state.is_closing {
                return None;
            }
            state.idle += 1;
            state = self
                .has_work
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }
}
