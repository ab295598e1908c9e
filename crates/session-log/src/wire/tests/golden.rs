//! One event of each kind and the bytes it has been stored as since version 1.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::wire;
use crate::{
    Arguments, Boundary, Branch, Covered, EventBody, EventId, EventType, Json, Media, MediaKind,
    MediaSource, Message, NewEvent, Opaque, Origin, Part, Pin, Reasoning, Receipt, Revert, Role,
    Seq, Shape, Size, SummaryReceipt, Text, Timestamp, TokenCount, ToolCall, ToolResult,
};

#[track_caller]
fn check(event: &NewEvent, record: &str) {
    assert_eq!(wire::encode(event).unwrap(), record);
    assert_eq!(&wire::decode(record).unwrap(), event);
}

fn id(text: &str) -> EventId {
    EventId::new(text).unwrap()
}

fn json(text: &str) -> Json {
    Json::new(text).unwrap()
}

fn seq(number: u64) -> Seq {
    Seq::new(number).unwrap()
}

fn said(message: Message) -> NewEvent {
    NewEvent::message(id("e1"), Timestamp::from_millis(0), message)
}

/// The record of a user message with these parts and the default shape.
fn check_parts(parts: Vec<Part>, record: &str) {
    let expected = [
        r#"{"v":1,"id":"e1","at":0,"body":{"message":{"role":"user","parts":["#,
        record,
        "]}}}",
    ];
    check(&said(Message::new(Role::User, parts)), &expected.concat());
}

#[test]
fn a_text_message() {
    check(
        &said(Message::user("Hello")),
        r#"{"v":1,"id":"e1","at":0,"body":{"message":{"role":"user","parts":[{"text":{"text":"Hello"}}],"shape":"text"}}}"#,
    );
}

