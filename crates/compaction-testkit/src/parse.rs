//! From notation to a log.

use core::error::Error;
use core::fmt;
use core::str::FromStr;

use crate::log::Log;
use crate::note::{Note, Role};

/// A text that is no log in notation: which word, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotationError {
    word: String,
    why: String,
}

impl NotationError {
    pub(crate) fn new(word: &str, why: impl Into<String>) -> Self {
        Self {
            word: word.to_owned(),
            why: why.into(),
        }
    }

    /// The word that is wrong.
    #[must_use]
    pub fn word(&self) -> &str {
        &self.word
    }
}

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.word, self.why)
    }
}

impl Error for NotationError {}

impl Log {
    /// Adds a log in notation. A bar between words is a mark for the eye.
    ///
    /// # Errors
    ///
    /// A word is no note, or the second of its name. The words before it are added.
    pub fn append(&mut self, text: &str) -> Result<(), NotationError> {
        for word in text.split_whitespace().filter(|word| *word != "|") {
            let note = note(word)?;
            if !self.positions_of(&note.name).is_empty() {
                return Err(NotationError::new(word, "is the second of its name"));
            }
            if note.role == Role::Prompt {
                let [prompt, summary] = summary_turn(&note.name, note.tokens);
                self.push(prompt);
                self.push(summary);
            } else {
                self.push(note);
            }
        }
        Ok(())
    }
}

impl FromStr for Log {
    type Err = NotationError;

    /// Reads a log in notation, see [`append`](Self::append).
    fn from_str(text: &str) -> Result<Self, NotationError> {
        let mut log = Self::new();
        log.append(text)?;
        Ok(log)
    }
}

impl FromStr for Note {
    type Err = NotationError;

    /// Reads one word. `Σ` stands for two notes, so it is none.
    fn from_str(word: &str) -> Result<Self, NotationError> {
        let note = note(word)?;
        if note.role == Role::Prompt {
            return Err(NotationError::new(word, "is a summary turn, two notes"));
        }
        Ok(note)
    }
}

/// The two notes of a summary turn, which share its name and its cost.
pub(crate) fn summary_turn(name: &str, tokens: Option<u64>) -> [Note; 2] {
    let half = tokens.map(|tokens| tokens / 2);
    let rest = tokens.map(|tokens| tokens - tokens / 2);
    let note = |role, tokens| Note {
        tokens,
        ..Note::new(name, role)
    };
    [note(Role::Prompt, half), note(Role::Summary, rest)]
}

fn note(word: &str) -> Result<Note, NotationError> {
    let fail = |why: &str| NotationError::new(word, why);
    let end_of_name = word.find(['[', '(', '!', ':']).unwrap_or(word.len());
    let (name, mut rest) = word.split_at(end_of_name);
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if !name.chars().skip(1).all(is_part) {
        return Err(fail(
            "has a name that is not made of letters, digits, `_`, `-` and `.`",
        ));
    }
    let role = match name.chars().next() {
        Some('s') => Role::System,
        Some('u' | 'q' | 'm') => Role::User,
        Some('a' | 'r' | 'p' | 'c') => Role::Assistant,
        Some('t') => Role::Tool,
        Some('y') => Role::Summary,
        Some('Σ') => Role::Prompt,
        _ => return Err(fail("begins with none of s u q m a r p c t y Σ")),
    };
    let mut note = Note::new(name, role);

    if let Some(inner) = rest.strip_prefix('[') {
        let (ids, after) = inner.split_once(']').ok_or_else(|| fail("lacks a `]`"))?;
        note = note.with_calls(ids.split(','));
        rest = after;
    }
    if let Some(inner) = rest.strip_prefix('(') {
        let (ids, after) = inner.split_once(')').ok_or_else(|| fail("lacks a `)`"))?;
        note = note.with_results(ids.split(','));
        rest = after;
    }
    if let Some(after) = rest.strip_prefix('!') {
        note = note.pinned();
        rest = after;
    }
    if let Some(tokens) = rest.strip_prefix(':') {
        let tokens = tokens.parse();
        note = note.with_tokens(tokens.map_err(|_| {
            fail("has a cost that is no number; a pin goes before it, as in u1!:8")
        })?);
        rest = "";
    }
    if !rest.is_empty() {
        return Err(fail(
            "goes on after its end: name, [calls], (results), !, :cost",
        ));
    }

    if !note.calls.is_empty() && role != Role::Assistant {
        return Err(fail("makes calls, which only a r p c do"));
    }
    let is_fixed = matches!(role, Role::System | Role::Summary | Role::Prompt);
    if !note.results.is_empty() && is_fixed {
        return Err(fail("answers calls, which s y Σ do not"));
    }
    if name.starts_with('c') && note.calls.is_empty() {
        return Err(fail("makes no call, name them: c1[k1]"));
    }
    if role == Role::Tool && note.results.is_empty() {
        return Err(fail("answers no call, name them: t1(k1)"));
    }
    if note.is_pinned && is_fixed {
        return Err(fail(
            "is pinned, which means nothing for system prompts and summaries",
        ));
    }
    Ok(note)
}
