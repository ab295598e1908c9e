//! Texts that are something else than a summary, by how they open.

use super::Grounding;
use crate::fault::Fault;

/// The longest text, in characters, that is taken for a refusal or an error by its opening. Real
/// ones are a few sentences; what is longer goes on to the other checks.
const LONGEST: usize = 1_500;

/// How models refuse, or ask for what they were shown. Lower case, from the start of the text.
const REFUSALS: &[&str] = &[
    "i'm sorry",
    "i am sorry",
    "sorry,",
    "sorry, but",
    "i apologize",
    "i apologise",
    "my apologies",
    "i can't",
    "i cannot",
    "i can not",
    "i won't",
    "i will not",
    "i'm unable",
    "i am unable",
    "i'm not able",
    "i am not able",
    "i must decline",
    "i have to decline",
    "i don't see",
    "i do not see",
    "i don't have",
    "i do not have",
    "unfortunately, i",
    "as an ai",
    "please provide",
    "could you please provide",
    "could you provide",
    "can you provide",
    "please share",
    "there is no conversation",
    "no conversation was provided",
    "no conversation provided",
    "it seems there is no conversation",
    "it looks like there is no conversation",
    "it seems like you haven't",
    "it looks like you haven't",
    "es tut mir leid",
    "tut mir leid",
    "entschuldigung",
    "je suis désolé",
    "désolé",
    "je ne peux pas",
    "lo siento",
    "no puedo",
    "desculpe",
    "mi dispiace",
    "извините",
    "к сожалению, я",
    "抱歉",
    "对不起",
    "很抱歉",
    "申し訳",
    "죄송",
];

/// How errors open. Lower case, from the start of the text.
const ERRORS: &[&str] = &[
    "error:",
    "error code",
    "error -",
    "error 4",
    "error 5",
    "an error occurred",
    "an error has occurred",
    "an unexpected error",
    "api error",
    "exception in ",
    "traceback (most recent call last)",
    "fatal:",
    "failed to ",
    "could not connect",
    "cannot connect",
    "connection ",
    "internal server error",
    "bad gateway",
    "service unavailable",
    "gateway time",
    "request timed out",
    "request failed",
    "timed out",
    "timeout",
    "upstream ",
    "rate limit",
    "too many requests",
    "quota exceeded",
    "unauthorized",
    "invalid api key",
    "stream cut",
    "stream error",
    "stream ended",
    "stream closed",
    "http 4",
    "http 5",
    "http/1",
    "http/2",
    "status code",
    "400 bad",
    "401 unauthorized",
    "403 forbidden",
    "404 not found",
    "408 request",
    "413 ",
    "429 too",
    "500 internal",
    "502 bad",
    "503 service",
    "504 gateway",
];

/// The fault of a text that is an error or a refusal. One that names three things of the
/// conversation is about it, however it opens.
pub(super) fn instead_of_summary(text: &str, grounding: Grounding) -> Option<Fault> {
    let trimmed = text.trim_start_matches(|c: char| !c.is_alphanumeric() && !"{<".contains(c));
    if is_error_document(trimmed) {
        return Some(Fault::ErrorText);
    }
    if grounding.is_about_it() || text.chars().nth(LONGEST).is_some() {
        return None;
    }
    let opening: String = trimmed
        .chars()
        .take(120)
        .flat_map(char::to_lowercase)
        .map(|c| {
            if matches!(c, '’' | '‘' | '´') {
                '\''
            } else {
                c
            }
        })
        .collect();
    if ERRORS.iter().any(|it| opening.starts_with(it)) || is_exception(&opening) {
        return Some(Fault::ErrorText);
    }
    let is_refusal = REFUSALS.iter().any(|it| opening.starts_with(it));
    is_refusal.then_some(Fault::Refusal)
}

/// A page of a proxy, or a JSON object with an error in it.
fn is_error_document(text: &str) -> bool {
    let head: String = text.chars().take(20).collect();
    let head = head.to_ascii_lowercase();
    if head.starts_with("<!doctype html") || head.starts_with("<html") {
        return true;
    }
    if !text.starts_with('{') {
        return false;
    }
    let Ok(serde_json::Value::Object(fields)) = serde_json::from_str(text.trim_end()) else {
        return false;
    };
    fields.get("error").is_some_and(|error| !error.is_null())
        || fields.get("type").and_then(|it| it.as_str()) == Some("error")
}

/// `SomeError: …`, `java.net.SocketTimeoutException: …`: the first word is the name of an error.
fn is_exception(opening: &str) -> bool {
    let Some((name, _)) = opening.split_once(':') else {
        return false;
    };
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || "._$".contains(c));
    is_name && (name.ends_with("error") || name.ends_with("exception"))
}
