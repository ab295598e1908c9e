//! Asking behind the conversation as it was sent, for the sake of a provider's cache of prompts.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::recordings::{Recording, recordings};
use common::server::{Play, Server};
use common::{ask_for, line};
use serde_json::{Value, json};
use session_log::{Message, Part, Role, ToolCall, ToolResult};
use session_summarizer::{Brief, Prompt, Section, Summarizer, Tally, Template, Usage};
use session_summarizer_http::{
    Anthropic, Conversation, Gemini, Ollama, OpenAi, OpenAiResponses, SettingsError,
};

const TOOLS: &str = r#"[{"name":"read"}]"#;

fn sent() -> Conversation {
    Conversation::new()
        .with_system("You are terse.")
        .with_tools(TOOLS)
        .unwrap()
}

fn talk() -> Vec<Message> {
    let mut failed = ToolResult::text("k2", "gone");
    failed.is_error = Some(true);
    let mut calls = Message::tool_calls([
        ToolCall::new("k1", "read", r#"{"path":"a.rs"}"#),
        ToolCall::new("k2", "read", "not json"),
    ]);
    calls.parts.insert(0, Part::text("I look."));
    vec![
        Message::user("Fix the gate."),
        calls,
        Message::tool_result("k1", "fn gate() {}"),
        Message::new(Role::Tool, vec![Part::ToolResult(failed)]),
        Message::assistant("Fixed."),
        Message::user("Thanks."),
    ]
}

/// What is sent for [`talk`] behind a prior summary, and the task at its end. The answer is of no
/// importance.
fn body(make: impl Fn(&Server) -> Box<dyn Summarizer>) -> (Value, String) {
    let talk = talk();
    let brief = Brief::new(&talk).with_prior("The gate is broken.");
    let server = Server::answering(500, &[], "");
    let summarizer = make(&server);
    assert_eq!(line(&ask_for(&*summarizer, brief.clone())), "unavailable");
    (server.seen().body, brief.chat().instruction)
}

const QUESTION: &str = "Summarize the conversation we had so far.";

#[test]
fn openai_is_sent_the_conversation_and_then_the_task() {
    let (body, task) = body(|server| {
        let adapter = OpenAi::new(&server.v1(), "m").unwrap();
        Box::new(adapter.with_conversation(sent()))
    });
    let function = |name: &str, arguments: &str| json!({ "name": name, "arguments": arguments });
    let expected = json!([
        { "role": "system", "content": "You are terse." },
        { "role": "user", "content": QUESTION },
        { "role": "assistant", "content": "The gate is broken." },
        { "role": "user", "content": "Fix the gate." },
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                { "id": "k1", "type": "function", "function": function("read", r#"{"path":"a.rs"}"#) },
                { "id": "k2", "type": "function", "function": function("read", "not json") },
            ],
        },
        { "role": "tool", "tool_call_id": "k1", "content": "fn gate() {}" },
        { "role": "tool", "tool_call_id": "k2", "content": "gone" },
        { "role": "assistant", "content": "Fixed." },
        { "role": "user", "content": "Thanks." },
        { "role": "user", "content": task },
    ]);
    assert_eq!(body["messages"], expected);
    assert_eq!(body["tools"], json!([{ "name": "read" }]));
    assert_eq!(body["tool_choice"], "none");
}

#[test]
fn responses_are_sent_items() {
    let (body, task) = body(|server| {
        let adapter = OpenAiResponses::new(&server.v1(), "m").unwrap();
        let sent = sent().with_system("Second.");
        Box::new(adapter.with_conversation(sent))
    });
    let call = |id: &str, arguments: &str| {
        json!({
            "type": "function_call", "call_id": id, "name": "read", "arguments": arguments,
        })
    };
    let output = |id: &str, text: &str| {
        json!({
            "type": "function_call_output", "call_id": id, "output": text,
        })
    };
    let expected = json!([
        { "role": "system", "content": "Second." },
        { "role": "user", "content": QUESTION },
        { "role": "assistant", "content": "The gate is broken." },
        { "role": "user", "content": "Fix the gate." },
        { "role": "assistant", "content": "I look." },
        call("k1", r#"{"path":"a.rs"}"#),
        call("k2", "not json"),
        output("k1", "fn gate() {}"),
        output("k2", "gone"),
        { "role": "assistant", "content": "Fixed." },
        { "role": "user", "content": "Thanks." },
        { "role": "user", "content": task },
    ]);
    assert_eq!(body["instructions"], "You are terse.");
    assert_eq!(body["input"], expected);
    assert_eq!(body["tool_choice"], "none");
    assert_eq!(body["store"], false);
}

#[test]
fn anthropic_is_sent_turns_with_a_mark_behind_the_conversation() {
    let (body, task) = body(|server| {
        let adapter = Anthropic::new(&server.address, "c").unwrap();
        Box::new(adapter.with_conversation(sent()))
    });
    let text = |text: &str| json!({ "type": "text", "text": text });
    let call = |id: &str, input: Value| {
        json!({
            "type": "tool_use", "id": id, "name": "read", "input": input,
        })
    };
    let mark = json!({ "type": "ephemeral" });
    let expected = json!([
        { "role": "user", "content": [text(QUESTION)] },
        { "role": "assistant", "content": [text("The gate is broken.")] },
        { "role": "user", "content": [text("Fix the gate.")] },
        { "role": "assistant", "content": [
            text("I look."),
            call("k1", json!({ "path": "a.rs" })),
            call("k2", json!({ "arguments": "not json" })),
        ] },
        { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "k1", "content": "fn gate() {}" },
            { "type": "tool_result", "tool_use_id": "k2", "content": "gone", "is_error": true },
        ] },
        { "role": "assistant", "content": [text("Fixed.")] },
        { "role": "user", "content": [
            { "type": "text", "text": "Thanks.", "cache_control": mark },
            text(&task),
        ] },
    ]);
    assert_eq!(body["messages"], expected);
    assert_eq!(body["system"], "You are terse.");
    assert_eq!(body["tools"], json!([{ "name": "read" }]));
    assert_eq!(body["tool_choice"], Value::Null, "it would cost the cache");
}

