//! Contents of Gemini, in and out.

use serde_json::{Value, json};
use session_log::{Message, Part, ToolCall};
use session_transcript::{Format, ReadOptions, Rule, check_request, read, view_as_request};

use crate::common::{fixture, only, parse, parsed, shorts, values};

#[track_caller]
fn check(file: &Value, expected: &[&str]) {
    crate::common::check(file, Format::Gemini, expected);
}

#[test]
fn calls_without_ids_are_paired_by_name_and_order() {
    check(
        &json!([
            {"role": "user", "parts": [{"text": "Look"}]},
            {"role": "model", "parts": [
                {"functionCall": {"name": "f", "args": {"n": 1}}, "thoughtSignature": "AA=="},
                {"functionCall": {"name": "g", "args": {}}},
                {"functionCall": {"name": "f", "args": {"n": 2}}}]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "g", "response": {"output": "g"}}},
                {"functionResponse": {"name": "f", "response": {"result": "one"}}},
                {"functionResponse": {"name": "f", "response": {"error": "two"}}},
                {"text": "Well?"}]},
        ]),
        &[
            "user: Look",
            r#"assistant: [call call_1 f {"n":1}] [call call_2 g {}] [call call_3 f {"n":2}]"#,
            "tool: [result call_2: g] [result call_1: one] [result call_3: two]",
            "user: Well?",
        ],
    );
}

#[test]
fn both_spellings_and_every_part_are_written_as_they_were() {
    check(
        &json!({"system_instruction": {"role": "user", "parts": [{"text": "Be brief."}]}, "contents": [
            {"parts": [{"text": "a", "thought": null, "function_call": null}, {"inline_data": {"mime_type": "image/png", "data": "AA_-"}}]},
            {"role": "model", "parts": [
                {"text": "Hm", "thought": true, "thought_signature": "s=="},
                {"text": "", "thoughtSignature": "empty"},
                {"function_call": {"id": "k", "name": "f", "args": null}, "thought_signature": "x"},
                {"function_call": {"name": "no args"}}]},
            {"role": "function", "parts": [{"function_response": {"id": "k", "name": "f", "response": {"a": 1, "b": 2}, "will_continue": false}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "no args", "response": {"output": "x"}, "parts": [{"inlineData": {"mimeType": "image/png", "data": "AA=="}}]}}]},
            {"role": "model", "parts": [{"executableCode": {"language": "PYTHON", "code": "1"}}, {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}, {"toolCall": {"id": "s", "toolType": "GOOGLE_SEARCH"}, "thoughtSignature": "t"}, {"from_tomorrow": 1}]},
            {"role": "user", "parts": [{"fileData": {"mimeType": "video/mp4", "fileUri": "https://a"}, "videoMetadata": {"fps": 1}}, "odd"]},
            {"role": "model"},
            {"role": "model", "parts": []},
            {"role": "user", "parts": [{"text": "b"}], "extra": 1},
        ], "model": "m", "tools": [{"functionDeclarations": []}], "generationConfig": {}}),
        &[
            "system: Be brief.",
            "user: a [media]",
            "assistant: [reasoning]  [call k f null] [call call_1 no args ]",
            r#"tool: [result k: {"a":1,"b":2}]"#,
            "tool: [result call_1: x [media]]",
            "assistant: [opaque] [opaque] [opaque] [opaque]",
            "user: [media] [opaque]",
            "assistant: ",
            "assistant: ",
            "user: b",
        ],
    );
}

#[test]
fn every_container_is_kept() {
    let user = json!({"role": "user", "parts": [{"text": "Hi"}]});
    let model = json!({"role": "model", "parts": [{"text": "Hello"}]});
    let reply = json!({"candidates": [{"content": model, "finishReason": "STOP", "index": 0}], "modelVersion": "m", "usageMetadata": {}});
    for (file, conversations, messages) in [
        (json!([user, model]), 1, 2),
        (json!({"contents": [user], "generationConfig": {}}), 1, 1),
        (
            json!({"systemInstruction": {"parts": [{"text": "s"}]}, "contents": [user]}),
            1,
            2,
        ),
        (reply.clone(), 1, 1),
        (
            json!({"request": {"contents": [user]}, "response": reply}),
            1,
            2,
        ),
        (
            json!({"candidates": [{"content": {}, "finishReason": "SAFETY"}]}),
            1,
            1,
        ),
        (
            json!({"candidates": [{"content": model}, {"content": model}]}),
            1,
            1,
        ),
        (
            json!([{"contents": [user]}, {"contents": [user, model]}]),
            2,
            3,
        ),
        (
            json!({"scenarioId": "x", "history": [user, model], "questions": []}),
            1,
            2,
        ),
    ] {
        let transcript = parse(file.to_string().as_bytes());
        assert_eq!(transcript.format, Format::Gemini, "{file}");
        assert_eq!(transcript.conversations.len(), conversations, "{file}");
        assert_eq!(transcript.events().count(), messages, "{file}");
        assert_eq!(parsed(&transcript.write_back().unwrap().text), file);
    }
    let lines = format!("{user}\n{model}\n");
    let transcript = parse(lines.as_bytes());
    assert_eq!(transcript.events().count(), 2);
    let written = transcript.write_back().unwrap();
    assert_eq!(values(written.text.as_bytes()), [user, model]);
}

