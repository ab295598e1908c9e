//! What answers cost that came to nothing.

use std::sync::{Mutex, PoisonError};

use crate::summary::Usage;

/// Adds up the tokens of answers that no summary came of: they were paid all the same.
///
/// A brief carries it along. Whoever turns an answer into an error, or drops a summary, notes what
/// it cost with [`Brief::lost`](crate::Brief::lost); what a summary took that is handed on is in
/// its [`usage`](crate::Summary::usage), failed attempts before it included. So the two together
/// are everything that is known of what a pass cost.
///
/// ```
/// use session_log::Message;
/// use session_summarizer::{Brief, Tally, Usage};
///
/// let tally = Tally::new();
/// let talk = [Message::user("Fix the gate.")];
/// let brief = Brief::new(&talk).with_tally(&tally);
/// brief.lost(Usage::new(Some(900), Some(20)));
/// brief.lost(Usage::new(Some(900), None));
/// assert_eq!(tally.usage(), Usage::new(Some(1_800), Some(20)));
/// ```
#[derive(Debug, Default)]
pub struct Tally(Mutex<Usage>);

impl Tally {
    /// Nothing was lost yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes an answer that came to nothing.
    pub fn add(&self, usage: Usage) {
        let mut sum = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *sum = sum.plus(usage);
    }

    /// What they cost together, as far as it was reported.
    #[must_use]
    pub fn usage(&self) -> Usage {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
