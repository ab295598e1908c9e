//! Everything the cut needs to know of a conversation, a few words an entry.

use alloc::vec::Vec;

use crate::entry::{Entry, EntryKind};

/// The most tokens one entry can count, about a trillion. It keeps every sum exact for the first
/// sixteen million entries of that cost.
pub const MAX_TOKENS_PER_ENTRY: u64 = 1 << 40;

/// The shape of a conversation in view order: kinds, turns, and running sums of tokens.
///
/// It is what a pass is decided on. Keep it beside the log and [`push`](Self::push) each new entry
/// in constant time; a window then finds its place with two binary searches however long the
/// conversation is. Or build it when needed with [`of`](Self::of).
///
/// *Conversation* means every entry that is no system prompt, no summary and not pinned.
///
/// ```
/// use compaction_core::{EntryKind::*, Outline};
///
/// let entries = [System, TurnStart, Continuation, TurnStart];
/// let outline = Outline::of(&entries, |_| 10);
/// assert_eq!(outline.turns(), [1, 3]);
/// assert_eq!(outline.conversation_tokens(0), 30);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    kinds: Vec<EntryKind>,
    /// For each entry the tokens of the conversation before it.
    before: Vec<u64>,
    tokens: u64,
    turns: Vec<usize>,
    systems: Vec<usize>,
    latest_system_tokens: u64,
    summaries: Vec<usize>,
    summary_tokens: u64,
    pins: Vec<usize>,
    pin_tokens: u64,
}

impl Outline {
    /// The outline of an empty conversation.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The outline of `entries`, each at the tokens `cost` gives.
    #[must_use]
    pub fn of<E: Entry>(entries: &[E], mut cost: impl FnMut(&E) -> u64) -> Self {
        let mut outline = Self {
            kinds: entries.iter().map(Entry::kind).collect(),
            ..Self::new()
        };
        // Running sums in one tight loop; what is rare is told apart behind it.
        let mut tokens = 0_u64;
        let mut rare = Vec::new();
        let mut turns = Vec::new();
        let sums = entries.iter().zip(&outline.kinds).enumerate();
        let before = sums.map(|(position, (entry, kind))| {
            let before = tokens;
            let cost = cost(entry).min(MAX_TOKENS_PER_ENTRY);
            match kind {
                EntryKind::System | EntryKind::Summary => {
                    rare.push((position, *kind, cost));
                    return before;
                }
                EntryKind::TurnStart => turns.push(position),
                EntryKind::StepStart | EntryKind::Continuation => {}
            }
            tokens = tokens.saturating_add(cost);
            before
        });
        outline.before = before.collect();
        outline.tokens = tokens;
        outline.turns = turns;
        for (position, kind, cost) in rare {
            outline.note_fixed(position, kind, cost);
        }
        outline
    }

    /// Adds the next entry. More than [`MAX_TOKENS_PER_ENTRY`] count as that many.
    pub fn push(&mut self, kind: EntryKind, tokens: u64) {
        let tokens = tokens.min(MAX_TOKENS_PER_ENTRY);
        let position = self.kinds.len();
        self.kinds.push(kind);
        self.before.push(self.tokens);
        match kind {
            EntryKind::System | EntryKind::Summary => {
                self.note_fixed(position, kind, tokens);
                return;
            }
            EntryKind::TurnStart => self.turns.push(position),
            EntryKind::StepStart | EntryKind::Continuation => {}
        }
        self.tokens = self.tokens.saturating_add(tokens);
    }

    /// Adds the next entry, pinned: it stays in the view whatever the window says. A pin on a
    /// system prompt or a summary changes nothing, these have rules of their own.
    ///
    /// A pin holds one entry. Whoever pins a call pins its results with it, and the other way round:
    /// [`pairs`](crate::pairs()) says which they are.
    pub fn push_pinned(&mut self, kind: EntryKind, tokens: u64) {
        let position = self.kinds.len();
        let before = self.tokens;
        self.push(kind, tokens);
        if !matches!(kind, EntryKind::System | EntryKind::Summary) {
            self.tokens = before;
            self.pins.push(position);
            self.pin_tokens = self
                .pin_tokens
                .saturating_add(tokens.min(MAX_TOKENS_PER_ENTRY));
        }
    }

