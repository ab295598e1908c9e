//! Ids of calls as a provider takes them.

use std::collections::{BTreeMap, BTreeSet};

use crate::write::{Draft, Repair};

/// The name to write for a call: providers refuse one that names no tool.
pub(crate) fn name(name: &str, is_exact: bool) -> &str {
    match name {
        "" if !is_exact => "unnamed",
        name => name,
    }
}

/// What ids a provider takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Any that is not empty.
    #[default]
    Present,
    /// Letters, digits, `_` and `-`, and each once in a request.
    Unique,
}

/// Gives calls ids that fit, and their results the same ones; where nothing is to be repaired both keep
/// what they have.
///
/// Results must come after their calls, each once, as a repaired conversation has them.
#[derive(Debug, Default)]
pub(crate) struct CallIds {
    fit: Fit,
    is_exact: bool,
    used: BTreeSet<String>,
    /// The last number that was put behind an id.
    numbers: BTreeMap<String, u64>,
    waiting: BTreeMap<String, Vec<String>>,
}

impl CallIds {
    /// The ids of what is drafted, for a provider that takes these.
    pub(crate) fn of(draft: &Draft<'_>, fit: Fit) -> Self {
        Self {
            fit,
            is_exact: draft.repair == Repair::Nothing,
            ..Self::default()
        }
    }

    /// The id to write for a call.
    pub(crate) fn call(&mut self, id: &str) -> String {
        if self.is_exact {
            return id.into();
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let base: String = match self.fit {
            _ if id.is_empty() => "call".into(),
            Fit::Present => id.into(),
            Fit::Unique => id
                .chars()
                .map(|c| if is_plain(c) { c } else { '_' })
                .collect(),
        };
        let mut fit = base.clone();
        if self.fit == Fit::Unique || id.is_empty() {
            let number = self.numbers.entry(base.clone()).or_insert(1);
            while self.used.contains(&fit) {
                *number += 1;
                fit = format!("{base}_{number}");
            }
        }
        self.used.insert(fit.clone());
        self.waiting.entry(id.into()).or_default().push(fit.clone());
        fit
    }

    /// The id to write for a result: that of the nearest earlier call with its id that has none.
    pub(crate) fn result(&mut self, id: &str) -> String {
        self.waiting
            .get_mut(id)
            .and_then(Vec::pop)
            .unwrap_or_else(|| id.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(fit: Fit, repair: Repair) -> CallIds {
        let draft = Draft {
            items: Vec::new(),
            envelope: None,
            repair,
            is_request: false,
            is_file: false,
        };
        CallIds::of(&draft, fit)
    }

    #[test]
    fn nothing_is_renamed_where_nothing_is_to_be_repaired() {
        let mut ids = of(Fit::Unique, Repair::Nothing);
        for id in ["a.b", "", "a.b"] {
            assert_eq!([ids.call(id), ids.result(id)], [id, id]);
        }
    }

    #[test]
    fn ids_become_plain_and_unique_and_results_follow() {
        let mut ids = of(Fit::Unique, Repair::Abandoned);
        assert_eq!(ids.call("a.b"), "a_b");
        assert_eq!(ids.call("a.b"), "a_b_2");
        assert_eq!(ids.result("a.b"), "a_b_2");
        assert_eq!(ids.result("a.b"), "a_b");
        assert_eq!(ids.call(""), "call");
        assert_eq!(ids.result(""), "call");
    }

    #[test]
    fn an_id_that_is_there_is_kept_where_that_is_enough() {
        let mut ids = of(Fit::Present, Repair::Abandoned);
        assert_eq!(ids.call("a.b"), "a.b");
        assert_eq!(ids.result("a.b"), "a.b");
        assert_eq!(ids.call("a.b"), "a.b");
        assert_eq!([ids.call(""), ids.call("")], ["call", "call_2"]);
    }
}
