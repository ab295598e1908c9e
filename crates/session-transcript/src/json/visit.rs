//! What of an array or an object is read: values stay slices of the text.

use std::borrow::Cow;
use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::json::members::Members;
use crate::json::raw::Raw;

/// The elements of an array.
pub(super) struct Items;

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

/// The first elements of an array.
pub(super) struct FirstItems<'m, 'de> {
    pub(super) count: usize,
    pub(super) items: &'m mut Vec<Raw<'de>>,
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

/// The first member of a name.
pub(super) struct Find<'m, 'de> {
    pub(super) name: &'m str,
    pub(super) found: &'m mut Option<Raw<'de>>,
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

/// The members of an object.
pub(super) struct Pairs;

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
