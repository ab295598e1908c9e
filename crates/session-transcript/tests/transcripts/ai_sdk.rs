//! Messages of the Vercel AI SDK, of both sides.

use serde_json::{Value, json};
use session_log::{Json, Message};
use session_transcript::{Envelope, Format, WriteOptions, view_as_request, write};

use crate::common::{only, parse, parsed, values};

#[track_caller]
fn check(file: &Value, expected: &[&str]) {
    crate::common::check(file, Format::AiSdk, expected);
}

/// A tool loop as the screen has it.
fn screen() -> Value {
    json!([
        {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "Look"}, {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,AA==", "filename": "a.png"}]},
        {"id": "m2", "role": "assistant", "metadata": {"n": 1.0}, "parts": [
            {"type": "step-start"},
            {"type": "reasoning", "text": "Hm", "providerMetadata": {"p": {"signature": "s=="}}, "state": "done"},
            {"type": "tool-find", "toolCallId": "k1", "state": "output-available", "input": {"a": 2, "b": 1.0}, "output": {"rows": [1]}, "callProviderMetadata": {}},
            {"type": "dynamic-tool", "toolName": "other", "toolCallId": "k2", "state": "output-error", "input": {}, "errorText": "no such room"},
            {"type": "step-start"},
            {"type": "tool-find", "toolCallId": "k3", "state": "output-available", "input": "odd", "output": "text"},
            {"type": "text", "text": "Done.", "state": "done"},
            {"type": "source-url", "sourceId": "s", "url": "https://a"},
            {"type": "data-weather", "id": "d", "data": {"t": 1}},
            {"type": "tool-web", "toolCallId": "w", "state": "output-available", "input": {}, "output": [], "providerExecuted": true},
            {"type": "tool-ask", "toolCallId": "k4", "state": "input-streaming"},
        ]},
        {"id": "m3", "role": "user", "parts": [{"type": "text", "text": "Thanks"}]},
    ])
}

#[test]
fn steps_of_a_screen_message_become_calls_and_results_and_one_message_again() {
    check(
        &screen(),
        &[
            "user: Look [media]",
            r#"assistant: [opaque] [reasoning] [call k1 find {"a":2,"b":1.0}] [call k2 other {}]"#,
            r#"tool: [result k1: {"rows":[1]}] [result k2: no such room]"#,
            r#"assistant: [opaque] [call k3 find "odd"]"#,
            "tool: [result k3: text]",
            "assistant: Done. [opaque] [opaque] [opaque] [call k4 ask ]",
            "user: Thanks",
        ],
    );
}

#[test]
fn invocations_of_the_first_versions_are_kept() {
    check(
        &json!({"id": "chat", "messages": [
            {"id": "m1", "role": "user", "content": "Hi", "parts": [{"type": "text", "text": "Hi"}], "createdAt": "2025-01-02T03:04:05.000Z"},
            {"id": "m2", "role": "assistant", "content": "", "parts": [
                {"type": "step-start"},
                {"type": "tool-invocation", "toolInvocation": {"state": "result", "step": 0, "toolCallId": "k", "toolName": "f", "args": {"a": 1}, "result": {"b": 2}}},
                {"type": "reasoning", "reasoning": "Hm", "details": []},
                {"type": "text", "text": "Done."}]},
        ]}),
        &[
            "user: Hi",
            r#"assistant: [opaque] [call k f {"a":1}]"#,
            r#"tool: [result k: {"b":2}]"#,
            "assistant: [reasoning] Done.",
        ],
    );
}

#[test]
fn calls_beside_a_text_are_kept_there() {
    check(
        &json!([
            {"id": "m1", "role": "user", "content": "Hi"},
            {"id": "m2", "role": "assistant", "content": "Done.", "toolInvocations": [
                {"state": "result", "toolCallId": "k1", "toolName": "f", "args": {}, "result": "one"},
                {"state": "result", "toolCallId": "k2", "toolName": "g", "args": {"a": 1}, "result": {"b": null}}]},
            {"id": "m3", "role": "assistant", "content": "", "toolInvocations": [{"state": "call", "toolCallId": "k3", "toolName": "f", "args": {}}]},
        ]),
        &[
            "user: Hi",
            r#"assistant: [call k1 f {}] [call k2 g {"a":1}]"#,
            r#"tool: [result k1: one] [result k2: {"b":null}]"#,
            "assistant: Done.",
            "assistant: [call k3 f {}]",
        ],
    );
}

#[test]
fn messages_of_the_model_are_written_as_they_were() {
    check(
        &json!([
            {"role": "system", "content": "Be brief.", "providerOptions": {"a": {"cacheControl": {"type": "ephemeral"}}}},
            {"role": "user", "content": [{"type": "text", "text": "See"}, {"type": "image", "image": "AA==", "mediaType": "image/png"}, {"type": "file", "data": "https://a", "mimeType": "application/pdf", "filename": "a.pdf"}]},
            {"role": "assistant", "content": [
                {"type": "reasoning", "text": "Hm", "providerOptions": {"p": {"signature": "s"}}},
                {"type": "text", "text": "I look."},
                {"type": "tool-call", "toolCallId": "k1", "toolName": "f", "input": {"a": 1}},
                {"type": "tool-call", "toolCallId": "k2", "toolName": "g", "args": {}},
                {"type": "tool-call", "toolCallId": "w", "toolName": "web", "input": {}, "providerExecuted": true},
                {"type": "tool-result", "toolCallId": "w", "toolName": "web", "output": {"type": "json", "value": []}}]},
            {"role": "tool", "content": [
                {"type": "tool-result", "toolCallId": "k1", "toolName": "f", "output": {"type": "json", "value": {"rows": [1.0]}, "providerOptions": {}}},
                {"type": "tool-result", "toolCallId": "k2", "toolName": "g", "result": "two", "isError": true}]},
            {"role": "assistant", "content": "Done."},
            {"role": "tool", "content": [
                {"type": "tool-result", "toolCallId": "k3", "toolName": "f", "output": {"type": "content", "value": [{"type": "text", "text": "x"}, {"type": "media", "data": "AA==", "mediaType": "image/png"}, {"type": "new"}]}},
                {"type": "tool-result", "toolCallId": "k4", "toolName": "f", "output": {"type": "error-text", "value": "e"}},
                {"type": "tool-result", "toolCallId": "k5", "toolName": "f", "output": {"type": "execution-denied", "reason": "no"}},
                {"type": "tool-result", "toolCallId": "k6", "toolName": "f", "output": {"type": "from-tomorrow"}},
                {"type": "tool-approval-response", "approvalId": "a", "approved": true}]},
        ]),
        &[
            "system: Be brief.",
            "user: See [media] [media]",
            r#"assistant: [reasoning] I look. [call k1 f {"a":1}] [call k2 g {}] [opaque] [opaque]"#,
            r#"tool: [result k1: {"rows":[1.0]}] [result k2: two]"#,
            "assistant: Done.",
            "tool: [result k3: x [media] [opaque]] [result k4: e] [result k5: no] [opaque] [opaque]",
        ],
    );
}

#[test]
fn a_screen_message_goes_to_providers_as_steps() {
    let conversation = only(screen().to_string().as_bytes());
    let request = view_as_request(&conversation.events, Format::OpenAiChat).unwrap();
    let roles: Vec<String> = parsed(&request.text)
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        roles,
        [
            "user",
            "assistant",
            "tool",
            "tool",
            "assistant",
            "tool",
            "assistant",
            "user"
        ]
    );
}

