//! What a cache of prompts needs, and what it saved.

use serde_json::{Value, json};
use session_summarizer::{Brief, Prompt, Section, Summarizer, Tally, Template, Usage};
use session_summarizer_http::{
    Anthropic, Conversation, Gemini, OpenAi, OpenAiResponses, SettingsError,
};

use super::{sent, talk};
use crate::common::server::Server;
use crate::common::{ask_for, line};

/// What the conversation was sent before is the beginning of what is sent now.
#[test]
fn what_a_cache_knows_is_not_changed_by_what_is_asked_for() {
    let template = Template::new([Section::new("Goal", "what is wanted")]);
    let prompt = Prompt::new().with_template(template);
    let talk = talk();
    let messages = |brief: Brief<'_>| {
        let server = Server::answering(500, &[], "");
        let adapter = OpenAi::new(&server.v1(), "m")
            .unwrap()
            .with_conversation(sent());
        ask_for(&adapter.with_sections_as_json(), brief).unwrap_err();
        server.seen().body["messages"].as_array().unwrap().clone()
    };
    let plain = messages(Brief::new(&talk));
    let shaped = messages(Brief::new(&talk).with_prompt(&prompt).with_budget(99));
    let (plain_task, plain) = plain.split_last().unwrap();
    let (task, shaped) = shaped.split_last().unwrap();
    assert_eq!(plain, shaped);
    let (plain_task, task) = (
        plain_task["content"].as_str(),
        task["content"].as_str().unwrap(),
    );
    assert!(!plain_task.unwrap().contains("JSON"), "{plain_task:?}");
    assert!(
        task.contains("## Goal") && task.contains("as one JSON object"),
        "{task}"
    );
}

#[test]
fn a_conversation_hides_what_it_says_and_refuses_tools_that_are_none() {
    let shown = format!("{:?}", sent());
    assert_eq!(shown, "Conversation { system: 1, tools: Some(1) }");
    for json in ["", "{}", "[", "null"] {
        let refused = Conversation::new().with_tools(json).unwrap_err();
        assert_eq!(refused, SettingsError::InvalidTools, "{json}");
    }
}

/// What came from a cache is told apart, as each provider tells it.
#[test]
fn tokens_from_a_cache_are_reported() {
    let cases: [(&str, Value); 4] = [
        (
            "openai",
            json!({
                "choices": [{ "message": { "content": "Fixed." }, "finish_reason": "stop" }],
                "usage": {
                    "prompt_tokens": 900,
                    "completion_tokens": 2,
                    "prompt_tokens_details": { "cached_tokens": 768 },
                },
            }),
        ),
        (
            "responses",
            json!({
                "status": "completed",
                "output": [{ "type": "message", "content": "Fixed." }],
                "usage": {
                    "input_tokens": 900,
                    "output_tokens": 2,
                    "input_tokens_details": { "cached_tokens": 768 },
                },
            }),
        ),
        (
            "anthropic",
            json!({
                "content": [{ "type": "text", "text": "Fixed." }],
                "stop_reason": "end_turn",
                "usage": {
                    "input_tokens": 130,
                    "cache_creation_input_tokens": 2,
                    "cache_read_input_tokens": 768,
                    "output_tokens": 2,
                },
            }),
        ),
        (
            "gemini",
            json!({
                "candidates": [{
                    "content": { "parts": [{ "text": "Fixed." }] },
                    "finishReason": "STOP",
                }],
                "usageMetadata": {
                    "promptTokenCount": 900,
                    "candidatesTokenCount": 2,
                    "cachedContentTokenCount": 768,
                },
            }),
        ),
    ];
    let talk = talk();
    for (name, answer) in cases {
        let server = Server::answering(200, &[], &answer.to_string());
        let adapter: Box<dyn Summarizer> = match name {
            "openai" => Box::new(OpenAi::new(&server.v1(), "m").unwrap()),
            "responses" => Box::new(OpenAiResponses::new(&server.v1(), "m").unwrap()),
            "anthropic" => Box::new(Anthropic::new(&server.address, "m").unwrap()),
            _ => Box::new(Gemini::new(&server.address, "m").unwrap()),
        };
        let summary = ask_for(&*adapter, Brief::new(&talk)).unwrap().unwrap();
        let expected = Usage::new(Some(900), Some(2)).with_cached_tokens(Some(768));
        assert_eq!(summary.usage(), expected, "{name}");
    }
}

/// An answer with nothing to read in it was paid for.
#[test]
fn what_a_blank_answer_cost_is_noted() {
    let answer = json!({
        "choices": [{ "message": { "content": " " }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 420, "completion_tokens": 1 },
    });
    let server = Server::answering(200, &[], &answer.to_string());
    let adapter = OpenAi::new(&server.v1(), "m").unwrap();
    let tally = Tally::new();
    let talk = talk();
    let result = ask_for(&adapter, Brief::new(&talk).with_tally(&tally));
    assert_eq!(line(&result), "invalid blank");
    assert_eq!(tally.usage(), Usage::new(Some(420), Some(1)));
}
