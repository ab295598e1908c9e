//! A JSON value as a slice of text.

use std::borrow::Cow;
use std::fmt;

use serde::Deserializer as _;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use session_log::{Fields, Json};

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

    fn of(value: &'a RawValue) -> Self {
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

/// The members of an object, taken out one by one; what is left at the end is what was not known.
#[derive(Clone, Default)]
pub(crate) struct Members<'a>(Vec<(Cow<'a, str>, Raw<'a>)>);

impl<'a> Members<'a> {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.peek(name).is_some()
    }

    /// The value of a member, which stays.
    pub(crate) fn peek(&self, name: &str) -> Option<Raw<'a>> {
        self.0
            .iter()
            .rfind(|(key, _)| key == name)
            .map(|(_, value)| *value)
    }

    pub(crate) fn peek_str(&self, name: &str) -> Option<Cow<'a, str>> {
        self.peek(name)?.as_str()
    }

    /// Takes a member out, whatever it holds.
    pub(crate) fn take(&mut self, name: &str) -> Option<Raw<'a>> {
        let value = self.peek(name)?;
        self.0.retain(|(key, _)| key != name);
        Some(value)
    }

    /// Takes a member out if it is a string.
    pub(crate) fn take_str(&mut self, name: &str) -> Option<String> {
        let text = self.peek_str(name)?;
        self.0.retain(|(key, _)| key != name);
        Some(text.into_owned())
    }

    /// Takes a member out if it is a string equal to `text`; says whether it was.
    pub(crate) fn take_if(&mut self, name: &str, text: &str) -> bool {
        if self.peek_str(name).as_deref() != Some(text) {
            return false;
        }
        self.0.retain(|(key, _)| key != name);
        true
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Raw<'a>)> {
        self.0.iter().map(|(key, value)| (&**key, *value))
    }

    /// How often a name is there again.
    pub(crate) fn repeated(&self) -> usize {
        let mut names: Vec<&str> = self.0.iter().map(|(key, _)| &**key).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        all - names.len()
    }

    /// What is left, by name.
    pub(crate) fn into_fields(self) -> Fields {
        self.0
            .into_iter()
            .map(|(key, value)| (key.into_owned(), value.to_json()))
            .collect()
    }
}

struct Items;

impl<'de> Visitor<'de> for Items {
    type Value = Vec<Raw<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(value) = seq.next_element::<&'de RawValue>()? {
            items.push(Raw::of(value));
        }
        Ok(items)
    }
}

struct FirstItems<'m, 'de> {
    count: usize,
    items: &'m mut Vec<Raw<'de>>,
}

impl<'de> Visitor<'de> for FirstItems<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while self.items.len() < self.count
            && let Some(value) = seq.next_element::<&'de RawValue>()?
        {
            self.items.push(Raw::of(value));
        }
        Ok(())
    }
}

struct Find<'m, 'de> {
    name: &'m str,
    found: &'m mut Option<Raw<'de>>,
}

impl<'de> Visitor<'de> for Find<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some((key, value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
            if key.0 == self.name {
                *self.found = Some(Raw::of(value));
                break;
            }
        }
        Ok(())
    }
}

struct Pairs;

impl<'de> Visitor<'de> for Pairs {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some((key, value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
            members.push((key.0, Raw::of(value)));
        }
        Ok(Members(members))
    }
}

/// A member's name, borrowed where it has no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de> serde::Deserialize<'de> for Key<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;

        impl<'de> Visitor<'de> for Name {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(text.into())))
            }
        }

        deserializer.deserialize_str(Name)
    }
}
