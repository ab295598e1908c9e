//! Every order in which the calls of several callers can happen.

use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use session_log::{Event, EventBody, Seq, SessionId, Timestamp, Version};
use session_store::{
    Appended, Batch, Created, EventQuery, Expected, Head, Hit, HitMark, NewSession, Page, Recount,
    Scope, SearchQuery, Session, SessionMark, SessionPatch, SessionQuery, SessionStore, StoreError,
};

use crate::around::store_around;
use crate::lab::BoxFuture;

/// A store around another that lets others go first: each call waits once before it begins.
///
/// Under [`for_each_interleaving`] that is where one caller can overtake another.
#[derive(Clone, Debug)]
pub struct SteppingStore<S> {
    inner: S,
}

impl<S: SessionStore> SteppingStore<S> {
    /// The store, one step a call.
    #[must_use]
    pub fn new(inner: S) -> Self {
        Self { inner }
    }

    async fn around<T>(
        &self,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let mut has_waited = false;
        poll_fn(|context| {
            if has_waited {
                return Poll::Ready(());
            }
            has_waited = true;
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        call.await
    }
}

store_around!(SteppingStore<S>);

/// Calls `run` once for each order in which the futures it hands to its [`Schedule`] can be polled,
/// and says how many there were. Each time `run` must begin anew and do the same.
///
/// Two callers of `n` steps each have (2n)! / n!² orders: 252 for 5, 3,432 for 7.
///
/// ```
/// use std::sync::Mutex;
///
/// use session_store::{NewSession, SessionStore};
/// use session_store_memory::MemoryStore;
/// use session_store_testkit::{BoxFuture, SteppingStore, for_each_interleaving, make};
///
/// let orders = for_each_interleaving(|schedule| {
///     let store = SteppingStore::new(MemoryStore::new());
///     let created = Mutex::new(Vec::new());
///     let create = |caller: &'static str| {
///         let (store, created) = (&store, &created);
///         let create: BoxFuture<'_> = Box::pin(async move {
///             let session = NewSession::new(make::sid("s1"), make::at(0));
///             let session = store.create(session).await.unwrap();
///             if session.is_new() {
///                 created.lock().unwrap().push(caller);
///             }
///         });
///         create
///     };
///     schedule.run(vec![create("ann"), create("bob")]);
///     assert_eq!(created.lock().unwrap().len(), 1); // whoever it was
/// });
/// assert_eq!(orders, 6); // each begins, and then is done
/// ```
///
/// # Panics
///
/// When `run` does, or when all of its futures wait for something that never comes.
pub fn for_each_interleaving(mut run: impl FnMut(&mut Schedule)) -> usize {
    let mut schedule = Schedule::default();
    let mut orders = 0;
    loop {
        schedule.step = 0;
        run(&mut schedule);
        orders += 1;
        schedule.taken.truncate(schedule.step);
        // The last choice that can be made otherwise is; what came after it is open again.
        loop {
            match schedule.taken.pop() {
                Some((choice, options)) if choice + 1 < options => {
                    schedule.taken.push((choice + 1, options));
                    break;
                }
                Some(_) => {}
                None => return orders,
            }
        }
    }
}

/// One order of polling; see [`for_each_interleaving`].
#[derive(Debug, Default)]
pub struct Schedule {
    /// What was chosen at each step, among how many.
    taken: Vec<(usize, usize)>,
    step: usize,
}

impl Schedule {
    /// Polls the futures in this order until all are done. One that waits is polled again only
    /// after it was woken.
    pub fn run(&mut self, futures: Vec<BoxFuture<'_>>) {
        let mut tasks: Vec<_> = futures.into_iter().map(Task::new).collect();
        while !tasks.is_empty() {
            let ready: Vec<usize> = (0..tasks.len())
                .filter(|at| tasks[*at].is_ready())
                .collect();
            assert!(!ready.is_empty(), "everybody waits, and nobody comes");
            let chosen = ready[self.choose(ready.len())];
            if tasks[chosen].poll().is_ready() {
                tasks.remove(chosen);
            }
        }
    }

    fn choose(&mut self, options: usize) -> usize {
        if self.step == self.taken.len() {
            self.taken.push((0, options));
        }
        let (choice, expected) = self.taken[self.step];
        assert_eq!(
            expected, options,
            "a run did not do what the one before did"
        );
        self.step += 1;
        choice
    }
}

struct Task<'a> {
    future: BoxFuture<'a>,
    woken: Arc<Woken>,
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl<'a> Task<'a> {
    fn new(future: BoxFuture<'a>) -> Self {
        let woken = Arc::new(Woken(AtomicBool::new(true)));
        Self { future, woken }
    }

    fn is_ready(&self) -> bool {
        self.woken.0.load(Ordering::SeqCst)
    }

    fn poll(&mut self) -> Poll<()> {
        self.woken.0.store(false, Ordering::SeqCst);
        let waker = Waker::from(self.woken.clone());
        self.future.as_mut().poll(&mut Context::from_waker(&waker))
    }
}
