//! `--encoding` and `--model`: how tokens are counted.

use std::sync::Arc;

use clap::Args;
use compaction_tokens::Estimators;
use session::TokenEstimator;

use crate::failure::Failure;

/// How tokens are counted.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Tokens")]
pub(crate) struct TokenArgs {
    /// How tokens are counted: o200k_base, o200k_harmony, cl100k_base, p50k_base, p50k_edit,
    /// r50k_base, chars4, bytes4, heuristic, …
    #[arg(long, value_name = "NAME", default_value = Estimators::DEFAULT)]
    pub(crate) encoding: String,
}

impl TokenArgs {
    /// The estimator that was asked for.
    pub(crate) fn estimator(&self) -> Result<Arc<dyn TokenEstimator>, Failure> {
        by_name(&self.encoding)
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
