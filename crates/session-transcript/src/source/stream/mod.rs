//! Streamed responses (server-sent events), put together to the response they stand for.

mod anthropic;
mod chat;
mod gemini;
mod responses;

use crate::json::{Raw, without_lone_surrogates};

/// The response a stream stands for, as the JSON that would have come without streaming, and how
/// many of the events could not be read. `None` when the text is no stream that is known.
pub(crate) fn assemble(text: &str) -> Option<(String, usize)> {
    let mut events = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .peekable();
    if !events.peek().is_some_and(|line| is_field(line)) {
        return None;
    }
    let payloads: Vec<_> = events
        .filter_map(|line| line.trim_end().strip_prefix("data:"))
        .map(str::trim_start)
        .filter(|payload| *payload != "[DONE]")
        .map(without_lone_surrogates)
        .collect();
    let values: Vec<Raw<'_>> = payloads
        .iter()
        .filter_map(|(payload, _)| Raw::parse(payload))
        .collect();
    let response = responses::assemble(&values)
        .or_else(|| chat::assemble(&values))
        .or_else(|| anthropic::assemble(&values))
        .or_else(|| gemini::assemble(&values))?;
    Some((response, payloads.len() - values.len()))
}

fn is_field(line: &str) -> bool {
    ["data:", "event:", "id:", "retry:", ":"]
        .iter()
        .any(|name| line.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assembled(lines: &[&str]) -> serde_json::Value {
        let (text, _) = assemble(&lines.join("\n\n")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn pieces_of_a_chat_message_are_joined_and_calls_found_by_index() {
        let response = assembled(&[
            ": a comment",
            r#"data: {"id":"c","model":"m","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#,
            r#"data: {"id":"c","choices":[{"index":0,"delta":{"content":"He"}}]}"#,
            r#"data: {"id":"c","choices":[{"index":1,"delta":{"content":"another"}}]}"#,
            r#"data: {"id":"c","choices":[{"index":0,"delta":{"content":"llo","tool_calls":[{"index":0,"id":"k1","type":"function","function":{"name":"f","arguments":"{\"a\""}}]}}]}"#,
            r#"data: {"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"k2","function":{"name":"g","arguments":""}},{"index":0,"function":{"arguments":":1}"}}]},"finish_reason":"tool_calls"}],"usage":{"total_tokens":3}}"#,
            "data: [DONE]",
        ]);
        let expected = serde_json::json!({
            "id": "c", "model": "m", "object": "chat.completion", "usage": {"total_tokens": 3},
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
                "role": "assistant", "content": "Hello", "tool_calls": [
                    {"id": "k1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}},
                    {"id": "k2", "type": "function", "function": {"name": "g", "arguments": ""}},
                ]}}],
        });
        assert_eq!(response, expected);
    }

    #[test]
    fn blocks_of_a_message_are_joined() {
        let response = assembled(&[
            "event: message_start",
            r#"data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"usage":{"input_tokens":1}}}"#,
            r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
            r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm"}}"#,
            r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"sig"}}"#,
            r#"data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"k","name":"f","input":{}}}"#,
            r#"data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}"#,
            r#"data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"1}"}}"#,
            r#"data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}"#,
            r#"data: {"type":"message_stop"}"#,
        ]);
        let expected = serde_json::json!({
            "id": "msg_1", "type": "message", "role": "assistant", "stop_reason": "tool_use",
            "usage": {"output_tokens": 9},
            "content": [
                {"type": "thinking", "thinking": "Hm", "signature": "sig"},
                {"type": "tool_use", "id": "k", "name": "f", "input": {"a": 1}},
            ],
        });
        assert_eq!(response, expected);
    }

    #[test]
    fn parts_of_a_gemini_response_are_joined() {
        let response = assembled(&[
            r#"data: {"candidates":[{"content":{"parts":[{"text":"Hm","thought":true}],"role":"model"}}],"responseId":"r"}"#,
            r#"data: {"candidates":[{"content":{"parts":[{"text":"He"}],"role":"model"}}]}"#,
            r#"data: {"candidates":[{"content":{"parts":[{"text":"llo"}],"role":"model"}}]}"#,
            r#"data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"},"thoughtSignature":"s"}]},"finishReason":"STOP"}],"usageMetadata":{"totalTokenCount":3}}"#,
        ]);
        let expected = serde_json::json!({
            "candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [
                {"text": "Hm", "thought": true},
                {"text": "Hello"},
                {"functionCall": {"name": "f"}, "thoughtSignature": "s"},
            ]}}],
            "usageMetadata": {"totalTokenCount": 3},
        });
        assert_eq!(response, expected);
    }

    #[test]
    fn a_response_is_taken_from_its_last_event_or_its_items_and_other_text_is_no_stream() {
        let response = assembled(&[
            r#"data: {"type":"response.output_text.delta","delta":"x"}"#,
            "data: {broken",
            r#"data: {"type":"response.completed","response":{"id":"r"}}"#,
        ]);
        assert_eq!(response, serde_json::json!({"id": "r"}));
        let response = assembled(&[
            r#"data: {"type":"response.created","response":{"id":"r","output":[]}}"#,
            r#"data: {"type":"response.output_item.done","output_index":1,"item":{"n":2}}"#,
            r#"data: {"type":"response.output_item.done","output_index":0,"item":{"n":1}}"#,
            r#"data: {"type":"response.output_text.delta","delta":"cut"}"#,
        ]);
        let expected = serde_json::json!({"id": "r", "output": [{"n": 1}, {"n": 2}]});
        assert_eq!(response, expected);
        for text in [
            "data: [DONE]",
            "data: {}",
            "{\"a\":1}",
            ": only a comment",
            "",
        ] {
            assert_eq!(assemble(text), None, "{text}");
        }
    }
}
