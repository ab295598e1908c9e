//! A JSON value as a slice of text.

use std::borrow::Cow;
use std::fmt;

use serde::Deserializer as _;
use serde_json::value::RawValue;
use session_log::Json;

use crate::json::members::Members;
use crate::json::visit::{Find, FirstItems, Items, Pairs};

/// What sort of value a slice holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

/// One JSON value, well formed, without white space around it.
#[derive(Clone, Copy)]
pub(crate) struct Raw<'a>(&'a str);

impl<'a> Raw<'a> {
    /// The value, if `text` is exactly one.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let value: &RawValue = serde_json::from_str(text).ok()?;
        Some(Self(value.get()))
    }

    /// The value in `text`, which was found to be exactly one.
    pub(crate) fn trusted(text: &'a str) -> Self {
        Self(text)
    }

    pub(super) fn of(value: &'a RawValue) -> Self {
        Self(value.get())
    }

    pub(crate) fn text(self) -> &'a str {
        self.0
    }

    pub(crate) fn kind(self) -> Kind {
        match self.0.as_bytes().first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') | None => Kind::Null,
            Some(_) => Kind::Number,
        }
    }

    pub(crate) fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The decoded string, if the value is one.
    pub(crate) fn as_str(self) -> Option<Cow<'a, str>> {
        if self.kind() != Kind::String {
            return None;
        }
        if !self.0.contains('\\') {
            return self.0.get(1..self.0.len() - 1).map(Cow::Borrowed);
        }
        serde_json::from_str::<String>(self.0).ok().map(Cow::Owned)
    }

    pub(crate) fn as_bool(self) -> Option<bool> {
        match self.0 {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The elements, if the value is an array.
    pub(crate) fn items(self) -> Option<Vec<Self>> {
        if self.kind() != Kind::Array {
            return None;
        }
        let mut deserializer = serde_json::Deserializer::from_str(self.0);
        deserializer.deserialize_seq(Items).ok()
    }

    /// The first elements, if the value is an array: no more than `count`, and no more is read.
    pub(crate) fn first_items(self, count: usize) -> Option<Vec<Self>> {
        if self.kind() != Kind::Array {
            return None;
        }
        let mut items = Vec::new();
        let mut deserializer = serde_json::Deserializer::from_str(self.0);
        // Stopping early is an error to the deserializer, but not to us.
        let _ = deserializer.deserialize_seq(FirstItems {
            count,
            items: &mut items,
        });
        Some(items)
    }

    /// The first member with this name, if the value is an object: no more is read.
    pub(crate) fn find(self, name: &str) -> Option<Self> {
        if self.kind() != Kind::Object {
            return None;
        }
        let mut found = None;
        let mut deserializer = serde_json::Deserializer::from_str(self.0);
        let _ = deserializer.deserialize_map(Find {
            name,
            found: &mut found,
        });
        found
    }

    /// The decoded string of the first member with this name.
    pub(crate) fn find_str(self, name: &str) -> Option<Cow<'a, str>> {
        self.find(name)?.as_str()
    }

    /// The members in their order, if the value is an object.
    pub(crate) fn members(self) -> Option<Members<'a>> {
        if self.kind() != Kind::Object {
            return None;
        }
        let mut deserializer = serde_json::Deserializer::from_str(self.0);
        deserializer.deserialize_map(Pairs).ok()
    }

    /// The value of one member; the last one, when the name is there twice.
    pub(crate) fn member(self, name: &str) -> Option<Self> {
        self.members()?.peek(name)
    }

    /// The decoded string of one member.
    pub(crate) fn member_str(self, name: &str) -> Option<Cow<'a, str>> {
        self.member(name)?.as_str()
    }

    pub(crate) fn to_json(self) -> Json {
        Json::new(self.0).unwrap_or_else(|_| Json::null())
    }
}

impl fmt::Debug for Raw<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({} bytes)", self.kind(), self.0.len())
    }
}
