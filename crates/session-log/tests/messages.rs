//! Messages and events: what they say of themselves, and what they never show.

#![allow(clippy::unwrap_used, missing_docs)]

use compaction_core::{Entry as _, EntryKind, Link};
use session_log::{
    Arguments, Boundary, Branch, Event, EventBody, EventId, EventType, Json, Media, MediaKind,
    MediaSource, Message, NewEvent, Opaque, Origin, Part, Pin, Reasoning, Receipt, Revert, Role,
    Seq, Shape, Text, Timestamp, TokenCount, ToolCall, ToolResult, latest_system, messages,
};

fn seq(number: u64) -> Seq {
    Seq::new(number).unwrap()
}

fn new(number: u64, body: EventBody) -> NewEvent {
    let id = EventId::new(format!("e{number}")).unwrap();
    NewEvent::new(id, Timestamp::from_millis(0), body)
}

fn said(number: u64, message: Message) -> Event {
    new(number, EventBody::Message(message)).at(seq(number))
}

/// One part of each kind, each with the word SECRET in it.
fn parts() -> Vec<Part> {
    let source = MediaSource::Url("https://example.org/SECRET".into());
    vec![
        Part::text("SECRET"),
        Part::Reasoning(Reasoning::new("SECRET")),
        Part::ToolCall(ToolCall::new("k1", "SECRET", "SECRET")),
        Part::ToolResult(ToolResult::text("k1", "SECRET")),
        Part::Media(Media::new(MediaKind::Image, source)),
        Part::Refusal(Text::new("SECRET")),
        Part::Opaque(Opaque::new("SECRET", Json::string("SECRET"))),
    ]
}

#[test]
fn debug_shows_kinds_and_sizes_and_no_content() {
    let message = Message::new(Role::User, parts()).with_name("SECRET");
    assert_eq!(
        format!("{message:?}"),
        "Message { role: User, parts: [text, reasoning, tool_call, tool_result, media, refusal, \
         opaque], .. }"
    );
    let mut shown = format!("{:?}", Arguments::Text("SECRET".into()));
    shown += &format!("{:?}", Json::string("SECRET"));
    for part in parts() {
        shown += &match part {
            Part::Text(it) | Part::Refusal(it) => format!("{it:?}"),
            Part::Reasoning(it) => format!("{it:?}"),
            Part::ToolCall(it) => format!("{it:?}"),
            Part::ToolResult(it) => format!("{it:?}"),
            Part::Media(it) => format!("{it:?}"),
            Part::Opaque(it) => format!("{it:?}"),
            _ => String::new(),
        };
    }
    let sources: [fn(String) -> MediaSource; 4] = [
        MediaSource::Base64,
        MediaSource::Url,
        MediaSource::FileId,
        MediaSource::Text,
    ];
    for source in sources {
        shown += &format!(" {:?}", source("SECRET".into()));
    }
    assert!(!shown.contains("SECRET"), "{shown}");
    assert!(shown.ends_with(" Base64 Url FileId Text"), "{shown}");
    assert!(
        shown.starts_with("Arguments(6 bytes)Json(8 bytes)"),
        "{shown}"
    );
    let branch = Branch::new("root.a").unwrap();
    let id = EventId::new("e1").unwrap();
    assert_eq!(
        format!("{branch:?} {id:?}"),
        r#"Branch("root.a") EventId("e1")"#
    );
}

#[test]
fn the_text_of_a_message_is_its_text_parts() {
    let of = |texts: &[&str]| {
        let mut parts = parts();
        parts.retain(|part| part.as_text().is_none());
        parts.extend(texts.iter().map(|text| Part::text(*text)));
        Message::new(Role::User, parts).text().into_owned()
    };
    assert_eq!(of(&[]), "");
    assert_eq!(of(&["a"]), "a");
    assert_eq!(of(&["a", "", "c"]), "a\n\nc");
}

#[test]
fn a_message_is_empty_when_it_has_but_blanks() {
    assert!(Message::new(Role::User, Vec::new()).is_empty());
    assert!(Message::user(" \n").is_empty());
    for part in parts() {
        let message = Message::new(Role::User, vec![Part::text(""), part]);
        assert!(!message.is_empty(), "{message:?}");
    }
}

#[test]
fn only_a_message_with_results_is_only_results() {
    let result = Part::ToolResult(ToolResult::text("k1", "r"));
    assert!(Message::tool_result("k1", "r").is_only_results());
    assert!(!Message::new(Role::User, Vec::new()).is_only_results());
    assert!(!Message::new(Role::User, vec![result, Part::text("x")]).is_only_results());
}

