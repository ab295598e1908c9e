//! Asking behind the conversation as it was sent, for the sake of a provider's cache of prompts.

mod cached;
mod sent;

use serde_json::Value;
use session_log::{Message, Part, Role, ToolCall, ToolResult};
use session_summarizer::{Brief, Summarizer};
use session_summarizer_http::Conversation;

use crate::common::server::Server;
use crate::common::{ask_for, line};

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
