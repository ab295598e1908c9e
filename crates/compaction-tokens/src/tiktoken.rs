//! Exact counts through the encodings of tiktoken.

use compaction_core::TokenEstimator;

use crate::Encoding;
use crate::pieces::pieces;
use crate::vocabulary::Vocabulary;

/// Counts tokens as tiktoken does, for text of any length and content.
///
/// Control markers such as `<|endoftext|>` are plain text. The vocabulary is loaded at the first
/// count, once for the whole process, and shared by every thread; a value of this type is as
/// small as its [`Encoding`].
///
/// # How exact
///
/// The count is tiktoken's, unless the text holds a run of more than 24,576 bytes without a
/// single place where a word must end: one letter, blank or mark over and over. Such a run is
/// counted in pieces of that size, which keeps the time linear and the regex stack small. A cut
/// inside a run shifted the count by at most one token in every run that was tried (the tests
/// allow two), and a piece has at least 192 tokens. A run of one character, or of digits, is
/// usually not shifted at all.
///
/// ```
/// use compaction_core::TokenEstimator;
/// use compaction_tokens::{Encoding, Tiktoken};
///
/// let tokens = Tiktoken::new(Encoding::O200kBase);
/// assert_eq!(tokens.estimate("Where may a conversation be cut?"), 7);
/// assert_eq!(tokens.estimate("<|endoftext|>"), 7);
/// assert_eq!(tokens.name(), "o200k_base");
///
/// let long = "word ".repeat(1_000_000);
/// assert_eq!(tokens.count_up_to(&long, 100), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Tiktoken {
    encoding: Encoding,
}

impl Tiktoken {
    /// A vocabulary for an encoding. Nothing is loaded yet.
    pub const fn new(encoding: Encoding) -> Self {
        Self { encoding }
    }

    /// The encoding that is counted.
    pub const fn encoding(self) -> Encoding {
        self.encoding
    }

    /// The number of tokens of `text`.
    pub fn count(self, text: &str) -> u64 {
        let vocabulary = Vocabulary::of(self.encoding);
        pieces(text).map(|piece| vocabulary.count(piece)).sum()
    }

    /// The number of tokens of `text` if it is at most `limit`, and else `None`.
    ///
    /// Costs no more than counting `limit` tokens, give or take a piece of 24,576 bytes.
    pub fn count_up_to(self, text: &str, limit: u64) -> Option<u64> {
        if bytes(text) > limit.saturating_mul(Encoding::LONGEST_TOKEN) {
            return None;
        }
        let vocabulary = Vocabulary::of(self.encoding);
        let mut sum = 0;
        for piece in pieces(text) {
            sum += vocabulary.count(piece);
            if sum > limit {
                return None;
            }
        }
        Some(sum)
    }

    /// Whether `text` has at most `limit` tokens; often told from its length alone.
    pub fn fits(self, text: &str, limit: u64) -> bool {
        bytes(text) <= limit || self.count_up_to(text, limit).is_some()
    }
}

impl From<Encoding> for Tiktoken {
    fn from(encoding: Encoding) -> Self {
        Self::new(encoding)
    }
}

impl TokenEstimator for Tiktoken {
    fn name(&self) -> &str {
        self.encoding.name()
    }

    fn estimate(&self, text: &str) -> u64 {
        self.count(text)
    }
}

fn bytes(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}