#[test]
fn what_a_message_is_built_with_is_kept() {
    let message = Message::user("x")
        .with_name("ann")
        .with_shape(Shape::Absent);
    assert_eq!(message.name.as_deref(), Some("ann"));
    assert_eq!(message.shape, Shape::Absent);
    let json = Json::from(serde_json::json!({"a": [1, null]}));
    assert_eq!(json.to_string(), r#"{"a":[1,null]}"#);
    assert_eq!(
        json.to_value().unwrap(),
        serde_json::json!({"a": [1, null]})
    );
    assert!(Json::new(r#""\ud800""#).unwrap().to_value().is_err());
}

#[test]
fn who_speaks_and_why_say_what_an_event_is_to_the_cut() {
    let call = || Message::tool_calls([ToolCall::new("k1", "clock", "{}")]);
    let results = || {
        let part = Part::ToolResult(ToolResult::text("k1", "r"));
        Message::new(Role::User, vec![part])
    };
    let other = Message::new(Role::Other("critic".into()), vec![Part::text("x")]);
    let developer = Message::new(Role::Developer, vec![Part::text("x")]);
    for (message, root, sub_agent) in [
        (
            Message::system("s"),
            EntryKind::System,
            EntryKind::Continuation,
        ),
        (developer, EntryKind::System, EntryKind::Continuation),
        (
            Message::user("u"),
            EntryKind::TurnStart,
            EntryKind::Continuation,
        ),
        (results(), EntryKind::Continuation, EntryKind::Continuation),
        (
            Message::assistant("a"),
            EntryKind::Continuation,
            EntryKind::Continuation,
        ),
        (call(), EntryKind::StepStart, EntryKind::StepStart),
        (
            Message::tool_result("k1", "r"),
            EntryKind::Continuation,
            EntryKind::Continuation,
        ),
        (other, EntryKind::Continuation, EntryKind::Continuation),
    ] {
        let event = said(1, message.clone());
        assert_eq!(event.kind(), root, "{message:?}");
        let mut below = said(1, message.clone());
        below.branch = Some(Branch::new("root.a").unwrap());
        assert_eq!(below.kind(), sub_agent, "{message:?}");
        let mut injected = said(1, message.clone());
        injected.origin = Origin::Injected;
        assert_eq!(injected.kind(), EntryKind::Continuation, "{message:?}");
        let mut summary = said(1, message.clone());
        summary.origin = Origin::Summary { boundary: None };
        assert_eq!(summary.kind(), EntryKind::Summary, "{message:?}");
    }
    assert!(!Origin::Real.is_synthetic());
    assert!(Origin::Injected.is_synthetic());
}

/// One event of each type but messages.
fn others() -> [EventBody; 4] {
    let receipt = Receipt::new(Json::null(), Json::null(), "none");
    [
        EventBody::Compaction(Box::new(Boundary::new(Seq::FIRST, receipt))),
        EventBody::Revert(Revert::new(Seq::FIRST)),
        EventBody::Pin(Pin::hold(Seq::FIRST)),
        EventBody::Custom {
            event_type: EventType::new("ACME.NOTE").unwrap(),
            payload: Json::null(),
        },
    ]
}

#[test]
fn an_event_without_a_message_is_no_part_of_a_conversation() {
    let names = others().map(|body| {
        let event = new(1, body).at(Seq::FIRST);
        assert_eq!(event.kind(), EntryKind::Continuation);
        assert!(event.as_message().is_none());
        let mut links = 0;
        event.links(&mut |_| links += 1);
        assert_eq!(links, 0);
        event.event_type().to_string()
    });
    assert_eq!(names, ["COMPACTION", "REVERT", "PIN", "ACME.NOTE"]);
    let message = said(1, Message::user("u"));
    assert_eq!(message.event_type(), EventType::MESSAGE);
    assert!(message.as_boundary().is_none());
}

#[test]
fn an_event_names_its_calls_and_results_in_order() {
    let event = said(1, Message::new(Role::Assistant, parts()));
    let mut links = Vec::new();
    event.links(&mut |link| {
        links.push(match link {
            Link::Call(id) => format!("call {id}"),
            Link::Result(id) => format!("result {id}"),
        });
    });
    assert_eq!(links, ["call k1", "result k1"]);
}

#[test]
fn an_event_says_the_same_whatever_its_place_time_and_count() {
    let first = || new(1, EventBody::Message(Message::user("u")));
    let event = first().at(seq(5));
    let mut again = first().with_tokens(TokenCount::new("characters", 8));
    again.timestamp = Timestamp::from_millis(99);
    again = again.with_metadata("note", Json::null());
    assert!(event.says_the_same_as(&again));
    assert!(!event.says_the_same_as(&new(2, EventBody::Message(Message::user("u")))));
    assert!(!event.says_the_same_as(&new(1, EventBody::Message(Message::user("v")))));
    assert!(!event.says_the_same_as(&first().with_origin(Origin::Injected)));
    let branch = Branch::new("root.a").unwrap();
    assert!(!event.says_the_same_as(&first().with_branch(branch)));
    assert_eq!(event.into_new(), first());
}

#[test]
fn the_system_prompt_is_the_newest_by_place() {
    let log = [
        said(2, Message::system("new")),
        said(1, Message::system("old")),
        said(3, Message::user("u")),
        new(4, EventBody::Pin(Pin::hold(Seq::FIRST))).at(seq(4)),
    ];
    assert_eq!(latest_system(&log).map(|event| event.seq), Some(seq(2)));
    assert_eq!(latest_system(&log[2..]), None);
    let texts: Vec<_> = messages(&log)
        .iter()
        .map(|it| it.text().into_owned())
        .collect();
    assert_eq!(texts, ["new", "old", "u"]);
}
