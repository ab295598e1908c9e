//! Reading JSON strictly: a key that nobody asked for is an error, so that no part of a case is
//! passed over in silence.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde_json::Value;

/// A case, or a part of one, is not written as it must be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{reason}")]
pub struct Malformed {
    /// What is wrong and where, in a clause.
    pub reason: String,
}

pub(crate) type Parsed<T> = Result<T, Malformed>;

pub(crate) fn malformed<T>(reason: impl Display) -> Parsed<T> {
    Err(Malformed {
        reason: reason.to_string(),
    })
}

/// The fields of an object that were not taken yet.
#[derive(Clone, Debug)]
pub(crate) struct Object<'a> {
    what: String,
    fields: BTreeMap<&'a str, &'a Value>,
}

impl<'a> Object<'a> {
    /// The object in `value`, which errors call `what`.
    pub(crate) fn of(value: &'a Value, what: impl Into<String>) -> Parsed<Self> {
        let what = what.into();
        let Value::Object(fields) = value else {
            return malformed(format!("{what} must be an object, not {}", kind(value)));
        };
        let fields = fields.iter().map(|(name, value)| (name.as_str(), value));
        Ok(Self {
            what,
            fields: fields.collect(),
        })
    }

    pub(crate) fn take(&mut self, name: &str) -> Option<&'a Value> {
        self.fields.remove(name)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    /// Takes a field that must be there.
    pub(crate) fn need(&mut self, name: &str) -> Parsed<&'a Value> {
        match self.take(name) {
            Some(value) => Ok(value),
            None => malformed(format!("{} has no `{name}`", self.what)),
        }
    }

    pub(crate) fn text(&mut self, name: &str) -> Parsed<Option<&'a str>> {
        let what = self.path(name);
        self.take(name).map(|value| text(value, &what)).transpose()
    }

    pub(crate) fn need_text(&mut self, name: &str) -> Parsed<&'a str> {
        let what = self.path(name);
        text(self.need(name)?, &what)
    }

    pub(crate) fn number(&mut self, name: &str) -> Parsed<Option<u64>> {
        let what = self.path(name);
        self.take(name)
            .map(|value| number(value, &what))
            .transpose()
    }

    pub(crate) fn need_number(&mut self, name: &str) -> Parsed<u64> {
        let what = self.path(name);
        number(self.need(name)?, &what)
    }

    pub(crate) fn flag(&mut self, name: &str) -> Parsed<bool> {
        match self.take(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => malformed(format!("{} must be true or false", self.path(name))),
        }
    }

    pub(crate) fn texts(&mut self, name: &str) -> Parsed<Option<Vec<String>>> {
        let what = self.path(name);
        self.take(name).map(|value| texts(value, &what)).transpose()
    }

    pub(crate) fn path(&self, name: &str) -> String {
        format!("`{name}` of {}", self.what)
    }

    /// The names of the fields that are left.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.fields.keys().copied()
    }

    /// Ends the reading: what is left is not known.
    pub(crate) fn finish(self) -> Parsed<()> {
        match self.fields.keys().next() {
            None => Ok(()),
            Some(name) => malformed(format!("unknown key `{name}` in {}", self.what)),
        }
    }
}

pub(crate) fn text<'a>(value: &'a Value, what: &str) -> Parsed<&'a str> {
    match value {
        Value::String(text) => Ok(text),
        other => malformed(format!("{what} must be a string, not {}", kind(other))),
    }
}

pub(crate) fn number(value: &Value, what: &str) -> Parsed<u64> {
    match value.as_u64() {
        Some(number) => Ok(number),
        None => malformed(format!(
            "{what} must be a whole number, not {}",
            kind(value)
        )),
    }
}

pub(crate) fn list<'a>(value: &'a Value, what: &str) -> Parsed<&'a [Value]> {
    match value {
        Value::Array(items) => Ok(items),
        other => malformed(format!("{what} must be a list, not {}", kind(other))),
    }
}

pub(crate) fn texts(value: &Value, what: &str) -> Parsed<Vec<String>> {
    let each = |item| text(item, &format!("each of {what}")).map(str::to_owned);
    list(value, what)?.iter().map(each).collect()
}

/// A word for the kind of value.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_key_that_nobody_took_is_named() {
        let value = json!({"a": 1, "b": "x"});
        let mut object = Object::of(&value, "settings").unwrap();
        assert_eq!(object.number("a").unwrap(), Some(1));
        let error = object.clone().finish().unwrap_err();
        assert_eq!(error.reason, "unknown key `b` in settings");
        assert_eq!(object.text("b").unwrap(), Some("x"));
        object.finish().unwrap();
    }

    #[test]
    fn a_value_of_another_kind_is_refused_with_its_place() {
        let value = json!({"a": "1", "c": [1]});
        let mut object = Object::of(&value, "settings").unwrap();
        let error = object.number("a").unwrap_err();
        assert_eq!(
            error.reason,
            "`a` of settings must be a whole number, not a string"
        );
        let error = object.texts("c").unwrap_err();
        assert!(error.reason.contains("must be a string"));
        let error = object.need("d").unwrap_err();
        assert_eq!(error.reason, "settings has no `d`");
    }
}
