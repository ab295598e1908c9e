//! An estimate from what a text is made of: words, numbers, marks and scripts.
//!
//! A tokenizer without its vocabulary: the text is walked once, what costs tokens is counted, and
//! each item has a weight that was fitted to the real tokenizer of a model family.

mod family;
mod tally;

use compaction_core::TokenEstimator;

pub use self::family::Family;
use self::tally::Tally;

/// Estimates tokens for a family of models whose tokenizer is not at hand.
///
/// Within a few percent of the tokenizer it was fitted to on English, code, JSON, Chinese,
/// Japanese, base64, hexadecimal and numbers, and within about 20 % on most other languages; the
/// table of errors is in `docs/tokens.md`. Nothing is loaded, no text is kept, and the same text
/// costs the same on every machine. How sure the weights are differs by [`Family`].
///
/// ```
/// use compaction_core::TokenEstimator;
/// use compaction_tokens::{Family, Heuristic};
///
/// let gpt = Heuristic::default();
/// assert_eq!(gpt.name(), "heuristic");
/// assert_eq!(gpt.estimate(""), 0);
/// assert_eq!(gpt.estimate("Where may a conversation be cut?"), 8);
///
/// let claude = Heuristic::new(Family::Claude);
/// assert_eq!(claude.name(), "heuristic-claude");
/// assert!(claude.estimate("東京の天気は？") > gpt.estimate("東京の天気は？"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Heuristic {
    family: Family,
}

impl Heuristic {
    /// An estimator with the weights of a family.
    pub const fn new(family: Family) -> Self {
        Self { family }
    }

    /// The family whose tokenizer is imitated.
    pub const fn family(self) -> Family {
        self.family
    }
}

impl From<Family> for Heuristic {
    fn from(family: Family) -> Self {
        Self::new(family)
    }
}

impl TokenEstimator for Heuristic {
    fn name(&self) -> &str {
        self.family.estimator_name()
    }

    fn estimate(&self, text: &str) -> u64 {
        let hundredths = Tally::of(text).weigh(self.family.weights());
        match hundredths.div_ceil(100) {
            0 if !text.is_empty() => 1,
            tokens => tokens,
        }
    }
}
