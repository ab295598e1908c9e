//! Items of the OpenAI Responses API that are made of other messages, and what is refused.

use serde_json::json;
use session_log::{Message, Part, ToolCall};
use session_transcript::{
    Format, Repair, Rule, WriteOptions, check_request, view_as_request, write,
};

use crate::common::{only, parsed};

#[test]
fn a_chat_becomes_items_and_items_become_a_chat() {
    let chat = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "https://a/b.png"}}]},
        {"role": "assistant", "content": "I look.", "reasoning_content": "hm", "tool_calls": [
            {"id": "k1", "type": "function", "function": {"name": "f", "arguments": "{}"}},
            {"id": "k2", "type": "custom", "custom": {"name": "p", "input": "free"}}]},
        {"role": "tool", "tool_call_id": "k2", "content": "two"},
        {"role": "tool", "tool_call_id": "k1", "content": "one"},
        {"role": "assistant", "content": "Done."},
    ]);
    let conversation = only(chat.to_string().as_bytes());
    let request = view_as_request(&conversation.events, Format::OpenAiResponses).unwrap();
    let items = json!([
        {"type": "message", "role": "system", "content": "Be brief."},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "See"}, {"type": "input_image", "image_url": "https://a/b.png"}]},
        {"type": "message", "role": "assistant", "content": "I look."},
        {"type": "function_call", "call_id": "k1", "name": "f", "arguments": "{}"},
        {"type": "custom_tool_call", "call_id": "k2", "name": "p", "input": "free"},
        {"type": "custom_tool_call_output", "call_id": "k2", "output": "two"},
        {"type": "function_call_output", "call_id": "k1", "output": "one"},
        {"type": "message", "role": "assistant", "content": "Done."},
    ]);
    assert_eq!(parsed(&request.text), items);
    assert_eq!(request.warnings.len(), 1, "the reasoning is told");

    let back = only(items.to_string().as_bytes());
    let request = view_as_request(&back.events, Format::OpenAiChat).unwrap();
    let messages = parsed(&request.text);
    assert_eq!(messages[2]["tool_calls"][1]["id"], "k2");
    assert_eq!(messages.as_array().unwrap().len(), 6);
}

#[test]
fn every_call_of_a_request_has_its_result_and_the_file_keeps_them_all() {
    let file = json!([
        {"type": "message", "role": "user", "content": "a"},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "call_id": "k1", "name": "f", "arguments": "{}"},
        {"type": "message", "role": "user", "content": "never mind"},
        {"type": "function_call", "call_id": "k2", "name": "f", "arguments": "{}"},
        {"type": "message", "role": "user", "content": "wait"},
        {"type": "function_call_output", "call_id": "k2", "output": "late"},
        {"type": "function_call_output", "call_id": "gone", "output": "orphan"},
    ]);
    let conversation = only(file.to_string().as_bytes());
    let request = view_as_request(&conversation.events, Format::OpenAiResponses).unwrap();
    let expected = json!([
        {"type": "message", "role": "user", "content": "a"},
        {"type": "message", "role": "user", "content": "never mind"},
        {"type": "function_call", "call_id": "k2", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "k2", "output": "late"},
        {"type": "message", "role": "user", "content": "wait"},
    ]);
    assert_eq!(parsed(&request.text), expected);
    assert_eq!(check_request(Format::OpenAiResponses, &request.text), []);
    assert_eq!(request.warnings.len(), 2);

    let exact = WriteOptions::default().with_repair(Repair::Nothing);
    let bare = write(&conversation.events, None, Format::OpenAiResponses, &exact).unwrap();
    assert_eq!(parsed(&bare.text), file);
}

#[test]
fn a_view_goes_back_into_its_frame_and_gives_it_up_where_it_has_no_place() {
    let file = json!({"request": {"model": "m", "instructions": "Be brief.", "input": [
        {"role": "user", "content": "one"}, {"role": "user", "content": "two"}]},
        "response": {"object": "response", "output": [{"type": "message", "role": "assistant", "content": "three"}]}});
    let conversation = only(file.to_string().as_bytes());
    let events = &conversation.events;
    let envelope = Some(&conversation.envelope);
    let options = WriteOptions::default();
    let short = [&events[0], &events[2], &events[3]];
    let written = write(short, envelope, Format::OpenAiResponses, &options).unwrap();
    let written = parsed(&written.text);
    assert_eq!(
        written["request"]["input"],
        json!([{"role": "user", "content": "two"}])
    );
    assert_eq!(written["request"]["model"], "m");
    assert_eq!(written["response"]["output"][0]["content"], "three");

    let turned = [&events[3], &events[2]];
    let written = write(turned, envelope, Format::OpenAiResponses, &options).unwrap();
    assert!(parsed(&written.text).is_array());
}

#[test]
fn what_the_provider_refuses_is_found() {
    let call = json!({"type": "function_call", "call_id": "k", "name": "f", "arguments": "{}"});
    let output = json!({"type": "function_call_output", "call_id": "k", "output": "o"});
    let user = json!({"role": "user", "content": "a"});
    let reasoning = json!({"type": "reasoning", "id": "rs", "summary": []});
    for (items, rule) in [
        (json!([call, user]), Rule::UnansweredCall),
        (json!([call]), Rule::UnansweredCall),
        (json!([output]), Rule::OrphanResult),
        (json!([call, output, call, output]), Rule::CallId),
        (json!([user, reasoning]), Rule::ReasoningAlone),
        (json!([reasoning, user]), Rule::ReasoningAlone),
        (
            json!([{"type": "reasoning", "summary": []}, call, output]),
            Rule::Unsigned,
        ),
        (json!([{"role": "tool", "content": "a"}]), Rule::Role),
        (json!([{"role": "user"}]), Rule::Content),
        (
            json!([{"type": "function_call", "call_id": "k", "name": "f", "arguments": {}}, output]),
            Rule::Arguments,
        ),
        (
            json!([{"type": "function_call", "call_id": "k", "name": "", "arguments": ""}, output]),
            Rule::CallName,
        ),
        (
            json!([call, {"type": "function_call_output", "call_id": "k", "output": null}]),
            Rule::ResultContent,
        ),
        (json!([1]), Rule::Role),
    ] {
        let found = check_request(Format::OpenAiResponses, &items.to_string());
        assert_eq!(
            found.iter().map(|found| found.rule).collect::<Vec<_>>(),
            [rule],
            "{items}"
        );
    }
    let body = json!({"model": "m", "input": [user, reasoning, call, output]});
    assert_eq!(
        check_request(Format::OpenAiResponses, &body.to_string()),
        []
    );
}

#[test]
fn messages_made_by_hand_become_items() {
    let talk = [
        Message::user("Book room 9."),
        Message::tool_calls([ToolCall::new("k1", "book", "")]),
        Message::tool_result("k1", "done"),
        Message::new(
            session_log::Role::Assistant,
            vec![Part::text("a"), Part::text("b")],
        ),
    ];
    let request = view_as_request(&talk, Format::OpenAiResponses).unwrap();
    assert_eq!(check_request(Format::OpenAiResponses, &request.text), []);
    let items = parsed(&request.text);
    assert_eq!(items.as_array().unwrap().len(), 4);
    assert_eq!(
        items[3]["content"][1],
        json!({"type": "output_text", "text": "b"})
    );
}
