//! `--encoding` and `--model`: how tokens are counted.

use std::sync::Arc;

use clap::Args;
use compaction_tokens::{Estimators, Model, ModelRegistry};
use session::TokenEstimator;

use crate::failure::Failure;

/// How tokens are counted.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Tokens")]
pub(crate) struct TokenArgs {
    /// How tokens are counted: o200k_base, o200k_harmony, cl100k_base, p50k_base, p50k_edit,
    /// r50k_base, chars4, bytes4, heuristic, … [default: o200k_base, or the model's]
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,

    /// Count as for this model; it also gives --when 'fraction>=F' its limit
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
}

impl TokenArgs {
    /// The estimator that was asked for.
    pub(crate) fn estimator(&self) -> Result<Arc<dyn TokenEstimator>, Failure> {
        match (&self.encoding, self.model()?) {
            (Some(name), _) => by_name(name),
            (None, Some(model)) => by_name(&model.estimator),
            (None, None) => by_name(Estimators::DEFAULT),
        }
    }

    /// What is known of the model that was named; `None` when none was.
    pub(crate) fn model(&self) -> Result<Option<Model>, Failure> {
        let Some(name) = &self.model else {
            return Ok(None);
        };
        let models = ModelRegistry::built_in();
        match models.find(name).model() {
            Some(model) => Ok(Some(model.clone())),
            None => Err(
                Failure::usage(format!("nothing is known of a model named {name:?}")).with_hint(
                    "leave --model out; name the --encoding, and write the limit behind a fraction: 'fraction>=0.8:128000'",
                ),
            ),
        }
    }
}

/// The estimator of this name.
pub(crate) fn by_name(name: &str) -> Result<Arc<dyn TokenEstimator>, Failure> {
    Estimators::by_name(name).map_err(|_| {
        let names: Vec<&str> = Estimators::names().collect();
        Failure::usage(format!("no encoding is named {name:?}"))
            .with_hint(format!("choose one of {}", names.join(", ")))
    })
}
