//! Why a record cannot be read or written.

use crate::ids::InvalidId;
use crate::json::InvalidJson;

/// Why a record cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// The record was written by a later release.
    #[error("record has version {found}, this release reads up to version {supported}")]
    UnknownVersion {
        /// The version the record names.
        found: u64,
        /// The newest version that can be read.
        supported: u64,
    },
    /// The text is not a record: no JSON, cut off, or with other fields.
    #[error("not an event record")]
    Malformed(#[source] Syntax),
    /// An id in the record is none.
    #[error("the record's {field} is no id")]
    Id {
        /// Which id.
        field: &'static str,
        /// What is wrong with it.
        #[source]
        source: InvalidId,
    },
    /// A JSON value kept in the record is none.
    #[error("the record's field {name:?} is no JSON")]
    Json {
        /// The name of the value.
        name: alloc::string::String,
        /// What is wrong with it.
        #[source]
        source: InvalidJson,
    },
    /// Another value in the record is out of its range.
    #[error("the record's {field} is out of range")]
    OutOfRange {
        /// Which value.
        field: &'static str,
    },
    /// Tool results are nested in tool results too deeply to be read back.
    #[error("tool results are nested deeper than {limit} levels")]
    TooDeep {
        /// The deepest nesting that is stored.
        limit: usize,
    },
}

/// What is wrong with the text of a record, with line and column.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Syntax(pub(super) serde_json::Error);
