//! Waiting for a future on this thread.

use crate::failure::Failure;

/// Runs `future` to its end. PostgreSQL's client needs a runtime around it, and so does waiting for
/// a model no longer than is sensible.
#[cfg(any(feature = "http", feature = "postgres"))]
pub(crate) fn wait<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime.block_on(future),
        Err(error) => Err(Failure::work(format!(
            "cannot start: {}",
            crate::failure::plainly(&error)
        ))),
    }
}

/// Runs `future` to its end. The stores of this build wake from threads of their own, so no runtime
/// is needed.
#[cfg(not(any(feature = "http", feature = "postgres")))]
pub(crate) fn wait<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    use std::pin::pin;
    use std::sync::Arc;
    use std::task::{Context, Poll, Wake, Waker};
    use std::thread::{self, Thread};

    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}
