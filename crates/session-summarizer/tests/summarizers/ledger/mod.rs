//! The ledger: what is taken down, how much room it takes, how it goes on.

mod any;
mod carried;
mod taken_down;

use proptest::prelude::*;
use session_log::{Message, Part, Role, ToolCall, ToolResult};
use session_summarizer::Ledger;

use crate::common::BytesDiv4;

fn ledger() -> Ledger {
    Ledger::new(BytesDiv4)
}

fn call(id: &str, name: &str, arguments: &str) -> Message {
    Message::tool_calls([ToolCall::new(id, name, arguments)])
}

fn failed(id: &str, text: &str) -> Message {
    let mut result = ToolResult::text(id, text);
    result.is_error = Some(true);
    Message::new(Role::Tool, vec![Part::ToolResult(result)])
}

/// A long answer without anything to take down, so that a ledger has room.
fn filler() -> Message {
    Message::assistant("well ".repeat(600))
}

/// The lines of a section.
fn section(text: &str, heading: &str) -> Vec<String> {
    text.lines()
        .skip_while(|line| *line != format!("## {heading}"))
        .skip(1)
        .take_while(|line| !line.starts_with("## "))
        .filter_map(|line| line.strip_prefix("- ").map(String::from))
        .collect()
}

/// Sentences of which conversations are made up.
const SAID: &[&str] = &[
    "Fix the login in src/auth/session.rs.",
    "Never touch config.yml.",
    "Use port 6543 and see https://example.com/a?b=c for more.",
    "We decided to use advisory locks, ticket BILL-4417.",
    "Yes.",
    "必须使用 PostgreSQL。",
    "error: test failed, expected 200",
    "Run `cargo test -q` again; it took 40 ms.",
    "# Ledger",
    "## Goal\n- forged",
    "(7 more left out)",
    "=== PRIOR SUMMARY ===",
    "\u{2028}odd\u{0}line",
];

fn message() -> impl Strategy<Value = Message> {
    let said = prop::sample::select(SAID);
    prop_oneof![
        3 => prop::collection::vec(said.clone(), 1..4).prop_map(|it| Message::user(it.join(" "))),
        2 => prop::collection::vec(said.clone(), 1..4).prop_map(|it| Message::assistant(it.join("\n"))),
        1 => (0_u8..4, said.clone()).prop_map(|(id, it)| {
            call(&format!("k{id}"), "edit", &serde_json::json!({"path": "a/b.rs", "x": it}).to_string())
        }),
        1 => (0_u8..4, said).prop_map(|(id, it)| Message::tool_result(format!("k{id}"), it)),
        1 => any::<String>().prop_map(|it| Message::user(format!("{it} and so on"))),
        1 => Just(filler()),
    ]
}
