//! What a law is tested in: a store, a way to run futures, and threads.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::vec::Vec;

use session_log::{Event, NewEvent, SessionId};
use session_store::{
    Appended, Batch, EventQuery, Expected, Head, Hit, NewSession, Scope, SearchQuery, Session,
    SessionQuery, SessionStore, StoreError, Written,
};

use crate::make::{at, sid};

/// A future of a law.
pub type BoxFuture<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Runs a future to its end.
pub type Run = fn(BoxFuture<'_>);

/// Runs a future on this thread, which sleeps while the future waits.
///
/// ```
/// use session_store_testkit::block_on;
///
/// block_on(Box::pin(async { assert_eq!(1 + 1, 2) }));
/// ```
pub fn block_on(future: BoxFuture<'_>) {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    while future.as_mut().poll(&mut context).is_pending() {
        thread::park();
    }
}

/// Opens a store and runs one law of [`laws`](crate::laws) with it.
///
/// # Panics
///
/// When the law does not hold.
pub fn check_law<S, F>(open: impl FnOnce() -> S, run: Run, law: impl FnOnce(Lab<S>) -> F)
where
    S: SessionStore,
    F: Future<Output = ()> + Send,
{
    let lab = Lab {
        store: Arc::new(open()),
        run,
    };
    run(Box::pin(law(lab)));
}

/// A fresh store and what a law needs around it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Lab<S> {
    /// The store under test.
    pub store: Arc<S>,
    /// How to run a future.
    pub run: Run,
}

/// A store that gives the same page again and again is told, not waited for.
const MOST_PAGES: usize = 10_000;

impl<S: SessionStore> Lab<S> {
    /// Creates the session `id`.
    ///
    /// # Panics
    ///
    /// When there is one already.
    pub async fn create(&self, id: &str) -> SessionId {
        let new = NewSession::new(sid(id), at(0));
        let created = self.store.create(new).await.unwrap();
        assert!(created.is_new(), "{id} was there before");
        sid(id)
    }

    /// Appends at any version.
    ///
    /// # Panics
    ///
    /// When the store answers with an error or a conflict.
    pub async fn append(&self, id: &SessionId, events: Vec<NewEvent>) -> Written {
        let outcome = self.try_append(id, Expected::Any, events).await.unwrap();
        outcome.done().expect("any version will do")
    }

    /// Appends at the expected version.
    ///
    /// # Errors
    ///
    /// What the store says.
    pub async fn try_append(
        &self,
        id: &SessionId,
        expected: Expected,
        events: Vec<NewEvent>,
    ) -> Result<Appended, StoreError> {
        self.store.append(id, expected, Batch::new(events)).await
    }

    /// The whole log.
    ///
    /// # Panics
    ///
    /// When the store answers with an error.
    pub async fn log(&self, id: &SessionId) -> Vec<Arc<Event>> {
        self.read(id, EventQuery::all()).await
    }

    /// What a query finds, on all its pages.
    ///
    /// # Panics
    ///
    /// When the store answers with an error.
    pub async fn read(&self, id: &SessionId, mut query: EventQuery) -> Vec<Arc<Event>> {
        let mut events = Vec::new();
        for _ in 0..MOST_PAGES {
            let page = self.store.read(id, &query).await.unwrap();
            events.extend(page.items);
            match page.next {
                Some(mark) => query.after = Some(mark),
                None => return events,
            }
        }
        panic!("the pages have no end: {query:?}");
    }

    /// The sessions that a query lists, on all its pages.
    pub(crate) async fn list(&self, mut query: SessionQuery) -> Vec<Session> {
        let mut sessions = Vec::new();
        for _ in 0..MOST_PAGES {
            let page = self.store.sessions(&query).await.unwrap();
            sessions.extend(page.items);
            match page.next {
                Some(mark) => query.after = Some(mark),
                None => return sessions,
            }
        }
        panic!("the pages have no end: {query:?}");
    }

    /// What a search finds, on all its pages.
    pub(crate) async fn find(&self, scope: &Scope, mut query: SearchQuery) -> Vec<Hit> {
        let mut hits = Vec::new();
        for _ in 0..MOST_PAGES {
            let page = self.store.search(scope, &query).await.unwrap();
            hits.extend(page.items);
            match page.next {
                Some(mark) => query.after = Some(mark),
                None => return hits,
            }
        }
        panic!("the pages have no end: {query:?}");
    }

    /// A session that is there.
    ///
    /// # Panics
    ///
    /// When it is not.
    pub async fn session(&self, id: &SessionId) -> Session {
        let session = self.store.session(id).await.unwrap();
        session.unwrap_or_else(|| panic!("{id} is gone"))
    }

    /// The head of a session that is there.
    ///
    /// # Panics
    ///
    /// When it is not.
    pub async fn head(&self, id: &SessionId) -> Head {
        self.session(id).await.head
    }

    /// Runs `work` on `threads` threads at once and gives what each returned.
    ///
    /// # Panics
    ///
    /// When one of them panics.
    pub fn together<T, F>(&self, threads: usize, work: impl Fn(Arc<S>, usize) -> F + Sync) -> Vec<T>
    where
        T: Send,
        F: Future<Output = T> + Send,
    {
        let run = self.run;
        thread::scope(|scope| {
            let start = |index| {
                let (work, store) = (&work, Arc::clone(&self.store));
                scope.spawn(move || {
                    let mut result = None;
                    run(Box::pin(async {
                        result = Some(work(store, index).await);
                    }));
                    result.expect("the future was run to its end")
                })
            };
            let started: Vec<_> = (0..threads).map(start).collect();
            let join = |thread: thread::ScopedJoinHandle<'_, T>| thread.join().unwrap();
            started.into_iter().map(join).collect()
        })
    }
}

/// Polls a future at most `polls` times, then drops it; gives its answer if it came to its end.
pub(crate) async fn drop_after<T>(polls: usize, future: impl Future<Output = T>) -> Option<T> {
    let mut left = polls;
    let mut future = pin!(future);
    std::future::poll_fn(move |context| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        match future.as_mut().poll(context) {
            Poll::Ready(answer) => Poll::Ready(Some(answer)),
            Poll::Pending if left == 0 => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}
