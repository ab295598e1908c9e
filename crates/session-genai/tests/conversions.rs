//! Messages of genai into the log and back: what is the same, and what stays behind.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use genai::adapter::AdapterKind;
use genai::chat::{
    Binary, CacheControl, ChatMessage, ChatRequest, ChatRole, ContentPart, MessageContent,
    MessageOptions, ToolCall, ToolResponse,
};
use serde_json::{Value, json};
use session_genai::{TypedError, conversation_of, history, message_of, messages};
use session_log::{
    EventBody, EventId, Json, Media, MediaKind, MediaSource, Message, NewEvent, Opaque, Part,
    Reasoning, Role, Timestamp, wire,
};
use session_transcript::{ReadOptions, read};

/// Through our message and through what a store keeps of it.
fn stored(message: &ChatMessage) -> Message {
    let ours = message_of(message).unwrap();
    let id = EventId::new("e").unwrap();
    let event = NewEvent::message(id, Timestamp::default(), ours.clone());
    let record = wire::encode(&event).unwrap();
    assert_eq!(wire::decode(&record).unwrap(), event, "stored as it was");
    ours
}

fn plain(messages: &[ChatMessage]) -> Vec<Value> {
    let values = messages.iter().map(serde_json::to_value);
    values.collect::<Result<_, _>>().unwrap()
}

/// What comes back of a conversation, which must be all of it.
fn check(talk: &[ChatMessage]) {
    let ours: Vec<Message> = talk.iter().map(stored).collect();
    assert_eq!(plain(&messages(&ours).unwrap()), plain(talk));
}

fn parts(parts: Vec<ContentPart>) -> MessageContent {
    MessageContent::from_parts(parts)
}

fn call(id: &str, arguments: Value) -> ToolCall {
    ToolCall {
        call_id: id.into(),
        fn_name: "weather".into(),
        fn_arguments: arguments,
        thought_signatures: None,
    }
}

#[test]
fn plain_words_are_the_same_on_both_sides() {
    let cached = MessageOptions::default().with_cache_control(CacheControl::Ephemeral1h);
    check(&[
        ChatMessage::system("Be brief."),
        ChatMessage::user("Is it warm?\u{0}\u{1f321}").with_options(cached),
        ChatMessage::assistant("It is."),
    ]);
    assert_eq!(
        stored(&ChatMessage::assistant("It is.")),
        Message::assistant("It is.")
    );
}