    /// Adds the entry that stands at `position` in `from`, of the same kind and pinned if it is
    /// pinned there. A position past its end adds nothing.
    pub fn push_from(&mut self, from: &Self, position: usize, tokens: u64) {
        match from.kind(position) {
            Some(kind) if from.is_pinned(position) => self.push_pinned(kind, tokens),
            Some(kind) => self.push(kind, tokens),
            None => {}
        }
    }

    /// Notes an entry that is no conversation.
    fn note_fixed(&mut self, position: usize, kind: EntryKind, tokens: u64) {
        if kind == EntryKind::System {
            self.systems.push(position);
            self.latest_system_tokens = tokens;
        } else {
            self.summaries.push(position);
            self.summary_tokens = self.summary_tokens.saturating_add(tokens);
        }
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The kind of the entry at `position`.
    #[must_use]
    pub fn kind(&self, position: usize) -> Option<EntryKind> {
        self.kinds.get(position).copied()
    }

    /// Where turns open, in order, pinned ones included.
    #[must_use]
    pub fn turns(&self) -> &[usize] {
        &self.turns
    }

    /// Where system prompts stand; the last of them is the one that counts.
    #[must_use]
    pub fn systems(&self) -> &[usize] {
        &self.systems
    }

    /// Where entries of summary turns stand.
    #[must_use]
    pub fn summaries(&self) -> &[usize] {
        &self.summaries
    }

    /// Where pinned entries stand.
    #[must_use]
    pub fn pins(&self) -> &[usize] {
        &self.pins
    }

    /// Whether the entry at `position` is pinned.
    #[must_use]
    pub fn is_pinned(&self, position: usize) -> bool {
        self.pins.binary_search(&position).is_ok()
    }

    /// Whether the entry at `position` belongs to the conversation.
    #[must_use]
    pub fn is_conversation(&self, position: usize) -> bool {
        match self.kind(position) {
            None | Some(EntryKind::System | EntryKind::Summary) => false,
            Some(_) => !self.is_pinned(position),
        }
    }

    /// Where the newest turn opens.
    #[must_use]
    pub fn newest_turn(&self) -> Option<usize> {
        self.turns.last().copied()
    }

    /// The end of the preamble: where the first turn opens, or the end when there is no turn.
    ///
    /// ```
    /// use compaction_core::{EntryKind::*, Outline};
    ///
    /// let entries = [System, Continuation, TurnStart, TurnStart];
    /// assert_eq!(Outline::of(&entries, |_| 1).preamble_end(), 2);
    /// assert_eq!(Outline::of(&entries[..2], |_| 1).preamble_end(), 2);
    /// ```
    #[must_use]
    pub fn preamble_end(&self) -> usize {
        self.turns.first().copied().unwrap_or(self.len())
    }

    /// How many conversation entries stand at or after `position`.
    #[must_use]
    pub fn conversation_entries(&self, position: usize) -> usize {
        let fixed = |positions: &[usize]| {
            let before = positions.partition_point(|at| *at < position);
            positions.len() - before
        };
        let fixed = fixed(&self.systems) + fixed(&self.summaries) + fixed(&self.pins);
        self.len().saturating_sub(position).saturating_sub(fixed)
    }

    /// The tokens of the conversation at or after `position`.
    #[must_use]
    pub fn conversation_tokens(&self, position: usize) -> u64 {
        let before = self.before.get(position).copied();
        self.tokens - before.unwrap_or(self.tokens)
    }

    /// The tokens of the latest system prompt, 0 when there is none.
    #[must_use]
    pub fn system_tokens(&self) -> u64 {
        self.latest_system_tokens
    }

    /// The tokens of all summary turns.
    #[must_use]
    pub fn summary_tokens(&self) -> u64 {
        self.summary_tokens
    }

    /// The tokens of all pinned entries.
    #[must_use]
    pub fn pin_tokens(&self) -> u64 {
        self.pin_tokens
    }

    /// The tokens of the view as a token window counts them: the latest system prompt, summaries,
    /// pins and the conversation, but no superseded system prompt.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.latest_system_tokens
            .saturating_add(self.summary_tokens)
            .saturating_add(self.pin_tokens)
            .saturating_add(self.tokens)
    }

    /// The first position at or after `from` for which `fits` holds, where `fits` holds for every
    /// position after one for which it holds; the end when it holds for none.
    pub(crate) fn first_from(&self, from: usize, fits: impl Fn(usize) -> bool) -> usize {
        let mut low = from;
        let mut high = self.len();
        while low < high {
            let middle = low + (high - low) / 2;
            if fits(middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
}
