//! JSON kept as it was written.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use core::fmt;

use serde::de::IgnoredAny;

/// A JSON value as text: number text, key order and spacing stay as they came.
///
/// Parsing is a view on it, made with [`Json::to_value`]; re-writing a value would change what a
/// provider signed or cached.
///
/// ```
/// use session_log::Json;
///
/// let json = Json::new(r#"{"b": 1.0, "a": 1e2}"#).unwrap();
/// assert_eq!(json.as_str(), r#"{"b": 1.0, "a": 1e2}"#);
/// assert!(Json::new("{").is_err());
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Json(Box<str>);

/// A text is not one JSON value.
#[derive(Debug, thiserror::Error)]
#[error("not a JSON value")]
pub struct InvalidJson(#[source] serde_json::Error);

impl Json {
    /// Takes `text` as it is, if it is exactly one JSON value.
    ///
    /// # Errors
    ///
    /// [`InvalidJson`] with the line and column of the fault as its source.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidJson> {
        let text = text.into();
        serde_json::from_str::<IgnoredAny>(&text).map_err(InvalidJson)?;
        Ok(Self(text.into_boxed_str()))
    }

    /// Writes `value` as compact JSON text.
    #[must_use]
    pub fn from_value(value: &serde_json::Value) -> Self {
        use alloc::string::ToString;
        Self(value.to_string().into_boxed_str())
    }

    /// The JSON `null`.
    #[must_use]
    pub fn null() -> Self {
        Self("null".into())
    }

    /// The JSON string with this content.
    #[must_use]
    pub fn string(text: &str) -> Self {
        Self::from_value(&serde_json::Value::from(text))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The parsed value.
    ///
    /// # Errors
    ///
    /// [`InvalidJson`] when the value is nested deeper than 128 levels or has a string that is not
    /// valid Unicode; such JSON is kept but cannot be looked into.
    pub fn to_value(&self) -> Result<serde_json::Value, InvalidJson> {
        serde_json::from_str(&self.0).map_err(InvalidJson)
    }
}

impl fmt::Debug for Json {
    /// Says how long the text is, not what it says: it may hold what a user wrote.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Json({} bytes)", self.0.len())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<serde_json::Value> for Json {
    fn from(value: serde_json::Value) -> Self {
        Self::from_value(&value)
    }
}

/// Named JSON values: metadata of sessions and events, and fields of a source record that have no
/// place of their own.
pub type Fields = BTreeMap<String, Json>;
