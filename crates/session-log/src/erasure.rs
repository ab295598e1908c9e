//! Erasing what an event says, while its place in the log and in the conversation stays.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use sha2::{Digest as _, Sha256};

use crate::event::{Event, EventBody};
use crate::hex::hex;
use crate::json::Json;
use crate::message::{Message, Shape};
use crate::part::{Arguments, Part, ToolCall, ToolResult};
use crate::wire;

/// The field of an erased message that says what it was: `{"bytes": 120, "sha256": "…"}`.
pub const ERASED: &str = "erased";

/// What an erased text reads as.
const MARK: &str = "[erased]";

/// What stands in the place of an erased event: nothing of what was said, only what holds the
/// conversation together. A message keeps its role, and the names and ids of the calls it makes
/// or answers; size and digest of the stored record say what it was. Of what is erased already they
/// stay as they are. `None` for events that have nothing to erase: boundaries, reverts and pins.
///
/// ```
/// use session_log::{EventBody, EventId, Message, NewEvent, Seq, Timestamp, is_erased, tombstone};
///
/// let id = EventId::new("e1").unwrap();
/// let event = NewEvent::message(id, Timestamp::from_millis(0), Message::user("my card is 4711"));
/// let Some(EventBody::Message(left)) = tombstone(&event.at(Seq::FIRST)) else { panic!() };
/// assert_eq!(left.text(), "[erased]");
/// assert!(is_erased(&left));
/// ```
#[must_use]
pub fn tombstone(event: &Event) -> Option<EventBody> {
    let account = account(&event.body).cloned().unwrap_or_else(|| {
        let record = wire::encode(&event.clone().into_new()).unwrap_or_default();
        let account = format!(
            r#"{{"bytes":{},"sha256":"{}"}}"#,
            record.len(),
            hex(&Sha256::digest(record.as_bytes()))
        );
        Json::new(account).unwrap_or_else(|_| Json::null())
    });
    match &event.body {
        EventBody::Message(message) => {
            let mut left = Message::new(message.role.clone(), skeleton(&message.parts));
            left.shape = Shape::Parts;
            left.extra.insert(String::from(ERASED), account);
            Some(EventBody::Message(left))
        }
        EventBody::Custom { event_type, .. } => Some(EventBody::Custom {
            event_type: event_type.clone(),
            payload: account,
        }),
        _ => None,
    }
}

/// Whether what the message said was erased.
#[must_use]
pub fn is_erased(message: &Message) -> bool {
    message.extra.get(ERASED).is_some_and(is_account)
}

/// What an event that is erased already was, by size and digest.
fn account(body: &EventBody) -> Option<&Json> {
    let account = match body {
        EventBody::Message(message) => message.extra.get(ERASED)?,
        EventBody::Custom { payload, .. } => payload,
        _ => return None,
    };
    is_account(account).then_some(account)
}

/// Whether it is size and digest and nothing else: a message may come with a field of that name.
fn is_account(json: &Json) -> bool {
    let Ok(serde_json::Value::Object(fields)) = json.to_value() else {
        return false;
    };
    let has =
        |name, is_right: fn(&serde_json::Value) -> bool| fields.get(name).is_some_and(is_right);
    fields.len() == 2 && has("bytes", |it| it.is_u64()) && has("sha256", |it| it.is_string())
}

fn skeleton(parts: &[Part]) -> Vec<Part> {
    let mut left = Vec::new();
    let mut has_text = false;
    for part in parts {
        match part {
            Part::ToolCall(call) => {
                let mut bare = ToolCall::new(call.id.as_str(), call.name.as_str(), "{}");
                if matches!(call.arguments, Arguments::Value(_)) {
                    bare.arguments = Json::new("{}").map_or(bare.arguments, Arguments::Value);
                }
                left.push(Part::ToolCall(bare));
            }
            Part::ToolResult(result) => {
                let mut bare = ToolResult::text(result.call_id.as_str(), MARK);
                bare.name.clone_from(&result.name);
                left.push(Part::ToolResult(bare));
            }
            _ if has_text => {}
            _ => {
                has_text = true;
                left.push(Part::text(MARK));
            }
        }
    }
    left
}
