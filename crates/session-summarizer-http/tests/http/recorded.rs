//! Every recording, replayed: what comes of the answer, and that a request has the form that was
//! recorded.

use serde_json::{Value, json};
use session_log::Message;
use session_summarizer::{Brief, Checked, Summarizer};
use session_summarizer_http::{
    Anthropic, ApiKey, Delivery, HttpOptions, LimitField, Ollama, OpenAi, OpenAiResponses,
};

use crate::common::recordings::{Recording, recordings};
use crate::common::server::{Play, Seen, Server};
use crate::common::{ask, ask_for, line, talk};

const FOREIGN: &str =
    "rejected: the answer has not the form of this provider's, check the base URL and the adapter";
const NO_PATH: &str = "rejected: HTTP status 404, there is no such path or model, \
                       check the base URL and the model";
const HELLO: &str = "Hello! How can I assist you ";
const MIRA: &str = "Mira set a retry limit for K";
const GOAL: &str = "**Goal:** Implement idempote";

/// Recording, how it ended and what it cost, the beginning of the text.
const EXPECTED: &[(&str, &str, &str)] = &[
    ("anthropic_200_right_key", "cut off 30+4", "Hello! How can"),
    ("anthropic_400_context_overflow", "too long, 512", ""),
    ("anthropic_400_context_overflow_stream", "too long, 512", ""),
    ("anthropic_401_no_key", "unauthorized", ""),
    ("anthropic_count_tokens", FOREIGN, ""),
    ("anthropic_messages_blocks", "complete 26+2", "Green"),
    ("anthropic_messages_max_tokens", "cut off 47+8", MIRA),
    ("anthropic_messages_short", "complete 47+23", MIRA),
    ("anthropic_messages_stream", "complete 47+23", MIRA),
    (
        "anthropic_messages_stream_max_tokens",
        "cut off 59+6",
        "Mira set a retry limit",
    ),
    (
        "anthropic_messages_tool_history",
        "complete 82+7",
        "feat/idempotent-refunds",
    ),
    ("anthropic_missing_max_tokens", "complete 35+2", "Hello"),
    ("anthropic_missing_messages", "unavailable", ""),
    (
        "bad_summary_contradiction",
        "complete 1069+161",
        "- Goal: Implement idempotent",
    ),
    (
        "bad_summary_copies_transcript",
        "cut off 1011+300",
        "[1] User: I'm working on Hal",
    ),
    (
        "bad_summary_empty_sections",
        "complete 1105+26",
        "## Goal ## Constraints and p",
    ),
    (
        "bad_summary_loop",
        "cut off 1131+200",
        "1. The tool is not working. ",
    ),
    (
        "bad_summary_parrot",
        "complete 1150+45",
        "Goal: fix the login bug in a",
    ),
    ("ollama_api_chat_on_llamacpp", NO_PATH, ""),
    ("ollama_api_tags_on_llamacpp", NO_PATH, ""),
    ("openai_200_right_key", "cut off 32+4", "Hello! How can"),
    ("openai_400_context_overflow", "too long, 512", ""),
    ("openai_400_context_overflow_stream", "too long, 512", ""),
    ("openai_401_no_key", "unauthorized", ""),
    ("openai_401_wrong_key", "unauthorized", ""),
    ("openai_404_path", NO_PATH, ""),
    (
        "openai_501_embeddings",
        "rejected: HTTP status 501, the server cannot do this",
        "",
    ),
    ("openai_503_loading_model", "unavailable", ""),
    ("openai_apply_template", FOREIGN, ""),
    (
        "openai_assistant_last",
        "complete 36+3",
        "The colour is red.",
    ),
    ("openai_bad_json", "rejected: HTTP status 400", ""),
    (
        "openai_bad_response_format",
        "rejected: HTTP status 400",
        "",
    ),
    ("openai_bad_schema", "rejected: HTTP status 400", ""),
    (
        "openai_chat_context_full_midway",
        "cut off 436+76",
        "[1] user: I'm working on Hal",
    ),
    (
        "openai_chat_json_schema_ok",
        "complete 1051+218",
        "{   \"goal\": \"Implement idemp",
    ),
    (
        "openai_chat_json_schema_truncated",
        "cut off 1051+400",
        "{   \"goal\": \"Halyard, idempo",
    ),
    ("openai_chat_length_cut", "cut off 1060+12", GOAL),
    (
        "openai_chat_multiturn",
        "complete 321+37",
        "We discussed the refund path",
    ),
    ("openai_chat_short", "complete 47+23", MIRA),
    ("openai_chat_stop_sequence_empty", "invalid blank", ""),
    ("openai_chat_stream_client_disconnect", "unavailable", ""),
    (
        "openai_chat_stream_context_full_midway",
        "cut off ?+?",
        "[1] user: I'm working on H-r",
    ),
    ("openai_chat_stream_length_cut", "cut off 1060+12", GOAL),
    ("openai_chat_stream_no_usage", "complete ?+?", MIRA),
    (
        "openai_chat_stream_ping_comments",
        "complete ?+?",
        "Refund idempotent refactorin",
    ),
    ("openai_chat_stream_server_killed", "unavailable", ""),
    ("openai_chat_summary", "cut off 1060+300", GOAL),
    (
        "openai_chat_summary_good",
        "complete 1105+410",
        "## Goal - Refund idempotent ",
    ),
    (
        "openai_chat_summary_good_stream",
        "complete 1105+211",
        "## Goal - Make refunds idemp",
    ),
    ("openai_chat_summary_stream_usage", "cut off 1060+300", GOAL),
    ("openai_completions_legacy", FOREIGN, ""),
    ("openai_developer_role", "cut off 17+8", HELLO),
    ("openai_empty_body", "rejected: HTTP status 400", ""),
    ("openai_empty_content", "complete 29+10", HELLO),
    (
        "openai_empty_messages",
        "cut off 24+16",
        "I'm sorry, but I don't have ",
    ),
    ("openai_get_on_post_path", NO_PATH, ""),
    ("openai_image_part", "unavailable", ""),
    ("openai_input_tokens", FOREIGN, ""),
    (
        "openai_max_completion_tokens",
        "cut off 37+8",
        "One to fifty is a sequence o",
    ),
    (
        "openai_max_tokens_wrong_type",
        "rejected: HTTP status 400",
        "",
    ),
    ("openai_max_tokens_zero", "cut off 32+1", "Hello"),
    (
        "openai_messages_wrong_type",
        "rejected: HTTP status 400",
        "",
    ),
    ("openai_missing_messages", "rejected: HTTP status 400", ""),
    ("openai_models", FOREIGN, ""),
    ("openai_n2", "complete 33+3", "White."),
    ("openai_null_content", "complete 29+10", HELLO),
    ("openai_responses_400_overflow", "too long, 512", ""),
    // The server calls it complete, but it wrote all that it was allowed to.
    ("openai_responses_length_cut", "cut off 47+8", MIRA),
    ("openai_responses_short", "complete 47+23", MIRA),
    ("openai_responses_stream", "complete 47+23", MIRA),
    ("openai_text_parts", "cut off 33+8", HELLO),
    ("openai_tokenize", FOREIGN, ""),
    (
        "openai_tool_history",
        "complete 82+7",
        "feat/idempotent-refunds",
    ),
    ("openai_tool_orphan_result", "complete 57+2", "main"),
    ("openai_unknown_model", "cut off 32+8", HELLO),
    (
        "openai_unknown_role",
        "cut off 24+8",
        "I'm sorry, but I can't",
    ),
];

