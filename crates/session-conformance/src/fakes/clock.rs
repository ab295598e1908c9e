//! A clock that moves when it is told to.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use session::{Clock, Timestamp};

/// The moment every case begins at: 2026-03-01T12:00:00Z.
const BEGINNING: i64 = 1_772_366_400_000;

/// A clock that stands still until it is moved. Clones show the same time.
#[derive(Clone, Debug)]
pub(crate) struct CaseClock(Arc<AtomicI64>);

impl CaseClock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicI64::new(BEGINNING)))
    }

    pub(crate) fn advance(&self, millis: i64) {
        let moment = self.0.load(Ordering::SeqCst).saturating_add(millis);
        self.0.store(moment, Ordering::SeqCst);
    }
}

impl Clock for CaseClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}
