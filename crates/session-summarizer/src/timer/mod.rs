//! The port through which waiting goes, so that any runtime fits and no test waits.

mod thread;

use core::fmt::Debug;
use core::time::Duration;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;

pub use self::thread::ThreadTimer;

/// Measures and waits.
///
/// [`ThreadTimer`] needs no runtime. With tokio it is `Instant::elapsed` of a fixed instant and
/// `tokio::time::sleep`; `session-summarizer-http` has that as `TokioTimer`.
#[async_trait]
pub trait Timer: Debug + Send + Sync + 'static {
    /// The time since some fixed moment. It never goes back.
    fn now(&self) -> Duration;

    /// Ends when `duration` has passed. Dropping it ends the wait.
    async fn sleep(&self, duration: Duration);
}

#[async_trait]
impl<T: Timer + ?Sized> Timer for Arc<T> {
    fn now(&self) -> Duration {
        (**self).now()
    }

    async fn sleep(&self, duration: Duration) {
        (**self).sleep(duration).await;
    }
}

/// Time that passes only by waiting: a wait is over at once and moves the clock. For tests. Clones
/// share the clock. Under a time limit in it, whatever is not done at once is out of time.
///
/// ```
/// use std::time::Duration;
/// use session_summarizer::{Timer, VirtualTimer};
///
/// let timer = VirtualTimer::new();
/// # let pass = async {
/// timer.sleep(Duration::from_secs(60)).await;
/// # };
/// # let mut pass = std::pin::pin!(pass);
/// # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
/// # assert!(std::future::Future::poll(pass.as_mut(), &mut context).is_ready());
/// assert_eq!(timer.now(), Duration::from_secs(60));
/// assert_eq!(timer.waits(), [Duration::from_secs(60)]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct VirtualTimer {
    waits: Arc<Mutex<Vec<Duration>>>,
}

impl VirtualTimer {
    /// A clock at zero.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Every wait so far, in order.
    #[must_use]
    pub fn waits(&self) -> Vec<Duration> {
        self.waits
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

#[async_trait]
impl Timer for VirtualTimer {
    fn now(&self) -> Duration {
        self.waits()
            .into_iter()
            .fold(Duration::ZERO, Duration::saturating_add)
    }

    async fn sleep(&self, duration: Duration) {
        self.waits
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(duration);
    }
}
