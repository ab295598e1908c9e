//! The clock, handed in so that tests need no real one.

use std::fmt::Debug;
use std::time::{SystemTime, UNIX_EPOCH};

use session_log::Timestamp;

/// Tells the time.
pub trait Clock: Debug + Send + Sync + 'static {
    /// The moment it is now.
    fn now(&self) -> Timestamp;
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let millis = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_millis()),
            Err(before) => i64::try_from(before.duration().as_millis()).map(|millis| -millis),
        };
        Timestamp::from_millis(millis.unwrap_or(i64::MAX))
    }
}

/// A clock that stands still at one moment.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "it is one moment")]
pub struct FixedClock(pub Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}
