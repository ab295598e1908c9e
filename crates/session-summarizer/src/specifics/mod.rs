//! Specifics: the names, paths, commands and numbers that a summary must carry over exactly.
//!
//! They are found by their shape alone, in any language around them, with no list of what a
//! project contains. Two texts are compared by the specifics they share: what a summary keeps of
//! the conversation, and what it names that was never said.

mod commands;
mod scan;

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

/// A short text in which many specifics are looked up.
pub(crate) struct Haystack {
    lower: String,
    keys: HashSet<String>,
}

impl Haystack {
    pub(crate) fn of(text: &str) -> Self {
        let keys = specifics(text).iter().map(Specific::key).collect();
        Haystack {
            lower: text.to_lowercase(),
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
            SpecificKind::Path => self.lower.contains(file_name(&key)),
            SpecificKind::Command => self.lower.contains(&opening(&key)),
        }
    }
}

/// Specifics that are looked for in one text after another.
pub(crate) struct Search {
    wanted: Vec<(Specific, Needle)>,
}

/// How a specific is found in text in lower case.
enum Needle {
    Words(String),
    /// Digits, with nothing but other characters around them.
    Number([String; 2]),
    Found,
}

impl Search {
    pub(crate) fn of(wanted: impl IntoIterator<Item = Specific>) -> Self {
        let needle = |specific: Specific| {
            let needle = Needle::of(&specific);
            (specific, needle)
        };
        Self {
            wanted: wanted.into_iter().map(needle).collect(),
        }
    }

    /// Looks for what is not found yet.
    pub(crate) fn look_in(&mut self, text: &str) {
        let lower = text.to_lowercase();
        for (_, needle) in &mut self.wanted {
            if needle.is_in(&lower) {
                *needle = Needle::Found;
            }
        }
    }

    /// Whether all of them are found.
    pub(crate) fn is_done(&self) -> bool {
        self.wanted
            .iter()
            .all(|(_, it)| matches!(it, Needle::Found))
    }

    /// What was looked for, and whether it was found.
    pub(crate) fn results(&self) -> impl Iterator<Item = (&Specific, bool)> {
        let result = |it: &'_ (Specific, Needle)| matches!(it.1, Needle::Found);
        self.wanted.iter().map(move |it| (&it.0, result(it)))
    }
}

impl Needle {
    fn of(specific: &Specific) -> Self {
        let key = specific.key();
        match specific.kind {
            SpecificKind::Number => Self::Number([with_thousands(&key), key]),
            SpecificKind::Url | SpecificKind::Id => Self::Words(key),
            SpecificKind::Path => Self::Words(file_name(&key).into()),
            SpecificKind::Command => Self::Words(opening(&key)),
        }
    }

    fn is_in(&self, lower: &str) -> bool {
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        match self {
            Self::Found => false,
            Self::Words(words) => lower.contains(words.as_str()),
            Self::Number(spellings) => spellings.iter().any(|digits| {
                lower.match_indices(digits.as_str()).any(|(at, _)| {
                    let (before, after) = lower.split_at_checked(at).unwrap_or_default();
                    let after = after.get(digits.len()..).unwrap_or_default();
                    !is_digit(before.chars().next_back()) && !is_digit(after.chars().next())
                })
            }),
        }
    }
}

/// The last part of a path, if it is long enough to mean something; else all of it.
fn file_name(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    if name.len() >= 4 { name } else { path }
}

/// The first two words of a command.
fn opening(command: &str) -> String {
    command.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

/// `20000` as `20,000`.
fn with_thousands(digits: &str) -> String {
    if digits.len() < 4 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return digits.into();
    }
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && digits.len().saturating_sub(at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Digits without separators of thousands, and without the unit behind them.
fn number_key(lower: &str) -> String {
    let digits: String = lower.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let unit = digits.trim_end_matches(|c: char| !c.is_ascii_digit());
    unit.trim_start_matches('v').into()
}
