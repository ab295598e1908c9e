//! Time as tokio keeps it.

use core::time::Duration;

use async_trait::async_trait;
use session_summarizer::Timer;
use tokio::time::Instant;

/// Real time in a tokio runtime whose timers are enabled, for
/// [`Retrying`](session_summarizer::Retrying). Waiting outside of one panics, as everything of tokio
/// does; [`ThreadTimer`](session_summarizer::ThreadTimer) needs no runtime.
///
/// ```
/// use std::time::Duration;
/// use session_summarizer::Timer;
/// use session_summarizer_http::TokioTimer;
///
/// let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
/// runtime.block_on(async {
///     let timer = TokioTimer::new();
///     let before = timer.now();
///     timer.sleep(Duration::from_millis(1)).await;
///     assert!(timer.now() >= before + Duration::from_millis(1));
/// });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TokioTimer {
    start: Instant,
}

impl TokioTimer {
    /// A clock that begins now.
    #[must_use]
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
        }
    }
}

impl Default for TokioTimer {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Timer for TokioTimer {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}
