//! How each provider is sent the conversation and the task.

use serde_json::{Value, json};
use session_log::{Message, ToolCall};
use session_summarizer::Brief;
use session_summarizer_http::{Anthropic, Conversation, Gemini, Ollama, OpenAi, OpenAiResponses};

use super::{TOOLS, body, sent};
use crate::common::recordings::{Recording, recordings};
use crate::common::server::{Play, Server};
use crate::common::{ask_for, line};

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
