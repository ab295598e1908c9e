//! Version 1 of the records. Frozen: not one byte of what it writes may change.
//!
//! Absent and empty values are left out. JSON values are kept as text in a string, so that their
//! number text, key order and spacing survive. A record with a field that is not listed here is
//! refused, because reading it would lose that field.

mod read;
mod write;

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::error::{Syntax, WireError};
use crate::event::NewEvent;
use crate::json::Fields;

/// The version tag of these records.
pub const VERSION: u64 = 1;

/// How deep tool results may hold tool results.
pub const MAX_NESTING: usize = 32;

/// Writes `event` as one line.
///
/// # Errors
///
/// [`WireError::TooDeep`] when tool results are nested deeper than [`MAX_NESTING`] levels.
pub fn encode(event: &NewEvent) -> Result<String, WireError> {
    let record = write::event(event)?;
    to_json(&record)
}

/// Reads a record of this version.
///
/// # Errors
///
/// [`WireError`] when the text is no record of this version.
pub fn decode(record: &str) -> Result<NewEvent, WireError> {
    match serde_json::from_str::<EventRecord<'_>>(record) {
        Ok(parsed) if parsed.v == VERSION => read::event(parsed),
        Ok(parsed) => Err(unknown(parsed.v)),
        Err(error) => match serde_json::from_str::<Tag>(record) {
            Ok(tag) if tag.v != VERSION => Err(unknown(tag.v)),
            _ => Err(WireError::Malformed(Syntax(error))),
        },
    }
}

/// Writes named values as one JSON object of JSON texts.
#[must_use]
pub fn encode_fields(fields: &Fields) -> String {
    to_json(&write::fields(fields)).unwrap_or_else(|_| String::from("{}"))
}

/// Reads what [`encode_fields`] wrote.
///
/// # Errors
///
/// [`WireError`] when the text is no such object.
pub fn decode_fields(text: &str) -> Result<Fields, WireError> {
    let record = serde_json::from_str(text).map_err(|error| WireError::Malformed(Syntax(error)))?;
    read::fields(record)
}

/// Writing plain data to memory does not fail; should it, it is an error and no record.
fn to_json(record: &impl Serialize) -> Result<String, WireError> {
    serde_json::to_string(record).map_err(|error| WireError::Malformed(Syntax(error)))
}

fn unknown(found: u64) -> WireError {
    WireError::UnknownVersion {
        found,
        supported: VERSION,
    }
}

/// The one field every version has.
#[derive(Deserialize)]
struct Tag {
    v: u64,
}

type Str<'a> = Cow<'a, str>;
type FieldsRecord<'a> = BTreeMap<Str<'a>, Str<'a>>;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EventRecord<'a> {
    v: u64,
    #[serde(borrow)]
    id: Str<'a>,
    at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<OriginRecord<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    branch: Option<Str<'a>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    metadata: FieldsRecord<'a>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tokens: Option<TokensRecord<'a>>,
    body: BodyRecord<'a>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OriginRecord<'a> {
    Injected,
    Summary(SummaryOfRecord<'a>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SummaryOfRecord<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    boundary: Option<Str<'a>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TokensRecord<'a> {
    estimator: Str<'a>,
    count: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum BodyRecord<'a> {
    Message(MessageRecord<'a>),
    Compaction(Box<BoundaryRecord<'a>>),
    Revert(RevertRecord),
    Pin(PinRecord),
    Custom(CustomRecord<'a>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RevertRecord {
    of: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PinRecord {
    of: u64,
    held: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CustomRecord<'a> {
    r#type: Str<'a>,
    payload: Str<'a>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageRecord<'a> {
    role: RoleRecord<'a>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PartRecord<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<Str<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shape: Option<ShapeRecord>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    extra: FieldsRecord<'a>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RoleRecord<'a> {
    System,
    Developer,
    User,
    Assistant,
    Tool,
    Other(Str<'a>),
}

/// No shape stands for a list of parts.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ShapeRecord {
    Text,
    Null,
    Absent,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PartRecord<'a> {
    Text(TextRecord<'a>),
    Reasoning(ReasoningRecord<'a>),
    ToolCall(CallRecord<'a>),
    ToolResult(ResultRecord<'a>),
    Media(MediaRecord<'a>),
    Refusal(TextRecord<'a>),
    Opaque(OpaqueRecord<'a>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TextRecord<'a> {
    text: Str<'a>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    extra: FieldsRecord<'a>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReasoningRecord<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<Str<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signature: Option<Str<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    encrypted: Option<Str<'a>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    extra: FieldsRecord<'a>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CallRecord<'a> {
    id: Str<'a>,
    name: Str<'a>,
    arguments: ArgumentsRecord<'a>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    extra: FieldsRecord<'a>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ArgumentsRecord<'a> {
    Text(Str<'a>),
    Value(Str<'a>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultRecord<'a> {
    call_id: Str<'a>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<Str<'a>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PartRecord<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    is_error: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shape: Option<ShapeRecord>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    extra: FieldsRecord<'a>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MediaRecord<'a> {
    kind: MediaKindRecord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    media_type: Option<Str<'a>>,
    source: SourceRecord<'a>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<Str<'a>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    extra: FieldsRecord<'a>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MediaKindRecord {
    Image,
    Audio,
    Video,
    File,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SourceRecord<'a> {
    Base64(Str<'a>),
    Url(Str<'a>),
    FileId(Str<'a>),
    Text(Str<'a>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OpaqueRecord<'a> {
    format: Str<'a>,
    json: Str<'a>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BoundaryRecord<'a> {
    kept_from: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pinned: Vec<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    superseded: Vec<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    summary: Vec<Str<'a>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cleared: Vec<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    held: Vec<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pins: Vec<u64>,
    receipt: ReceiptRecord<'a>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReceiptRecord<'a> {
    trigger: Str<'a>,
    strategy: Str<'a>,
    estimator: Str<'a>,
    before: SizeRecord,
    after: SizeRecord,
    covered: CoveredRecord<'a>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    summary: Option<SummaryRecord<'a>>,
    #[serde(default, skip_serializing_if = "is_zero")]
    erasures: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands in a reference"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SizeRecord {
    events: u64,
    turns: u64,
    tokens: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CoveredRecord<'a> {
    count: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<u64>,
    digest: Str<'a>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SummaryRecord<'a> {
    model: Str<'a>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    attempts: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retained_per_mille: Option<u32>,
}
