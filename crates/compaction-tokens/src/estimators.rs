//! Estimators by name, for a command line or a settings file.

use alloc::sync::Arc;

use compaction_core::TokenEstimator;

use crate::{Bytes4, Chars4, Encoding, Family, Heuristic, Tiktoken};

/// Finds an estimator by the name under which its counts are stored.
///
/// There is one for each [`Encoding`] (`o200k_base`, …), `chars4`, `bytes4`, `heuristic`, and one
/// for each other [`Family`] (`heuristic-claude`, …).
///
/// ```
/// use compaction_tokens::Estimators;
///
/// let estimator = Estimators::by_name("o200k_base")?;
/// assert_eq!(estimator.estimate("User: hello"), 3);
///
/// let error = Estimators::by_name("chars5").err().unwrap();
/// assert!(error.to_string().starts_with("unknown estimator \"chars5\", valid are o200k_base, "));
/// # Ok::<(), compaction_tokens::UnknownEstimator>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_enums, reason = "it has no value, only functions")]
pub enum Estimators {}

impl Estimators {
    /// The name of the estimator to use when nobody chose one: `o200k_base`.
    pub const DEFAULT: &str = Encoding::O200kBase.name();

    /// The estimator of a name. Case and surrounding blanks do not matter, and `gpt2` is read as
    /// `r50k_base`. Nothing is loaded before the first count.
    ///
    /// # Errors
    ///
    /// [`UnknownEstimator`] when no estimator has this name; its message lists the valid ones.
    pub fn by_name(name: &str) -> Result<Arc<dyn TokenEstimator>, UnknownEstimator> {
        let wanted = name.trim();
        if let Ok(encoding) = wanted.parse::<Encoding>() {
            return Ok(Arc::new(Tiktoken::new(encoding)));
        }
        if wanted.eq_ignore_ascii_case(Chars4.name()) {
            return Ok(Arc::new(Chars4));
        }
        if wanted.eq_ignore_ascii_case(Bytes4.name()) {
            return Ok(Arc::new(Bytes4));
        }
        let mut families = Family::ALL.into_iter();
        let family = families.find(|family| wanted.eq_ignore_ascii_case(family.estimator_name()));
        match family {
            Some(family) => Ok(Arc::new(Heuristic::new(family))),
            None => Err(UnknownEstimator {
                name: name.to_owned(),
            }),
        }
    }

    /// The valid names, exact counts first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let encodings = Encoding::ALL.into_iter().map(Encoding::name);
        let families = Family::ALL.into_iter().map(Family::estimator_name);
        encodings.chain(["chars4", "bytes4"]).chain(families)
    }
}

/// No estimator has this name. The message lists the ones there are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown estimator {name:?}, valid are {}", listed())]
#[non_exhaustive]
pub struct UnknownEstimator {
    /// The name that was asked for.
    pub name: String,
}

fn listed() -> String {
    let names: Vec<&str> = Estimators::names().collect();
    names.join(", ")
}
