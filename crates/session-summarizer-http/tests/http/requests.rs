//! What is sent, to the letter.

use std::time::Duration;

use serde_json::{Value, json};
use session_log::Message;
use session_summarizer::{
    Brief, Prompt, Request, RetryPolicy, Retrying, Section, Summarizer, Template, VirtualTimer,
};
use session_summarizer_http::{
    Anthropic, ApiKey, Delivery, Gemini, HttpOptions, LimitField, Ollama, OpenAi, OpenAiResponses,
    Proxy, SettingsError,
};

use crate::common::server::{Play, Seen, Server, whole};
use crate::common::{KEY, ask, ask_for, line, talk};

fn key() -> ApiKey {
    ApiKey::new(KEY).unwrap()
}

fn options(delivery: Delivery) -> HttpOptions {
    let mut options = HttpOptions::default();
    options.temperature = Some(0.5);
    options.max_output_tokens = Some(700);
    options.delivery = delivery;
    options
}

/// What is sent by a summarizer that is made for a server. The answer is of no importance.
fn sent(make: impl Fn(&Server) -> Box<dyn Summarizer>) -> (Seen, Request) {
    let server = Server::answering(500, &[], "");
    let summarizer = make(&server);
    assert_eq!(line(&ask(&*summarizer)), "unavailable");
    (server.seen(), Brief::new(talk()).request())
}

/// The path, the header with the key, and the body.
#[track_caller]
fn check(seen: &Seen, path: &str, (header, value): (&str, &str), body: &Value) {
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("POST", path));
    assert_eq!(seen.header(header), Some(value));
    assert_eq!(seen.header("content-type"), Some("application/json"));
    let agent = seen.header("user-agent").unwrap();
    assert!(agent.starts_with("session-summarizer-http/"), "{agent}");
    assert_eq!(&seen.body, body);
}

#[test]
fn openai_is_asked_with_two_messages() {
    for (field, name) in [
        (LimitField::MaxTokens, "max_tokens"),
        (LimitField::MaxCompletionTokens, "max_completion_tokens"),
    ] {
        let (seen, asked) = sent(|server| {
            let summarizer = OpenAi::new(&server.v1(), "m-1").unwrap();
            let summarizer = summarizer
                .with_options(options(Delivery::Streamed))
                .unwrap();
            Box::new(summarizer.with_key(key()).unwrap().with_limit_field(field))
        });
        let body = json!({
            "model": "m-1",
            "messages": [
                { "role": "system", "content": asked.system },
                { "role": "user", "content": asked.user },
            ],
            name: 700,
            "temperature": 0.5,
            "stream": true,
            "stream_options": { "include_usage": true },
        });
        let authorization = ("authorization", "Bearer sk-very-secret");
        check(&seen, "/v1/chat/completions", authorization, &body);
    }
}

#[test]
fn openai_responses_stores_nothing() {
    let (seen, asked) = sent(|server| {
        let summarizer = OpenAiResponses::new(&server.v1(), "m-1").unwrap();
        let summarizer = summarizer
            .with_options(options(Delivery::Streamed))
            .unwrap();
        Box::new(summarizer.with_key(key()).unwrap())
    });
    let body = json!({
        "model": "m-1",
        "instructions": asked.system,
        "input": asked.user,
        "max_output_tokens": 700,
        "temperature": 0.5,
        "store": false,
        "stream": true,
    });
    let authorization = ("authorization", "Bearer sk-very-secret");
    check(&seen, "/v1/responses", authorization, &body);
}

