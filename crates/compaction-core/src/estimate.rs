//! The port through which costs are measured.

/// Estimates how many tokens a model would count for a piece of text.
///
/// # Laws
///
/// 1. An estimate never fails and never panics, whatever the text.
/// 2. It is zero only for the empty text.
/// 3. It is about linear in the length of the text.
/// 4. Control markers of a tokenizer (`<|endoftext|>` and its like) are plain text.
/// 5. The same estimator gives the same number for the same text, and two estimators that can
///    differ have different names: counts are stored under the name.
///
/// ```
/// use compaction_core::TokenEstimator;
///
/// /// One token a character, handy in tests.
/// struct Characters;
///
/// impl TokenEstimator for Characters {
///     fn name(&self) -> &str {
///         "characters"
///     }
///     fn estimate(&self, text: &str) -> u64 {
///         text.chars().count() as u64
///     }
/// }
///
/// assert_eq!(Characters.estimate("User: u1"), 8);
/// ```
pub trait TokenEstimator: Send + Sync {
    /// The name under which counts are stored, such as `o200k_base`.
    fn name(&self) -> &str;

    /// The estimated number of tokens of `text`.
    fn estimate(&self, text: &str) -> u64;
}

impl<T: TokenEstimator + ?Sized> TokenEstimator for &T {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn estimate(&self, text: &str) -> u64 {
        (**self).estimate(text)
    }
}

impl<T: TokenEstimator + ?Sized> TokenEstimator for alloc::boxed::Box<T> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn estimate(&self, text: &str) -> u64 {
        (**self).estimate(text)
    }
}

impl<T: TokenEstimator + ?Sized> TokenEstimator for alloc::sync::Arc<T> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn estimate(&self, text: &str) -> u64 {
        (**self).estimate(text)
    }
}
