//! What each window must make of a log, worked out slowly and plainly.
//!
//! It is written from the rules and shares no code with the core, so that the two can be compared.
//! It is in the order of the square of the log's length and worse.

mod steps;

use std::collections::BTreeSet;

use compaction_core::{
    Entry, EntryKind, Grain, MAX_TOKENS_PER_ENTRY, Order, Plan, Policy, Preamble, PriorSummary,
    Summarize, Superseded, Window,
};

use crate::log::Log;

pub use crate::oracle::steps::{held, newest_turn, pairs, step_starts};

/// What a pass must make of a log, as positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expected {
    /// What leads the view, in view order.
    pub pinned: Vec<usize>,
    /// System prompts that leave.
    pub superseded: Vec<usize>,
    /// Conversation that leaves, and the prior summary.
    pub covered: Vec<usize>,
    /// What stays behind the pinned notes and the new summary.
    pub kept: Vec<usize>,
}

impl From<&Plan> for Expected {
    fn from(plan: &Plan) -> Self {
        Self {
            pinned: plan.pinned().to_vec(),
            superseded: plan.superseded().iter().collect(),
            covered: plan.covered().iter().collect(),
            kept: plan.kept().iter().collect(),
        }
    }
}

/// How a pass is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "these are the settings of a pass"
)]
pub struct Settings {
    /// What stays around the window.
    pub policy: Policy,
    /// Whether it summarizes.
    pub summarize: Summarize,
    /// Where it may cut.
    pub grain: Grain,
}

/// What a pass with `window` must make of `log`; `None` when it must change nothing.
///
/// ```
/// use compaction_core::{Grain, Policy, Summarize, Window};
/// use compaction_testkit::Log;
/// use compaction_testkit::oracle::{Settings, expected};
///
/// let log: Log = "s0 u1 a2 | u3 a4".parse()?;
/// let settings = Settings {
///     policy: Policy::WINDOW,
///     summarize: Summarize::No,
///     grain: Grain::Turn,
/// };
/// let expected = expected(&log, Window::Events(3), settings).unwrap();
/// assert_eq!(expected.pinned, [0]);
/// assert_eq!(expected.covered, [1, 2]);
/// # Ok::<(), compaction_testkit::NotationError>(())
/// ```
#[must_use]
pub fn expected(log: &Log, window: Window, settings: Settings) -> Option<Expected> {
    Oracle::new(log, settings).expected(window)
}

fn positions(log: &Log, is_wanted: impl Fn(usize) -> bool) -> Vec<usize> {
    (0..log.notes().len()).filter(|at| is_wanted(*at)).collect()
}

fn kind(log: &Log, at: usize) -> Option<EntryKind> {
    log.notes().get(at).map(Entry::kind)
}

fn is_pinned(log: &Log, at: usize) -> bool {
    log.notes().get(at).is_some_and(|note| note.is_pinned())
}

/// What passes of the same settings must make of one log, window by window.
#[derive(Debug)]
pub struct Oracle<'a> {
    log: &'a Log,
    settings: Settings,
    turns: Vec<usize>,
    systems: Vec<usize>,
    summaries: Vec<usize>,
    /// Conversation before the first turn, where that is pinned, pinned notes included.
    preamble: Vec<usize>,
    /// What a window counts.
    real: Vec<usize>,
}

/// A place to cut, and what is held before it.
#[derive(Debug)]
struct Cut {
    at: usize,
    held: BTreeSet<usize>,
}

impl<'a> Oracle<'a> {
    /// The oracle for this log.
    #[must_use]
    pub fn new(log: &'a Log, settings: Settings) -> Self {
        let of_kind = |wanted| positions(log, |at| kind(log, at) == Some(wanted));
        let turns = of_kind(EntryKind::TurnStart);
        let is_rule = |at| matches!(kind(log, at), Some(EntryKind::System | EntryKind::Summary));
        let conversation = positions(log, |at| !is_rule(at));
        let first_turn = turns.first().copied().unwrap_or(usize::MAX);
        let (preamble, rest): (Vec<usize>, Vec<usize>) = match settings.policy.preamble {
            Preamble::Pinned => conversation.into_iter().partition(|at| *at < first_turn),
            _ => (Vec::new(), conversation),
        };
        let real = rest.into_iter().filter(|at| !is_pinned(log, *at)).collect();
        Self {
            systems: of_kind(EntryKind::System),
            summaries: of_kind(EntryKind::Summary),
            log,
            settings,
            turns,
            preamble,
            real,
        }
    }