#[test]
fn calls_and_results_are_the_same_whatever_the_arguments_are() {
    let mut signed = call(
        "k1",
        json!({"city": "Oslo", "days": [1, 2.5], "b": {"a": null}}),
    );
    signed.thought_signatures = Some(vec!["c2ln".into(), String::new()]);
    let calls = vec![
        signed,
        call("k2", json!("{\"city\": \"Os")),
        call("k3", json!("{}")),
        call("k4", json!("")),
        call("k5", json!("12")),
        call("k6", json!([1, "a"])),
        call("k7", Value::Null),
    ];
    let results = calls.iter().map(|call| {
        ContentPart::ToolResponse(ToolResponse::from_tool_call(call, "21\u{0}degrees"))
    });
    let results = ChatMessage::tool(parts(results.collect()));
    check(&[
        ChatMessage::user("q"),
        ChatMessage::from(calls.clone()),
        results.clone(),
    ]);

    let ours = stored(&ChatMessage::from(calls));
    let texts: Vec<&str> = ours.calls().map(|call| call.arguments.as_str()).collect();
    assert_eq!(texts[0], r#"{"city":"Oslo","days":[1,2.5],"b":{"a":null}}"#);
    assert_eq!(texts[1], r#"{"city": "Os"#, "as the model wrote it");
    assert!(stored(&results).is_only_results());
    assert_eq!(stored(&results).role, Role::Tool);
}

#[test]
fn reasoning_is_the_same_and_its_signature_is_with_it() {
    let thoughts = vec![
        ContentPart::ReasoningContent("First the docks.".into()),
        ContentPart::ThoughtSignature("c2ln".into()),
        ContentPart::ReasoningContent("Then the rooms.".into()),
        ContentPart::ThoughtSignature("YQ==".into()),
        ContentPart::ThoughtSignature("Yg==".into()),
        ContentPart::Text("Dock 7".into()),
        ContentPart::ReasoningContent("Done.".into()),
    ];
    let message = ChatMessage::assistant(parts(thoughts));
    check(&[ChatMessage::user("q"), message.clone()]);
    let ours = stored(&message);
    let Part::Reasoning(signed) = &ours.parts[1] else {
        panic!("reasoning second")
    };
    assert_eq!(signed.text.as_deref(), Some("Then the rooms."));
    assert_eq!(signed.signature.as_deref(), Some("c2ln"));
    assert_eq!(ours.parts.len(), 6);
}

#[test]
fn media_and_custom_parts_are_the_same() {
    let model = genai::ModelIden::new(AdapterKind::Anthropic, "m-1");
    let media = vec![
        Binary::from_base64("image/png", "AAAA", Some("room.png".into())),
        Binary::from_url("Audio/wav", "https://example.org/a.wav", None),
        Binary::from_url("video/mp4", "https://example.org/a.mp4", None),
        Binary::from_base64("application/pdf", "AAAA", None),
    ];
    let media = media.into_iter().map(ContentPart::Binary);
    let custom =
        ContentPart::from_custom(json!({"type": "server_tool_use", "b": 1.50}), Some(model));
    check(&[
        ChatMessage::user(parts(media.collect())),
        ChatMessage::assistant(parts(vec![custom])),
    ]);
}

#[test]
fn a_request_is_read_with_its_system_prompt_first() {
    let request = ChatRequest::new(vec![ChatMessage::user("q")]).with_system("Be brief.");
    let talk = conversation_of(&request).unwrap();
    assert_eq!(talk, [Message::system("Be brief."), Message::user("q")]);
}

#[test]
fn conversations_of_other_tools_are_requests_with_every_call_answered() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples");
    for name in [
        "agentic-session.anthropic.json",
        "agentic-session.claude-code.jsonl",
        "airline-support.openai-chat.json",
    ] {
        let bytes = std::fs::read(format!("{folder}/{name}")).unwrap();
        let transcript = read(&bytes, &ReadOptions::default()).unwrap();
        let events = &transcript.conversations.first().unwrap().events;
        let typed = messages(events).unwrap();
        let calls = typed
            .iter()
            .flat_map(|message| message.content.tool_calls());
        let calls: Vec<&str> = calls.map(|call| call.call_id.as_str()).collect();
        let results = typed
            .iter()
            .flat_map(|message| message.content.tool_responses());
        let results: Vec<&str> = results.map(|result| result.call_id.as_str()).collect();
        assert!(calls.len() > 10, "{name}");
        assert_eq!(calls, results, "{name}");
        let said = events.iter().map(|event| match &event.body {
            EventBody::Message(message) => message.calls().count(),
            _ => 0,
        });
        assert_eq!(calls.len(), said.sum::<usize>(), "{name}");
        for message in &typed {
            let has_results = !message.content.tool_responses().is_empty();
            assert_eq!(message.role == ChatRole::Tool, has_results, "{name}");
        }
    }
}

#[test]
fn results_that_a_user_brings_come_first_and_in_a_message_of_their_own() {
    let result = session_log::ToolResult::text("k1", "21 degrees");
    let talk = [
        Message::tool_calls([session_log::ToolCall::new("k1", "weather", "")]),
        Message::new(
            Role::User,
            vec![Part::text("Here."), Part::ToolResult(result)],
        ),
    ];
    let back = messages(&talk).unwrap();
    let roles: Vec<String> = back
        .iter()
        .map(|message| message.role.to_string())
        .collect();
    assert_eq!(roles, ["Assistant", "Tool", "User"]);
    assert_eq!(back[0].content.tool_calls()[0].fn_arguments, json!({}));
}

#[test]
fn media_of_others_get_the_type_that_genai_wants() {
    for (kind, name, url, expected) in [
        (
            MediaKind::Image,
            None,
            "data:image/gif;base64,AAAA",
            "image/gif",
        ),
        (MediaKind::Image, None, "https://example.org/a", "image/*"),
        (
            MediaKind::Audio,
            Some("wav"),
            "https://example.org/a",
            "audio/wav",
        ),
        (
            MediaKind::File,
            Some("pdf"),
            "https://example.org/a",
            "application/pdf",
        ),
        (
            MediaKind::File,
            None,
            "data:,hello",
            "application/octet-stream",
        ),
    ] {
        let mut media = Media::new(kind, MediaSource::Url(url.into()));
        media.media_type = name.map(Into::into);
        let back = messages([&Message::new(Role::User, vec![Part::Media(media)])]).unwrap();
        let binary = back[0].content.binaries()[0].clone();
        assert_eq!(binary.content_type, expected);
    }
}

#[test]
fn what_genai_cannot_say_is_an_error_or_is_left_out_and_told() {
    let media = |source| Part::Media(Media::new(MediaKind::File, source));
    let image = Media::new(MediaKind::Image, MediaSource::Base64("AAAA".into()));
    let image = session_log::ToolResult::new("k1", vec![Part::Media(image)]);
    for (role, part, what) in [
        (
            Role::User,
            media(MediaSource::FileId("f".into())),
            "a file by its provider's id or as text",
        ),
        (
            Role::User,
            media(MediaSource::Text("a,b".into())),
            "a file by its provider's id or as text",
        ),
        (
            Role::Tool,
            Part::ToolResult(image),
            "media in a tool's result",
        ),
        (
            Role::Assistant,
            Part::Opaque(Opaque::new("gemini", Json::null())),
            "a part of the format gemini",
        ),
        (
            Role::Other("critic".into()),
            Part::text("no"),
            "a message of the role critic",
        ),
    ] {
        let talk = [
            Message::tool_calls([session_log::ToolCall::new("k1", "draw", "{}")]),
            Message::new(role, vec![Part::text("here"), part]),
            Message::tool_result("k1", "r"),
        ];
        let error = messages(&talk).unwrap_err();
        assert!(
            matches!(&error, TypedError::NoCounterpart { what: said } if said == what),
            "{error}"
        );
        let history = history(&talk);
        assert!(
            history.warnings.contains(&format!("left out: {what}")),
            "{:?}",
            history.warnings
        );
        assert!(!history.messages.is_empty());
    }
}

#[test]
fn encrypted_reasoning_is_a_thought_signature() {
    let mut hidden = Reasoning::default();
    hidden.encrypted = Some("aGlkZGVu".into());
    let message = Message::new(Role::Assistant, vec![Part::Reasoning(hidden)]);
    let back = messages([&message]).unwrap();
    assert_eq!(
        back[0].content.parts()[0].as_thought_signature(),
        Some("aGlkZGVu")
    );
}
