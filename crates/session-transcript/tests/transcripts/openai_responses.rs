//! Items of the OpenAI Responses API, in and out.

use serde_json::{Value, json};
use session_log::Origin;
use session_transcript::{Format, ReadOptions, check_request, read, view_as_request};

use crate::common::{fixture, only, parse, parsed, shorts, values};

#[track_caller]
fn check(file: &Value, expected: &[&str]) {
    crate::common::check(file, Format::OpenAiResponses, expected);
}

#[test]
fn a_reply_is_one_message_until_a_result_or_a_second_text() {
    check(
        &json!([
            {"role": "user", "content": "Look"},
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm"}], "encrypted_content": "AA=="},
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "phase": "commentary",
             "content": [{"type": "output_text", "text": "I look.", "annotations": [{"type": "url_citation"}]}]},
            {"type": "function_call", "id": "fc_1", "call_id": "k1", "name": "f", "arguments": "{\"a\" : 1}", "status": "completed"},
            {"type": "custom_tool_call", "call_id": "k2", "name": "patch", "input": "*** Begin"},
            {"type": "function_call_output", "call_id": "k1", "output": "one"},
            {"type": "custom_tool_call_output", "call_id": "k2", "output": [{"type": "input_text", "text": "two"}, {"type": "input_image", "image_url": "data:image/png;base64,AA==", "detail": "low"}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "First."}, {"type": "refusal", "refusal": "No."}]},
            {"type": "reasoning", "id": "rs_2", "summary": []},
            {"type": "message", "role": "assistant", "content": "Second."},
        ]),
        &[
            "user: Look",
            r#"assistant: [reasoning] I look. [call k1 f {"a" : 1}] [call k2 patch *** Begin]"#,
            "tool: [result k1: one]",
            "tool: [result k2: two [media]]",
            "assistant: First. [refusal]",
            "assistant: [reasoning] Second.",
        ],
    );
}

#[test]
fn items_of_every_type_are_written_as_they_were() {
    check(
        &json!([
            {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "d"}, {"type": "text", "text": "x"}, "odd", {"type": "input_new", "a": 1}]},
            {"role": "user", "content": [{"type": "input_file", "file_id": "f"}, {"type": "input_file", "file_url": "https://a"}, {"type": "input_file", "filename": "a.txt", "file_data": "AA"}, {"type": "input_image", "file_id": "i", "image_url": null}]},
            {"type": "message", "role": "assistant", "content": []},
            {"type": "local_shell_call", "id": "lsh_1", "call_id": "k1", "action": {"command": ["ls"], "type": "exec"}, "status": "completed"},
            {"type": "local_shell_call_output", "id": "k1", "output": "a.rs"},
            {"type": "computer_call", "id": "cu_1", "call_id": "k2", "action": {"type": "screenshot"}, "pending_safety_checks": []},
            {"type": "computer_call_output", "call_id": "k2", "output": {"type": "computer_screenshot", "image_url": "u"}},
            {"type": "apply_patch_call", "call_id": "k3", "operation": {"type": "delete_file"}},
            {"type": "apply_patch_call_output", "call_id": "k3", "status": "failed"},
            {"type": "function_call", "id": "fc", "call_id": null, "name": "no id", "arguments": {"an": "object"}},
            {"type": "function_call_output", "output": null},
            {"type": "web_search_call", "id": "ws", "action": {"type": "search"}, "status": "completed"},
            {"type": "mcp_call", "id": "m", "name": "x", "arguments": "{}", "output": "o", "error": null},
            {"type": "item_reference", "id": "msg_9"},
            {"type": "compaction", "id": "cmp", "encrypted_content": "gAAA"},
            {"type": "from_tomorrow", "x": [1.0, 1e2]},
            {"type": "reasoning", "id": "rs", "encrypted_content": null, "content": [{"type": "reasoning_text", "text": "t"}], "summary": []},
            {"type": "tool_search_call", "call_id": "k4", "execution": "client", "arguments": {"q": 1}},
            {"type": "tool_search_output", "call_id": "k4", "execution": "client", "tools": [{"type": "function", "name": "f"}]},
        ]),
        &[
            "developer: d x [opaque] [opaque]",
            "user: [media] [media] [media] [media]",
            r#"assistant: [call k1 local_shell {"command":["ls"],"type":"exec"}]"#,
            "tool: [result k1: a.rs]",
            r#"assistant: [call k2 computer {"type":"screenshot"}]"#,
            "tool: [result k2: [opaque]]",
            r#"assistant: [call k3 apply_patch {"type":"delete_file"}]"#,
            "tool: [result k3: ]",
            r#"assistant: [call fc no id {"an":"object"}]"#,
            "tool: [result : ]",
            "assistant: [opaque] [opaque] [opaque]",
            "(summary) assistant: [opaque]",
            r#"assistant: [opaque] [reasoning] [call k4 tool_search {"q":1}]"#,
            "tool: [result k4: [opaque]]",
        ],
    );
}

