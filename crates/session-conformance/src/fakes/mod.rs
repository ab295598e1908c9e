//! What stands in for the world: a clock, an estimator, a summarizer, a store that counts.

mod clock;
mod counting;
mod estimator;
mod summarizer;

pub(crate) use self::clock::CaseClock;
pub(crate) use self::counting::{Counting, Reads};
pub(crate) use self::estimator::CaseEstimator;
pub(crate) use self::summarizer::{CaseSummarizer, Meanwhile, Recorder};