#[test]
fn each_recording_has_the_result_that_is_expected() {
    let recordings = recordings();
    let names: Vec<&str> = recordings.iter().map(|it| it.name.as_str()).collect();
    let expected: Vec<&str> = EXPECTED.iter().map(|row| row.0).collect();
    assert_eq!(names, expected);

    let mut compared = 0;
    for (recording, (name, how, text)) in recordings.iter().zip(EXPECTED) {
        let server = Server::playing(Play::Send(recording.answer()));
        let result = ask(&*summarizer(recording, &server));
        let expected = match text.is_empty() {
            true => (*how).to_owned(),
            false => format!("{how} local: {text}"),
        };
        assert_eq!(line(&result), expected, "{name}");
        compared += compare(recording, &server.seen());
    }
    assert_eq!(compared, 18, "requests that have the form of ours");
}

/// The adapter for the recorded path, set as the recorded request was.
fn summarizer(recording: &Recording, server: &Server) -> Box<dyn Summarizer> {
    let request = &recording.value["request"];
    let body = &request["body"];
    let model = body["model"].as_str().unwrap_or("asked");
    let header = |name: &str| request["headers"][name].as_str();
    let mut options = HttpOptions::default();
    let limits = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
    options.max_output_tokens = limits.iter().find_map(|name| body[name].as_u64());
    options.temperature = body["temperature"].as_f64();
    if body["stream"] == true {
        options.delivery = Delivery::Streamed;
    }
    let v1 = server.v1();
    match recording.name.split_once('_').unwrap() {
        ("anthropic", _) => {
            let key = ApiKey::new(header("x-api-key").unwrap()).unwrap();
            let adapter = Anthropic::new(&server.address, model).unwrap();
            Box::new(
                adapter
                    .with_options(options)
                    .unwrap()
                    .with_key(key)
                    .unwrap(),
            )
        }
        ("ollama", _) => Box::new(Ollama::new(&server.address, model).unwrap()),
        ("openai", rest) if rest.starts_with("responses") => {
            let adapter = OpenAiResponses::new(&v1, model).unwrap();
            Box::new(adapter.with_options(options).unwrap())
        }
        _ => {
            let mut adapter = OpenAi::new(&v1, model).unwrap();
            adapter = adapter.with_options(options).unwrap();
            if !body["max_completion_tokens"].is_null() {
                adapter = adapter.with_limit_field(LimitField::MaxCompletionTokens);
            }
            if let Some(value) = header("authorization") {
                let key = ApiKey::new(value.strip_prefix("Bearer ").unwrap()).unwrap();
                adapter = adapter.with_key(key).unwrap();
            }
            Box::new(adapter)
        }
    }
}

