//! The members of an object.

use std::borrow::Cow;

use session_log::Fields;

use crate::json::raw::Raw;

/// The members of an object, taken out one by one; what is left at the end is what was not known.
#[derive(Clone, Default)]
pub(crate) struct Members<'a>(pub(super) Vec<(Cow<'a, str>, Raw<'a>)>);

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

    /// The members in their order.
    pub(crate) fn into_pairs(self) -> impl Iterator<Item = (Cow<'a, str>, Raw<'a>)> {
        self.0.into_iter()
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