#[test]
fn events_of_the_agent_kit_keep_what_is_around_their_contents() {
    let file = json!({"id": "s", "appName": "a", "events": [
        {"id": "e1", "author": "user", "timestamp": 1_734_292_270.5, "content": {"role": "user", "parts": [{"text": "Hi"}]}},
        {"id": "e2", "author": "agent", "invocationId": "i", "content": {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}},
        {"id": "e3", "author": "agent", "content": {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"ok": true}}}, {"text": "more"}]}},
    ]});
    let conversation = only(file.to_string().as_bytes());
    assert_eq!(
        shorts(&conversation),
        [
            "user: Hi",
            "assistant: [call call_1 f {}]",
            r#"tool: [result call_1: {"ok":true}]"#,
            "user: more"
        ]
    );
    assert_eq!(
        conversation.events[0].timestamp.as_millis(),
        1_734_292_270_500
    );
    assert_eq!(parsed(&conversation.write_back().unwrap().text), file);
}

#[test]
fn recorded_traffic_is_kept_and_can_be_sent_again() {
    for name in [
        "code-execution.request.json",
        "code-execution.response.json",
        "signed-calls.request.json",
        "thoughts.response.json",
    ] {
        let bytes = fixture(&format!("gemini/{name}"));
        let conversation = only(&bytes);
        assert_eq!(conversation.envelope.format, Format::Gemini, "{name}");
        let written = conversation.write_back().unwrap();
        assert_eq!(values(written.text.as_bytes()), values(&bytes), "{name}");
        let request = view_as_request(&conversation.events, Format::Gemini).unwrap();
        assert_eq!(check_request(Format::Gemini, &request.text), [], "{name}");
    }
    let bytes = fixture("gemini/signed-calls.request.json");
    let file: Value = serde_json::from_slice(&bytes).unwrap();
    let request = view_as_request(&only(&bytes).events, Format::Gemini).unwrap();
    assert_eq!(parsed(&request.text)["contents"], file["contents"]);
}

#[test]
fn a_stream_is_the_response_it_stands_for() {
    let transcript = parse(&fixture("gemini/function-call.stream.txt"));
    assert_eq!(transcript.format, Format::Gemini);
    let [conversation] = transcript.conversations.as_slice() else {
        panic!("one conversation");
    };
    assert_eq!(conversation.events.len(), 1);
}

#[test]
fn a_chat_becomes_contents_and_contents_become_a_chat() {
    let chat = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": "Welcome."},
        {"role": "user", "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "k1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}},
            {"id": "k1", "type": "function", "function": {"name": "g", "arguments": "free text"}}]},
        {"role": "tool", "tool_call_id": "k1", "content": "two"},
        {"role": "tool", "tool_call_id": "k1", "content": "one"},
        {"role": "user", "content": "And?"},
    ]);
    let conversation = only(chat.to_string().as_bytes());
    let request = view_as_request(&conversation.events, Format::Gemini).unwrap();
    let expected = json!({
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "(The conversation continues.)"}]},
            {"role": "model", "parts": [{"text": "Welcome."}]},
            {"role": "user", "parts": [{"text": "See"}, {"inlineData": {"mimeType": "image/png", "data": "AA=="}}]},
            {"role": "model", "parts": [
                {"functionCall": {"id": "k1", "name": "f", "args": {"a": 1}}},
                {"functionCall": {"id": "k1_2", "name": "g", "args": {"input": "free text"}}}]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "k1_2", "name": "g", "response": {"output": "two"}}},
                {"functionResponse": {"id": "k1", "name": "f", "response": {"output": "one"}}},
                {"text": "And?"}]},
        ],
    });
    assert_eq!(parsed(&request.text), expected);
    assert_eq!(check_request(Format::Gemini, &request.text), []);

    let contents = json!([
        {"role": "user", "parts": [{"text": "Hi"}]},
        {"role": "model", "parts": [{"text": "t", "thought": true}, {"functionCall": {"name": "f", "args": {"b": 1.0, "a": 2}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"error": "no"}}}]},
    ]);
    let conversation = only(contents.to_string().as_bytes());
    let request = view_as_request(&conversation.events, Format::OpenAiChat).unwrap();
    let messages = parsed(&request.text);
    assert_eq!(
        messages[1]["tool_calls"][0]["id"],
        messages[2]["tool_call_id"]
    );
    let request = view_as_request(&conversation.events, Format::Anthropic).unwrap();
    assert_eq!(
        parsed(&request.text)["messages"][2]["content"][0]["is_error"],
        true
    );
}

