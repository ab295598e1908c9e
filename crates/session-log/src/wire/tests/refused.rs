//! What is no record is refused with the reason, whatever it is.

use alloc::string::{String, ToString};
use alloc::vec;

use crate::wire::{self, WireError};
use crate::{EventId, Message, NewEvent, Part, Role, Timestamp, ToolResult};

const HELLO: &str = r#"{"v":1,"id":"e1","at":0,"body":{"message":{"role":"user","parts":[{"text":{"text":"Hello"}}],"shape":"text"}}}"#;

#[test]
fn records_say_why_they_are_refused() {
    for (record, reason) in [
        ("", "not an event record"),
        ("{not json", "not an event record"),
        ("null", "not an event record"),
        ("[]", "not an event record"),
        ("{}", "not an event record"),
        (r#"{"v":1}"#, "not an event record"),
        (r#"{"v":-1}"#, "not an event record"),
        (
            r#"{"v":0}"#,
            "record has version 0, this release reads up to version 1",
        ),
        (
            r#"{"v":7,"what":["ever"]}"#,
            "record has version 7, this release reads up to version 1",
        ),
        (
            r#"{"v":2,"id":"e1","at":0,"body":{"revert":{"of":1}}}"#,
            "record has version 2, this release reads up to version 1",
        ),
        (
            r#"{"v":1,"id":"e1","at":0,"body":{"revert":{"of":1}},"new":1}"#,
            "not an event record",
        ),
        (
            r#"{"v":1,"id":" ","at":0,"body":{"revert":{"of":1}}}"#,
            "the record's id is no id",
        ),
        (
            r#"{"v":1,"id":"e1","at":0,"body":{"revert":{"of":0}}}"#,
            "the record's revert is out of range",
        ),
        (
            r#"{"v":1,"id":"e1","at":0,"branch":"a..b","body":{"revert":{"of":1}}}"#,
            "the record's branch is out of range",
        ),
        (
            r#"{"v":1,"id":"e1","at":0,"metadata":{"m":"{"},"body":{"revert":{"of":1}}}"#,
            r#"the record's field "m" is no JSON"#,
        ),
        (
            r#"{"v":1,"id":"e1","at":0,"body":{"custom":{"type":"acme","payload":"1"}}}"#,
            "the record's event type is out of range",
        ),
    ] {
        let error = wire::decode(record).unwrap_err();
        assert_eq!(error.to_string(), reason, "{record}");
    }
}

#[test]
fn every_cut_off_record_is_refused() {
    for end in 0..HELLO.len() {
        let error = wire::decode(HELLO.get(..end).unwrap()).unwrap_err();
        assert!(matches!(error, WireError::Malformed(_)), "{end}");
    }
    assert!(wire::decode(HELLO).is_ok());
    assert!(wire::decode(&[HELLO, "x"].concat()).is_err());
}

fn nested(levels: usize) -> NewEvent {
    let mut part = Part::text("innermost");
    for _ in 0..levels {
        part = Part::ToolResult(ToolResult::new("k", vec![part]));
    }
    let id = EventId::new("e1").unwrap();
    let message = Message::new(Role::Tool, vec![part]);
    NewEvent::message(id, Timestamp::from_millis(0), message)
}

#[test]
fn what_is_written_can_be_read_back_however_deep() {
    let deepest = nested(wire::v1::MAX_NESTING);
    let record = wire::encode(&deepest).unwrap();
    assert_eq!(wire::decode(&record).unwrap(), deepest);
    let error = wire::encode(&nested(wire::v1::MAX_NESTING + 1)).unwrap_err();
    assert!(matches!(error, WireError::TooDeep { limit: 32 }));
}

#[test]
fn a_record_nested_too_deeply_by_hand_is_refused() {
    let mut record =
        String::from(r#"{"v":1,"id":"e1","at":0,"body":{"message":{"role":"tool","parts":"#);
    for _ in 0..100_000 {
        record.push_str(r#"[{"tool_result":{"call_id":"k","parts":"#);
    }
    assert!(matches!(
        wire::decode(&record),
        Err(WireError::Malformed(_))
    ));
}
