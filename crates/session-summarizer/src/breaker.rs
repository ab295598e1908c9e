//! A breaker: what fails again and again is left alone for a while.

/// When a breaker opens, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct BreakerSettings {
    /// The failures in a row that open it. Zero counts as one. Default: 3.
    pub failures: u32,
    /// The turns of the first rest; each further one is twice as long. Zero counts as one.
    /// Default: 2.
    pub first_rest: u64,
    /// The turns of the longest rest. Default: 32.
    pub longest_rest: u64,
}

impl Default for BreakerSettings {
    fn default() -> Self {
        Self {
            failures: 3,
            first_rest: 2,
            longest_rest: 32,
        }
    }
}

/// Whether a pass may ask its summarizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a breaker has these three states and callers decide on each"
)]
pub enum BreakerState {
    /// It may.
    Closed,
    /// It rests until this turn.
    Open {
        /// The first turn in which it is tried again.
        until: u64,
    },
    /// It may, as a trial: a failure opens the breaker again at once, for longer.
    HalfOpen,
}

/// Counts failures in turns, not in time: a session that nobody uses does not recover, and a busy
/// one does not hammer a summarizer that is broken.
///
/// It is plain data. Ask [`allows`](Self::allows) before a pass, then report how it went. A summary
/// that landed or was declined on purpose is a success; an error or a fault is a failure.
///
/// ```
/// use session_summarizer::{Breaker, BreakerState};
///
/// let mut breaker = Breaker::default();
/// for turn in 1..=3 {
///     assert!(breaker.allows(turn));
///     breaker.failed(turn);
/// }
/// assert_eq!(breaker.state(4), BreakerState::Open { until: 6 });
/// assert_eq!(breaker.state(6), BreakerState::HalfOpen);
/// breaker.failed(6);
/// assert_eq!(breaker.state(7), BreakerState::Open { until: 11 }); // twice as long
/// breaker.succeeded();
/// assert_eq!(breaker.state(7), BreakerState::Closed);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Breaker {
    settings: BreakerSettings,
    failures: u32,
    rests: u32,
    until: Option<u64>,
}

impl Breaker {
    /// A closed breaker.
    #[must_use]
    pub fn new(settings: BreakerSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// Notes a success: the breaker closes and forgets its failures.
    pub fn succeeded(&mut self) {
        *self = Self::new(self.settings);
    }

    /// Notes a failure in `turn`.
    pub fn failed(&mut self, turn: u64) {
        self.failures = self.failures.saturating_add(1);
        if self.until.is_none() && self.failures < self.settings.failures {
            return;
        }
        let doubled = 2_u64.saturating_pow(self.rests);
        let rest = self.settings.first_rest.max(1).saturating_mul(doubled);
        let rest = rest.min(self.settings.longest_rest.max(1));
        self.rests = self.rests.saturating_add(1);
        self.until = Some(turn.saturating_add(rest).saturating_add(1));
    }

    /// The state in `turn`.
    #[must_use]
    pub fn state(&self, turn: u64) -> BreakerState {
        match self.until {
            None => BreakerState::Closed,
            Some(until) if turn < until => BreakerState::Open { until },
            Some(_) => BreakerState::HalfOpen,
        }
    }

    /// Whether a pass in `turn` may ask its summarizer.
    #[must_use]
    pub fn allows(&self, turn: u64) -> bool {
        !matches!(self.state(turn), BreakerState::Open { .. })
    }

    /// The failures in a row so far.
    #[must_use]
    pub fn failures(&self) -> u32 {
        self.failures
    }
}