#[test]
fn every_container_is_kept() {
    let user = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]});
    let reply = json!({"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "Hello", "annotations": []}]});
    let response = json!({"id": "resp_1", "object": "response", "created_at": 1_700_000_000, "model": "m", "instructions": null, "output": [reply], "usage": {}});
    for (file, conversations, messages) in [
        (json!([user, reply]), 1, 2),
        (json!({"model": "m", "input": "Hi"}), 1, 1),
        (
            json!({"model": "m", "input": [], "previous_response_id": "r"}),
            1,
            0,
        ),
        (
            json!({"model": "m", "instructions": "Be brief.", "input": [user], "tools": [{"type": "function"}]}),
            1,
            2,
        ),
        (
            json!({"model": "m", "instructions": null, "input": [{"role": "user", "content": "Hi"}]}),
            1,
            1,
        ),
        (response.clone(), 1, 1),
        (
            json!({"id": "resp_2", "object": "response", "output": []}),
            1,
            0,
        ),
        (
            json!({"request": {"model": "m", "input": [user]}, "response": response, "uri": "/v1/responses"}),
            1,
            2,
        ),
        (
            json!({"custom_id": "1", "method": "POST", "body": {"model": "m", "input": "Hi"}}),
            1,
            1,
        ),
        (json!({"items": [user, reply]}), 1, 2),
        (
            json!([{"model": "m", "input": [user]}, {"model": "m", "input": [user, reply]}]),
            2,
            3,
        ),
        (json!([[user, reply], [user]]), 2, 3),
    ] {
        let transcript = parse(file.to_string().as_bytes());
        assert_eq!(transcript.format, Format::OpenAiResponses, "{file}");
        assert_eq!(transcript.conversations.len(), conversations, "{file}");
        assert_eq!(transcript.events().count(), messages, "{file}");
        assert_eq!(parsed(&transcript.write_back().unwrap().text), file);
    }
    let lines = format!("{user}\n{reply}\n");
    let transcript = parse(lines.as_bytes());
    assert_eq!(transcript.events().count(), 2);
    let written = transcript.write_back().unwrap();
    assert_eq!(values(written.text.as_bytes()), [user, reply]);
}

#[test]
fn a_reply_has_the_moment_of_its_response_and_the_model_is_told() {
    let file = json!({"object": "response", "created_at": 1_700_000_000, "model": "m",
        "output": [{"type": "message", "role": "assistant", "content": []}]});
    let conversation = only(file.to_string().as_bytes());
    assert_eq!(
        conversation.events[0].timestamp.as_millis(),
        1_700_000_000_000
    );
    assert_eq!(conversation.model.as_deref(), Some("m"));
}

#[test]
fn a_history_that_is_kept_elsewhere_is_told() {
    let file = json!({"model": "m", "input": "Go on", "previous_response_id": "resp_1"});
    let transcript = parse(file.to_string().as_bytes());
    assert_eq!(
        transcript.warnings[0].to_string(),
        "line 1: `previous_response_id`: what came before is kept by the provider and not here"
    );
}

#[test]
fn recorded_traffic_is_kept_and_can_be_sent_again() {
    for (name, messages) in [
        ("compaction.request.json", 2),
        ("encrypted-reasoning.request.json", 4),
        ("tool-search.request.json", 5),
        ("code-interpreter.response.json", 1),
        ("function-call.request.json", 3),
        ("mid-system.request.json", 5),
    ] {
        let bytes = fixture(&format!("openai-responses/{name}"));
        let conversation = only(&bytes);
        assert_eq!(
            conversation.envelope.format,
            Format::OpenAiResponses,
            "{name}"
        );
        assert_eq!(conversation.message_count(), messages, "{name}");
        let written = conversation.write_back().unwrap();
        assert_eq!(values(written.text.as_bytes()), values(&bytes), "{name}");
        let request = view_as_request(&conversation.events, Format::OpenAiResponses).unwrap();
        assert_eq!(
            check_request(Format::OpenAiResponses, &request.text),
            [],
            "{name}"
        );
    }
}

#[test]
fn encrypted_reasoning_goes_back_byte_for_byte() {
    let bytes = fixture("openai-responses/code-interpreter.response.json");
    let file: Value = serde_json::from_slice(&bytes).unwrap();
    let conversation = only(&bytes);
    let request = view_as_request(&conversation.events, Format::OpenAiResponses).unwrap();
    let items = parsed(&request.text);
    assert_eq!(items[0], file["output"][0]);
}

#[test]
fn a_stream_is_the_response_it_stands_for() {
    let transcript = parse(&fixture("openai-responses/function-call.stream.txt"));
    assert_eq!(transcript.format, Format::OpenAiResponses);
    assert_eq!(transcript.events().count(), 1);
}

#[test]
fn a_compaction_by_the_server_is_a_summary() {
    let conversation = only(&fixture("openai-responses/compaction.request.json"));
    let summary = &conversation.events[0];
    assert!(matches!(summary.origin, Origin::Summary { boundary: None }));
}

#[test]
fn damage_costs_only_its_record() {
    let lines = "{\"type\":\"function_call\",\"call_id\":\"k\",\"name\":\"f\",\"arguments\":\"{\\\"a\\\"\"}\n{broken\n{\"no\":\"type\"}\n{\"type\":\"function_call_output\",\"call_id\":\"k\",\"output\":\"x\"}\n{\"type\":\"mess";
    let transcript = parse(lines.as_bytes());
    assert_eq!(
        shorts(&transcript.conversations[0]),
        [r#"assistant: [call k f {"a"]"#, "tool: [result k: x]"]
    );
    let skipped: Vec<_> = transcript
        .skipped
        .iter()
        .map(|skipped| skipped.line)
        .collect();
    assert_eq!(skipped, [2, 3, 5]);

    let cut = r#"[{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]},{"type":"reas"#;
    let transcript = parse(cut.as_bytes());
    assert_eq!(transcript.events().count(), 1);
    assert_eq!(transcript.skipped.len(), 1);

    let inside = json!([{"role": "user", "content": "a"}, 7, {"x": 1}, {"type": "compaction", "encrypted_content": "A"}]);
    let transcript = parse(inside.to_string().as_bytes());
    assert_eq!(transcript.events().count(), 2);
    assert_eq!(transcript.skipped.len(), 2);
}

#[test]
fn other_formats_are_not_taken_for_items() {
    let turns = json!({"model": "m", "input": [{"type": "user_input", "content": [{"type": "text", "text": "Hi"}]}]});
    let log = json!([{"type": "tool_call", "name": "f"}, {"type": "shell", "data": "a text"}]);
    for file in [turns, log, json!({"model": "m", "data": "a text"})] {
        assert!(
            read(file.to_string().as_bytes(), &ReadOptions::default()).is_err(),
            "{file}"
        );
    }
    for file in [
        json!([{"role": "user", "content": "Hi"}]),
        json!({"type": "message", "role": "assistant", "stop_reason": "end_turn", "content": [{"type": "text", "text": "Hi"}]}),
        json!([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "k"}]}]),
    ] {
        let found = read(file.to_string().as_bytes(), &ReadOptions::default()).unwrap();
        assert_ne!(found.format, Format::OpenAiResponses, "{file}");
    }
}