#[test]
fn anthropic_is_asked_in_its_version() {
    let (seen, asked) = sent(|server| {
        let summarizer = Anthropic::new(&server.address, "c-1").unwrap();
        let summarizer = summarizer
            .with_options(options(Delivery::Streamed))
            .unwrap();
        Box::new(summarizer.with_key(key()).unwrap())
    });
    let body = json!({
        "model": "c-1",
        "system": asked.system,
        "messages": [{ "role": "user", "content": asked.user }],
        "max_tokens": 700,
        "temperature": 0.5,
        "stream": true,
    });
    check(&seen, "/v1/messages", ("x-api-key", KEY), &body);
    assert_eq!(seen.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(seen.header("authorization"), None);
}

#[test]
fn gemini_is_asked_under_the_name_of_the_model_and_without_the_key_in_the_path() {
    let cases = [
        (
            Delivery::Whole,
            "models/g-1",
            "/v1beta/models/g-1:generateContent",
        ),
        (
            Delivery::Streamed,
            "a/b?c",
            "/v1beta/models/a%2Fb%3Fc:streamGenerateContent?alt=sse",
        ),
    ];
    for (delivery, model, path) in cases {
        let (seen, asked) = sent(|server| {
            let summarizer = Gemini::new(&server.address, model).unwrap();
            let summarizer = summarizer.with_options(options(delivery)).unwrap();
            Box::new(summarizer.with_key(key()).unwrap())
        });
        let body = json!({
            "systemInstruction": { "parts": [{ "text": asked.system }] },
            "contents": [{ "role": "user", "parts": [{ "text": asked.user }] }],
            "generationConfig": { "maxOutputTokens": 700, "temperature": 0.5 },
        });
        check(&seen, path, ("x-goog-api-key", KEY), &body);
    }
}

#[test]
fn ollama_is_told_its_context_and_not_to_shorten() {
    let (seen, asked) = sent(|server| {
        let summarizer = Ollama::new(&server.address, "q:1b")
            .unwrap()
            .with_context(9_000);
        let summarizer = summarizer.with_options(options(Delivery::Whole)).unwrap();
        Box::new(summarizer.with_key(key()).unwrap())
    });
    let body = json!({
        "model": "q:1b",
        "messages": [
            { "role": "system", "content": asked.system },
            { "role": "user", "content": asked.user },
        ],
        "stream": false,
        "truncate": false,
        "shift": false,
        "options": { "num_ctx": 9_000, "num_predict": 700, "temperature": 0.5 },
    });
    let authorization = ("authorization", "Bearer sk-very-secret");
    check(&seen, "/api/chat", authorization, &body);
}

#[test]
fn nothing_that_was_not_set_is_sent() {
    let (seen, _) = sent(|server| Box::new(OpenAi::new(&server.v1(), "m").unwrap()));
    let fields: Vec<&String> = seen.body.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["max_tokens", "messages", "model"]);
    assert_eq!(seen.header("authorization"), None);
}

#[test]
fn the_output_limit_follows_the_budget_unless_it_is_set() {
    let talk = talk();
    let cases = [
        (None, None, HttpOptions::LEAST_OUTPUT),
        (None, Some(100), HttpOptions::LEAST_OUTPUT),
        (None, Some(10_000), 20_000),
        (Some(50), Some(10_000), 50),
    ];
    for (set, budget, expected) in cases {
        let server = Server::answering(500, &[], "");
        let mut options = HttpOptions::default();
        options.max_output_tokens = set;
        let summarizer = OpenAi::new(&server.v1(), "m").unwrap();
        let summarizer = summarizer.with_options(options).unwrap();
        let brief = Brief::new(&talk);
        let brief = match budget {
            Some(budget) => brief.with_budget(budget),
            None => brief,
        };
        ask_for(&summarizer, brief).unwrap_err();
        assert_eq!(server.seen().body["max_tokens"], expected);
    }
}

#[test]
fn a_gateway_gets_its_headers_and_its_query() {
    let (seen, _) = sent(|server| {
        let base = format!("{}/openai/v1/?api-version=7", server.address);
        let summarizer = OpenAi::new(&base, "m").unwrap();
        Box::new(summarizer.with_header("api-key", KEY).unwrap())
    });
    assert_eq!(seen.path, "/openai/v1/chat/completions?api-version=7");
    assert_eq!(seen.header("api-key"), Some(KEY));
}

#[test]
fn a_proxy_that_is_named_is_used_and_never_shown() {
    let server = Server::answering(502, &[], "");
    let mut options = HttpOptions::default();
    let proxy = server.address.replace("http://", "http://user:pass-word@");
    options.proxy = Proxy::Url(proxy);
    let summarizer = OpenAi::new("http://models.example/v1", "m").unwrap();
    let summarizer = summarizer.with_options(options).unwrap();
    assert!(!format!("{summarizer:?}").contains("pass-word"));
    assert_eq!(line(&ask(&summarizer)), "unavailable");
    let seen = server.seen();
    assert_eq!(seen.path, "http://models.example/v1/chat/completions");
    assert!(seen.header("proxy-authorization").is_some());
}

