//! What is known of models by their names: how much they take, and how to count for them.

mod built_in;

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;

/// The limits of one model, or of all whose names begin alike.
///
/// ```
/// use compaction_tokens::Model;
///
/// let model = Model::new("my-model", 32_768)
///     .with_reserve_output(4_096)
///     .with_estimator("heuristic-llama");
/// assert_eq!(model.usable_input(), 28_672);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Model {
    /// The name, or the beginning of the names, that it stands for.
    pub name: Cow<'static, str>,
    /// The most tokens of a request, the reply's included when both share one window.
    pub limit: u64,
    /// Tokens of the limit to keep free for the reply.
    pub reserve_output: u64,
    /// The name of the estimator to count with; see [`Estimators`](crate::Estimators).
    pub estimator: Cow<'static, str>,
}

impl Model {
    /// A model with a limit in tokens, no reserve, counted with `heuristic`.
    pub fn new(name: impl Into<Cow<'static, str>>, limit: u64) -> Self {
        Self {
            name: name.into(),
            limit,
            reserve_output: 0,
            estimator: Cow::Borrowed("heuristic"),
        }
    }

    /// Keeps this many tokens free for the reply.
    #[must_use]
    pub fn with_reserve_output(mut self, tokens: u64) -> Self {
        self.reserve_output = tokens;
        self
    }

    /// Counts with the estimator of this name.
    #[must_use]
    pub fn with_estimator(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.estimator = name.into();
        self
    }

    /// The tokens that are left for the input: the limit without the reserve.
    pub fn usable_input(&self) -> u64 {
        self.limit.saturating_sub(self.reserve_output)
    }
}

/// Models by name: an exact name first, then the longest beginning of it that ends with a word, so
/// that `gpt-4` stands for `gpt-4-0613` and neither for `gpt-41` nor `ada` for `adapter`.
///
/// Case and surrounding blanks do not matter. A name that is not known whole is tried again
/// without the vendor before its last slash (`openai/gpt-4o`) or dot (`us.anthropic.claude-3`),
/// and as the base of a fine-tuned model (`ft:gpt-4o:org::id`).
///
/// ```
/// use compaction_tokens::{Lookup, Model, ModelRegistry};
///
/// let mut models = ModelRegistry::built_in();
/// let Lookup::Prefix(model) = models.find("gpt-4o-2024-08-06") else { panic!() };
/// assert_eq!((&*model.name, model.limit, &*model.estimator), ("gpt-4o", 128_000, "o200k_base"));
///
/// assert_eq!(models.find("my-model"), Lookup::Unknown);
/// assert_eq!(models.find("my-model").limit_or(ModelRegistry::DEFAULT_LIMIT), 4_096);
///
/// models.register(Model::new("my-model", 8_192))?;
/// assert_eq!(models.find("My-Model").limit_or(ModelRegistry::DEFAULT_LIMIT), 8_192);
/// # Ok::<(), compaction_tokens::RegisterError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ModelRegistry {
    models: BTreeMap<String, Model>,
}

impl ModelRegistry {
    /// A limit that any model of today takes. Nothing uses it unless it is asked for by name.
    pub const DEFAULT_LIMIT: u64 = 4_096;

    /// A registry that knows no model.
    pub const fn new() -> Self {
        Self {
            models: BTreeMap::new(),
        }
    }

    /// A registry that knows the models listed in `docs/tokens.md`, as of November 2026.
    pub fn built_in() -> Self {
        let models = built_in::models().map(|model| (key(&model.name), model));
        Self {
            models: models.collect(),
        }
    }

    /// Adds a model, and gives back the one that had its name before.
    ///
    /// # Errors
    ///
    /// [`RegisterError`] when the name is blank, the limit is zero, or the reserve leaves no token
    /// for the input. Nothing is changed then.
    pub fn register(&mut self, model: Model) -> Result<Option<Model>, RegisterError> {
        let key = key(&model.name);
        if key.is_empty() {
            return Err(RegisterError::BlankName);
        }
        if model.limit == 0 {
            return Err(RegisterError::ZeroLimit {
                name: model.name.into_owned(),
            });
        }
        if model.reserve_output >= model.limit {
            return Err(RegisterError::NoInput {
                reserve_output: model.reserve_output,
                limit: model.limit,
                name: model.name.into_owned(),
            });
        }
        Ok(self.models.insert(key, model))
    }

