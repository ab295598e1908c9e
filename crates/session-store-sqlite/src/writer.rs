//! The thread that writes what the callers do not write themselves.
//!
//! A short piece of work that need not wait is done where it is asked for, with the connection that
//! this thread has too. What waits while a transaction is under way is taken together into the next
//! one, each piece of work in a savepoint of its own: it is kept or undone alone, but all share one
//! commit. Answers are given after the commit, whether or not somebody still waits for them.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use futures_channel::oneshot;
use rusqlite::Connection;
use session_store::StoreError;

use crate::error::{SqliteMessage, closed};
use crate::index::{self, Tail};
use crate::pen::{Pen, batch, rollback};

/// The most pieces of work in one transaction.
const GROUP: usize = 256;

/// After so many transactions the writer looks how long the tail of the search index is.
const LOOK_AFTER: u32 = 32;

/// While there is much to write and the tail is long, so many batches of the index are done between
/// two transactions: more than one brings in on average, and not so many that an append waits long.
const CATCH_UP: u32 = 4;

/// Nothing to write for so long means that the index may catch up: a batch of it takes longer
/// than an append, and the next append would wait.
const QUIET: Duration = Duration::from_millis(100);

type Work = Box<dyn FnOnce(Attempt<'_>) -> Done + Send>;
type Answer = Box<dyn FnOnce(Result<(), SqliteMessage>) + Send>;

/// What a piece of work gets: a transaction, or the reason why there is none.
enum Attempt<'a> {
    In(&'a Connection),
    Refused(&'a SqliteMessage),
}

/// What a piece of work came to, before the commit.
struct Done {
    is_kept: bool,
    answer: Answer,
}

enum Job {
    Work(Work),
    /// What was deleted goes out of the index and the log file.
    Forget,
    Close,
}

#[derive(Debug)]
pub(crate) struct Writer {
    pen: Arc<Pen>,
    jobs: Sender<Job>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(crate) fn start(pen: Pen, tail: Tail) -> std::io::Result<Self> {
        let (jobs, queue) = channel();
        let pen = Arc::new(pen);
        let mut writing = Loop {
            pen: Arc::clone(&pen),
            queue,
            tail,
            since_look: 0,
            asked: 0,
            // Whoever had the file open before may not have come to the end of it.
            is_forgetting: true,
            is_checkpoint_due: false,
            is_closing: false,
        };
        let thread = thread::Builder::new()
            .name("session-store-sqlite writer".into())
            .spawn(move || writing.run())?;
        Ok(Self {
            pen,
            jobs,
            thread: Some(thread),
        })
    }

    /// Does short `work` as [`write`](Self::write) does, on the caller's thread if nothing has to
    /// be waited for. That costs less than to wake another thread and be woken by it.
    pub(crate) async fn write_short<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        match self.pen.write_now(work) {
            Ok(result) => result,
            Err(work) => self.write(work).await,
        }
    }

    /// Does `work` in a transaction; an error of it undoes what it wrote and nothing else. Once
    /// this was polled the work is done, whether or not the answer is waited for.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let work = move |attempt: Attempt<'_>| {
            let result = match attempt {
                Attempt::In(connection) => work(connection),
                Attempt::Refused(reason) => Err(reason.clone().into_store_error()),
            };
            Done {
                is_kept: result.is_ok(),
                answer: Box::new(move |committed| {
                    let result = result.and_then(|value| {
                        committed.map_err(SqliteMessage::into_store_error)?;
                        Ok(value)
                    });
                    // Nobody listens when the future was dropped.
                    let _ = reply.send(result);
                }),
            }
        };
        let job = Job::Work(Box::new(work));
        self.pen.hand_over();
        self.jobs.send(job).map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }

    /// To be held while something is deleted.
    pub(crate) fn forgetting(&self) -> Forgetting<'_> {
        let jobs = &self.jobs;
        Forgetting { jobs, is_due: true }
    }
}

