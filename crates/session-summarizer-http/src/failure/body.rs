//! The body of an error, in whichever form: nested, flat, a bare string, in a list.

use serde_json::Value;

use crate::json;

/// What a body says of an error, as far as it is needed to decide.
#[derive(Debug, Default)]
pub(super) struct ErrorBody {
    /// The status that the body names, where it is one of an error.
    pub(super) status: Option<u16>,
    /// Codes, types and names of the error, in lower case.
    words: Vec<String>,
    parameter: String,
    /// What the provider wrote.
    pub(super) message: String,
    /// The same in lower case, to look things up in, and what the provider behind a gateway wrote.
    pub(super) lower: String,
    /// The size of the context, where there is a field for it.
    pub(super) context: Option<u64>,
    /// How long to wait, where there is a field for it.
    pub(super) delay: Option<String>,
    is_daily: bool,
    /// A gateway's moderation took offence at the input.
    is_flagged: bool,
}

impl ErrorBody {
    /// Of a body with a status of failure. What is no JSON says nothing but the status.
    pub(super) fn of_bytes(bytes: &[u8]) -> Self {
        match json::read(bytes) {
            Ok(Value::Array(list)) => list.first().map(Self::of_value).unwrap_or_default(),
            Ok(value) => Self::of_value(&value),
            Err(_) => Self::default(),
        }
    }

    /// Of the error inside an answer, if there is one.
    pub(super) fn inside(answer: &Value) -> Option<Self> {
        let first = match answer {
            Value::Array(list) => list.first()?,
            value => value,
        };
        let error = first.get("error")?;
        let is_error = match error {
            Value::Null | Value::Bool(false) => false,
            Value::String(text) => !text.is_empty(),
            _ => true,
        };
        is_error.then(|| Self::of_value(first))
    }

    fn of_value(value: &Value) -> Self {
        let error = match value.get("error") {
            Some(error @ Value::Object(_)) => error,
            _ => value,
        };
        let text = |pointer: &str| {
            let found = error.pointer(pointer)?;
            found.as_str().filter(|text| !text.is_empty())
        };
        let words = [
            "/code",
            "/type",
            "/status",
            "/innererror/code",
            "/details/error_code",
        ];
        let mut words: Vec<String> = words
            .iter()
            .filter_map(|pointer| text(pointer))
            .map(str::to_lowercase)
            .collect();
        let details = error.get("details").and_then(Value::as_array);
        let details = || details.into_iter().flatten();
        let reasons = details().filter_map(|it| it.get("reason")?.as_str());
        words.extend(reasons.map(str::to_lowercase));
        let message = text("/message")
            .or_else(|| value.get("error")?.as_str())
            .or_else(|| value.get("detail")?.as_str())
            .or_else(|| value.pointer("/detail/0/msg")?.as_str())
            .unwrap_or_default();
        let behind = match error.pointer("/metadata/raw") {
            Some(Value::String(text)) => text.clone(),
            Some(raw) => raw.to_string(),
            None => String::new(),
        };
        let violations = details()
            .filter_map(|it| it.get("violations")?.as_array())
            .flatten();
        let mut quotas = violations.filter_map(|it| it.get("quotaId")?.as_str());
        let number = |name: &str| {
            let found = error.get(name)?;
            found.as_u64().or_else(|| found.as_str()?.parse().ok())
        };
        let status = number("code").or_else(|| number("status"));
        Self {
            status: status
                .and_then(|status| u16::try_from(status).ok())
                .filter(|status| (400..600).contains(status)),
            words,
            parameter: text("/param").unwrap_or_default().to_owned(),
            message: message.to_owned(),
            lower: format!("{message} {behind}").to_lowercase(),
            context: number("n_ctx"),
            delay: details()
                .find_map(|it| it.get("retryDelay")?.as_str())
                .map(str::to_owned),
            is_daily: quotas.any(|quota| quota.contains("PerDay")),
            is_flagged: error.pointer("/metadata/flagged_input").is_some(),
        }
    }

    pub(super) fn has_word(&self, known: &[&str]) -> bool {
        self.words.iter().any(|word| known.contains(&word.as_str()))
    }

    pub(super) fn says(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.lower.contains(phrase))
    }

    /// Whether the key is not accepted, or there is no money, whatever the status.
    pub(super) fn is_credential(&self) -> bool {
        self.has_word(&[
            "invalid_api_key",
            "api_key_invalid",
            "authentication_error",
            "permission_error",
            "unauthenticated",
            "permission_denied",
            "billing_error",
            "insufficient_quota",
        ]) || self.says(&["api key not valid", "api key expired"])
    }

    /// Whether a limit is reached that waiting a while does not lift.
    pub(super) fn is_spent(&self) -> bool {
        self.is_daily
            || self.words.iter().any(|word| {
                word.contains("balance")
                    || word.contains("billing")
                    || word.contains("spend_limit")
                    || word.contains("usage_limit")
            })
            || self.says(&["spend cap", "credit balance is too low"])
    }

    /// Whether a filter refuses the input or the output.
    pub(super) fn is_filter(&self) -> bool {
        self.has_word(&[
            "content_filter",
            "content_policy_violation",
            "responsibleaipolicyviolation",
        ]) || self.is_flagged
    }

    /// A code or type that is on our list, so that nothing else is repeated.
    pub(super) fn known_word(&self) -> Option<&'static str> {
        KNOWN_WORDS
            .iter()
            .find(|known| self.words.iter().any(|word| word == *known))
            .copied()
    }

    /// The parameter that is not accepted, if it is one that we send.
    pub(super) fn known_parameter(&self) -> Option<&'static str> {
        PARAMETERS
            .iter()
            .find(|known| self.parameter == **known)
            .copied()
    }
}

/// The special before the general.
const KNOWN_WORDS: &[&str] = &[
    "context_length_exceeded",
    "exceed_context_size_error",
    "request_too_large",
    "insufficient_quota",
    "credit_balance_exhausted",
    "invalid_api_key",
    "api_key_invalid",
    "authentication_error",
    "permission_error",
    "billing_error",
    "rate_limit_exceeded",
    "rate_limit_error",
    "slow_down",
    "server_is_overloaded",
    "overloaded_error",
    "timeout_error",
    "model_not_found",
    "not_found_error",
    "unsupported_parameter",
    "unsupported_value",
    "content_filter",
    "not_supported_error",
    "unavailable_error",
    "service_unavailable_error",
    "resource_exhausted",
    "deadline_exceeded",
    "unavailable",
    "invalid_argument",
    "failed_precondition",
    "api_error",
    "server_error",
    "badrequesterror",
    "invalid_request_error",
];

const PARAMETERS: &[&str] = &[
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "temperature",
    "response_format",
    "text.format",
    "stream",
    "stream_options",
    "store",
    "instructions",
];
