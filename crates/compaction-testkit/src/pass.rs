//! One pass over a log in notation, and what came of it as a line of text.

use compaction_core::{
    Grain, Outcome, Plan, Progress, Strategy, Summarize, SummaryReply, SummaryRequest, Unchanged,
    compact,
};

use crate::log::Log;
use crate::note::Note;

/// Checks what a pass without a summarizer makes of a log, both in notation.
///
/// The expectation is `pinned / covered / kept`, each with the names of its notes in order or `-`
/// for none, and ` / superseded` if there are such. Or one word: `fits`, `declined`, or `uncut` when
/// there is no legal place that would cover anything. See [`Pass`] for passes with a summarizer,
/// at step grain or with other costs.
///
/// ```
/// use compaction_core::{TurnWindow, Window};
/// use compaction_testkit::check;
///
/// check("s1 u1 a1 | u2 a2 | u3 a3", Window::Events(3), "s1 / u1 a1 u2 a2 / u3 a3");
/// check("p0 u1 a1 | u2 a2", TurnWindow { max_turns: 1 }, "p0 / u1 a1 / u2 a2");
/// check("u1 a1", Window::Turns(2), "fits");
/// ```
///
/// # Panics
///
/// It is not what is expected, or a text is not in notation.
#[track_caller]
pub fn check(log: &str, strategy: impl Strategy<Note>, expected: &str) {
    Pass::of(strategy).check(log, expected);
}

/// How a pass is run: the strategy, and whether it summarizes and cuts at steps.
///
/// ```
/// use compaction_core::Window;
/// use compaction_testkit::{Pass, characters};
///
/// let pass = Pass::of(Window::Events(2)).summarizing(1);
/// pass.check("s1 Σ1 u1 a1 | u2 a2", "s1 / Σ1 u1 a1 / Σ+ u2 a2");
/// pass.check_request("s1 Σ1 u1 a1 | u2 a2", "Σ1 / u1 a1 / u2");
///
/// Pass::of(Window::Events(2))
///     .at_steps()
///     .check("u1 c1[k1] t1(k1) c2[k2] t2(k2)", "u1 / c1 t1 / c2 t2");
///
/// Pass::of(Window::Tokens { budget: 25, reserve: 0 })
///     .costing(characters)
///     .check("u1 a1 | u2 a2", "- / u1 a1 / u2 a2");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Pass<S> {
    strategy: S,
    grain: Grain,
    summarize: Summarize,
    cost: fn(&Note) -> u64,
}

impl<S: Strategy<Note>> Pass<S> {
    /// A pass with `strategy`: without a summarizer, cut at turns, where each note costs 1 or what
    /// it says.
    pub fn of(strategy: S) -> Self {
        Self {
            strategy,
            grain: Grain::Turn,
            summarize: Summarize::No,
            cost: |_| 1,
        }
    }

    /// The same with a summarizer that is shown so many of the first kept notes.
    #[must_use]
    pub fn summarizing(self, overlap: usize) -> Self {
        self.with_summarize(Summarize::WithOverlap(overlap))
    }

    /// The same, summarizing or not.
    #[must_use]
    pub fn with_summarize(mut self, summarize: Summarize) -> Self {
        self.summarize = summarize;
        self
    }

    /// The same, cut at steps of the newest turn when that alone is too large.
    #[must_use]
    pub fn at_steps(self) -> Self {
        self.with_grain(Grain::Step)
    }

    /// The same at another grain.
    #[must_use]
    pub fn with_grain(mut self, grain: Grain) -> Self {
        self.grain = grain;
        self
    }

    /// The same, where a note costs what `cost` says unless it says so itself.
    #[must_use]
    pub fn costing(mut self, cost: fn(&Note) -> u64) -> Self {
        self.cost = cost;
        self
    }

    /// The strategy.
    pub fn strategy(&self) -> &S {
        &self.strategy
    }

    /// Where it may cut.
    pub fn grain(&self) -> Grain {
        self.grain
    }

    /// Whether it summarizes.
    pub fn summarize(&self) -> Summarize {
        self.summarize
    }

    /// Starts the pass on a log whose notes have their costs.
    pub fn start(&self, log: &Log) -> Progress {
        let view = log.view().with_grain(self.grain);
        compact(&view, &self.strategy, self.summarize)
    }

    /// Runs the pass and gives `reply` to whatever it asks.
    pub fn run(&self, log: &Log, reply: SummaryReply) -> Outcome {
        let mut progress = self.start(log);
        loop {
            progress = match progress {
                Progress::Done(outcome) => return outcome,
                Progress::NeedsSummary(pending) => pending.resume(reply),
            };
        }
    }