#[test]
fn a_chat_becomes_messages_of_the_model_or_goes_on_with_those_of_a_screen() {
    let chat = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "https://a/b.png"}}]},
        {"role": "assistant", "content": "I look.", "tool_calls": [
            {"id": "k1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}},
            {"id": "k2", "type": "function", "function": {"name": "g", "arguments": "cut {"}}]},
        {"role": "tool", "tool_call_id": "k1", "content": "one"},
        {"role": "tool", "tool_call_id": "k2", "content": "two"},
        {"role": "assistant", "content": "Done."},
    ]);
    let chat = only(chat.to_string().as_bytes());
    let options = WriteOptions::default();
    let written = write(&chat.events, None, Format::AiSdk, &options).unwrap();
    let expected = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "See"}, {"type": "image", "image": "https://a/b.png"}]},
        {"role": "assistant", "content": [
            {"type": "text", "text": "I look."},
            {"type": "tool-call", "toolCallId": "k1", "toolName": "f", "input": {"a": 1}},
            {"type": "tool-call", "toolCallId": "k2", "toolName": "g", "input": "cut {"}]},
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "k1", "toolName": "f", "output": {"type": "text", "value": "one"}}]},
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "k2", "toolName": "g", "output": {"type": "text", "value": "two"}}]},
        {"role": "assistant", "content": "Done."},
    ]);
    assert_eq!(parsed(&written.text), expected);

    let screen = only(screen().to_string().as_bytes());
    let all = screen.events.iter().chain(&chat.events[2..]);
    let written = write(all, Some(&screen.envelope), Format::AiSdk, &options).unwrap();
    let messages = parsed(&written.text);
    assert_eq!(messages.as_array().unwrap().len(), 5);
    assert_eq!(messages[3]["parts"][1]["state"], "output-available");
    assert_eq!(messages[3]["parts"][2]["output"], "two");
    assert_eq!(
        messages[4]["parts"],
        json!([{"type": "text", "text": "Done."}])
    );
}

