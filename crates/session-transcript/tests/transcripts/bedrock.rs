//! Messages of the Converse API of Bedrock, in and out.

use serde_json::{Value, json};
use session_transcript::{Format, Rule, check_request, view_as_request};

use crate::common::{fixture, only, parse, parsed, shorts, values};

#[test]
fn every_block_and_container_is_kept() {
    let messages = json!([
        {"role": "user", "content": [{"text": "a"}, {"image": {"format": "png", "source": {"bytes": "AA=="}}}, {"document": {"format": "txt", "name": "n", "source": {"s3Location": {"uri": "s3://b/k"}}, "citations": {}}}, {"cachePoint": {"type": "default"}}]},
        {"role": "assistant", "content": [
            {"reasoningContent": {"reasoningText": {"text": "Hm", "signature": "s=="}}},
            {"reasoningContent": {"redactedContent": "AA"}},
            {"text": ""},
            {"toolUse": {"toolUseId": "k1", "name": "f", "input": {"a": 1.0}}},
            {"toolUse": {"toolUseId": "k2", "name": "f", "input": "odd", "type": "server_tool_use"}},
            {"from_tomorrow": 1}]},
        {"role": "user", "content": [
            {"text": "before"},
            {"toolResult": {"toolUseId": "k1", "content": [{"json": {"b": 2}}, {"text": "t"}, {"image": {"format": "png", "source": {"bytes": "AA=="}}}], "status": "success"}},
            {"toolResult": {"toolUseId": "k2", "content": [], "status": "error"}}]},
        {"role": "assistant", "content": []},
    ]);
    let reply = json!({"output": {"message": {"role": "assistant", "content": [{"text": "Hello"}]}}, "stopReason": "end_turn", "usage": {}});
    for (file, count) in [
        (messages.clone(), 5),
        (
            json!({"modelId": "m", "system": [{"text": "s"}, {"cachePoint": {"type": "default"}}], "messages": messages, "toolConfig": {"tools": []}}),
            6,
        ),
        (json!({"system": [], "messages": messages}), 6),
        (reply.clone(), 1),
        (
            json!({"request": {"messages": messages}, "response": reply}),
            6,
        ),
    ] {
        let conversation = only(file.to_string().as_bytes());
        assert_eq!(conversation.envelope.format, Format::Bedrock);
        assert_eq!(conversation.events.len(), count, "{file}");
        assert_eq!(parsed(&conversation.write_back().unwrap().text), file);
        let request = view_as_request(&conversation.events, Format::Bedrock).unwrap();
        assert_eq!(
            check_request(Format::Bedrock, &request.text),
            [],
            "{}",
            request.text
        );
    }
    assert_eq!(
        shorts(&only(messages.to_string().as_bytes())),
        [
            "user: a [media] [media] [opaque]",
            r#"assistant: [reasoning] [reasoning]  [call k1 f {"a":1.0}] [call k2 f "odd"] [opaque]"#,
            r#"tool: [result k1: {"b":2} t [media]] [result k2: ]"#,
            "user: before",
            "assistant: ",
        ]
    );
}

#[test]
fn recorded_traffic_is_kept_and_can_be_sent_again() {
    for name in [
        "thinking.request.json",
        "tool.request.json",
        "tool.response.json",
        "document.request.json",
    ] {
        let bytes = fixture(&format!("bedrock/{name}"));
        let conversation = only(&bytes);
        assert_eq!(conversation.envelope.format, Format::Bedrock, "{name}");
        let written = conversation.write_back().unwrap();
        assert_eq!(values(written.text.as_bytes()), values(&bytes), "{name}");
        let request = view_as_request(&conversation.events, Format::Bedrock).unwrap();
        assert_eq!(check_request(Format::Bedrock, &request.text), [], "{name}");
    }
    let bytes = fixture("bedrock/thinking.request.json");
    let file: Value = serde_json::from_slice(&bytes).unwrap();
    let request = view_as_request(&only(&bytes).events, Format::Bedrock).unwrap();
    assert_eq!(
        parsed(&request.text)["messages"],
        file["messages"],
        "reasoning goes back as it was"
    );
}

#[test]
fn a_chat_becomes_messages_and_messages_become_a_chat() {
    let chat = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": "Welcome."},
        {"role": "user", "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,AA=="}}]},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "k.1", "type": "function", "function": {"name": "f", "arguments": "cut {"}}]},
        {"role": "tool", "tool_call_id": "k.1", "content": ""},
        {"role": "user", "content": "And?"},
    ]);
    let conversation = only(chat.to_string().as_bytes());
    let request = view_as_request(&conversation.events, Format::Bedrock).unwrap();
    let expected = json!({
        "system": [{"text": "Be brief."}],
        "messages": [
            {"role": "user", "content": [{"text": "(The conversation continues.)"}]},
            {"role": "assistant", "content": [{"text": "Welcome."}]},
            {"role": "user", "content": [{"text": "See"}, {"image": {"format": "jpeg", "source": {"bytes": "AA=="}}}]},
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "k_1", "name": "f", "input": {"input": "cut {"}}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "k_1", "content": [{"text": "(empty)"}]}}, {"text": "And?"}]},
        ],
    });
    assert_eq!(parsed(&request.text), expected);
    assert_eq!(check_request(Format::Bedrock, &request.text), []);

    let back = only(fixture("bedrock/tool.request.json").as_slice());
    let request = view_as_request(&back.events, Format::OpenAiChat).unwrap();
    let messages = parsed(&request.text);
    assert_eq!(
        messages[2]["tool_calls"][0]["id"],
        messages[3]["tool_call_id"]
    );
}

#[test]
fn what_the_provider_refuses_is_found() {
    let user = json!({"role": "user", "content": [{"text": "a"}]});
    let call = json!({"role": "assistant", "content": [{"toolUse": {"toolUseId": "k", "name": "f", "input": {}}}]});
    let result =
        json!({"role": "user", "content": [{"toolResult": {"toolUseId": "k", "content": []}}]});
    for (messages, rule) in [
        (json!([call, result]), Rule::UserFirst),
        (json!([user, user]), Rule::Alternation),
        (json!([user, call, user]), Rule::UnansweredCall),
        (json!([result]), Rule::OrphanResult),
        (
            json!([{"role": "tool", "content": [{"text": "a"}]}]),
            Rule::Role,
        ),
        (
            json!([{"role": "user", "content": [{"text": " "}]}]),
            Rule::BlankText,
        ),
        (
            json!([user, {"role": "assistant", "content": [{"toolUse": {"toolUseId": "k", "name": "f", "input": "x"}}]}, result]),
            Rule::Arguments,
        ),
        (json!([user, call, result, call, result]), Rule::CallId),
    ] {
        let found = check_request(Format::Bedrock, &messages.to_string());
        assert_eq!(
            found.iter().map(|found| found.rule).collect::<Vec<_>>(),
            [rule],
            "{messages}"
        );
    }
}

#[test]
fn damage_costs_only_its_record() {
    let lines = "{\"role\":\"user\",\"content\":[{\"text\":\"a\"}]}\n{broken\n{\"no\":\"role\"}\n{\"role\":\"assistant\",\"content\":[{\"toolUse\":{\"name\":7}}]}\n{\"role\":\"ass";
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
    let request = view_as_request(&transcript.conversations[0].events, Format::Bedrock).unwrap();
    assert_eq!(check_request(Format::Bedrock, &request.text), []);
}