#[test]
fn every_call_of_a_request_has_its_response() {
    let talk = [
        Message::user("a"),
        Message::tool_calls([ToolCall::new("k1", "f", "{}")]),
        Message::user("never mind"),
        Message::tool_calls([ToolCall::new("k2", "f", "{}")]),
        Message::user("wait"),
        Message::tool_result("k2", "late"),
        Message::tool_result("gone", "orphan"),
        Message::new(session_log::Role::Assistant, vec![Part::text("")]),
    ];
    let request = view_as_request(&talk, Format::Gemini).unwrap();
    assert_eq!(check_request(Format::Gemini, &request.text), []);
    let expected = json!({"contents": [
        {"role": "user", "parts": [{"text": "a"}, {"text": "never mind"}]},
        {"role": "model", "parts": [{"functionCall": {"id": "k2", "name": "f", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"id": "k2", "name": "f", "response": {"output": "late"}}}, {"text": "wait"}]},
    ]});
    assert_eq!(parsed(&request.text), expected);
}

#[test]
fn what_the_provider_refuses_is_found() {
    let user = json!({"role": "user", "parts": [{"text": "a"}]});
    let call = json!({"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]});
    let response =
        json!({"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]});
    for (contents, rule) in [
        (json!([call, response]), Rule::UserFirst),
        (json!([user, user]), Rule::Alternation),
        (json!([user, call]), Rule::UnansweredCall),
        (json!([user, call, user]), Rule::UnansweredCall),
        (json!([response]), Rule::OrphanResult),
        (
            json!([{"role": "tool", "parts": [{"text": "a"}]}]),
            Rule::Role,
        ),
        (json!([{"role": "user", "parts": []}]), Rule::Content),
        (
            json!([user, {"role": "model", "parts": [{"functionCall": {"name": "f", "args": "x"}}]}, response]),
            Rule::Arguments,
        ),
        (
            json!([user, call, {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": "x"}}]}]),
            Rule::ResultContent,
        ),
    ] {
        let found = check_request(Format::Gemini, &contents.to_string());
        assert_eq!(
            found.iter().map(|found| found.rule).collect::<Vec<_>>(),
            [rule],
            "{contents}"
        );
    }
    let body = json!({"contents": [user, call, response]});
    assert_eq!(check_request(Format::Gemini, &body.to_string()), []);
}

#[test]
fn damage_costs_only_its_record() {
    let lines = "{\"role\":\"user\",\"parts\":[{\"text\":\"a\"}]}\n{broken\n{\"no\":\"parts\"}\n{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"name\":7}}]}\n{\"role\":\"mod";
    let transcript = parse(lines.as_bytes());
    assert_eq!(
        shorts(&transcript.conversations[0]),
        ["user: a", "assistant: [opaque]"]
    );
    let skipped: Vec<_> = transcript
        .skipped
        .iter()
        .map(|skipped| skipped.line)
        .collect();
    assert_eq!(skipped, [2, 3, 5]);
    let request = view_as_request(&transcript.conversations[0].events, Format::Gemini).unwrap();
    assert_eq!(check_request(Format::Gemini, &request.text), []);

    let inside = json!([{"role": "user", "parts": [{"text": "a"}]}, 7, {"x": 1}]);
    let transcript = parse(inside.to_string().as_bytes());
    assert_eq!(transcript.events().count(), 1);
    assert_eq!(transcript.skipped.len(), 2);
}

#[test]
fn parts_with_tags_are_of_other_formats() {
    for file in [
        json!([{"id": "1", "role": "user", "parts": [{"type": "text", "text": "Hi"}]}]),
        json!([{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Hi"}]}]),
    ] {
        let found = read(file.to_string().as_bytes(), &ReadOptions::default());
        assert!(
            found.is_err() || found.is_ok_and(|found| found.format != Format::Gemini),
            "{file}"
        );
    }
}
