//! A store that fails on purpose.

use std::collections::BTreeMap;
use std::future::{Future, pending};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use session_log::{Event, EventBody, Seq, SessionId, Timestamp, Version};
use session_store::{
    Appended, Batch, Created, EventQuery, Expected, Head, Hit, HitMark, NewSession, Page, Recount,
    Scope, SearchQuery, Session, SessionMark, SessionPatch, SessionQuery, SessionStore, StoreError,
};

use crate::around::store_around;
use crate::lab::drop_after;

/// What goes wrong with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// Nothing is done, and the answer is [`StoreError::Unavailable`].
    Refused,
    /// It is done, and the answer is [`StoreError::Unavailable`] all the same: the connection was
    /// lost on the way back.
    AnswerLost,
    /// It is done, and no answer ever comes.
    Hangs,
    /// It is begun, polled so many times and dropped; then no answer ever comes.
    Dropped {
        /// How often it is polled before it is dropped; 0 for never.
        polls: usize,
    },
}

/// A store around another that fails at chosen calls. All methods count as calls, in the order
/// they are first polled, from 1.
///
/// ```
/// use session_store::{NewSession, SessionStore};
/// use session_store_memory::MemoryStore;
/// use session_store_testkit::{Fault, FaultyStore, block_on, make};
///
/// let store = FaultyStore::new(MemoryStore::new()).with_fault(2, Fault::AnswerLost);
/// block_on(Box::pin(async {
///     let new = NewSession::new(make::sid("s1"), make::at(0));
///     assert!(store.session(&new.id).await.unwrap().is_none());
///     assert!(store.create(new.clone()).await.unwrap_err().is_retryable());
///     assert!(!store.create(new).await.unwrap().is_new()); // it was done
/// }));
/// assert_eq!(store.calls(), 3);
/// ```
#[derive(Debug)]
pub struct FaultyStore<S> {
    inner: S,
    faults: Mutex<BTreeMap<u64, Fault>>,
    calls: AtomicU64,
}

impl<S: SessionStore> FaultyStore<S> {
    /// A store without faults.
    #[must_use]
    pub fn new(inner: S) -> Self {
        Self {
            inner,
            faults: Mutex::default(),
            calls: AtomicU64::new(0),
        }
    }

    /// The same store, failing at the `nth` call.
    #[must_use]
    pub fn with_fault(self, nth: u64, fault: Fault) -> Self {
        self.set_fault(nth, fault);
        self
    }

    /// Makes the `nth` call fail, counted from the first call of all.
    pub fn set_fault(&self, nth: u64, fault: Fault) {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        faults.insert(nth, fault);
    }

    /// How many calls there were so far.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::SeqCst)
    }

    /// The store inside, which never fails on purpose.
    #[must_use]
    pub fn inner(&self) -> &S {
        &self.inner
    }

    async fn around<T>(
        &self,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let nth = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        let fault = {
            let faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
            faults.get(&nth).copied()
        };
        match fault {
            None => call.await,
            Some(Fault::Refused) => Err(StoreError::unavailable("refused on purpose")),
            Some(Fault::AnswerLost) => {
                // Done or not, the caller does not learn of it.
                let _ = call.await;
                Err(StoreError::unavailable("the answer was lost on purpose"))
            }
            Some(Fault::Hangs) => {
                let _ = call.await;
                pending().await
            }
            Some(Fault::Dropped { polls }) => {
                let _ = drop_after(polls, call).await;
                pending().await
            }
        }
    }
}

store_around!(FaultyStore<S>);
