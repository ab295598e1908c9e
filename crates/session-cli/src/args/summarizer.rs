//! `--summarizer`: who writes the summary.

use session::Ledger;

use crate::args::tokens::TokenArgs;
use crate::failure::Failure;

/// A summarizer by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SummarizerName {
    /// Nobody.
    None,
    /// Code alone.
    Ledger,
}

/// Reads `none`, `ledger`, or the name of a provider and a model.
pub(crate) fn summarizer(name: &str) -> Result<SummarizerName, String> {
    match name {
        "none" => Ok(SummarizerName::None),
        "ledger" => Ok(SummarizerName::Ledger),
        _ => {
            let provider = name.split_once(':').map(|(provider, _)| provider);
            match provider {
                Some("openai" | "anthropic" | "gemini" | "ollama") => {
                    Err("no model can be asked by this command; ledger needs none".into())
                }
                _ => Err("expected none or ledger".into()),
            }
        }
    }
}

impl SummarizerName {
    /// The summarizer, if there is to be one.
    pub(crate) fn summarizer(self, tokens: &TokenArgs) -> Result<Option<Ledger>, Failure> {
        match self {
            Self::None => Ok(None),
            Self::Ledger => Ok(Some(Ledger::new(tokens.estimator()?))),
        }
    }
}
