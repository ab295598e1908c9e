//! Learns from what providers report how far the estimates are off.
//!
//! A provider says after each request how many tokens its input had. Compared with the estimate of
//! the same input, that gives a factor for the next estimates, and a spread that says how far to
//! trust it.

use alloc::collections::VecDeque;

/// Which state of a session's view a number of tokens belongs to.
///
/// Two ids with the same boundary are the same view, longer at the higher version: events are only
/// appended. A compaction, a revert or a fork gives another boundary, and nothing that was
/// measured before it says anything of the sum after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_structs,
    reason = "two coordinates, and there are no others"
)]
pub struct ViewId {
    /// The seq of the newest live boundary, zero without one.
    pub boundary: u64,
    /// The version of the session that the view was made at.
    pub version: u64,
}

impl ViewId {
    /// The view of a session at `version`, under the boundary of that seq or zero.
    pub const fn new(boundary: u64, version: u64) -> Self {
        Self { boundary, version }
    }

    /// Whether this is the `earlier` view with nothing but events appended, or none.
    pub const fn continues(self, earlier: Self) -> bool {
        self.boundary == earlier.boundary && self.version >= earlier.version
    }
}

/// The input tokens a provider reported, cached ones included.
///
/// Cached tokens are in the context as much as any. Some providers count them in and some beside:
///
/// ```
/// use compaction_tokens::InputUsage;
///
/// // OpenAI: `prompt_tokens` has them already.
/// assert_eq!(InputUsage::new(1_500).total(), 1_500);
/// // Anthropic: `input_tokens`, `cache_read_input_tokens`, `cache_creation_input_tokens`.
/// assert_eq!(InputUsage::new(20).with_cached(1_400).with_cached(80).total(), 1_500);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct InputUsage {
    total: u64,
}

impl InputUsage {
    /// The input tokens of one request.
    pub const fn new(tokens: u64) -> Self {
        Self { total: tokens }
    }

    /// Adds tokens read from or written to a cache that were reported beside the others.
    #[must_use]
    pub const fn with_cached(self, tokens: u64) -> Self {
        Self {
            total: self.total.saturating_add(tokens),
        }
    }

    /// All input tokens.
    pub const fn total(self) -> u64 {
        self.total
    }
}