#[test]
fn everything_an_event_carries_beside_its_body() {
    let event = said(Message::system("Be brief."))
        .with_origin(Origin::Summary {
            boundary: Some(id("b1")),
        })
        .with_branch(Branch::new("root.agent_1").unwrap())
        .with_metadata("b", json("1.0"))
        .with_metadata("a", json(r#"{"z": 1e2, "y":[ ]}"#))
        .with_tokens(TokenCount::new("o200k_base", 12));
    check(
        &event,
        r#"{"v":1,"id":"e1","at":0,"origin":{"summary":{"boundary":"b1"}},"branch":"root.agent_1","metadata":{"a":"{\"z\": 1e2, \"y\":[ ]}","b":"1.0"},"tokens":{"estimator":"o200k_base","count":12},"body":{"message":{"role":"system","parts":[{"text":{"text":"Be brief."}}],"shape":"text"}}}"#,
    );
    let event = event.with_origin(Origin::Summary { boundary: None });
    assert!(
        wire::encode(&event)
            .unwrap()
            .contains(r#""origin":{"summary":{}},"#)
    );
    let event = event.with_origin(Origin::Injected);
    assert!(
        wire::encode(&event)
            .unwrap()
            .contains(r#""origin":"injected","#)
    );
}

#[test]
fn roles_shapes_names_and_extra_fields() {
    for (role, record) in [
        (Role::System, r#""system""#),
        (Role::Developer, r#""developer""#),
        (Role::User, r#""user""#),
        (Role::Assistant, r#""assistant""#),
        (Role::Tool, r#""tool""#),
        (Role::Other("critic".into()), r#"{"other":"critic"}"#),
        (Role::Other("user".into()), r#"{"other":"user"}"#),
    ] {
        let expected = [
            r#"{"v":1,"id":"e1","at":0,"body":{"message":{"role":"#,
            record,
            "}}}",
        ];
        check(&said(Message::new(role, Vec::new())), &expected.concat());
    }
    for (shape, record) in [
        (Shape::Parts, ""),
        (Shape::Text, r#","shape":"text""#),
        (Shape::Null, r#","shape":"null""#),
        (Shape::Absent, r#","shape":"absent""#),
    ] {
        let mut message = Message::new(Role::Assistant, Vec::new())
            .with_name("Ann")
            .with_shape(shape);
        message.extra.insert("refusal".into(), Json::null());
        let expected = [
            r#"{"v":1,"id":"e1","at":0,"body":{"message":{"role":"assistant","name":"Ann""#,
            record,
            r#","extra":{"refusal":"null"}}}}"#,
        ];
        check(&said(message), &expected.concat());
    }
}

#[test]
fn text_and_refusal() {
    let mut text = Text::new("a");
    text.extra.insert("cache_control".into(), json("{}"));
    check_parts(
        vec![Part::Text(text), Part::Refusal(Text::new("No."))],
        r#"{"text":{"text":"a","extra":{"cache_control":"{}"}}},{"refusal":{"text":"No."}}"#,
    );
}

#[test]
fn reasoning() {
    let mut signed = Reasoning::new("Think.");
    signed.signature = Some("c2ln".into());
    let mut hidden = Reasoning {
        encrypted: Some("AAEC".into()),
        ..Reasoning::default()
    };
    hidden.extra.insert("id".into(), json(r#""rs_1""#));
    check_parts(
        vec![Part::Reasoning(signed), Part::Reasoning(hidden)],
        r#"{"reasoning":{"text":"Think.","signature":"c2ln"}},{"reasoning":{"encrypted":"AAEC","extra":{"id":"\"rs_1\""}}}"#,
    );
}

#[test]
fn tool_calls_and_nested_results() {
    let call = ToolCall::new("k1", "rooms", r#"{"day": "fri"}"#);
    let mut typed = ToolCall::new("", "rooms", "");
    typed.arguments = Arguments::Value(json("{ }"));
    let mut result = ToolResult::new(
        "k1",
        vec![
            Part::text("2 rooms"),
            Part::ToolResult(ToolResult::new("k2", Vec::new())),
        ],
    );
    result.name = Some("rooms".into());
    result.is_error = Some(false);
    check_parts(
        vec![
            Part::ToolCall(call),
            Part::ToolCall(typed),
            Part::ToolResult(result),
            Part::ToolResult(ToolResult::text("k3", "none")),
        ],
        r#"{"tool_call":{"id":"k1","name":"rooms","arguments":{"text":"{\"day\": \"fri\"}"}}},{"tool_call":{"id":"","name":"rooms","arguments":{"value":"{ }"}}},{"tool_result":{"call_id":"k1","name":"rooms","parts":[{"text":{"text":"2 rooms"}},{"tool_result":{"call_id":"k2"}}],"is_error":false}},{"tool_result":{"call_id":"k3","parts":[{"text":{"text":"none"}}],"shape":"text"}}"#,
    );
}

#[test]
fn media_and_unknown_parts() {
    let mut picture = Media::new(MediaKind::Image, MediaSource::Base64("iVBO".into()));
    picture.media_type = Some("image/png".into());
    picture.name = Some("plan.png".into());
    check_parts(
        vec![
            Part::Media(picture),
            Part::Media(Media::new(MediaKind::Audio, MediaSource::Url("u".into()))),
            Part::Media(Media::new(
                MediaKind::Video,
                MediaSource::FileId("f".into()),
            )),
            Part::Media(Media::new(MediaKind::File, MediaSource::Text("t".into()))),
            Part::Opaque(Opaque::new("anthropic", json(r#"{"type": "new"}"#))),
        ],
        r#"{"media":{"kind":"image","media_type":"image/png","source":{"base64":"iVBO"},"name":"plan.png"}},{"media":{"kind":"audio","source":{"url":"u"}}},{"media":{"kind":"video","source":{"file_id":"f"}}},{"media":{"kind":"file","source":{"text":"t"}}},{"opaque":{"format":"anthropic","json":"{\"type\": \"new\"}"}}"#,
    );
}

#[test]
fn odd_characters() {
    check(
        &said(Message::user(
            "nul\0 sep\u{2028}\u{85} bad\u{FFFD} 😀 \"\\\n\t\u{1b}\u{7f}",
        )),
        concat!(
            r#"{"v":1,"id":"e1","at":0,"body":{"message":{"role":"user","parts":[{"text":{"text":"nul\u0000 sep"#,
            "\u{2028}\u{85} bad\u{FFFD} 😀",
            r#" \"\\\n\t\u001b"#,
            "\u{7f}",
            r#""}}],"shape":"text"}}}"#
        ),
    );
}

#[test]
fn a_boundary_with_its_receipt() {
    let mut receipt = Receipt::new(
        json(r#"{"turns_over":20}"#),
        json(r#"{"window":{"turns":10}}"#),
        "o200k_base",
    );
    receipt.before = Size::new(40, 21, 9000);
    receipt.after = Size::new(22, 10, 4000);
    receipt.covered = Covered::of([(seq(2), &id("e2")), (seq(9), &id("e9"))]);
    let mut summary = SummaryReceipt::new("ledger");
    summary.input_tokens = Some(7);
    summary.output_tokens = Some(8);
    summary.duration_ms = Some(9);
    summary.retained_per_mille = Some(850);
    receipt.summary = Some(summary);
    let mut boundary = Boundary::new(seq(21), receipt);
    boundary.pinned = vec![seq(1), seq(3)];
    boundary.superseded = vec![seq(22)];
    boundary.summary = vec![id("b1/u"), id("b1/a")];
    boundary.cleared = vec![seq(23)];
    boundary.held = vec![seq(3), seq(22)];
    boundary.pins = vec![seq(3)];
    let event = NewEvent::new(
        id("b1"),
        Timestamp::from_millis(-1),
        EventBody::Compaction(Box::new(boundary)),
    );
    check(
        &event,
        r#"{"v":1,"id":"b1","at":-1,"body":{"compaction":{"kept_from":21,"pinned":[1,3],"superseded":[22],"summary":["b1/u","b1/a"],"cleared":[23],"held":[3,22],"pins":[3],"receipt":{"trigger":"{\"turns_over\":20}","strategy":"{\"window\":{\"turns\":10}}","estimator":"o200k_base","before":{"events":40,"turns":21,"tokens":9000},"after":{"events":22,"turns":10,"tokens":4000},"covered":{"count":2,"first":2,"last":9,"digest":"4984158dc11b6b0e7f7ffca9ba867174635611d276dfaecae54cff6246d8d2ba"},"summary":{"model":"ledger","input_tokens":7,"output_tokens":8,"duration_ms":9,"attempts":1,"retained_per_mille":850}}}}}"#,
    );
}

#[test]
fn a_bare_boundary_a_revert_and_a_custom_event() {
    let bare = Boundary::new(seq(4), Receipt::new(Json::null(), Json::null(), "none"));
    let at = Timestamp::from_millis(i64::MAX);
    check(
        &NewEvent::new(id("b2"), at, EventBody::Compaction(Box::new(bare))),
        r#"{"v":1,"id":"b2","at":9223372036854775807,"body":{"compaction":{"kept_from":4,"receipt":{"trigger":"null","strategy":"null","estimator":"none","before":{"events":0,"turns":0,"tokens":0},"after":{"events":0,"turns":0,"tokens":0},"covered":{"count":0,"digest":""}}}}}"#,
    );
    check(
        &NewEvent::new(id("p1"), at, EventBody::Pin(Pin::hold(seq(4)))),
        r#"{"v":1,"id":"p1","at":9223372036854775807,"body":{"pin":{"of":4,"held":true}}}"#,
    );
    check(
        &NewEvent::new(id("r1"), at, EventBody::Revert(Revert::new(seq(u64::MAX)))),
        r#"{"v":1,"id":"r1","at":9223372036854775807,"body":{"revert":{"of":18446744073709551615}}}"#,
    );
    let custom = EventBody::Custom {
        event_type: EventType::new("ACME.AUDIT").unwrap(),
        payload: json("[1.50]"),
    };
    check(
        &NewEvent::new(id("x1"), at, custom),
        r#"{"v":1,"id":"x1","at":9223372036854775807,"body":{"custom":{"type":"ACME.AUDIT","payload":"[1.50]"}}}"#,
    );
}

#[test]
fn named_values() {
    let mut fields = crate::Fields::new();
    fields.insert("a\0\"".into(), json("[ 1.0 ]"));
    let text = wire::encode_fields(&fields);
    assert_eq!(text, r#"{"a\u0000\"":"[ 1.0 ]"}"#);
    assert_eq!(wire::decode_fields(&text).unwrap(), fields);
    assert_eq!(
        wire::encode_fields(&crate::Fields::new()),
        String::from("{}")
    );
}