    /// What a pass with `window` must make of the log; `None` when it must change nothing.
    #[must_use]
    pub fn expected(&self, window: Window) -> Option<Expected> {
        let cut = self.cut(window);
        cut.and_then(|cut| self.with_cut(&cut))
            .or_else(|| self.without_cut())
    }

    /// Where a pass with `window` must cut, though it may turn out that this covers nothing.
    #[must_use]
    pub fn cut_at(&self, window: Window) -> Option<usize> {
        self.cut(window).map(|cut| cut.at)
    }

    fn cut(&self, window: Window) -> Option<Cut> {
        let newest = self.turns.last().copied()?;
        let dropped = self.dropped(window);
        let last_dropped = *dropped.last()?;
        let is_newest_too_large = last_dropped >= newest;
        if is_newest_too_large
            && self.settings.grain == Grain::Step
            && let Some(cut) = self.step_cut(window)
        {
            return Some(cut);
        }
        let first_kept = self.real.get(dropped.len()).copied();
        let opens_kept = |turn: &&usize| match window {
            // The last turns begin at a turn, there is nothing to move forward.
            Window::Turns(_) => first_kept.is_some_and(|first| **turn >= first),
            // A budget that pinned notes exceed keeps the newest turn only.
            Window::Tokens { budget, reserve } if self.room(budget, reserve) < 0 => false,
            _ => **turn > last_dropped,
        };
        let at = self
            .turns
            .iter()
            .find(opens_kept)
            .copied()
            .unwrap_or(newest);
        Some(Cut {
            at,
            held: BTreeSet::new(),
        })
    }

    /// The oldest real notes, which the window does not keep.
    fn dropped(&self, window: Window) -> &[usize] {
        let real = self.real.as_slice();
        let kept = match window {
            Window::Events(count) => count.min(real.len()),
            Window::Turns(count) => self.kept_by_turns(count),
            Window::Tokens { budget, reserve } => self.kept_by_tokens(budget, reserve),
            _ => real.len(),
        };
        real.get(..real.len() - kept).unwrap_or_default()
    }

    fn kept_by_turns(&self, count: usize) -> usize {
        let opens_turn = |at: &usize| self.turns.contains(at);
        let turns = self.real.iter().filter(|at| opens_turn(at)).count();
        if turns <= count && count > 0 {
            return self.real.len();
        }
        // Walk back over whole turns.
        let mut seen = 0;
        let mut kept = 0;
        for (walked, at) in self.real.iter().rev().enumerate() {
            if opens_turn(at) {
                seen += 1;
                if seen <= count {
                    kept = walked + 1;
                }
            }
        }
        kept
    }

    fn kept_by_tokens(&self, budget: u64, reserve: u64) -> usize {
        let everything = self.pinned_tokens() + self.sum(&self.summaries) + self.sum(&self.real);
        if everything <= i128::from(budget) {
            return self.real.len();
        }
        let mut room = self.room(budget, reserve);
        let mut kept = 0;
        for at in self.real.iter().rev() {
            room -= self.sum(&[*at]);
            if room < 0 {
                break;
            }
            kept += 1;
        }
        kept
    }

