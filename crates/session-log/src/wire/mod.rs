//! The stored form of events: frozen records, one module a version.
//!
//! A record is one line of JSON that holds a whole event but its place in the log. Nothing in it
//! is derived from a domain type, so a change of the types cannot change what is on disk. Records
//! of every version that was ever released can be read; new ones are written as [`v1`].
//!
//! ```
//! use session_log::{EventId, Message, NewEvent, Timestamp, wire};
//!
//! let id = EventId::new("turn-1/user").unwrap();
//! let event = NewEvent::message(id, Timestamp::from_millis(7), Message::user("Hello"));
//! let record = wire::encode(&event).unwrap();
//! assert!(record.starts_with(r#"{"v":1,"id":"turn-1/user","at":7,"#));
//! assert_eq!(wire::decode(&record).unwrap(), event);
//!
//! // A record of a later release is refused, not misread.
//! let error = wire::decode(r#"{"v":2,"id":"turn-1/user"}"#).unwrap_err();
//! assert_eq!(error.to_string(), "record has version 2, this release reads up to version 1");
//! ```

mod error;
#[cfg(test)]
mod tests;
pub mod v1;

use alloc::string::String;

use crate::event::NewEvent;
use crate::json::Fields;

pub use self::error::{Syntax, WireError};

/// The version new records are written in.
pub const VERSION: u64 = v1::VERSION;

/// Writes `event` as a record of the current version, on one line.
///
/// # Errors
///
/// [`WireError::TooDeep`] when tool results are nested deeper than [`v1::MAX_NESTING`] levels.
pub fn encode(event: &NewEvent) -> Result<String, WireError> {
    v1::encode(event)
}

/// Reads a record of any version up to [`VERSION`].
///
/// # Errors
///
/// [`WireError`] when the text is no record, has a version that is not known, or says something
/// no event can say.
pub fn decode(record: &str) -> Result<NewEvent, WireError> {
    v1::decode(record)
}

/// Writes named values, such as the metadata of a session, as one JSON object of JSON texts.
#[must_use]
pub fn encode_fields(fields: &Fields) -> String {
    v1::encode_fields(fields)
}

/// Reads what [`encode_fields`] wrote.
///
/// # Errors
///
/// [`WireError`] when the text is no such object.
pub fn decode_fields(text: &str) -> Result<Fields, WireError> {
    v1::decode_fields(text)
}