#[test]
fn anthropic_takes_no_calls_without_tools_and_no_conversation_that_the_model_begins() {
    let talk = [
        Message::tool_calls([ToolCall::new("k1", "read", "{}")]),
        Message::tool_result("k1", "ok"),
        Message::assistant("Read."),
    ];
    let sent = |sent: Conversation| {
        let server = Server::answering(500, &[], "");
        let adapter = Anthropic::new(&server.address, "c").unwrap();
        let adapter = adapter.with_conversation(sent);
        ask_for(&adapter, Brief::new(&talk)).unwrap_err();
        server.seen().body
    };
    let body = sent(Conversation::new());
    assert_eq!(body["system"], Value::Null);
    let first = &body["messages"][0];
    assert_eq!(first["role"], "user");
    assert_eq!(
        first["content"][0]["text"],
        "Assistant [tool calls: read({})]"
    );
    let result = "```tool\nTool [responses: tool -> ok]\n```";
    assert_eq!(first["content"][1]["text"], result);

    let body = sent(Conversation::new().with_tools(TOOLS).unwrap());
    let roles: Vec<&str> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant", "user"]);
}

#[test]
fn gemini_is_sent_turns_of_parts() {
    let (body, task) = body(|server| {
        let adapter = Gemini::new(&server.address, "g").unwrap();
        Box::new(adapter.with_conversation(sent()))
    });
    let call = |args: Value| json!({ "functionCall": { "name": "read", "args": args } });
    let answer = |response: Value| {
        json!({
            "functionResponse": { "name": "read", "response": response },
        })
    };
    let expected = json!([
        { "role": "user", "parts": [{ "text": QUESTION }] },
        { "role": "model", "parts": [{ "text": "The gate is broken." }] },
        { "role": "user", "parts": [{ "text": "Fix the gate." }] },
        { "role": "model", "parts": [
            { "text": "I look." },
            call(json!({ "path": "a.rs" })),
            call(json!({ "arguments": "not json" })),
        ] },
        { "role": "user", "parts": [
            answer(json!({ "output": "fn gate() {}" })),
            answer(json!({ "error": "gone" })),
        ] },
        { "role": "model", "parts": [{ "text": "Fixed." }] },
        { "role": "user", "parts": [{ "text": "Thanks." }, { "text": task }] },
    ]);
    assert_eq!(body["contents"], expected);
    let system = json!({ "parts": [{ "text": "You are terse." }] });
    assert_eq!(body["systemInstruction"], system);
    assert_eq!(body["toolConfig"]["functionCallingConfig"]["mode"], "NONE");
}