#[test]
fn settings_that_cannot_work_are_refused_when_they_are_made() {
    let invalid = |change: fn(&mut HttpOptions)| {
        let mut options = HttpOptions::default();
        change(&mut options);
        let summarizer = OpenAi::new("http://a.example/v1", "m").unwrap();
        summarizer.with_options(options).unwrap_err()
    };
    let proxy = invalid(|options| options.proxy = Proxy::Url("no proxy".into()));
    assert_eq!(proxy, SettingsError::InvalidProxy);
    let agent = invalid(|options| options.user_agent = "a\nb".into());
    assert!(matches!(agent, SettingsError::InvalidHeader { .. }));
    // Each of these ended every request, as a timeout, as too long an answer, or at the provider.
    let check = |name: &str, change: fn(&mut HttpOptions)| {
        let error = invalid(change);
        let is_told = matches!(error, SettingsError::OutOfRange { setting, .. } if setting == name);
        assert!(is_told && error.to_string().starts_with(name), "{error}");
    };
    check("time_limit", |it| it.time_limit = Duration::ZERO);
    check("connect_limit", |it| it.connect_limit = Duration::ZERO);
    check("max_answer_bytes", |it| it.max_answer_bytes = 0);
    check("temperature", |it| it.temperature = Some(f64::NAN));
    check("temperature", |it| it.temperature = Some(-0.5));
    let summarizer = OpenAi::new("http://a.example/v1", "m").unwrap();
    let header = summarizer.with_header("two words", "x").unwrap_err();
    assert!(matches!(header, SettingsError::InvalidHeader { .. }));
    let model = Gemini::new("http://a.example", " ").unwrap_err();
    assert_eq!(model, SettingsError::BlankModel);
}

#[test]
fn sections_are_asked_for_under_a_schema_and_come_under_their_headings() {
    let template = Template::new([
        Section::new("Goal", "what is wanted"),
        Section::new("Open questions", "what is not done"),
    ]);
    let prompt = Prompt::new().with_template(template);
    let talk = talk();
    let brief = Brief::new(&talk).with_prompt(&prompt);
    let written = r#"{"s01_goal":"Ship.","s02_open_questions":"When?"}"#;
    let page = "## Goal\nShip.\n\n## Open questions\nWhen?";

    let answer = json!({ "choices": [{ "message": { "content": written } }] }).to_string();
    let server = Server::answering(200, &[], &answer);
    let summarizer = OpenAi::new(&server.v1(), "m").unwrap();
    let summarizer = summarizer.with_sections_as_json();
    let summary = ask_for(&summarizer, brief.clone()).unwrap().unwrap();
    assert_eq!(summary.text(), page);
    let format = &server.seen().body["response_format"];
    assert_eq!(format["type"], "json_schema");
    assert_eq!(format["json_schema"]["strict"], true);
    let schema = &format["json_schema"]["schema"];
    assert_eq!(
        schema["required"],
        json!(["s01_goal", "s02_open_questions"])
    );

    let answer = json!({ "message": { "content": written }, "done": true }).to_string();
    let server = Server::answering(200, &[], &answer);
    let summarizer = Ollama::new(&server.address, "m").unwrap();
    let summarizer = summarizer.with_sections_as_json();
    let summary = ask_for(&summarizer, brief.clone()).unwrap().unwrap();
    assert_eq!(summary.text(), page);
    assert_eq!(&server.seen().body["format"], schema);
}

#[test]
fn without_a_template_no_schema_is_sent_and_json_stays_what_it_is() {
    let answer = json!({ "choices": [{ "message": { "content": r#"{"a":"b"}"# } }] });
    let server = Server::answering(200, &[], &answer.to_string());
    let summarizer = OpenAi::new(&server.v1(), "m").unwrap();
    let summarizer = summarizer.with_sections_as_json();
    let summary = ask(&summarizer).unwrap().unwrap();
    assert_eq!(summary.text(), r#"{"a":"b"}"#);
    assert_eq!(server.seen().body["response_format"], Value::Null);
}

/// A request that is made again may find the provider's cache of prompts warm.
#[test]
fn a_retry_sends_the_same_and_waits_as_long_as_it_was_told() {
    let answer = json!({ "choices": [{ "message": { "content": "Done." } }] }).to_string();
    let loading = r#"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#;
    let server = Server::playing_all([
        Play::Send(whole(503, &[("retry-after", "7")], loading.as_bytes())),
        Play::Send(whole(200, &[], answer.as_bytes())),
    ]);
    let timer = VirtualTimer::new();
    let mut policy = RetryPolicy::default();
    // Virtual time passes at once, so that a limit in it would end the first attempt.
    policy.attempt_limit = None;
    policy.total_limit = None;
    let model = OpenAi::new(&server.v1(), "m").unwrap();
    let summarizer = Retrying::new(model, timer.clone()).with_policy(policy);
    let talk = [Message::user("Fix the gate.")];
    let summary = ask_for(&summarizer, Brief::new(&talk)).unwrap().unwrap();
    assert_eq!((summary.text(), summary.attempts()), ("Done.", 2));
    assert_eq!(timer.waits(), [Duration::from_secs(7)]);
    let seen = server.all_seen();
    assert_eq!(seen[0].body, seen[1].body);
}
