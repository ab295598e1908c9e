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
    #[arg(long, value_name = "NAME", help = encoding_help())]
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
        let model = self.model.as_deref().map(model).transpose();
        model.map_err(|failure| {
            failure.with_hint("leave --model out; name the --encoding, and write the limit behind a fraction: 'fraction>=0.8:128000'")
        })
    }
}

/// What is known of the model of this name.
pub(crate) fn model(name: &str) -> Result<Model, Failure> {
    let models = ModelRegistry::built_in();
    models.find(name).model().cloned().ok_or_else(|| {
        Failure::usage(format!("nothing is known of a model named {name:?}"))
            .with_hint("leave --model out, and name the --encoding")
    })
}

fn encoding_help() -> String {
    let names: Vec<&str> = Estimators::names().collect();
    format!(
        "How tokens are counted: {} [default: {}, or the model's]",
        names.join(", "),
        Estimators::DEFAULT
    )
}

/// The estimator of this name.
pub(crate) fn by_name(name: &str) -> Result<Arc<dyn TokenEstimator>, Failure> {
    Estimators::by_name(name).map_err(|_| {
        let names: Vec<&str> = Estimators::names().collect();
        Failure::usage(format!("no encoding is named {name:?}"))
            .with_hint(format!("choose one of {}", names.join(", ")))
    })
}