    fn step_cut(&self, window: Window) -> Option<Cut> {
        let starts = step_starts(self.log);
        let held = held(self.log);
        let fits = |at: &&usize| {
            let (after, before): (Vec<usize>, Vec<usize>) =
                self.real.iter().partition(|real| real >= at);
            let stays: Vec<usize> = before.into_iter().filter(|at| held.contains(at)).collect();
            match window {
                Window::Events(count) => after.len() <= count,
                Window::Tokens { budget, reserve } => {
                    self.sum(&after) + self.sum(&stays) <= self.room(budget, reserve)
                }
                _ => false,
            }
        };
        let at = *starts.iter().find(fits).or(starts.last())?;
        let turn = newest_turn(self.log)?;
        let covers = |real: &usize| turn < *real && *real < at && !held.contains(real);
        if !self.real.iter().any(covers) {
            // Nothing of the turn would leave, so it is not cut inside.
            return None;
        }
        let held = held.into_iter().filter(|held| *held < at).collect();
        Some(Cut { at, held })
    }

    /// What a budget leaves for real notes.
    fn room(&self, budget: u64, reserve: u64) -> i128 {
        let pays_for_summaries = self.settings.summarize == Summarize::No
            || self.settings.policy.prior_summary == PriorSummary::Deducted;
        let summaries = if pays_for_summaries {
            self.sum(&self.summaries)
        } else {
            0
        };
        i128::from(budget) - i128::from(reserve) - self.pinned_tokens() - summaries
    }

    /// What is pinned costs: the latest system prompt, the preamble, pinned notes.
    fn pinned_tokens(&self) -> i128 {
        let is_pin = |at| is_pinned(self.log, at) && !self.preamble.contains(&at);
        let pins = positions(self.log, is_pin);
        let system: Vec<usize> = self.systems.last().copied().into_iter().collect();
        self.sum(&system) + self.sum(&pins) + self.sum(&self.preamble)
    }

    fn sum(&self, positions: &[usize]) -> i128 {
        let notes = positions.iter().filter_map(|at| self.log.notes().get(*at));
        // The core counts no note higher.
        notes
            .map(|note| i128::from(note.tokens().min(MAX_TOKENS_PER_ENTRY)))
            .sum()
    }

    fn with_cut(&self, cut: &Cut) -> Option<Expected> {
        let is_summarized = self.settings.summarize != Summarize::No;
        let leaves = |at: &&usize| **at < cut.at && !cut.held.contains(at);
        let conversation: Vec<usize> = self.real.iter().filter(leaves).copied().collect();
        if conversation.is_empty() {
            return None;
        }
        let (system, superseded) = match self.systems.split_last() {
            Some((latest, earlier)) => (Some(*latest), earlier.to_vec()),
            None => (None, Vec::new()),
        };
        let (prior, carried) = if is_summarized {
            (self.summaries.clone(), Vec::new())
        } else {
            (Vec::new(), self.summaries.clone())
        };

        let stays = |at| {
            let is_pin = is_pinned(self.log, at) && !self.preamble.contains(&at);
            at < cut.at && (is_pin || cut.held.contains(&at))
        };
        let pins = positions(self.log, stays);
        let mut covered = [conversation, prior].concat();
        covered.sort_unstable();
        let rest = positions(self.log, |at| {
            at >= cut.at && !superseded.contains(&at) && !covered.contains(&at)
        });

        let (pinned, kept) = if self.settings.policy.order == Order::PinnedFirst {
            let in_front = |at: &usize| Some(*at) == system || carried.contains(at);
            let kept = rest.iter().copied().filter(|at| !in_front(at)).collect();
            let system: Vec<usize> = system.into_iter().collect();
            (
                [system, self.preamble.clone(), carried, pins].concat(),
                kept,
            )
        } else {
            let is_before = |at: &usize| *at < cut.at;
            let system = system.into_iter().filter(is_before).collect();
            let carried = carried.into_iter().filter(is_before).collect();
            let mut pinned = [system, self.preamble.clone(), carried, pins].concat();
            pinned.sort_unstable();
            (pinned, rest)
        };
        Some(Expected {
            pinned,
            superseded,
            covered,
            kept,
        })
    }

    fn without_cut(&self) -> Option<Expected> {
        let (_, superseded) = self.systems.split_last()?;
        if superseded.is_empty() || self.settings.policy.superseded != Superseded::LeaveAlways {
            return None;
        }
        Some(Expected {
            superseded: superseded.to_vec(),
            kept: positions(self.log, |at| !superseded.contains(&at)),
            ..Expected::default()
        })
    }
}
