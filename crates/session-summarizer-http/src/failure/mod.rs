//! What went wrong, sorted by what the caller can do. No message repeats what was sent, what the
//! provider wrote, or a key: each is made of words from here.

mod body;
mod overflow;
mod wait;

use reqwest::header::{CONTENT_ENCODING, HeaderMap};
use serde_json::Value;
use session_summarizer::{Fault, SummarizerError};

use self::body::ErrorBody;
use crate::options::HttpOptions;
use crate::provider_error::ProviderError;
use crate::secrets::Secrets;
use crate::tls;
use crate::worker::Failure;

/// An answer that tells an error.
pub(crate) struct Told<'a> {
    pub(crate) status: u16,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) secrets: &'a Secrets,
}

impl Told<'_> {
    /// The error behind a status that is none of success.
    pub(crate) fn of_status(&self, body: &[u8]) -> SummarizerError {
        let body = ErrorBody::of_bytes(body);
        self.error(Some(self.status), &body)
    }

    /// The error inside an answer that has a status of success; `None` when there is none. It may
    /// have a status of its own.
    pub(crate) fn of_answer(&self, answer: &Value) -> Option<SummarizerError> {
        let body = ErrorBody::inside(answer)?;
        Some(self.error(body.status, &body))
    }

    fn error(&self, status: Option<u16>, body: &ErrorBody) -> SummarizerError {
        let message = self.secrets.taken_out_of(&body.message);
        let cause = ProviderError::new(status, body.known_word(), &message);
        decide(status, body, self.headers).with_cause(cause)
    }
}

/// What the caller can do. An error inside an answer without a status is taken for a failure of
/// the provider, unless its words tell another.
fn decide(status: Option<u16>, body: &ErrorBody, headers: &HeaderMap) -> SummarizerError {
    let is_refused = matches!(status, None | Some(400 | 429));
    if body.is_credential() || (is_refused && body.is_spent()) {
        return SummarizerError::unauthorized();
    }
    if body.is_filter() {
        return SummarizerError::invalid(Fault::Filtered);
    }
    if matches!(status, Some(401..=403 | 407)) {
        return SummarizerError::unauthorized();
    }
    if !matches!(status, Some(404 | 405))
        && let Some(overflow) = overflow::of(status, body)
    {
        return match overflow.limit {
            Some(0) => SummarizerError::rejected(
                "the output limit leaves no room for input, lower max_output_tokens",
            ),
            limit => SummarizerError::InputTooLong { limit },
        };
    }
    match status {
        None | Some(408 | 409 | 425 | 429 | 500 | 502..=504 | 506..=599) => {
            SummarizerError::unavailable(wait::of(headers, body))
        }
        Some(status) => SummarizerError::rejected(reason(status, body)),
    }
}

/// Why a request is refused, in words of our own.
fn reason(status: u16, body: &ErrorBody) -> String {
    if let Some(parameter) = body.known_parameter() {
        return format!("HTTP status {status}, it does not take {parameter} as it is");
    }
    if overflow::is_output_limit(body) {
        return format!("HTTP status {status}, max_output_tokens is more than the model can write");
    }
    match status {
        300..=399 => format!(
            "HTTP status {status}, the address redirects and redirects are not followed, \
             check the base URL"
        ),
        404 | 405 | 410 => format!(
            "HTTP status {status}, there is no such path or model, check the base URL and the model"
        ),
        501 => format!("HTTP status {status}, the server cannot do this"),
        _ => format!("HTTP status {status}"),
    }
}

/// The error of an exchange that brought no answer.
pub(crate) fn of_exchange(failure: Failure, options: &HttpOptions) -> SummarizerError {
    match failure {
        Failure::Timeout => SummarizerError::Timeout {
            limit: options.time_limit,
        },
        Failure::TooLarge => SummarizerError::rejected(format!(
            "the answer has more than {} bytes",
            options.max_answer_bytes
        )),
        Failure::Connection(error) if tls::is_certificate_refused(&error) => {
            SummarizerError::rejected("the certificate of the server is not accepted")
                .with_cause(error)
        }
        Failure::Connection(error) if error.is_builder() => {
            SummarizerError::rejected("the request cannot be made").with_cause(error)
        }
        Failure::Connection(error) => SummarizerError::unavailable(None).with_cause(error),
        Failure::Certificates(error) => SummarizerError::rejected(
            "there are no certificates on this machine to check the server's against",
        )
        .with_cause(error),
        Failure::Thread(error) => SummarizerError::unavailable(None).with_cause(error),
    }
}