/// When it is dropped, what was deleted goes out of all files. So it does when the future that
/// deletes is dropped half-way.
#[derive(Debug)]
pub(crate) struct Forgetting<'a> {
    jobs: &'a Sender<Job>,
    pub(crate) is_due: bool,
}

impl Drop for Forgetting<'_> {
    fn drop(&mut self) {
        if self.is_due {
            // Only fails when the thread has ended, and then the log file was emptied.
            let _ = self.jobs.send(Job::Forget);
        }
    }
}

impl Drop for Writer {
    /// Waits until everything that was asked for is written.
    fn drop(&mut self) {
        let _ = self.jobs.send(Job::Close);
        if let Some(thread) = self.thread.take() {
            join(thread);
        }
    }
}

/// Waits for the end of a thread. There are executors that drop what they are told to go on with, so
/// the last handle of a store may go on a thread of the store, when that gives an answer; it ends by
/// itself then.
pub(crate) fn join(thread: JoinHandle<()>) {
    if thread.thread().id() != thread::current().id() {
        let _ = thread.join();
    }
}

struct Loop {
    pen: Arc<Pen>,
    queue: Receiver<Job>,
    tail: Tail,
    /// Transactions since the tail was looked at.
    since_look: u32,
    /// What the pen said then.
    asked: u32,
    /// Whether the index may know something that was deleted.
    is_forgetting: bool,
    is_checkpoint_due: bool,
    is_closing: bool,
}

impl Loop {
    fn run(&mut self) {
        while let Some(first) = self.next() {
            let group = self.group(first);
            if !group.is_empty() {
                self.commit(group);
            }
            for _ in 0..CATCH_UP {
                // A failure leaves the tail as it is; searches read it, and the next try follows.
                if !self.tail.is_long() || self.advance().is_err() {
                    break;
                }
            }
            if self.is_closing {
                return;
            }
        }
    }

    /// The next job. When there is none for a while, what was put off is done.
    fn next(&mut self) -> Option<Job> {
        loop {
            let asked = self.pen.asked();
            match self.queue.recv_timeout(QUIET) {
                Ok(job) => return Some(job),
                Err(RecvTimeoutError::Disconnected) => return None,
                // Others wrote on their own threads: it was not quiet.
                Err(RecvTimeoutError::Timeout) if asked != self.pen.asked() => continue,
                Err(RecvTimeoutError::Timeout) => {
                    self.pen.with(|connection| self.tail.look(connection));
                }
            }
            while self.tail.is_worth_it() && self.advance().is_ok() {
                if let Ok(job) = self.queue.try_recv() {
                    return Some(job);
                }
            }
            while self.is_forgetting && self.forget_marked().is_ok() {
                if let Ok(job) = self.queue.try_recv() {
                    return Some(job);
                }
            }
            if self.is_checkpoint_due {
                self.checkpoint();
            }
            if !self.is_checkpoint_due {
                return self.queue.recv().ok();
            }
        }
    }

    /// Counts a transaction of this thread, and those of others since the last time.
    fn is_look_due(&mut self) -> bool {
        let asked = self.pen.asked();
        let others = asked.wrapping_sub(self.asked);
        self.asked = asked;
        self.since_look = self.since_look.saturating_add(others).saturating_add(1);
        let is_due = self.since_look >= LOOK_AFTER;
        if is_due {
            self.since_look = 0;
        }
        is_due
    }

    fn advance(&mut self) -> rusqlite::Result<()> {
        self.pen.with(|connection| self.tail.advance(connection))
    }

    /// The work that waits already.
    fn group(&mut self, first: Job) -> Vec<Work> {
        let mut group = Vec::new();
        let mut next = Some(first);
        while let Some(job) = next {
            match job {
                Job::Work(work) => group.push(work),
                Job::Forget => {
                    if !group.is_empty() {
                        self.commit(std::mem::take(&mut group));
                    }
                    self.forget();
                }
                Job::Close => self.is_closing = true,
            }
            if group.len() >= GROUP {
                break;
            }
            next = self.queue.try_recv().ok();
        }
        group
    }

