//! The store's runtime. Connections live in the one the store was opened in; futures of the store
//! may be run by any executor.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use session_store::StoreError;
use tokio::runtime::Handle;

use crate::fault::Trouble;

/// The runtime that a store was opened in.
#[derive(Clone, Debug)]
pub(crate) struct Home(Handle);

impl Home {
    pub(crate) fn here() -> Result<Self, StoreError> {
        match Handle::try_current() {
            Ok(handle) => Ok(Self(handle)),
            Err(_) => Err(StoreError::failed(Trouble::NoRuntime)),
        }
    }

    /// The same future, which finds the store's timers and sockets wherever it is polled.
    pub(crate) fn run<F: Future>(&self, future: F) -> AtHome<'_, F> {
        AtHome {
            home: &self.0,
            future: Box::pin(future),
        }
    }
}

pub(crate) struct AtHome<'a, F> {
    home: &'a Handle,
    future: Pin<Box<F>>,
}

impl<F: Future> Future for AtHome<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let _entered = self.home.enter();
        self.future.as_mut().poll(context)
    }
}