/// Corrects the estimates for one model by the usage its provider reports.
///
/// Say what was [`sent`](Self::sent) and then what was [`reported`](Self::reported) for it, or
/// that the request [`failed`](Self::failed). Ask for [`tokens`](Self::tokens) of a view at any
/// time. A report for a view that was not sent last changes nothing, so usage that is left on an
/// old message never decides over a new view.
///
/// ```
/// use compaction_tokens::{Calibrated, InputUsage, Learned, ViewId};
///
/// let mut calibrated = Calibrated::new();
/// let view = ViewId::new(0, 12);
/// let before = calibrated.tokens(view, 1_000);
/// assert_eq!((before.estimate, before.upper), (1_000, 1_500));
///
/// calibrated.sent(view, 1_000);
/// assert_eq!(calibrated.reported(view, InputUsage::new(1_200)), Learned::Used);
///
/// // The same view is known exactly, a longer one but for what was appended.
/// assert_eq!(calibrated.tokens(view, 1_000).upper, 1_200);
/// let longer = calibrated.tokens(ViewId::new(0, 14), 1_100);
/// assert_eq!((longer.estimate, longer.upper), (1_320, 1_363));
///
/// // After a compaction only the factor is left.
/// let compacted = calibrated.tokens(ViewId::new(15, 17), 300);
/// assert_eq!((compacted.estimate, compacted.upper), (360, 488));
/// ```
///
/// Estimate the whole request with one estimator: the view, its framing and the tool schemas.
/// Keep one value per model and estimator.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Calibrated {
    pending: Option<Measure>,
    latest: Option<Report>,
    reports: VecDeque<Report>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Measure {
    view: ViewId,
    estimated: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Report {
    measure: Measure,
    tokens: u64,
}

impl Calibrated {
    /// Knows nothing yet: estimates are taken as they are, with a wide bound.
    pub const fn new() -> Self {
        Self {
            pending: None,
            latest: None,
            reports: VecDeque::new(),
        }
    }

    /// A request with this view was sent, and estimated at that many tokens.
    pub fn sent(&mut self, view: ViewId, estimated: u64) {
        self.pending = Some(Measure { view, estimated });
    }

    /// The request with this view failed or came back without usage: nothing is learned from it.
    pub fn failed(&mut self, view: ViewId) {
        self.pending = self.pending.filter(|pending| pending.view != view);
    }

    /// The provider reported this usage for the request with that view.
    ///
    /// Each request teaches once. What was learned before is kept whatever comes of this one.
    pub fn reported(&mut self, view: ViewId, usage: InputUsage) -> Learned {
        let Some(measure) = self.pending.filter(|pending| pending.view == view) else {
            return Learned::OtherView;
        };
        self.pending = None;
        let tokens = usage.total();
        let least = measure.estimated.div_ceil(PLAUSIBLE);
        let most = measure.estimated.saturating_mul(PLAUSIBLE);
        if tokens == 0 || !(least..=most).contains(&tokens) {
            return Learned::Implausible;
        }
        let report = Report { measure, tokens };
        self.latest = Some(report);
        if self.reports.len() == MEMORY {
            self.reports.pop_front();
        }
        self.reports.push_back(report);
        Learned::Used
    }

    /// The tokens of a view that the estimator puts at `estimated`.
    pub fn tokens(&self, view: ViewId, estimated: u64) -> CalibratedTokens {
        let (known, measured) = self.known_part(view, estimated);
        let rest = self.tokens_of_size(estimated - measured);
        CalibratedTokens {
            estimate: known.saturating_add(rest.estimate),
            upper: known.saturating_add(rest.upper),
        }
    }

    /// The tokens of any view that the estimator puts at `estimated`: all that a trigger knows.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    ///
    /// use compaction_core::{Condition, Counts, Trigger};
    /// use compaction_tokens::Calibrated;
    ///
    /// let calibrated = Arc::new(Mutex::new(Calibrated::new()));
    /// let shared = calibrated.clone(); // the other one learns from each reply
    /// let may_not_fit = Condition::new("at least 100,000 tokens by the upper bound", move |counts| {
    ///     let calibrated = shared.lock().unwrap();
    ///     calibrated.tokens_of_size(counts.tokens).upper >= 100_000
    /// });
    /// let trigger = Trigger::When(may_not_fit);
    /// assert!(trigger.check(&Counts::new(40, 9, 70_000)).fired); // as many as 105,000
    /// assert!(!trigger.check(&Counts::new(40, 9, 60_000)).fired);
    /// ```
    pub fn tokens_of_size(&self, estimated: u64) -> CalibratedTokens {
        let factor = self.factor();
        CalibratedTokens {
            estimate: scale(estimated, factor),
            upper: scale(estimated, factor + product(factor, self.spread())),
        }
    }

    /// How many reports the factor rests on: the newest 32 at most.
    pub fn observations(&self) -> usize {
        self.reports.len()
    }

    /// What is reported of a part of the view, and what the estimator said of that part.
    fn known_part(&self, view: ViewId, estimated: u64) -> (u64, u64) {
        match self.latest {
            Some(Report { measure, tokens })
                if view.continues(measure.view) && estimated >= measure.estimated =>
            {
                (tokens, measure.estimated)
            }
            _ => (0, 0),
        }
    }

    /// Reported tokens for each estimated one, in millionths.
    fn factor(&self) -> u128 {
        let reported: u128 = self
            .reports
            .iter()
            .map(|report| u128::from(report.tokens))
            .sum();
        let estimated: u128 = self
            .reports
            .iter()
            .map(|report| u128::from(report.measure.estimated))
            .sum();
        match (reported * ONE).checked_div(estimated) {
            Some(factor) => factor,
            None => ONE,
        }
    }

    /// Twice the deviation of the reports from the factor, relative to it, in millionths.
    ///
    /// One imagined report that was off by a quarter is counted with them, so that a few reports
    /// that happen to agree are not trusted blindly.
    fn spread(&self) -> u128 {
        let factor = self.factor().max(1);
        let squares: u128 = self
            .reports
            .iter()
            .filter_map(|report| {
                let ratio = u128::from(report.tokens) * ONE;
                let ratio = ratio.checked_div(u128::from(report.measure.estimated))?;
                let off = (ratio * ONE / factor).abs_diff(ONE);
                Some(off * off)
            })
            .sum();
        let reports: u128 = self.reports.iter().map(|_| 1).sum();
        let variance = (squares + FIRST_GUESS * FIRST_GUESS) / (reports + 1);
        2 * variance.isqrt()
    }
}

/// What a report was good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Learned {
    /// The next estimates rest on it.
    Used,
    /// Nothing was sent for this view, or something else since: the report was dropped.
    OtherView,
    /// No tokens, or more than ten times off the estimate: the report was dropped.
    Implausible,
}

/// The tokens of a view, corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CalibratedTokens {
    /// The likeliest number.
    pub estimate: u64,
    /// A number that the view seldom exceeds, if its text is like what was measured. At first half
    /// as much again as the estimate; nearer with each report that agrees: 35 % after one, 15 %
    /// after ten, 9 % after thirty.
    pub upper: u64,
}

/// How many reports are kept. Old ones go, since models and the kind of text change.
const MEMORY: usize = 32;
/// A report so many times over or under the estimate is not of the same text.
const PLAUSIBLE: u64 = 10;
const ONE: u128 = 1_000_000;
/// How far an estimator is off before anything is known, in millionths.
const FIRST_GUESS: u128 = 250_000;

fn product(a: u128, b: u128) -> u128 {
    a * b / ONE
}

fn scale(tokens: u64, factor: u128) -> u64 {
    let scaled = (u128::from(tokens) * factor).div_ceil(ONE);
    u64::try_from(scaled).unwrap_or(u64::MAX)
}
