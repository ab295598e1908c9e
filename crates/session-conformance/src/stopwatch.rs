//! Time, or what stands for it where nothing may depend on a clock.

use std::time::{Duration, Instant};

/// What costs are measured in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stopwatch {
    /// In time.
    #[default]
    Time,
    /// In rows of the store, so many read or written a tick: the same on every machine.
    Rows,
}

/// What a row stands for.
const TICK: Duration = Duration::from_micros(100);

/// A measurement under way.
#[derive(Debug)]
pub(crate) struct Running(Option<Instant>);

impl Stopwatch {
    pub(crate) fn start(self) -> Running {
        Running(match self {
            Self::Time => Some(Instant::now()),
            Self::Rows => None,
        })
    }
}

impl Running {
    /// What it took, in which so many rows were read or written.
    pub(crate) fn stop(&self, rows: u64) -> Duration {
        match self.0 {
            Some(started) => started.elapsed(),
            None => TICK.saturating_mul(u32::try_from(rows).unwrap_or(u32::MAX)),
        }
    }
}

/// Whole milliseconds.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
