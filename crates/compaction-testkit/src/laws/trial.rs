//! One pass over one log, to be held to the laws.

use core::fmt;

use compaction_core::{
    Entry, EntryKind, Grain, Outcome, Pending, Plan, Policy, Progress, Strategy, Summarize,
    SummaryReply,
};

use crate::log::Log;
use crate::note::Note;
use crate::pass::{Pass, describe};

/// One pass over one log, with all its endings.
///
/// ```
/// use compaction_core::Window;
/// use compaction_testkit::laws::{Trial, newest};
/// use compaction_testkit::{Log, Pass};
///
/// let log: Log = "u1 a1 | u2 a2".parse()?;
/// let trial = Trial::run(&log, &Pass::of(Window::Events(0)).summarizing(2));
/// assert_eq!(trial.to_string(), "a summarizing pass over `u1 a1 u2 a2`: - / u1 a1 / Σ+ u2 a2");
/// newest(&trial).unwrap();
/// # Ok::<(), compaction_testkit::NotationError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Trial<'a> {
    log: &'a Log,
    policy: Policy,
    summarize: Summarize,
    grain: Grain,
    pending: Option<Pending>,
    provided: Outcome,
    declined: Outcome,
}

impl<'a> Trial<'a> {
    /// Runs the pass, once to each ending.
    pub fn run<S: Strategy<Note>>(log: &'a Log, pass: &Pass<S>) -> Self {
        let (pending, provided, declined) = match pass.start(log) {
            Progress::Done(outcome) => (None, outcome.clone(), outcome),
            Progress::NeedsSummary(pending) => (
                Some((*pending).clone()),
                end((*pending).clone(), SummaryReply::Provided),
                end(*pending, SummaryReply::Declined),
            ),
        };
        Self {
            log,
            policy: pass.strategy().policy(),
            summarize: pass.summarize(),
            grain: pass.grain(),
            pending,
            provided,
            declined,
        }
    }

    /// The log the pass ran on.
    #[must_use]
    pub fn log(&self) -> &'a Log {
        self.log
    }

    /// The policy of the strategy.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Whether the pass summarizes.
    #[must_use]
    pub fn summarize(&self) -> Summarize {
        self.summarize
    }

    /// Where the pass may cut.
    #[must_use]
    pub fn grain(&self) -> Grain {
        self.grain
    }

    /// The pass while it waits for a summary, if it does.
    #[must_use]
    pub fn pending(&self) -> Option<&Pending> {
        self.pending.as_ref()
    }

    /// The ending with every summary provided.
    #[must_use]
    pub fn provided(&self) -> &Outcome {
        &self.provided
    }

    /// The ending with every summary declined.
    #[must_use]
    pub fn declined(&self) -> &Outcome {
        &self.declined
    }

    /// The plan, when the view changes.
    #[must_use]
    pub fn plan(&self) -> Option<&Plan> {
        match &self.provided {
            Outcome::Compacted(plan) => Some(plan),
            Outcome::Unchanged(_) => None,
        }
    }

    /// The plan and where it cuts, when it cuts.
    #[must_use]
    pub fn cut(&self) -> Option<(&Plan, usize)> {
        let plan = self.plan()?;
        Some((plan, plan.cut()?.at()))
    }

    pub(crate) fn kind(&self, position: usize) -> Option<EntryKind> {
        self.log.notes().get(position).map(Entry::kind)
    }

    pub(crate) fn is_conversation(&self, position: usize) -> bool {
        !matches!(
            self.kind(position),
            None | Some(EntryKind::System | EntryKind::Summary)
        )
    }

    /// The last of the notes of this kind at or after `from`.
    pub(crate) fn last(&self, kind: EntryKind, from: usize) -> Option<usize> {
        let mut newest_first = (from..self.log.notes().len()).rev();
        newest_first.find(|position| self.kind(*position) == Some(kind))
    }
}

impl fmt::Display for Trial<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.summarize {
            Summarize::No => "plain",
            _ => "summarizing",
        };
        let grain = match self.grain {
            Grain::Turn => "",
            _ => " at steps",
        };
        let outcome = describe(self.log, &self.provided);
        write!(f, "a {how} pass{grain} over `{}`: {outcome}", self.log)
    }
}

fn end(pending: Pending, reply: SummaryReply) -> Outcome {
    let mut pending = pending;
    loop {
        pending = match pending.resume(reply) {
            Progress::Done(outcome) => return outcome,
            Progress::NeedsSummary(next) => *next,
        };
    }
}
