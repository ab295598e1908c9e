//! One entry of a log in notation.

use core::fmt;

use compaction_core::{Entry, EntryKind, Link};

/// Who speaks in a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// A system prompt: `s1`.
    System,
    /// A person: `u1`, `q1`, `m1`.
    User,
    /// A model: `a1`, `r1`, `p1`, `a1[k1]`, `c1[k1]`.
    Assistant,
    /// A tool: `t1(k1)`.
    Tool,
    /// The first half of a summary turn, which asks for it.
    Prompt,
    /// A summary: `y1`, or the second half of the summary turn `Σ`.
    Summary,
}

/// One entry of a log in notation: a name and what it is to the cut, without a text.
///
/// ```
/// use compaction_core::{Entry, EntryKind};
/// use compaction_testkit::Note;
///
/// let note: Note = "c1[k1,k2]!:30".parse()?;
/// assert_eq!(note.name(), "c1");
/// assert_eq!(note.kind(), EntryKind::StepStart);
/// assert_eq!(note.calls(), ["k1", "k2"]);
/// assert!(note.is_pinned());
/// assert_eq!(note.tokens(), 30);
/// # Ok::<(), compaction_testkit::NotationError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) calls: Vec<String>,
    pub(crate) results: Vec<String>,
    pub(crate) is_pinned: bool,
    pub(crate) tokens: Option<u64>,
}

impl Note {
    /// A note with this name and role and nothing else.
    #[must_use]
    pub fn new(name: impl Into<String>, role: Role) -> Self {
        Self {
            name: name.into(),
            role,
            calls: Vec::new(),
            results: Vec::new(),
            is_pinned: false,
            tokens: None,
        }
    }

    /// The same note, making these calls.
    #[must_use]
    pub fn with_calls<I: Into<String>>(mut self, ids: impl IntoIterator<Item = I>) -> Self {
        self.calls = ids.into_iter().map(Into::into).collect();
        self
    }

    /// The same note, answering these calls.
    #[must_use]
    pub fn with_results<I: Into<String>>(mut self, ids: impl IntoIterator<Item = I>) -> Self {
        self.results = ids.into_iter().map(Into::into).collect();
        self
    }

    /// The same note, pinned.
    #[must_use]
    pub fn pinned(mut self) -> Self {
        self.is_pinned = true;
        self
    }

    /// The same note at a cost of its own.
    #[must_use]
    pub fn with_tokens(mut self, tokens: u64) -> Self {
        self.tokens = Some(tokens);
        self
    }

    /// The same note, named by its first letter and this number.
    pub(crate) fn renamed(&self, number: usize) -> Self {
        let letter: String = self.name.chars().take(1).collect();
        Self {
            name: format!("{letter}{number}"),
            ..self.clone()
        }
    }

    /// The name, which is how an expectation refers to the note.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Who speaks.
    #[must_use]
    pub fn role(&self) -> Role {
        self.role
    }

    /// The ids of the calls it makes.
    #[must_use]
    pub fn calls(&self) -> &[String] {
        &self.calls
    }

    /// The ids of the calls it answers.
    #[must_use]
    pub fn results(&self) -> &[String] {
        &self.results
    }

    /// Whether it is pinned.
    #[must_use]
    pub fn is_pinned(&self) -> bool {
        self.is_pinned
    }

    /// What it costs: 1 unless it says otherwise.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.tokens.unwrap_or(1)
    }

    /// The note as a formatter would render it, its name being its text: `User: u1`.
    #[must_use]
    pub fn line(&self) -> String {
        let name = &self.name;
        match self.role {
            Role::System => format!("System: {name}"),
            Role::User => format!("User: {name}"),
            Role::Prompt => "User: Summarize the conversation we had so far.".to_owned(),
            Role::Assistant if !self.calls.is_empty() => {
                let calls: Vec<_> = self.calls.iter().map(|id| format!("{id}()")).collect();
                format!("Assistant [tool calls: {}]", calls.join(", "))
            }
            Role::Assistant | Role::Summary => format!("Assistant: {name}"),
            Role::Tool => {
                let results: Vec<_> = self
                    .results
                    .iter()
                    .map(|id| format!("{id} -> {name}"))
                    .collect();
                format!("Tool [responses: {}]", results.join(", "))
            }
        }
    }
}

/// A token for each character of the rendered line: `u1` costs 8, `a1` 13, `s1` 10.
///
/// ```
/// use compaction_testkit::{Log, characters};
///
/// let log: Log = "s1 u1 a1".parse()?;
/// let costs: Vec<u64> = log.notes().iter().map(characters).collect();
/// assert_eq!(costs, [10, 8, 13]);
/// # Ok::<(), compaction_testkit::NotationError>(())
/// ```
#[must_use]
pub fn characters(note: &Note) -> u64 {
    note.line().chars().count() as u64
}

impl Entry for Note {
    fn kind(&self) -> EntryKind {
        match self.role {
            Role::System => EntryKind::System,
            Role::Prompt | Role::Summary => EntryKind::Summary,
            Role::User => EntryKind::TurnStart,
            Role::Assistant if !self.calls.is_empty() => EntryKind::StepStart,
            Role::Assistant | Role::Tool => EntryKind::Continuation,
        }
    }

    fn links<'a>(&'a self, each: &mut dyn FnMut(Link<'a>)) {
        for id in &self.results {
            each(Link::Result(id));
        }
        for id in &self.calls {
            each(Link::Call(id));
        }
    }
}

impl fmt::Display for Note {
    /// The note in notation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if !self.calls.is_empty() {
            write!(f, "[{}]", self.calls.join(","))?;
        }
        if !self.results.is_empty() {
            write!(f, "({})", self.results.join(","))?;
        }
        if self.is_pinned {
            f.write_str("!")?;
        }
        match self.tokens {
            Some(tokens) => write!(f, ":{tokens}"),
            None => Ok(()),
        }
    }
}
