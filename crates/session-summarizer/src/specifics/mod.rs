//! Specifics: the names, paths, commands and numbers that a summary must carry over exactly.
//!
//! They are found by their shape alone, in any language around them, with no list of what a
//! project contains. Two texts are compared by the specifics they share: what a summary keeps of
//! the conversation, and what it names that was never said.

mod commands;
mod scan;

use std::borrow::Cow;
use std::collections::HashSet;

pub(crate) use self::commands::command_of_call;

/// What shape a [`Specific`] has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SpecificKind {
    /// An address with a scheme.
    Url,
    /// A path or the name of a file.
    Path,
    /// A command line.
    Command,
    /// An identifier: a ticket, a hash, a function, a branch, an environment variable.
    Id,
    /// A number of at least two digits, with a fraction or with a unit; a date, a version.
    Number,
}

impl SpecificKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Url, Self::Path, Self::Command, Self::Id, Self::Number];
}

/// Something that loses its meaning when it is not copied exactly.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Specific {
    /// Its shape.
    pub kind: SpecificKind,
    /// How it was written where it was found first.
    pub text: String,
}

impl Specific {
    fn new(kind: SpecificKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
        }
    }

    /// What two spellings of the same thing have in common: case, separators of thousands, the
    /// unit behind a number, a slash at the end do not count.
    pub(crate) fn key(&self) -> String {
        let lower = self.text.to_lowercase();
        match self.kind {
            SpecificKind::Number => number_key(&lower),
            SpecificKind::Url => {
                let host = lower.split_once("://").map_or(&*lower, |(_, host)| host);
                host.trim_end_matches('/').into()
            }
            SpecificKind::Path => lower.trim_start_matches("./").trim_end_matches('/').into(),
            SpecificKind::Command => lower.split_whitespace().collect::<Vec<_>>().join(" "),
            SpecificKind::Id => lower,
        }
    }
}

/// The specifics of a text, in order, each once.
///
/// ```
/// use session_summarizer::{SpecificKind::*, specifics};
///
/// let found = specifics("Never edit legacy/tax_rules.py; p95 is 840 ms, see BILL-4417 and/or `cargo test -q`.");
/// let found: Vec<_> = found.iter().map(|it| (it.kind, it.text.as_str())).collect();
/// assert_eq!(found, [
///     (Path, "legacy/tax_rules.py"),
///     (Id, "p95"),
///     (Number, "840"),
///     (Id, "BILL-4417"),
///     (Command, "cargo test -q"),
/// ]);
/// ```
#[must_use]
pub fn specifics(text: &str) -> Vec<Specific> {
    let mut found = Vec::new();
    scan::scan(text, &mut found);
    let mut seen = HashSet::new();
    found.retain(|specific| seen.insert((specific.kind, specific.key())));
    found
}

/// A text in which specifics are looked up.
pub(crate) struct Haystack<'a> {
    lower: Cow<'a, str>,
    keys: HashSet<String>,
}

impl Haystack<'_> {
    pub(crate) fn new(text: &str) -> Self {
        let keys = specifics(text).iter().map(Specific::key).collect();
        Haystack {
            lower: Cow::Owned(text.to_lowercase()),
            keys,
        }
    }

    /// Whether the text names `specific`, in any of its spellings. A path is named by its last
    /// part too, a command by its first two words.
    pub(crate) fn has(&self, specific: &Specific) -> bool {
        let key = specific.key();
        if self.keys.contains(&key) {
            return true;
        }
        match specific.kind {
            SpecificKind::Number => false,
            SpecificKind::Url | SpecificKind::Id => self.lower.contains(&key),
            SpecificKind::Path => {
                let name = key.rsplit(['/', '\\']).next().unwrap_or(&key);
                self.lower.contains(&key) || (name.len() >= 4 && self.lower.contains(name))
            }
            SpecificKind::Command => {
                let mut words = key.split(' ');
                let start = match (words.next(), words.next()) {
                    (Some(program), Some(first)) => format!("{program} {first}"),
                    _ => key.clone(),
                };
                self.lower.contains(&start)
            }
        }
    }
}

/// Digits without separators of thousands, and without the unit behind them.
fn number_key(lower: &str) -> String {
    let digits: String = lower.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let unit = digits.trim_end_matches(|c: char| !c.is_ascii_digit());
    unit.trim_start_matches('v').into()
}
