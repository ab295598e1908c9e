//! Estimates from the length alone.

use compaction_core::TokenEstimator;

/// A token for every four characters, rounded up. Named `chars4`.
///
/// The best known rule of thumb, and fair for English (+10 to +20 %). It is far too low for
/// Chinese, Japanese and Korean (−55 %), emoji and base64: prefer [`Bytes4`] or a
/// [`Heuristic`](crate::Heuristic) when such text can occur.
///
/// ```
/// use compaction_core::TokenEstimator;
/// use compaction_tokens::Chars4;
///
/// assert_eq!(Chars4.estimate(""), 0);
/// assert_eq!(Chars4.estimate("é"), 1);
/// assert_eq!(Chars4.estimate("User: hello"), 3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[expect(
    clippy::exhaustive_structs,
    reason = "it has no settings and never will"
)]
pub struct Chars4;

impl TokenEstimator for Chars4 {
    fn name(&self) -> &str {
        "chars4"
    }

    fn estimate(&self, text: &str) -> u64 {
        quarter(text.chars().count())
    }
}

/// A token for every four bytes of UTF-8, rounded up. Named `bytes4`.
///
/// As cheap as an estimate can be: the text is not even read. It is as good as [`Chars4`] for
/// English and code, near the truth for Chinese and Japanese, and still far too low for emoji,
/// base64 and long numbers.
///
/// ```
/// use compaction_core::TokenEstimator;
/// use compaction_tokens::Bytes4;
///
/// assert_eq!(Bytes4.estimate(""), 0);
/// assert_eq!(Bytes4.estimate("漢字"), 2);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[expect(
    clippy::exhaustive_structs,
    reason = "it has no settings and never will"
)]
pub struct Bytes4;

impl TokenEstimator for Bytes4 {
    fn name(&self) -> &str {
        "bytes4"
    }

    fn estimate(&self, text: &str) -> u64 {
        quarter(text.len())
    }
}

fn quarter(length: usize) -> u64 {
    u64::try_from(length.div_ceil(4)).unwrap_or(u64::MAX)
}
