//! `compaction compare`: what each window would keep, side by side.

mod measure;

use std::fmt::Write as _;
use std::sync::Arc;

use clap::{Args, Parser};
use serde::Serialize;
use session::{Message, Sessions};

use crate::args::source::SourceArgs;
use crate::args::tokens::TokenArgs;
use crate::args::window::WindowArgs;
use crate::args::{Globals, after_help};
use crate::commands::compare::measure::{FactsJson, ShareJson, facts, results, written_out};
use crate::commands::pass::Pass;
use crate::failure::{Ending, Failure};
use crate::job::Job;
use crate::output::json::{SizeJson, document};
use crate::output::style::{BOLD, DIM};
use crate::output::table::{Cell, Table};
use crate::output::text::{columns, counted, inline, number, share};
use crate::output::{print, print_styled};
use crate::progress;
use crate::source::resolve;
use crate::source::resolve::Only;

/// Compare what each window would keep of a conversation
///
/// Plans a pass with many windows and strategies, changes nothing, and shows for each what a model would
/// see: how many events, turns and tokens, how many tool results whole, and how many facts. Facts are the
/// addresses, paths, commands, ids and numbers that somebody said, or called a tool with; they count as long
/// as they are there word for word. The first column is what to give to `compact`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    source: SourceArgs,

    #[command(flatten)]
    tokens: TokenArgs,
}

const AFTER_HELP: &str = after_help!(
    "\
Examples:
  compaction compare talk.jsonl
  compaction compare talk.jsonl --json | jq '.rows[] | {options, tokens: .after.tokens}'"
);

#[derive(Debug, Serialize)]
struct CompareJson {
    source: String,
    estimator: String,
    before: SizeJson,
    rows: Vec<RowJson>,
}

#[derive(Debug, Serialize)]
struct RowJson {
    options: &'static str,
    outcome: &'static str,
    reason: Option<String>,
    after: SizeJson,
    tool_results: ShareJson,
    facts: FactsJson,
}

/// The options that are compared, from the least that is kept to the most of each kind.
const COMPARED: [&str; 19] = [
    "--tokens 2k",
    "--tokens 8k",
    "--tokens 32k",
    "--tokens 8k --grain step",
    "--tokens 8k --clear-results",
    "--tokens 8k --reserve 1k --summarizer ledger",
    "--last-turns 1",
    "--last-turns 4",
    "--last-turns 4 --summarizer ledger",
    "--last-events 20",
    "--last-events 100",
    "--strategy sliding-window",
    "--strategy turn-window",
    "--strategy token-count",
    "--strategy recursive-summarization --summarizer ledger",
    "--strategy fixed",
    "--strategy sliding",
    "--strategy summarized",
    "--strategy summarized --summarizer ledger",
];

/// The columns that the whole table takes.
const WIDE: usize = 135;

/// Options as they stand in a row, read as `compact` reads them.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct RowArgs {
    #[command(flatten)]
    window: WindowArgs,
}