    /// The view the pass leaves of a log when the summary it may ask for is provided and costs so
    /// many tokens.
    pub fn next_view(&self, log: &Log, summary_tokens: u64) -> Log {
        match self.run(log, SummaryReply::Provided) {
            Outcome::Compacted(plan) => log.after(&plan, summary_tokens),
            Outcome::Unchanged(_) => log.clone(),
        }
    }

    /// What the pass makes of a log when the summary it may ask for is provided, as a line; see
    /// [`check`](crate::check()).
    ///
    /// In the kept part `Σ+` is the new summary.
    ///
    /// # Panics
    ///
    /// The log is not in notation.
    #[track_caller]
    pub fn describe(&self, log: &str) -> String {
        let log = self.read(log);
        describe(&log, &self.run(&log, SummaryReply::Provided))
    }

    /// What the pass makes of a log when the summarizer declines.
    ///
    /// # Panics
    ///
    /// The log is not in notation.
    #[track_caller]
    pub fn describe_declined(&self, log: &str) -> String {
        let log = self.read(log);
        describe(&log, &self.run(&log, SummaryReply::Declined))
    }

    /// What a summary is asked of, as `prior / covered / overlap`, or `nothing`.
    ///
    /// # Panics
    ///
    /// The log is not in notation.
    #[track_caller]
    pub fn describe_request(&self, log: &str) -> String {
        let log = self.read(log);
        match self.start(&log) {
            Progress::Done(_) => "nothing".to_owned(),
            Progress::NeedsSummary(pending) => describe_request(&log, pending.request()),
        }
    }

    /// Checks that [`describe`](Self::describe) says what is expected.
    ///
    /// # Panics
    ///
    /// It does not, or the log is not in notation.
    #[track_caller]
    pub fn check(&self, log: &str, expected: &str) {
        same("a pass over", log, &self.describe(log), expected);
    }

    /// Checks that [`describe_declined`](Self::describe_declined) says what is expected.
    ///
    /// # Panics
    ///
    /// It does not, or the log is not in notation.
    #[track_caller]
    pub fn check_declined(&self, log: &str, expected: &str) {
        let actual = self.describe_declined(log);
        same("a declined pass over", log, &actual, expected);
    }

    /// Checks that [`describe_request`](Self::describe_request) says what is expected.
    ///
    /// # Panics
    ///
    /// It does not, or the log is not in notation.
    #[track_caller]
    pub fn check_request(&self, log: &str, expected: &str) {
        let actual = self.describe_request(log);
        same("what is asked of", log, &actual, expected);
    }

    #[track_caller]
    #[expect(clippy::panic, reason = "a check ends a test")]
    fn read(&self, log: &str) -> Log {
        match log.parse::<Log>() {
            Ok(log) => log.with_costs(self.cost),
            Err(error) => panic!("in `{log}`: {error}"),
        }
    }
}

/// What came of a pass, as [`check`] expects it.
pub(crate) fn describe(log: &Log, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Compacted(plan) => describe_plan(log, plan),
        Outcome::Unchanged(Unchanged::FitsWindow) => "fits".to_owned(),
        Outcome::Unchanged(Unchanged::NoTurnToCut) => "uncut".to_owned(),
        Outcome::Unchanged(Unchanged::Declined) => "declined".to_owned(),
        Outcome::Unchanged(other) => format!("{other:?}"),
    }
}

fn describe_plan(log: &Log, plan: &Plan) -> String {
    let pinned = log.names(plan.pinned().iter().copied());
    let covered = log.names(plan.covered().iter());
    let summary = if plan.is_summarized() { "Σ+ " } else { "" };
    let kept = log.names(plan.kept().iter());
    let superseded = match plan.superseded() {
        spans if spans.is_empty() => String::new(),
        spans => format!(" / {}", log.names(spans.iter())),
    };
    format!("{pinned} / {covered} / {summary}{kept}{superseded}")
}

fn describe_request(log: &Log, request: &SummaryRequest) -> String {
    let [prior, covered, overlap] =
        [&request.prior, &request.covered, &request.overlap].map(|spans| log.names(spans.iter()));
    format!("{prior} / {covered} / {overlap}")
}

#[track_caller]
fn same(what: &str, log: &str, actual: &str, expected: &str) {
    let words: Vec<&str> = expected.split_whitespace().collect();
    assert_eq!(actual, words.join(" "), "{what} `{log}`");
}