    /// What is known of a model.
    pub fn find(&self, name: &str) -> Lookup<'_> {
        let name = key(name);
        let bare = name.rsplit('/').next().unwrap_or_default();
        let names = [Some(&*name), base(&name), Some(bare), base(bare)];
        names
            .into_iter()
            .flatten()
            .chain([without_vendors(bare)])
            .map(|name| self.find_key(name))
            .find(|lookup| *lookup != Lookup::Unknown)
            .unwrap_or(Lookup::Unknown)
    }

    /// Every model, in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = &Model> {
        self.models.values()
    }

    fn find_key(&self, name: &str) -> Lookup<'_> {
        if let Some(model) = self.models.get(name) {
            return Lookup::Exact(model);
        }
        let beginnings = self
            .models
            .iter()
            .filter(|(key, _)| begins_with_word(name, key));
        match beginnings.max_by_key(|(key, _)| key.len()) {
            Some((_, model)) => Lookup::Prefix(model),
            None => Lookup::Unknown,
        }
    }
}

/// What a [`ModelRegistry`] knows of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a caller decides on each")]
pub enum Lookup<'a> {
    /// The model has exactly this name.
    Exact(&'a Model),
    /// The name begins with this model's.
    Prefix(&'a Model),
    /// Nothing is known. The caller decides on a limit.
    Unknown,
}

impl<'a> Lookup<'a> {
    /// The model, however it was found.
    pub fn model(self) -> Option<&'a Model> {
        match self {
            Self::Exact(model) | Self::Prefix(model) => Some(model),
            Self::Unknown => None,
        }
    }

    /// The model's limit in tokens, or the given one when the model is unknown.
    pub fn limit_or(self, limit: u64) -> u64 {
        self.model().map_or(limit, |model| model.limit)
    }
}

/// A model that cannot be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// The name is empty or only blanks.
    #[error("a model needs a name")]
    BlankName,
    /// The limit is zero.
    #[error("the limit of model {name:?} is zero, give the tokens of its context window")]
    #[non_exhaustive]
    ZeroLimit {
        /// The model's name.
        name: String,
    },
    /// The reserve is as large as the limit.
    #[error(
        "model {name:?} reserves {reserve_output} tokens for the reply out of {limit}, which \
         leaves none for the input"
    )]
    #[non_exhaustive]
    NoInput {
        /// The model's name.
        name: String,
        /// The tokens to keep for the reply.
        reserve_output: u64,
        /// The limit.
        limit: u64,
    },
}

fn key(name: &str) -> String {
    name.trim().to_lowercase()
}

/// The base of a fine-tuned model.
fn base(name: &str) -> Option<&str> {
    name.strip_prefix("ft:")?.split(':').next()
}

/// The name behind the places and vendors that some hosts put before it: `us.anthropic.claude-3`.
fn without_vendors(mut name: &str) -> &str {
    let is_vendor = |word: &str| word.chars().all(|c| c.is_alphabetic() || c == '-');
    while let Some((vendor, rest)) = name.split_once('.')
        && is_vendor(vendor)
    {
        name = rest;
    }
    name
}

/// Whether a name begins with another one, and neither a word nor a number goes on behind it.
fn begins_with_word(name: &str, beginning: &str) -> bool {
    let Some(behind) = name.strip_prefix(beginning) else {
        return false;
    };
    match (beginning.chars().next_back(), behind.chars().next()) {
        (Some(last), Some(next)) => {
            let is_in_word = last.is_alphabetic() && next.is_alphabetic();
            let is_in_number = last.is_numeric() && next.is_numeric();
            !is_in_word && !is_in_number
        }
        _ => true,
    }
}
