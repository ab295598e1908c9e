//! `compaction plan`: what `compact` would do, and why.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use session::{Entry as _, EntryKind, Outcome, SessionId, Sessions};

use crate::args::source::SourceArgs;
use crate::args::window::WindowArgs;
use crate::args::{Globals, after_help};
use crate::commands::compact::documents;
use crate::commands::pass::Pass;
use crate::failure::{Ending, Failure};
use crate::job::Job;
use crate::output::fates::{Row, rows};
use crate::output::receipt::{receipt, receipts, skipped_lines, warning_line};
use crate::output::style::DIM;
use crate::output::table::{Cell, Table};
use crate::output::text::{columns, counted, line, number};
use crate::output::words::plainly;
use crate::output::{file, print, print_styled, tell};
use crate::source::{Source, resolve};

/// Say what `compact` would do, and change nothing
///
/// Shows what would be pinned, superseded, covered and kept, turn by turn, the tokens before and after,
/// and why. With --json it prints the document that `compact --json` would print.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    source: SourceArgs,

    #[command(flatten)]
    window: WindowArgs,

    /// Write the plan of a session to FILE, for `commit` to land it unchanged
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    save: Option<PathBuf>,
}

const AFTER_HELP: &str = after_help!(
    "\
Examples:
  compaction plan talk.json --tokens 4k
  compaction plan talk.json --last-turns 2 --json | jq .covered
  compaction plan talk-1 --tokens 60k --save plan.json && compaction commit plan.json"
);

/// Runs the command.
pub(crate) async fn run(globals: &Globals, args: &PlanArgs) -> Result<Ending, Failure> {
    let job = args.window.job()?;
    let estimator = args.window.tokens.estimator()?;
    if args.save.is_some() && matches!(job, Job::Selection(_)) {
        return Err(Failure::usage(
            "--save is for a pass: a selection for one request records nothing",
        )
        .with_hint("use --tokens N, or leave --save out"));
    }
    let source = resolve(&args.source, globals.store.as_deref(), estimator).await?;
    if args.save.is_some() && matches!(source, Source::File(_)) {
        return Err(
            Failure::usage("--save is for a session: a file is compacted at once")
                .with_hint("`compaction import` makes a session of it"),
        );
    }
    source.pin(&args.window.pins(), false).await?;
    let passes = show(globals, &source, &job).await?;
    if let (Some(path), [pass]) = (&args.save, passes.as_slice()) {
        save(globals, path, pass)?;
    }
    Ok(Ending::Done)
}

/// Writes the plan to a file. There is none when there is nothing to do.
fn save(globals: &Globals, path: &Path, pass: &Pass) -> Result<(), Failure> {
    match &pass.plan {
        Some(plan) => file::write(path, &format!("{}\n", plan.to_json()?)),
        None if globals.quiet => Ok(()),
        None => {
            tell(&warning_line(
                "there is nothing to do, so no plan was saved",
            ));
            Ok(())
        }
    }
}

/// Plans a pass over each conversation of `source` and prints the plans.
pub(crate) async fn show(
    globals: &Globals,
    source: &Source,
    job: &Job,
) -> Result<Vec<Pass>, Failure> {
    let (name, sessions, ids, about) = match source {
        Source::Session(sessions, id) => (id.as_str(), sessions, vec![id], Vec::new()),
        Source::File(desk) => {
            let ids = desk
                .talks
                .iter()
                .filter(|talk| !talk.is_side)
                .map(|talk| &talk.id);
            let input = &desk.input;
            let warnings: Vec<String> = input.warnings.iter().map(ToString::to_string).collect();
            if !globals.json && !globals.quiet {
                let lines: String = warnings
                    .iter()
                    .map(|warning| warning_line(warning))
                    .collect();
                tell(&lines);
                tell(&skipped_lines(&input.name, &input.skipped));
            }
            let skipped = input
                .skipped
                .iter()
                .map(|skipped| format!("skipped {skipped}"));
            let about = warnings.into_iter().chain(skipped).collect();
            (input.name.as_str(), &desk.sessions, ids.collect(), about)
        }
    };
    let passes = plans(sessions, &ids, job).await?;
    if globals.json {
        print(&documents(passes.iter(), &about)?)?;
        return Ok(passes);
    }
    let text = match passes.as_slice() {
        [pass] => {
            let mut text = receipt(name, pass, sessions);
            let _ = writeln!(
                text,
                "  {DIM}trigger: {}; strategy: {}{DIM:#}",
                pass.report.why,
                plainly(&pass.report.strategy)
            );
            if pass.report.outcome == Outcome::Compacted {
                text.push('\n');
                text.push_str(&turns(&rows(pass, sessions)));
            }
            text
        }
        _ => receipts(name, ids.iter().map(|id| id.as_str()).zip(&passes)),
    };
    print_styled(&text)?;
    Ok(passes)
}

