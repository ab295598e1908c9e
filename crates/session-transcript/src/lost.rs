//! What a writer had no place for.

use std::collections::BTreeMap;

use crate::transcript::Warning;

/// What a writer had no place for, counted by what is to be said of it.
#[derive(Debug, Default)]
pub(crate) struct Lost(BTreeMap<&'static str, usize>);

impl Lost {
    pub(crate) fn one(&mut self, what: &'static str) {
        self.add(what, 1);
    }

    pub(crate) fn add(&mut self, what: &'static str, count: usize) {
        if count > 0 {
            *self.0.entry(what).or_default() += count;
        }
    }

    /// One warning for each kind of loss, with its number.
    pub(crate) fn into_warnings(self) -> impl Iterator<Item = Warning> {
        let lost = self.0.into_iter();
        lost.map(|(what, number)| Warning::file(format!("{number} {what}")))
    }
}