    /// Does a group of work and answers all of it, once the connection is free for others.
    fn commit(&mut self, group: Vec<Work>) {
        let count = group.len();
        let is_look_due = self.is_look_due();
        let answers = self.pen.with(|connection| {
            let answers = commit(connection, group);
            if is_look_due {
                self.tail.look(connection);
            }
            answers
        });
        self.pen.are_done(count);
        for (answer, outcome) in answers {
            answer(outcome);
        }
    }

    /// Takes what was deleted out of all files: at once where that is little work, and what is
    /// left of it when it is quiet.
    fn forget(&mut self) {
        self.is_forgetting = true;
        for _ in 0..CATCH_UP {
            if !self.is_forgetting || self.forget_marked().is_err() {
                break;
            }
        }
        self.checkpoint();
    }

    fn forget_marked(&mut self) -> rusqlite::Result<()> {
        match self.pen.with(index::forget_marked)? {
            None => self.is_forgetting = false,
            Some(has_more) => {
                self.is_forgetting = has_more;
                // The old pages of the index are in the log file and under it.
                self.is_checkpoint_due = true;
            }
        }
        Ok(())
    }

    /// Empties the log file if no reader stands in the way, and does not wait if one does.
    fn checkpoint(&mut self) {
        let attempt = |connection: &Connection| {
            connection.busy_timeout(Duration::ZERO)?;
            let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
            connection.query_row(sql, [], |row| row.get::<_, bool>(0))
        };
        self.is_checkpoint_due = self.pen.with(attempt).unwrap_or(true);
    }
}

type Answers = Vec<(Answer, Result<(), SqliteMessage>)>;

/// Does all of `group`, in as few transactions as can be.
fn commit(connection: &Connection, group: Vec<Work>) -> Answers {
    // A thread that panicked may have left one.
    rollback(connection);
    let is_alone = group.len() == 1;
    let mut work = group.into_iter().peekable();
    let mut all = Answers::new();
    while work.peek().is_some() {
        let mut answers = Vec::new();
        let outcome = match batch(connection, "BEGIN IMMEDIATE") {
            Ok(()) if is_alone => alone(connection, &mut work, &mut answers),
            Ok(()) => together(connection, &mut work, &mut answers),
            Err(reason) => {
                let refuse = |work: Work| work(Attempt::Refused(&reason)).answer;
                answers.extend(work.by_ref().map(refuse));
                Err(reason)
            }
        };
        if outcome.is_err() {
            rollback(connection);
        }
        all.extend(answers.into_iter().map(|answer| (answer, outcome.clone())));
    }
    all
}

fn alone(
    connection: &Connection,
    work: &mut impl Iterator<Item = Work>,
    answers: &mut Vec<Answer>,
) -> Result<(), SqliteMessage> {
    for work in work {
        let done = work(Attempt::In(connection));
        answers.push(done.answer);
        if !done.is_kept {
            rollback(connection);
            return Ok(());
        }
    }
    batch(connection, "COMMIT")
}

/// Every piece in a savepoint. When SQLite gave up the whole transaction under way, those so
/// far are lost with it and hear so; the rest begins anew.
fn together(
    connection: &Connection,
    work: &mut impl Iterator<Item = Work>,
    answers: &mut Vec<Answer>,
) -> Result<(), SqliteMessage> {
    for work in work {
        if let Err(reason) = batch(connection, "SAVEPOINT work") {
            answers.push(work(Attempt::Refused(&reason)).answer);
            return Err(reason);
        }
        let done = work(Attempt::In(connection));
        answers.push(done.answer);
        if connection.is_autocommit() {
            return Err(SqliteMessage::new("the transaction was given up"));
        }
        if !done.is_kept {
            batch(connection, "ROLLBACK TO work")?;
        }
        batch(connection, "RELEASE work")?;
    }
    batch(connection, "COMMIT")
}
