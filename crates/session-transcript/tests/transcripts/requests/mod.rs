//! What is written can be sent: providers take it, whatever the log holds.

mod checked;
mod repaired;
mod written;

use serde_json::Value;
use session_log::{Message, ToolCall};
use session_transcript::{Format, view_as_request};

const REQUESTS: [Format; 2] = [Format::OpenAiChat, Format::Anthropic];

fn request(messages: &[Message], format: Format) -> Value {
    serde_json::from_str(&view_as_request(messages, format).unwrap().text).unwrap()
}

fn call(id: &str) -> Message {
    Message::tool_calls([ToolCall::new(id, "f", r#"{"n": 1}"#)])
}
