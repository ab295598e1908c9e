//! What is the same for every provider: how long, how much, and which way.

use core::fmt;
use core::time::Duration;

use crate::settings::SettingsError;

/// How requests are made. Each field has a default and its reason.
///
/// ```
/// use std::time::Duration;
/// use session_summarizer_http::{HttpOptions, OpenAi};
///
/// let mut options = HttpOptions::default();
/// options.time_limit = Duration::from_secs(30);
/// options.temperature = Some(0.2);
/// let summarizer = OpenAi::new("http://127.0.0.1:8080/v1", "local")?.with_options(options)?;
/// # Ok::<(), session_summarizer_http::SettingsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HttpOptions {
    /// How long one request may take, from the first byte sent to the last one read. Default: two
    /// minutes, twice what a long summary takes.
    pub time_limit: Duration,
    /// How long connecting may take. Default: ten seconds; who has not answered by then will not.
    pub connect_limit: Duration,
    /// The most tokens the model may write, thinking included. Default: twice the brief's budget,
    /// and no less than [`LEAST_OUTPUT`](Self::LEAST_OUTPUT).
    pub max_output_tokens: Option<u64>,
    /// The temperature. Default: none is sent, since some models refuse any; a low one makes
    /// summaries of small models steadier.
    pub temperature: Option<f64>,
    /// Whether the answer comes at once or piece by piece. Default: at once.
    pub delivery: Delivery,
    /// The most bytes of an answer that are read. Default: 16 MB, more than any summary is.
    pub max_answer_bytes: usize,
    /// The proxy. Default: the one that the environment names.
    pub proxy: Proxy,
    /// What requests call themselves. Default: this crate and its version.
    pub user_agent: String,
}

impl HttpOptions {
    /// The most tokens a model may write unless it is told otherwise: four times a long summary,
    /// so that a model that thinks first has room for both, and no more than what older models
    /// allow.
    pub const LEAST_OUTPUT: u64 = 4_096;

    /// Refuses values with which no request could succeed.
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        let zero = [
            ("time_limit", self.time_limit.is_zero()),
            ("connect_limit", self.connect_limit.is_zero()),
            ("max_answer_bytes", self.max_answer_bytes == 0),
        ];
        if let Some((setting, _)) = zero.into_iter().find(|(_, is_zero)| *is_zero) {
            let wanted = "more than zero";
            return Err(SettingsError::OutOfRange { setting, wanted });
        }
        match self.temperature {
            Some(temperature) if !(temperature.is_finite() && temperature >= 0.0) => {
                Err(SettingsError::OutOfRange {
                    setting: "temperature",
                    wanted: "a number from zero on",
                })
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn output_tokens(&self, budget: Option<u64>) -> u64 {
        self.max_output_tokens.unwrap_or_else(|| {
            let twice = budget.unwrap_or(0).saturating_mul(2);
            twice.max(Self::LEAST_OUTPUT)
        })
    }
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            time_limit: Duration::from_secs(120),
            connect_limit: Duration::from_secs(10),
            max_output_tokens: None,
            temperature: None,
            delivery: Delivery::Whole,
            max_answer_bytes: 16 << 20,
            proxy: Proxy::Environment,
            user_agent: concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")).into(),
        }
    }
}

/// Whether an answer comes at once or piece by piece. The summary is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Delivery {
    /// At once, when it is done.
    #[default]
    Whole,
    /// Piece by piece, for gateways that cut a connection on which nothing happens for a minute.
    Streamed,
}

/// Which proxy requests go through.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Proxy {
    /// The one that `HTTPS_PROXY`, `HTTP_PROXY` or `ALL_PROXY` names, unless `NO_PROXY` excepts
    /// the host. This machine itself is always excepted.
    #[default]
    Environment,
    /// None.
    Never,
    /// This one, for every host.
    Url(String),
}

impl fmt::Debug for Proxy {
    /// Hides the address, which may hold a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Environment => "Environment",
            Self::Never => "Never",
            Self::Url(_) => "Url(hidden)",
        })
    }
}