#[test]
fn ollama_is_sent_calls_as_objects() {
    let (body, task) = body(|server| {
        let adapter = Ollama::new(&server.address, "q").unwrap();
        Box::new(adapter.with_conversation(sent()))
    });
    let call = |arguments: Value| json!({ "function": { "name": "read", "arguments": arguments } });
    let expected = json!([
        { "role": "system", "content": "You are terse." },
        { "role": "user", "content": QUESTION },
        { "role": "assistant", "content": "The gate is broken." },
        { "role": "user", "content": "Fix the gate." },
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                call(json!({ "path": "a.rs" })),
                call(json!({ "arguments": "not json" })),
            ],
        },
        { "role": "tool", "tool_name": "read", "content": "fn gate() {}" },
        { "role": "tool", "tool_name": "read", "content": "gone" },
        { "role": "assistant", "content": "Fixed." },
        { "role": "user", "content": "Thanks." },
        { "role": "user", "content": task },
    ]);
    assert_eq!(body["messages"], expected);
    assert_eq!(body["tools"], json!([{ "name": "read" }]));
}

/// The requests that were recorded with a history of tools are those we make of the same history,
/// up to the words of the last message.
#[test]
fn recorded_histories_of_tools_are_sent_as_they_were() {
    let find = |name: &str| -> Recording {
        let all = recordings();
        all.into_iter().find(|it| it.name == name).unwrap()
    };
    let history = |id: &str| {
        [
            Message::user("Which branch?"),
            Message::tool_calls([ToolCall::new(id, "git_branch", "{}")]),
            Message::tool_result(id, "feat/idempotent-refunds"),
        ]
    };

    let recording = find("openai_tool_history");
    let server = Server::playing(Play::Send(recording.answer()));
    let adapter = OpenAi::new(&server.v1(), "local").unwrap();
    let adapter = adapter.with_conversation(Conversation::new());
    let talk = history("call_1");
    let result = ask_for(&adapter, Brief::new(&talk));
    assert_eq!(
        line(&result),
        "complete 82+7 local: feat/idempotent-refunds"
    );
    let seen = server.seen().body;
    let recorded = &recording.value["request"]["body"]["messages"];
    let but_last = |messages: &Value| {
        let mut messages = messages.as_array().unwrap().clone();
        messages.pop();
        messages
    };
    assert_eq!(but_last(&seen["messages"]), but_last(recorded));

    let recording = find("anthropic_messages_tool_history");
    let server = Server::playing(Play::Send(recording.answer()));
    let adapter = Anthropic::new(&server.address, "local").unwrap();
    let adapter = adapter.with_conversation(Conversation::new().with_tools("[]").unwrap());
    let talk = history("toolu_1");
    let result = ask_for(&adapter, Brief::new(&talk));
    assert_eq!(
        line(&result),
        "complete 82+7 local: feat/idempotent-refunds"
    );
    let mut seen = server.seen().body["messages"].clone();
    let mut recorded = recording.value["request"]["body"]["messages"].clone();
    // One text is the same as a block of it; the mark and the task are ours.
    let text = recorded[0]["content"].clone();
    recorded[0]["content"] = json!([{ "type": "text", "text": text }]);
    recorded[2]["content"].as_array_mut().unwrap().pop();
    let last = seen[2]["content"].as_array_mut().unwrap();
    last.pop();
    last[0].as_object_mut().unwrap().remove("cache_control");
    assert_eq!(seen, recorded);
}

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
