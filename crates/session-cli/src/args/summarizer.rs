//! `--summarizer`: who writes the summary.

use clap::Args;
use session::{Ledger, Summarizer};

use crate::args::tokens::TokenArgs;
use crate::failure::Failure;

/// Who writes the summary.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Summary")]
pub(crate) struct SummarizerArgs {
    /// Put a summary in the place of what is covered: none; ledger, which takes down the goal, files,
    /// commands, decisions, numbers and ids without a model; or a model, as openai:MODEL,
    /// openai-responses:MODEL, anthropic:MODEL, gemini:MODEL or ollama:MODEL
    #[arg(long, value_name = "NAME", default_value = "none", value_parser = summarizer)]
    summarizer: SummarizerName,

    /// Ask the model at this address, such as http://127.0.0.1:8080/v1. Keys are taken from the
    /// environment only: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
}

/// A summarizer by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum SummarizerName {
    /// Nobody.
    None,
    /// Code alone.
    Ledger,
    /// A model behind HTTP.
    Model(Provider, String),
}

/// A kind of endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Provider {
    OpenAi,
    OpenAiResponses,
    Anthropic,
    Gemini,
    Ollama,
}

/// Reads `none`, `ledger`, or a provider and a model.
fn summarizer(name: &str) -> Result<SummarizerName, String> {
    const EXPECTED: &str = "expected none, ledger, or openai:, openai-responses:, anthropic:, gemini: or ollama: and a model";
    let provider = match (name, name.split_once(':')) {
        ("none", _) => return Ok(SummarizerName::None),
        ("ledger", _) => return Ok(SummarizerName::Ledger),
        (_, Some(("openai", model))) => (Provider::OpenAi, model),
        (_, Some(("openai-responses", model))) => (Provider::OpenAiResponses, model),
        (_, Some(("anthropic", model))) => (Provider::Anthropic, model),
        (_, Some(("gemini", model))) => (Provider::Gemini, model),
        (_, Some(("ollama", model))) => (Provider::Ollama, model),
        _ => return Err(EXPECTED.into()),
    };
    match provider {
        (_, model) if model.trim().is_empty() => Err("the name of the model is missing".into()),
        (provider, model) => Ok(SummarizerName::Model(provider, model.into())),
    }
}

impl SummarizerArgs {
    /// Whether somebody is to write summaries.
    pub(crate) fn is_asked(&self) -> bool {
        self.summarizer != SummarizerName::None
    }

    /// The summarizer, if there is to be one.
    pub(crate) fn summarizer(
        &self,
        tokens: &TokenArgs,
    ) -> Result<Option<Box<dyn Summarizer>>, Failure> {
        let SummarizerName::Model(provider, model) = &self.summarizer else {
            if self.base_url.is_some() {
                return Err(Failure::usage(
                    "--base-url is the address of a model, and none is asked",
                )
                .with_hint("name one, such as --summarizer openai:MODEL"));
            }
            return Ok(match self.summarizer {
                SummarizerName::Ledger => Some(Box::new(Ledger::new(tokens.estimator()?))),
                _ => None,
            });
        };
        http::summarizer(*provider, model, self.base_url.as_deref(), tokens).map(Some)
    }
}

#[cfg(not(feature = "http"))]
mod http {
    use super::{Failure, Provider, Summarizer, TokenArgs};

    pub(super) fn summarizer(
        _: Provider,
        _: &str,
        _: Option<&str>,
        _: &TokenArgs,
    ) -> Result<Box<dyn Summarizer>, Failure> {
        Err(
            Failure::usage("asking models is not built into this command")
                .with_hint("--summarizer ledger needs none; the feature `http` builds it in"),
        )
    }
}

#[cfg(feature = "http")]
mod http {
    use std::time::{Duration, Instant};

    use async_trait::async_trait;
    use compaction_tokens::ModelRegistry;
    use session::http::{
        Anthropic, ApiKey, Gemini, Ollama, OpenAi, OpenAiResponses, SettingsError,
    };
    use session::{Chunked, Retrying, Timer};