/// Whether the recorded request asks for a text in the form in which we do, with other words. Then
/// the whole of ours is held against it.
fn compare(recording: &Recording, seen: &Seen) -> usize {
    let request = &recording.value["request"];
    let Some(expected) = with_our_words(&request["body"]) else {
        return 0;
    };
    let name = &recording.name;
    assert_eq!(seen.method, request["method"].as_str().unwrap(), "{name}");
    assert_eq!(seen.path, request["path"].as_str().unwrap(), "{name}");
    for (header, value) in request["headers"].as_object().unwrap() {
        assert_eq!(seen.header(header), value.as_str(), "{name} {header}");
    }
    assert_eq!(seen.body, expected, "{name}");
    1
}

/// The recorded body with the texts of our question in it; `None` when it is made of other things
/// than one system prompt and one question.
fn with_our_words(body: &Value) -> Option<Value> {
    let ours = Brief::new(talk()).request();
    let mut body = body.clone();
    let fields = body.as_object_mut()?;
    // An extension of one server, which no summary needs.
    fields.remove("cache_prompt");
    if let Some(temperature) = fields.get("temperature").and_then(Value::as_f64) {
        fields.insert("temperature".into(), temperature.into());
    }
    for field in ["response_format", "stop", "n", "seed"] {
        if fields.contains_key(field) {
            return None;
        }
    }
    if let Some(instructions) = fields.get_mut("instructions") {
        *instructions = ours.system.into();
        fields["input"].as_str()?;
        fields.insert("input".into(), ours.user.into());
        fields.insert("store".into(), false.into());
        return Some(body);
    }
    fields.get("max_tokens")?.as_u64()?;
    let system = fields.get("system").cloned();
    let roles: Vec<&str> = fields
        .get("messages")?
        .as_array()?
        .iter()
        .map(|message| message["role"].as_str().unwrap_or_default())
        .collect();
    match (system, roles.as_slice()) {
        (Some(Value::String(_)), ["user"]) => {
            fields.insert("system".into(), ours.system.into());
            fields["messages"] = json!([{ "role": "user", "content": ours.user }]);
        }
        (None, ["system", "user"]) => {
            fields["messages"] = json!([
                { "role": "system", "content": ours.system },
                { "role": "user", "content": ours.user },
            ]);
            if fields.contains_key("stream") {
                // Without it there are no counts.
                fields.insert("stream_options".into(), json!({ "include_usage": true }));
            }
        }
        _ => return None,
    }
    Some(body)
}

/// The useless answers, through the adapter that reads them and the checks behind it. The one that
/// turns a decision round passes: nothing in its form tells.
#[test]
fn useless_answers_are_refused_by_name() {
    let text = include_str!("../recordings/conversation.json");
    let records: Vec<Value> = serde_json::from_str(text).unwrap();
    let message = |record: &Value| match record["role"].as_str().unwrap() {
        "user" => Message::user(record["content"].as_str().unwrap()),
        _ => Message::assistant(record["content"].as_str().unwrap()),
    };
    let talk: Vec<Message> = records.iter().map(message).collect();
    let mut named = Vec::new();
    for recording in recordings() {
        if !recording.name.starts_with("bad_summary") {
            continue;
        }
        let server = Server::playing(Play::Send(recording.answer()));
        let adapter = OpenAi::new(&server.v1(), "local").unwrap();
        let checked = Checked::new(adapter, Bytes);
        let result = ask_for(&checked, Brief::new(&talk));
        let fault = result.err().map(|error| error.name());
        named.push((recording.name, fault.unwrap_or("accepted")));
    }
    let named: Vec<(&str, &str)> = named.iter().map(|(a, b)| (a.as_str(), *b)).collect();
    assert_eq!(
        named,
        [
            ("bad_summary_contradiction", "accepted"),
            ("bad_summary_copies_transcript", "cut_off"),
            ("bad_summary_empty_sections", "hollow"),
            ("bad_summary_loop", "cut_off"),
            ("bad_summary_parrot", "ungrounded"),
        ]
    );
}

struct Bytes;

impl compaction_core::TokenEstimator for Bytes {
    fn name(&self) -> &str {
        "bytes"
    }

    fn estimate(&self, text: &str) -> u64 {
        (text.len() as u64).div_ceil(4)
    }
}
