//! Keys and conversations stay where they belong.

use std::error::Error as _;

use serde_json::json;
use session_summarizer::SummarizerError;
use session_summarizer_http::{ApiKey, OpenAi, ProviderError};

use crate::common::server::{Play, Server, whole};
use crate::common::{KEY, SECRET_TEXT, all_words, ask};

fn with_key(server: &Server) -> OpenAi {
    let summarizer = OpenAi::new(&server.v1(), "m").unwrap();
    summarizer.with_key(ApiKey::new(KEY).unwrap()).unwrap()
}

fn told(error: &SummarizerError) -> &ProviderError {
    error.source().unwrap().downcast_ref().unwrap()
}

/// Providers repeat what they were sent, keys and texts.
#[test]
fn no_error_repeats_the_key_or_the_conversation() {
    let echo = |status: u16| {
        let body = json!({
            "error": {
                "message": format!("Incorrect key {KEY} for: {SECRET_TEXT}"),
                "type": SECRET_TEXT,
                "code": KEY,
                "param": SECRET_TEXT,
                "status": KEY,
            },
        });
        whole(status, &[("x-echo", KEY)], body.to_string().as_bytes())
    };
    let text = format!("{KEY} {SECRET_TEXT}");
    let plain = whole(200, &[], text.as_bytes());
    let strange = whole(200, &[], json!({ "said": text }).to_string().as_bytes());
    let statuses = [200, 302, 400, 401, 404, 413, 422, 429, 500, 503];
    let answers = statuses
        .map(echo)
        .into_iter()
        .chain([plain, strange, text.into_bytes()]);
    for answer in answers {
        let server = Server::playing(Play::Send(answer));
        let summarizer = with_key(&server);
        let error = ask(&summarizer).unwrap_err();
        let words = format!("{} {summarizer:?}", all_words(&error));
        assert!(!words.contains(KEY), "{words}");
        assert!(!words.contains("swordfish"), "{words}");
        let seen = server.seen();
        assert_eq!(seen.header("authorization"), Some("Bearer sk-very-secret"));
    }
}

/// Gateways take their keys in headers of their own or in the address, and repeat them like others.
/// What was not handed over as an `ApiKey` stood in the provider's words.
#[test]
fn secrets_of_headers_and_addresses_are_in_no_words_of_the_provider() {
    let said = "No: gateway-secret, Basic dXNlcjpwYXNz, dXNlcjpwYXNz, and query-secret.";
    let server = Server::answering(
        400,
        &[],
        &json!({ "error": { "message": said } }).to_string(),
    );
    let summarizer = OpenAi::new(&format!("{}?code=query-secret", server.v1()), "m").unwrap();
    let summarizer = summarizer.with_header("api-key", "gateway-secret").unwrap();
    let summarizer = summarizer
        .with_header("authorization", "Basic dXNlcjpwYXNz")
        .unwrap();
    let error = ask(&summarizer).unwrap_err();
    let words = format!("{} {summarizer:?}", all_words(&error));
    assert!(!words.contains("secret"), "{words}");
    assert_eq!(
        told(&error).message(),
        "No: [hidden], [hidden], [hidden], and [hidden]."
    );
}

#[test]
fn the_words_of_the_provider_are_there_for_who_asks_without_the_key() {
    let body = json!({ "error": { "message": format!("No field x, {KEY}.") } }).to_string();
    let server = Server::answering(400, &[], &body);
    let error = ask(&with_key(&server)).unwrap_err();
    let told = told(&error);
    assert_eq!(told.status(), Some(400));
    assert_eq!(told.message(), "No field x, [key].");
    assert_eq!(
        told.to_string(),
        "the provider answered with HTTP status 400"
    );
}
