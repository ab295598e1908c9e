//! What one side has and the other has no place for: it is kept under its own name, and put back.

use rig_core::message::AssistantContent;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use session_log::{Fields, Json};

use crate::error::TypedError;

/// The format that parts nobody else knows are kept under.
pub(crate) const FORMAT: &str = "rig";

/// A mark of ours: names that begin so are written by no exporter.
pub(crate) const JSON: &str = "@json";

/// The whole of a call whose arguments are not what its text says.
pub(crate) const FUNCTION: &str = "@function";

/// The id of a call was issued by rig and not by the provider.
pub(crate) const LOCAL: &str = "@local";

/// What `value` serializes to, but for the fields that have a place of their own.
pub(crate) fn rest_of(value: &impl Serialize, known: &[&str]) -> Result<Fields, TypedError> {
    let Value::Object(fields) = serde_json::to_value(value)? else {
        return Ok(Fields::new());
    };
    let rest = fields.into_iter().filter(|(name, value)| {
        let is_known = known.contains(&name.as_str());
        !is_known && !value.is_null()
    });
    Ok(rest.map(|(name, value)| (name, value.into())).collect())
}

/// A part made of `fields` and, where they can be read, of what was kept beside it.
pub(crate) fn with_rest<T: DeserializeOwned>(
    fields: Map<String, Value>,
    rest: &Fields,
) -> Option<T> {
    let mut whole: Map<String, Value> = rest
        .iter()
        .filter(|(name, _)| !name.starts_with('@'))
        .filter_map(|(name, json)| Some((name.clone(), json.to_value().ok()?)))
        .collect();
    whole.extend(fields.clone());
    serde_json::from_value(Value::Object(whole))
        .or_else(|_| serde_json::from_value(Value::Object(fields)))
        .ok()
}

/// One field, if it is there and can be read.
pub(crate) fn field<T: DeserializeOwned>(fields: &Fields, name: &str) -> Option<T> {
    serde_json::from_value(fields.get(name)?.to_value().ok()?).ok()
}

pub(crate) fn mark(fields: &mut Fields, name: &str) {
    fields.insert(name.into(), Json::from(Value::Bool(true)));
}

/// Text of a part as text of rig, with its citations and its provider's item.
pub(crate) fn text<T: DeserializeOwned>(text: &session_log::Text) -> Option<T> {
    let mut fields = Map::new();
    fields.insert("type".into(), "text".into());
    fields.insert("text".into(), text.text.as_str().into());
    with_rest(fields, &text.extra)
}

/// The provider's item of a block, while the block says what the item said.
pub(crate) fn native_text(block: &AssistantContent, name: &str) -> Option<String> {
    Some(block.native_item()?.get(name)?.as_str()?.to_owned())
}