/// The error of an answer that is no JSON: a page, when the address is one for people, or a body
/// that was damaged or cut on its way.
pub(crate) fn of_bad_json(body: &[u8], error: serde_json::Error) -> SummarizerError {
    if body.trim_ascii_start().starts_with(b"<") {
        return SummarizerError::rejected("a web page came for an answer, check the base URL");
    }
    SummarizerError::unavailable(None).with_cause(error)
}

/// Whether an answer is compressed: nobody here can read it.
pub(crate) fn is_compressed(headers: &HeaderMap) -> bool {
    let encodings = headers.get_all(CONTENT_ENCODING).into_iter();
    encodings
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .any(|name| {
            let name = name.trim_ascii();
            !name.is_empty() && !name.eq_ignore_ascii_case(b"identity")
        })
}

/// The error of an answer that is compressed, as the next one would be.
pub(crate) fn compressed() -> SummarizerError {
    SummarizerError::rejected(
        "the answer is compressed although that was not asked for, check the gateway or proxy",
    )
}

/// The error of an answer in another form than the provider's.
pub(crate) fn foreign() -> SummarizerError {
    SummarizerError::rejected(
        "the answer has not the form of this provider's, check the base URL and the adapter",
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Pieces of what providers write, and anything else.
    fn words() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("maximum context length is ".to_owned()),
            Just("try again in ".to_owned()),
            Just(" + ".to_owned()),
            Just(" > ".to_owned()),
            Just(" tokens > ".to_owned()),
            Just(" in the completion".to_owned()),
            Just("is too large: ".to_owned()),
            any::<u64>().prop_map(|number| number.to_string()),
            any::<f64>().prop_map(|number| format!("{number}s")),
            "\\PC{0,9}",
        ];
        prop::collection::vec(piece, 0..9).prop_map(|pieces| pieces.concat())
    }

    /// Anthropic says that there is no money left with the status and the type of a bad request, and
    /// OpenAI's older limits with a code of their own; only a person can help with either.
    #[test]
    fn no_money_left_is_told_by_words_where_the_status_is_that_of_a_bad_request() {
        let headers = HeaderMap::new();
        let secrets = Secrets::default();
        for (status, error, is_spent) in [
            (
                400,
                json!({ "type": "invalid_request_error", "message": "Your credit balance is too low." }),
                true,
            ),
            (
                400,
                json!({ "code": "billing_hard_limit_reached", "message": "No." }),
                true,
            ),
            (
                400,
                json!({ "type": "invalid_request_error", "message": "No." }),
                false,
            ),
            (
                503,
                json!({ "code": "load_balancer", "message": "No balance." }),
                false,
            ),
        ] {
            let told = Told {
                status,
                headers: &headers,
                secrets: &secrets,
            };
            let body = json!({ "error": error }).to_string();
            let decided = told.of_status(body.as_bytes());
            let is_unauthorized = matches!(decided, SummarizerError::Unauthorized { .. });
            assert_eq!(is_unauthorized, is_spent, "{body}: {decided:?}");
        }
    }

    proptest! {
        #[test]
        fn whatever_a_provider_says_is_sorted_and_not_repeated(
            status in 300_u16..600,
            message in words(),
            kind in words(),
            header in words(),
        ) {
            let message = format!("{message} swordfish");
            let error = json!({ "message": message, "type": kind, "param": message });
            let mut headers = HeaderMap::new();
            if let Ok(value) = header.parse() {
                headers.insert("retry-after", value);
            }
            let told = Told { status, headers: &headers, secrets: &Secrets::default() };
            let bodies = [json!({ "error": error }), error.clone(), json!([{ "error": error }])];
            for body in bodies {
                let error = told.of_status(body.to_string().as_bytes());
                let shown = format!("{error} {error:?}");
                prop_assert!(!shown.contains("swordfish"), "{}", shown);
            }
            let inside = told.of_answer(&json!({ "error": message }));
            prop_assert!(inside.is_some());
        }
    }
}
