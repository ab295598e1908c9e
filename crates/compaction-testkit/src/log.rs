//! A log in notation, with its outline.

use core::fmt;

use compaction_core::{Entry, Outline, Plan, View};

use crate::note::{Note, Role};
use crate::parse::summary_turn;

/// A log in notation, with its outline.
///
/// ```
/// use compaction_testkit::Log;
///
/// let log: Log = "s1 u1 c1[k1] t1(k1) a1 | u2!:8".parse()?;
/// assert_eq!(log.notes().len(), 6);
/// assert_eq!(log.outline().turns(), [1, 5]);
/// assert_eq!(log.outline().pins(), [5]);
/// assert_eq!(log.to_string(), "s1 u1 c1[k1] t1(k1) a1 u2!:8");
/// # Ok::<(), compaction_testkit::NotationError>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Log {
    notes: Vec<Note>,
    outline: Outline,
}

impl Log {
    /// An empty log.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next note.
    pub fn push(&mut self, note: Note) {
        if note.is_pinned {
            self.outline.push_pinned(note.kind(), note.tokens());
        } else {
            self.outline.push(note.kind(), note.tokens());
        }
        self.notes.push(note);
    }

    /// The same log, where notes that have no cost of their own cost what `cost` says.
    #[must_use]
    pub fn with_costs(&self, cost: impl Fn(&Note) -> u64) -> Self {
        let costed = |note: &Note| {
            let tokens = note.tokens.unwrap_or_else(|| cost(note));
            note.clone().with_tokens(tokens)
        };
        self.notes.iter().map(costed).collect()
    }

    /// The notes, oldest first.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The outline of the notes.
    #[must_use]
    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    /// The log as a strategy sees it.
    #[must_use]
    pub fn view(&self) -> View<'_, Note> {
        View::new(&self.notes, &self.outline)
    }

    /// Where the notes of this name stand: one place, two for a summary turn.
    #[must_use]
    pub fn positions_of(&self, name: &str) -> Vec<usize> {
        let named = self.notes.iter().enumerate();
        named
            .filter(|(_, note)| note.name == name)
            .map(|(position, _)| position)
            .collect()
    }

    /// The names of the notes at these positions, a summary turn once; `-` for none.
    #[must_use]
    pub fn names(&self, positions: impl IntoIterator<Item = usize>) -> String {
        let mut names: Vec<&str> = Vec::new();
        for position in positions {
            let name = self.notes.get(position).map_or("?", |note| &note.name);
            let is_second_half = names.last() == Some(&name) && name.starts_with('Σ');
            if !is_second_half {
                names.push(name);
            }
        }
        match names.as_slice() {
            [] => "-".to_owned(),
            names => names.join(" "),
        }
    }

    /// The view that `plan` leaves: what is pinned, the new summary at this cost, what is kept.
    ///
    /// The next pass starts from it. A note that the plan pins is not pinned for good by it.
    #[must_use]
    pub fn after(&self, plan: &Plan, summary_tokens: u64) -> Self {
        let note = |position: usize| self.notes.get(position).cloned();
        let mut log: Self = plan.pinned().iter().copied().filter_map(note).collect();
        if plan.is_summarized() {
            let name = self.name_of_next_summary();
            let turn = summary_turn(&name, Some(summary_tokens));
            turn.into_iter().for_each(|note| log.push(note));
        }
        plan.kept()
            .iter()
            .filter_map(note)
            .for_each(|note| log.push(note));
        log
    }

    /// `Σ1`, `Σ2` …: one more than the highest there is.
    fn name_of_next_summary(&self) -> String {
        let numbers = self.notes.iter().filter_map(|note| {
            let number = note.name.strip_prefix('Σ')?;
            number.parse::<u64>().ok()
        });
        let next = numbers.max().unwrap_or_default().saturating_add(1);
        format!("Σ{next}")
    }
}

impl FromIterator<Note> for Log {
    fn from_iter<I: IntoIterator<Item = Note>>(notes: I) -> Self {
        let mut log = Self::new();
        notes.into_iter().for_each(|note| log.push(note));
        log
    }
}

impl fmt::Debug for Log {
    /// The log in notation, so that a failure can be read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Log({self})")
    }
}

impl fmt::Display for Log {
    /// The log in notation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut notes = self.notes.iter().peekable();
        let mut separator = "";
        while let Some(note) = notes.next() {
            f.write_str(separator)?;
            separator = " ";
            let other_half =
                notes.next_if(|next| note.role == Role::Prompt && next.name == note.name);
            let other_tokens = other_half.and_then(|half| half.tokens);
            match note.tokens.zip(other_tokens) {
                Some((one, other)) => {
                    write!(f, "{}:{}", note.name, one.saturating_add(other))?;
                }
                None => write!(f, "{note}")?,
            }
        }
        Ok(())
    }
}