#[test]
fn a_result_that_was_shortened_is_written_short() {
    let conversation = only(screen().to_string().as_bytes());
    let short = Message::new(
        session_log::Role::Tool,
        vec![session_log::Part::ToolResult(
            session_log::ToolResult::text("k1", "[cleared]"),
        )],
    );
    let items = conversation.events.iter().enumerate().map(|(at, event)| {
        let item = session_transcript::Item::from(event);
        if at == 2 {
            item.with_message(std::borrow::Cow::Borrowed(&short))
        } else {
            item
        }
    });
    let options = WriteOptions::default();
    let written = write(items, Some(&conversation.envelope), Format::AiSdk, &options).unwrap();
    let messages = parsed(&written.text);
    assert_eq!(messages[1]["parts"][2]["output"], "[cleared]");
    // The other call of the step has no result any more and is left out.
    assert_eq!(messages[1]["parts"][3]["type"], "step-start");
}

#[test]
fn containers_and_lines_are_kept_and_damage_costs_only_its_record() {
    let message = json!({"id": "m", "role": "user", "parts": [{"type": "text", "text": "Hi"}]});
    for (file, conversations) in [
        (
            json!({"messages": [message], "trigger": "submit-message"}),
            1,
        ),
        (
            json!([{"chat": 1, "messages": [message]}, {"messages": [message]}]),
            2,
        ),
        (
            json!({"system": "s", "messages": [{"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "k", "toolName": "f", "input": {}}]}]}),
            1,
        ),
    ] {
        let transcript = parse(file.to_string().as_bytes());
        assert_eq!(transcript.format, Format::AiSdk, "{file}");
        assert_eq!(transcript.conversations.len(), conversations, "{file}");
        assert_eq!(parsed(&transcript.write_back().unwrap().text), file);
    }
    let lines = format!("{message}\n{{broken\n{{\"role\":\"user\"}}\n{message}\n{{\"id\":");
    let transcript = parse(lines.as_bytes());
    assert_eq!(transcript.events().count(), 2);
    assert_eq!(transcript.skipped.len(), 3);
    assert_eq!(
        values(transcript.write_back().unwrap().text.as_bytes()),
        [message.clone(), message]
    );
}

#[test]
fn a_chat_becomes_messages_of_the_screen_where_the_envelope_says_so() {
    let chat = json!([
        {"role": "user", "content": "Look"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "k1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "k1", "content": "one"},
    ]);
    let chat = only(chat.to_string().as_bytes());
    let mut envelope = Envelope::new(Format::AiSdk);
    envelope.fields.insert("side".into(), Json::string("ui"));
    let options = WriteOptions::default();
    let written = write(&chat.events, Some(&envelope), Format::AiSdk, &options).unwrap();
    let messages = parsed(&written.text);
    assert_eq!(
        messages[1]["parts"],
        json!([{"type": "tool-f", "toolCallId": "k1", "state": "output-available", "input": {}, "output": "one"}])
    );
    assert_eq!(messages[0]["id"], chat.events[0].id.as_str());
}
