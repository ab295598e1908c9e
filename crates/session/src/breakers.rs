//! Which sessions leave their summarizer alone for a while.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use compaction_core::{Entry as _, EntryKind};
use session_log::{SessionId, Version, View};
use session_summarizer::{Breaker, BreakerSettings};

/// The breakers of the sessions whose last passes got no summary; of the others there is nothing
/// to remember.
#[derive(Debug, Default)]
pub(crate) struct Breakers {
    settings: BreakerSettings,
    failing: Mutex<HashMap<SessionId, Failing>>,
}

/// The most sessions that are remembered. Beyond it all are forgotten, and their summarizers are
/// asked again: that costs requests, and nothing else.
const MOST: usize = 10_000;

#[derive(Clone, Copy, Debug)]
struct Failing {
    breaker: Breaker,
    /// The turns since the first failure.
    turn: u64,
    /// Up to where turns are counted.
    seen: Version,
}

impl Breakers {
    pub(crate) fn new(settings: BreakerSettings) -> Self {
        Self {
            settings,
            failing: Mutex::default(),
        }
    }

    /// Whether the summarizer may be asked for this session now.
    pub(crate) fn allows(&self, id: &SessionId, view: &View) -> bool {
        let mut failing = self.lock();
        let Some(it) = failing.get_mut(id) else {
            return true;
        };
        it.count_turns(view);
        it.breaker.allows(it.turn)
    }

    pub(crate) fn succeeded(&self, id: &SessionId) {
        self.lock().remove(id);
    }

    pub(crate) fn failed(&self, id: &SessionId, view: &View) {
        let mut failing = self.lock();
        if failing.len() >= MOST && !failing.contains_key(id) {
            failing.clear();
        }
        let it = failing.entry(id.clone()).or_insert_with(|| Failing {
            breaker: Breaker::new(self.settings),
            turn: 0,
            seen: view.version(),
        });
        it.count_turns(view);
        it.breaker.failed(it.turn);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Failing>> {
        self.failing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Failing {
    /// Counts the turns that began since, which are in every view.
    fn count_turns(&mut self, view: &View) {
        let began = view.events().iter().filter(|event| {
            Version::from(event.seq) > self.seen && event.kind() == EntryKind::TurnStart
        });
        self.turn = self.turn.saturating_add(began.count() as u64);
        self.seen = self.seen.max(view.version());
    }
}