async fn plans(sessions: &Sessions, ids: &[&SessionId], job: &Job) -> Result<Vec<Pass>, Failure> {
    let mut passes = Vec::with_capacity(ids.len());
    for id in ids {
        passes.push(job.plan(sessions, id).await?);
    }
    Ok(passes)
}

/// How many turns of one fate in a row are shown one by one.
const MOST_TURNS: usize = 12;

/// The view turn by turn.
fn turns(rows: &[Row]) -> String {
    let width = columns().saturating_sub(46).max(20);
    let groups: Vec<&[Row]> = rows
        .chunk_by(|a, b| a.turn == b.turn && a.fate == b.fate)
        .collect();
    let mut table = Table::with_titles([">turn", "", ">events", ">tokens", "begins with"]);
    for run in groups.chunk_by(|a, b| fate(a) == fate(b) && turn(a).is_some() && turn(b).is_some())
    {
        let hidden = if run.len() > MOST_TURNS + 1 {
            run.len() - MOST_TURNS
        } else {
            0
        };
        let head = if hidden > 0 {
            MOST_TURNS / 2
        } else {
            run.len()
        };
        for group in run.iter().take(head) {
            table.push(turn_cells(group, width));
        }
        if hidden > 0 {
            let (events, tokens) = size(run.iter().skip(head).take(hidden).copied().flatten());
            let note = format!(
                "{} more turns",
                number(u64::try_from(hidden).unwrap_or(u64::MAX))
            );
            table.push([
                Cell::right("…"),
                fate_cell(run.first().copied().unwrap_or_default()),
                Cell::number(events),
                Cell::number(tokens),
                Cell::new(note).styled(DIM),
            ]);
        }
        for group in run.iter().skip(head + hidden) {
            table.push(turn_cells(group, width));
        }
    }
    table.render(2)
}

fn fate(group: &[Row]) -> Option<crate::output::fates::Fate> {
    group.first().map(|row| row.fate)
}

fn turn(group: &[Row]) -> Option<u64> {
    group.first().and_then(|row| row.turn)
}

fn size<'a>(rows: impl Iterator<Item = &'a Row>) -> (u64, u64) {
    rows.fold((0, 0), |(events, tokens), row| {
        (events + 1, tokens.saturating_add(row.tokens))
    })
}

fn fate_cell(group: &[Row]) -> Cell {
    match fate(group) {
        Some(fate) => Cell::new(fate.name()).styled(fate.style()),
        None => Cell::default(),
    }
}

fn turn_cells(group: &[Row], width: usize) -> [Cell; 5] {
    let (events, tokens) = size(group.iter());
    let begins = group.first().map(begins).unwrap_or_default();
    [
        turn(group).map_or(Cell::right("-"), Cell::number),
        fate_cell(group),
        Cell::number(events),
        Cell::number(tokens),
        Cell::new(line(&begins, width)),
    ]
}

/// The first words of what an event says, with who says it where that is not a user.
fn begins(row: &Row) -> String {
    let Some(message) = row.event.as_message() else {
        return String::new();
    };
    let text = message.text();
    match row.event.kind() {
        EntryKind::TurnStart => text.into_owned(),
        EntryKind::Summary => format!("(summary) {text}"),
        _ => {
            let calls = u64::try_from(message.calls().count()).unwrap_or(0);
            let what = if text.trim().is_empty() && calls > 0 {
                counted(calls, "tool call")
            } else {
                text.into_owned()
            };
            format!("({}) {what}", message.role)
        }
    }
}
