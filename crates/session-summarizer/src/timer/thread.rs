//! Time as a thread of the standard library keeps it.

use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use async_trait::async_trait;

use super::Timer;

/// Real time without a runtime: one thread serves all waits of a timer and its clones. It is started
/// by the first wait and ends when nobody waits.
///
/// When no thread can be started, a wait is over at once.
///
/// ```
/// use std::time::Duration;
/// use session_summarizer::{Retrying, Silent, ThreadTimer, Timer};
///
/// let timer = ThreadTimer::new();
/// let before = timer.now();
/// let _summarizer = Retrying::new(Silent, timer.clone());
/// assert!(timer.now() >= before);
/// # let _ = Duration::ZERO;
/// ```
#[derive(Clone, Debug)]
pub struct ThreadTimer {
    start: Instant,
    shared: Arc<Shared>,
}

/// The longest wait, 30 years: no clock can hold `Duration::MAX`, which is meant to be for ever.
const LONGEST: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// What the waits and the thread share.
#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

/// Who is to be woken when, and whether a thread sees to it.
#[derive(Debug, Default)]
struct State {
    waits: BTreeMap<(Instant, u64), Waker>,
    next: u64,
    has_thread: bool,
}

impl ThreadTimer {
    /// A clock that begins now.
    #[must_use]
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
            shared: Arc::default(),
        }
    }
}

impl Default for ThreadTimer {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Timer for ThreadTimer {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    async fn sleep(&self, duration: Duration) {
        let now = Instant::now();
        let until = now.checked_add(duration.min(LONGEST)).unwrap_or(now);
        let number = {
            let mut state = self.shared.lock();
            state.next = state.next.wrapping_add(1);
            state.next
        };
        Sleep {
            key: (until, number),
            shared: Arc::clone(&self.shared),
        }
        .await;
    }
}

/// One wait. Dropping it takes it off the list.
struct Sleep {
    key: (Instant, u64),
    shared: Arc<Shared>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.key.0 {
            return Poll::Ready(());
        }
        let mut state = self.shared.lock();
        state.waits.insert(self.key, context.waker().clone());
        if !state.has_thread {
            let shared = Arc::clone(&self.shared);
            let started = thread::Builder::new()
                .name("session-summarizer-timer".into())
                .spawn(move || shared.serve());
            if started.is_err() {
                state.waits.remove(&self.key);
                return Poll::Ready(());
            }
            state.has_thread = true;
        }
        drop(state);
        self.shared.changed.notify_one();
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if self.shared.lock().waits.remove(&self.key).is_some() {
            self.shared.changed.notify_one();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes whoever's time has come, until nobody waits.
    fn serve(&self) {
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            let later = state.waits.split_off(&(now, u64::MAX));
            let due = core::mem::replace(&mut state.waits, later);
            if !due.is_empty() {
                // A waker may run anything, so it is called without the lock.
                drop(state);
                due.into_values().for_each(Waker::wake);
                state = self.lock();
                continue;
            }
            let Some((until, _)) = state.waits.keys().next().copied() else {
                state.has_thread = false;
                return;
            };
            let left = until.saturating_duration_since(now);
            state = match self.changed.wait_timeout(state, left) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use core::pin::pin;
    use core::task::{Context, Waker};
    use std::sync::mpsc;
    use std::task::Wake;

    use super::*;

    /// Says that it was woken.
    struct Bell(mpsc::Sender<()>);

    impl Wake for Bell {
        fn wake(self: Arc<Self>) {
            // Who listens may be gone.
            let _ = self.0.send(());
        }
    }

    #[test]
    fn a_wait_ends_when_its_time_has_come_and_not_before() {
        let timer = ThreadTimer::new();
        let (sender, bell) = mpsc::channel();
        let waker = Waker::from(Arc::new(Bell(sender)));
        let mut context = Context::from_waker(&waker);
        let before = timer.now();
        let mut long = pin!(timer.sleep(Duration::from_secs(3_600)));
        let mut short = pin!(timer.sleep(Duration::from_millis(1)));
        assert!(long.as_mut().poll(&mut context).is_pending());
        while short.as_mut().poll(&mut context).is_pending() {
            bell.recv().expect("the timer keeps a waker while it waits");
        }
        assert!(timer.now() >= before + Duration::from_millis(1));
        assert!(long.as_mut().poll(&mut context).is_pending());
    }

    #[test]
    fn nothing_is_left_of_a_wait_that_is_dropped() {
        let timer = ThreadTimer::new();
        let mut context = Context::from_waker(Waker::noop());
        let mut sleep = timer.sleep(Duration::from_secs(3_600));
        assert!(sleep.as_mut().poll(&mut context).is_pending());
        assert_eq!(timer.shared.lock().waits.len(), 1);
        drop(sleep);
        assert!(timer.shared.lock().waits.is_empty());
        // Only the thread holds the list besides, and it ends when nobody waits.
        while Arc::strong_count(&timer.shared) > 1 {
            thread::yield_now();
        }
        assert!(!timer.shared.lock().has_thread);
    }

    #[test]
    fn no_time_is_over_at_once_and_more_than_there_is_never() {
        let timer = ThreadTimer::new();
        let mut context = Context::from_waker(Waker::noop());
        let mut is_over = |duration| pin!(timer.sleep(duration)).poll(&mut context).is_ready();
        assert!(is_over(Duration::ZERO));
        assert!(!is_over(Duration::MAX));
    }
}