    use super::{Failure, Provider, Summarizer, TokenArgs};

    /// The most tokens of a request to a model of which nothing is known: what the smallest of today take.
    const SAFE_INPUT: u64 = 24_000;

    /// Of a model's window, the share in per cent that goes to what it reads; the rest is for what it
    /// writes and for counts that are a little off.
    const SHARE: u64 = 80;

    /// The model, asked again when it is busy, and in chunks when there is too much for it to read.
    pub(super) fn summarizer(
        provider: Provider,
        model: &str,
        base_url: Option<&str>,
        tokens: &TokenArgs,
    ) -> Result<Box<dyn Summarizer>, Failure> {
        let asked = endpoint(provider, model, base_url).map_err(|error| {
            let failure = Failure::usage(error.to_string());
            match (&error, base_url) {
                (SettingsError::MissingKey { .. }, _) => failure
                    .with_hint("a server of your own needs none: name it with --base-url; --summarizer ledger needs no model"),
                (_, Some(_)) => failure.with_hint("write it as http://HOST:PORT/v1"),
                _ => failure,
            }
        })?;
        let models = ModelRegistry::built_in();
        let known = models.find(model).model().map(|model| model.limit);
        let limit = known.map_or(SAFE_INPUT, |limit| limit / 100 * SHARE);
        let patient = Retrying::new(asked, Clock(Instant::now()));
        Ok(Box::new(Chunked::new(patient, limit, tokens.estimator()?)))
    }

    fn endpoint(
        provider: Provider,
        model: &str,
        base_url: Option<&str>,
    ) -> Result<Box<dyn Summarizer>, SettingsError> {
        macro_rules! asked {
            ($kind:ident, $variable:literal) => {{
                match base_url {
                    None => Box::new($kind::from_env(model)?),
                    Some(url) => {
                        let asked = $kind::new(url, model)?;
                        match ApiKey::from_env($variable) {
                            Ok(key) => Box::new(asked.with_key(key)?),
                            Err(SettingsError::MissingKey { .. }) => Box::new(asked),
                            Err(error) => return Err(error),
                        }
                    }
                }
            }};
        }
        Ok(match provider {
            Provider::OpenAi => asked!(OpenAi, "OPENAI_API_KEY"),
            Provider::OpenAiResponses => asked!(OpenAiResponses, "OPENAI_API_KEY"),
            Provider::Anthropic => asked!(Anthropic, "ANTHROPIC_API_KEY"),
            Provider::Gemini => asked!(Gemini, "GEMINI_API_KEY"),
            Provider::Ollama => match base_url {
                Some(url) => Box::new(Ollama::new(url, model)?),
                None => Box::new(Ollama::from_env(model)?),
            },
        })
    }

    /// The time since the command asked first.
    #[derive(Debug)]
    struct Clock(Instant);

    #[async_trait]
    impl Timer for Clock {
        fn now(&self) -> Duration {
            self.0.elapsed()
        }

        async fn sleep(&self, duration: Duration) {
            tokio::time::sleep(duration).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_named_behind_its_provider() {
        let model = |provider, name: &str| Ok(SummarizerName::Model(provider, name.into()));
        assert_eq!(summarizer("none"), Ok(SummarizerName::None));
        assert_eq!(summarizer("ledger"), Ok(SummarizerName::Ledger));
        assert_eq!(
            summarizer("openai:gpt-5-mini"),
            model(Provider::OpenAi, "gpt-5-mini")
        );
        assert_eq!(
            summarizer("ollama:llama3:8b"),
            model(Provider::Ollama, "llama3:8b")
        );
        for wrong in [
            "",
            "gpt-5-mini",
            "openai",
            "openai:",
            "openai: ",
            "mistral:large",
        ] {
            assert!(summarizer(wrong).is_err(), "{wrong}");
        }
    }
}
