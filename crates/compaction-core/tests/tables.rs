//! Worked cases of both designs, row by row: the window design (`Window`) and the older one (the
//! named strategies).
//!
//! A row names its log, the window, and what each design makes of it; see `check` in the test kit
//! for the notation. Costs are the characters of the formatted line, so `u1` costs 8. Rows about
//! refused settings are not here, since any setting is harmless to the core.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what broke by panicking"
)]

mod tables {
    mod recursive;
    mod sliding;
    mod snap;
    mod tokens;
    mod triggers;
    mod turns;
    mod views;

    use compaction_core::{Outcome, Strategy, SummaryReply};
    use compaction_testkit::{Log, Note, Pass, characters};

    /// The turn in which a person asks for the weather, and the one in which they say thanks.
    const WEATHER: &str = "u1:25 c1[k1]:57 t1(k1):47 | u2:12 a2:25";

    fn pass<S: Strategy<Note>>(strategy: S) -> Pass<S> {
        Pass::of(strategy).costing(characters)
    }

    /// The tokens of what leaves the view.
    fn saved<S: Strategy<Note>>(pass: &Pass<S>, log: &str) -> u64 {
        let log = log.parse::<Log>().unwrap().with_costs(characters);
        let Outcome::Compacted(plan) = pass.run(&log, SummaryReply::Provided) else {
            return 0;
        };
        let leaves = plan.covered().iter().chain(plan.superseded().iter());
        leaves.map(|at| log.notes()[at].tokens()).sum()
    }
}
