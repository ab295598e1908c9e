//! What is left of an erased event: its place, its role and what holds calls and results together.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

use session_log::{
    Arguments, ERASED, Event, EventBody, EventId, EventType, Json, LineFormat, Message,
    MessageFormat, NewEvent, Part, Pin, Reasoning, Revert, Role, Seq, Shape, Timestamp, ToolCall,
    ToolResult, is_erased, tombstone, wire,
};

fn event(body: EventBody) -> Event {
    let id = EventId::new("e7").unwrap();
    NewEvent::new(id, Timestamp::from_millis(0), body).at(Seq::FIRST)
}

fn erased(message: Message) -> Message {
    let Some(EventBody::Message(left)) = tombstone(&event(EventBody::Message(message))) else {
        panic!("a message leaves a message");
    };
    assert!(is_erased(&left));
    left
}

#[test]
fn nothing_that_was_said_is_left() {
    let mut message = Message::new(
        Role::Assistant,
        vec![
            Part::text("SECRET one"),
            Part::Reasoning(Reasoning::new("SECRET two")),
            Part::ToolCall(ToolCall::new("k1", "pay", r#"{"card": "SECRET"}"#)),
        ],
    )
    .with_name("SECRET name");
    message
        .extra
        .insert("note".into(), Json::string("SECRET three"));
    assert!(!is_erased(&message));
    let left = erased(message);
    let body = EventBody::Message(left.clone());
    let record = wire::encode(&event(body).into_new()).unwrap();
    assert!(!record.contains("SECRET"), "{record}");
    let mut text = String::new();
    LineFormat.format(&left, &mut text);
    assert_eq!(text, "Assistant: [erased] [tool calls: pay({})]");
    assert_eq!(left.shape, Shape::Parts);
}

#[test]
fn calls_and_results_still_belong_together() {
    let mut typed = ToolCall::new("k2", "add", "");
    typed.arguments = Arguments::Value(Json::new(r#"{"a": 1}"#).unwrap());
    let calls = erased(Message::tool_calls([
        ToolCall::new("k1", "clock", "now"),
        typed,
    ]));
    let kept: Vec<_> = calls
        .calls()
        .map(|call| (call.id.as_str(), call.name.as_str(), &call.arguments))
        .collect();
    let text = Arguments::Text("{}".into());
    let value = Arguments::Value(Json::new("{}").unwrap());
    assert_eq!(kept, [("k1", "clock", &text), ("k2", "add", &value)]);

    let mut result = ToolResult::text("k1", "12:00");
    result.name = Some("clock".into());
    let results = erased(Message::new(Role::Tool, vec![Part::ToolResult(result)]));
    let kept: Vec<_> = results.results().collect();
    let mut expected = ToolResult::text("k1", "[erased]");
    expected.name = Some("clock".into());
    assert_eq!(kept, [&expected]);
}

#[test]
fn the_account_is_the_size_and_digest_of_the_record() {
    let message = Message::user("my card is 4711");
    let record = wire::encode(&event(EventBody::Message(message.clone())).into_new()).unwrap();
    let account = erased(message).extra.remove(ERASED).unwrap();
    let account = account.to_value().unwrap();
    assert_eq!(account["bytes"], record.len());
    assert_eq!(account["sha256"].as_str().unwrap().len(), 64);
    let other = erased(Message::user("my card is 4712")).extra[ERASED].clone();
    assert_ne!(other.to_value().unwrap()["sha256"], account["sha256"]);
}

#[test]
fn an_event_of_an_application_keeps_its_type() {
    let event_type = EventType::new("ACME.NOTE").unwrap();
    let payload = Json::string("SECRET");
    let body = EventBody::Custom {
        event_type: event_type.clone(),
        payload,
    };
    let Some(EventBody::Custom {
        event_type: kept,
        payload,
    }) = tombstone(&event(body))
    else {
        panic!("a custom event leaves a custom event");
    };
    assert_eq!(kept, event_type);
    assert!(!payload.as_str().contains("SECRET"));
}

#[test]
fn what_holds_the_log_together_has_nothing_to_erase() {
    for body in [
        EventBody::Pin(Pin::hold(Seq::FIRST)),
        EventBody::Pin(Pin::release(Seq::FIRST)),
        EventBody::Revert(Revert::new(Seq::FIRST)),
    ] {
        assert_eq!(tombstone(&event(body)), None);
    }
}

/// What is erased already was erased again, and size and digest became those of its tombstone.
#[test]
fn a_tombstone_of_a_tombstone_is_itself() {
    let payload = Json::new(r#"{"who": "SECRET"}"#).unwrap();
    let custom = EventBody::Custom {
        event_type: EventType::new("ACME.AUDIT").unwrap(),
        payload,
    };
    let calls = Message::tool_calls([ToolCall::new("k1", "clock", "now")]);
    for body in [
        custom,
        EventBody::Message(Message::user("SECRET")),
        EventBody::Message(Message::tool_result("k1", "SECRET")),
        EventBody::Message(calls),
    ] {
        let once = tombstone(&event(body)).unwrap();
        assert_eq!(tombstone(&event(once.clone())), Some(once));
    }
}

/// Somebody's messages had a field of the same name, and were taken for erased ones.
#[test]
fn a_field_that_is_only_called_erased_is_none() {
    for field in [
        "false",
        "true",
        "null",
        r#"{"bytes":1}"#,
        r#"{"bytes":"1","sha256":"a"}"#,
    ] {
        let mut message = Message::user("still here");
        let json = Json::new(field).unwrap();
        message.extra.insert(ERASED.into(), json);
        assert!(!is_erased(&message), "{field}");
        assert_eq!(erased(message).text(), "[erased]");
    }
}
