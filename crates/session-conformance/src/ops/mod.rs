//! The operations, one module for each sort.

mod cli;
mod concurrency;
mod damage;
mod file;
mod ids;
mod passes;
mod perf;
mod prefix;
mod race;
mod recall;
mod settings;
mod steps;
mod tokens;

use crate::case::{Case, Op};
use crate::seen::Seen;
use crate::world::{Runs, Setting};

pub(crate) use self::concurrency::{WORKER, Worker, work};

/// What came of running a case.
#[derive(Debug)]
pub(crate) enum Ran {
    /// It was run, and this was seen.
    Seen(Box<Seen>),
    /// It is about something that is not there, for good.
    Skipped(String),
}

impl From<Seen> for Ran {
    fn from(seen: Seen) -> Self {
        Self::Seen(Box::new(seen))
    }
}

/// Runs the case; an error is what the runner could not do.
pub(crate) fn run(case: &Case, setting: &Setting) -> Runs<Ran> {
    match &case.settings.op {
        Op::Compact(spec) => passes::compact(case, setting, spec).map(Ran::from),
        Op::Loop(spec) => passes::turn_by_turn(case, setting, spec).map(Ran::from),
        Op::Table(rows) => passes::table(case, setting, rows).map(Ran::from),
        Op::Steps(actions) => steps::steps(case, setting, actions).map(Ran::from),
        Op::Isolation(actions) => steps::isolation(case, setting, actions).map(Ran::from),
        Op::Count => tokens::count(case, setting).map(Ran::from),
        Op::Search { searches, is_one } => {
            recall::search(case, setting, searches, *is_one).map(Ran::from)
        }
        Op::View { branch } => recall::view(case, setting, branch.as_deref()).map(Ran::from),
        Op::Import { format, file, then } => {
            file::import(case, setting, format, file.as_deref(), then).map(Ran::from)
        }
        Op::Jsonl { file, then } => file::jsonl(case, setting, file, then).map(Ran::from),
        Op::Settings(rows) => settings::settings(case, setting, rows).map(Ran::from),
        Op::Ids {
            session_ids,
            user_ids,
            actions,
        } => ids::ids(case, setting, session_ids, user_ids, actions).map(Ran::from),
        Op::Race(race) => race::race(case, setting, race).map(Ran::from),
        Op::Concurrency {
            processes,
            appends_each,
            readers,
        } => concurrency::concurrency(setting, *processes, *appends_each, *readers).map(Ran::from),
        Op::Corrupt {
            row,
            column,
            value,
            then,
        } => damage::corrupt(case, setting, row, column, value.as_deref(), then),
        Op::Migrate { from_schema, then } => damage::migrate(case, setting, from_schema, then),
        Op::HashPrefix {
            steps,
            pass,
            format,
        } => match steps.is_empty() {
            true => prefix::by_turn(case, setting, pass, format).map(Ran::from),
            false => prefix::by_step(case, setting, steps, format).map(Ran::from),
        },
        Op::Perf {
            covered_events,
            active_events,
            measure,
        } => perf::perf(case, setting, *covered_events, *active_events, measure).map(Ran::from),
        Op::Cli { commands } => cli::cli(case, setting, commands),
    }
}
