//! Law 13: nothing is lost on the way into a store and out of it.

use std::sync::Arc;

use session_log::{
    Arguments, Branch, Event, Media, MediaKind, MediaSource, Message, NewEvent, Opaque, Origin,
    Part, Reasoning, Role, Shape, Text, TokenCount, ToolCall, ToolResult, wire,
};
use session_store::{SessionStore, SessionStoreExt as _};

use crate::lab::Lab;
use crate::make::{at, boundary, custom, eid, json, pin, said, seq, user};

/// Law 13: what is read is what was appended, and what `append` returned.
///
/// # Panics
///
/// When the law does not hold.
pub async fn law_13_byte_for_byte<S: SessionStore>(lab: Lab<S>) {
    let id = lab.create("s1").await;
    let events = odd_events();
    let expected: Vec<Event> = events
        .iter()
        .cloned()
        .zip(1_u64..)
        .map(|(event, number)| event.at(seq(number)))
        .collect();
    let written = lab.append(&id, events).await;
    let same = |events: &[Arc<Event>]| {
        assert_eq!(events.len(), expected.len());
        for (event, expected) in events.iter().zip(&expected) {
            assert_eq!(**event, *expected, "event {}", expected.id);
        }
    };
    same(&written.events);
    same(&lab.log(&id).await);
    for event in &expected {
        let by_id = lab.store.event(&id, &event.id).await.unwrap();
        assert_eq!(by_id.as_deref(), Some(event));
    }
}

/// Events with everything that was ever lost on the way into a database.
fn odd_events() -> Vec<NewEvent> {
    let mut texts: Vec<String> = [
        "",
        " ",
        "nul \0 in the middle",
        "\0",
        "already bad \u{FFFD}",
        "line\u{2028}para\u{2029}next\u{85}form\u{c}tab\u{b}",
        "crlf\r\nend\r",
        "\u{feff}mark",
        "family 👨‍👩‍👧‍👦 flag 🇩🇪",
        "e\u{301} is not é",
        "right to left \u{202e}abc",
        "'; DROP TABLE events; -- \\ % _ \"",
        "\u{10FFFF}\u{E000}",
    ]
    .into_iter()
    .map(Into::into)
    .collect();
    texts.push("a".repeat(1 << 20));
    texts.push("😀".repeat(1 << 18));
    let mut messages: Vec<Message> = texts.iter().map(Message::user).collect();

    let mut full = Message::new(Role::Other("critic\0".into()), every_part(&texts[2]));
    full = full.with_name("Ann \0").with_shape(Shape::Absent);
    full.extra.insert("é\0".into(), json("[ 1.0,\t1e999 ]"));
    messages.push(full);
    for shape in [Shape::Text, Shape::Null, Shape::Absent, Shape::Parts] {
        messages.push(Message::new(Role::Assistant, Vec::new()).with_shape(shape));
    }
    messages.push(Message::new(Role::Other("user".into()), Vec::new()));
    messages.push(Message::new(Role::Developer, Vec::new()));
    let mut part = Part::text("innermost");
    for _ in 0..wire::v1::MAX_NESTING {
        part = Part::ToolResult(ToolResult::new("k", vec![part]));
    }
    messages.push(Message::new(Role::Tool, vec![part]));

    let mut events: Vec<NewEvent> = messages
        .into_iter()
        .zip(0..)
        .map(|(message, number)| said(&format!("m{number}"), message))
        .collect();
    let origins = [
        Origin::Injected,
        Origin::Summary { boundary: None },
        Origin::Summary {
            boundary: Some(eid("b1")),
        },
    ];
    for (origin, number) in origins.into_iter().zip(0..) {
        let event = user(&format!("o{number}"), "x").with_origin(origin);
        events.push(event.with_branch(Branch::new("root.a\0.é").unwrap()));
    }
    let mut dated = user("t1", "x")
        .with_tokens(TokenCount::new("é\0", i64::MAX.unsigned_abs()))
        .with_metadata("\0", json("\"\\ud800\""));
    dated.timestamp = at(i64::MIN);
    events.push(dated);
    events.push(custom("x1", "ACME.AUDIT_2", "{ \"a\" :\n1.50 }"));
    events.push(boundary("b1", 3, &[2, 1]));
    events.push(pin("p1", 2));
    events
}

fn every_part(text: &str) -> Vec<Part> {
    let mut plain = Text::new(text);
    plain.extra.insert("cache_control".into(), json("{ }"));
    let mut signed = Reasoning::new(text);
    signed.signature = Some("c2ln+/=".into());
    let mut hidden = Reasoning::new("");
    hidden.text = None;
    hidden.encrypted = Some("AAEC".into());
    let mut typed = ToolCall::new("", "rooms", "");
    typed.arguments = Arguments::Value(json("{\"b\":1,  \"a\":1.0}"));
    let mut failed = ToolResult::text("k1", text);
    failed.is_error = Some(true);
    failed.name = Some("rooms".into());
    let mut picture = Media::new(MediaKind::Image, MediaSource::Base64("iVBO".into()));
    picture.media_type = Some("image/png".into());
    picture.name = Some(text.into());
    vec![
        Part::Text(plain),
        Part::Refusal(Text::new(text)),
        Part::Reasoning(signed),
        Part::Reasoning(hidden),
        Part::ToolCall(ToolCall::new("k1", "rooms", "{not json")),
        Part::ToolCall(typed),
        Part::ToolResult(failed),
        Part::Media(picture),
        Part::Media(Media::new(MediaKind::Audio, MediaSource::Url("u".into()))),
        Part::Media(Media::new(
            MediaKind::Video,
            MediaSource::FileId("f".into()),
        )),
        Part::Media(Media::new(MediaKind::File, MediaSource::Text(text.into()))),
        Part::Opaque(Opaque::new("anthropic", json("{\"type\" : \"new\"}"))),
    ]
}