/// Runs the command.
pub(crate) async fn run(globals: &Globals, args: &CompareArgs) -> Result<Ending, Failure> {
    let estimator = args.tokens.estimator()?;
    let source = resolve(
        &args.source,
        globals.store.as_deref(),
        Arc::clone(&estimator),
    )
    .await?;
    let Only {
        name,
        sessions,
        id,
        is_long,
        ..
    } = source.only()?;
    let view = sessions.view(id).await?;
    let said: Vec<Message> = view.messages().map(std::borrow::Cow::into_owned).collect();
    let steps = u64::try_from(COMPARED.len()).unwrap_or(0);
    let bar = progress::bar("comparing", steps, is_long);
    let mut rows = Vec::with_capacity(COMPARED.len());
    let mut before = SizeJson::default();
    for options in COMPARED {
        let row = match job(options, sessions.estimator())?.plan(sessions, id).await {
            Ok(pass) => {
                before = pass.report.before.into();
                row(options, &pass, &said)
            }
            // One window has no room for the newest message; the others may.
            Err(failure) if options.contains("--strategy") => too_small(options, &failure, &said),
            Err(failure) => return Err(failure),
        };
        rows.push(row);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let compared = CompareJson {
        source: name,
        estimator: sessions.estimator().into(),
        before,
        rows,
    };
    if globals.json {
        print(&document(&compared)?)?;
    } else {
        print_styled(&text(&compared, sessions))?;
    }
    Ok(Ending::Done)
}

/// What the options of a row ask for.
fn job(options: &str, estimator: &str) -> Result<Job, Failure> {
    let words = options.split(' ').chain(["--encoding", estimator]);
    let parsed = RowArgs::try_parse_from(words)
        .map_err(|error| Failure::work(format!("cannot compare {options}: {error}")))?;
    parsed.window.job()
}

fn row(options: &'static str, pass: &Pass, said: &[Message]) -> RowJson {
    let after = &pass.after;
    let whole = after.events().iter();
    let whole = whole.filter(|event| !after.is_cleared(event.seq));
    let kept = whole.filter_map(|event| event.as_message()).map(results);
    RowJson {
        options,
        outcome: pass.report.outcome.as_str(),
        reason: pass.report.reason().map(Into::into),
        after: pass.report.after.into(),
        tool_results: ShareJson {
            kept: kept.sum(),
            of: said.iter().map(results).sum(),
        },
        facts: facts(said, &written_out(after)),
    }
}

/// The row of a window that has no room for the newest message.
fn too_small(options: &'static str, failure: &Failure, said: &[Message]) -> RowJson {
    RowJson {
        options,
        outcome: "failed",
        reason: Some(failure.what().into()),
        after: SizeJson::default(),
        tool_results: ShareJson {
            kept: 0,
            of: said.iter().map(results).sum(),
        },
        facts: facts(said, ""),
    }
}

fn text(compared: &CompareJson, sessions: &Sessions) -> String {
    let SizeJson {
        events,
        turns,
        tokens,
    } = compared.before;
    let mut text = format!(
        "{BOLD}{}{BOLD:#}: {}, {}, {} {DIM}by {}{DIM:#}\n",
        inline(&compared.source),
        counted(events, "event"),
        counted(turns, "turn"),
        counted(tokens, "token"),
        sessions.estimator(),
    );
    // What does not fit the terminal is left to --json.
    let is_wide = columns() >= WIDE;
    let mut table = Table::plain();
    let mut titles = vec![
        "what is kept by",
        "events",
        "turns",
        "tokens",
        "share",
        "results",
        "facts",
    ];
    if is_wide {
        titles.extend(["paths", "commands", "ids", "numbers", "urls"]);
    }
    let titles = titles.into_iter().enumerate().map(|(at, title)| match at {
        0 => Cell::new(title).styled(DIM),
        _ => Cell::right(title).styled(DIM),
    });
    table.push_all(titles);
    for row in &compared.rows {
        table.push_all(cells(row, compared.before.tokens, is_wide));
    }
    text.push_str(&table.render(2));
    for row in &compared.rows {
        if !matches!(row.outcome, "compacted" | "unchanged") {
            let why = row.reason.as_deref().unwrap_or_default();
            let _ = writeln!(
                text,
                "  {DIM}{}: {}, {why}{DIM:#}",
                row.options, row.outcome
            );
        }
    }
    text
}

fn cells(row: &RowJson, before: u64, is_wide: bool) -> Vec<Cell> {
    let SizeJson {
        events,
        turns,
        tokens,
    } = row.after;
    let (style, note) = match row.outcome {
        "compacted" => (BOLD, share(tokens, before)),
        "unchanged" => (DIM, "all".into()),
        other => (DIM, other.into()),
    };
    let kept = |share: ShareJson| match share.of {
        0 => Cell::right("-").styled(DIM),
        of => Cell::right(format!("{}/{}", number(share.kept), number(of))),
    };
    let facts = row.facts;
    let mut cells = vec![
        Cell::new(row.options).styled(style),
        Cell::number(events),
        Cell::number(turns),
        Cell::number(tokens),
        Cell::right(note).styled(DIM),
        kept(row.tool_results),
        match facts.all.of {
            0 => Cell::right("-").styled(DIM),
            of => Cell::right(share(facts.all.kept, of)),
        },
    ];
    if is_wide {
        let kinds = [
            facts.paths,
            facts.commands,
            facts.ids,
            facts.numbers,
            facts.urls,
        ];
        cells.extend(kinds.map(kept));
    }
    cells
}
