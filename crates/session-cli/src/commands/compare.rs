//! `compaction compare`: what each window would keep, side by side.

use std::fmt::Write as _;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use session::{
    Clearing, Compaction, CompactionBuilder, Ledger, Message, Retention, Sessions, Share,
    SlidingWindow, TokenEstimator, TurnWindow, View, Window,
};
use session_log::{LineFormat, MessageFormat as _};

use crate::args::source::SourceArgs;
use crate::args::tokens::TokenArgs;
use crate::args::{Globals, after_help};
use crate::commands::pass::Pass;
use crate::failure::{Ending, Failure};
use crate::output::json::{SizeJson, document};
use crate::output::style::{BOLD, DIM};
use crate::output::table::{Cell, Table};
use crate::output::text::{counted, number, share};
use crate::output::{print, print_styled};
use crate::progress;
use crate::source::resolve;
use crate::source::resolve::Only;

/// Compare what each window would keep of a conversation
///
/// Plans a pass with every window and strategy, changes nothing, and shows how many events, turns and tokens would be left,
/// and how many facts: the addresses, paths, commands, ids and numbers that somebody said, or called a tool with, and that
/// the view would still have word for word.
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
    after: SizeJson,
    facts: FactsJson,
}

/// How many facts are kept, of how many.
#[derive(Clone, Copy, Debug, Serialize)]
struct FactsJson {
    urls: ShareJson,
    paths: ShareJson,
    commands: ShareJson,
    ids: ShareJson,
    numbers: ShareJson,
    all: ShareJson,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct ShareJson {
    kept: u64,
    of: u64,
}

impl From<Share> for ShareJson {
    fn from(share: Share) -> Self {
        let Share { kept, of, .. } = share;
        Self { kept, of }
    }
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
    let compactions = compactions(&estimator)?;
    let view = sessions.view(id).await?;
    let said: Vec<Message> = view.messages().map(std::borrow::Cow::into_owned).collect();
    let bar = progress::bar(
        "comparing",
        u64::try_from(compactions.len()).unwrap_or(0),
        is_long,
    );
    let mut rows = Vec::with_capacity(compactions.len());
    let mut before = None;
    for (options, compaction) in &compactions {
        let pass = Pass::plan(sessions, id, compaction).await?;
        before = before.or(Some(pass.report.before));
        rows.push(row(options, &pass, &said));
        bar.inc(1);
    }
    bar.finish_and_clear();
    let compared = CompareJson {
        source: name,
        estimator: sessions.estimator().into(),
        before: before.unwrap_or_default().into(),
        rows,
    };
    if globals.json {
        print(&document(&compared)?)?;
    } else {
        print_styled(&text(&compared, sessions))?;
    }
    Ok(Ending::Done)
}

/// What is compared, each under the options that do it.
fn compactions(
    estimator: &Arc<dyn TokenEstimator>,
) -> Result<Vec<(&'static str, Compaction)>, Failure> {
    let tokens = |budget| Compaction::builder(Window::Tokens { budget, reserve: 0 });
    let noted = |builder: CompactionBuilder| builder.summarizer(Ledger::new(Arc::clone(estimator)));
    let with_room = Window::Tokens {
        budget: 8000,
        reserve: 1000,
    };
    let clearing = Clearing {
        keep_last: 5,
        larger_than: 200,
    };
    let builders = [
        ("--tokens 2k", tokens(2000)),
        ("--tokens 8k", tokens(8000)),
        ("--tokens 32k", tokens(32_000)),
        (
            "--tokens 8k --clear-results",
            tokens(8000).clear_results(clearing),
        ),
        (
            "--tokens 8k --reserve 1k --summarizer ledger",
            noted(Compaction::builder(with_room)),
        ),
        ("--last-turns 1", Compaction::builder(Window::Turns(1))),
        ("--last-turns 4", Compaction::builder(Window::Turns(4))),
        (
            "--last-turns 4 --summarizer ledger",
            noted(Compaction::builder(Window::Turns(4))),
        ),
        ("--last-events 20", Compaction::builder(Window::Events(20))),
        (
            "--last-events 100",
            Compaction::builder(Window::Events(100)),
        ),
        (
            "--strategy sliding-window",
            Compaction::builder(SlidingWindow::default()),
        ),
        (
            "--strategy turn-window",
            Compaction::builder(TurnWindow::default()),
        ),
        (
            "--strategy token-count",
            Compaction::builder(session::TokenCount::default()),
        ),
        (
            "--strategy recursive-summarization --summarizer ledger",
            noted(Compaction::builder(
                session::RecursiveSummarization::default(),
            )),
        ),
    ];
    let mut compactions = Vec::with_capacity(builders.len());
    for (options, builder) in builders {
        compactions.push((options, builder.build().map_err(session::Error::from)?));
    }
    Ok(compactions)
}

fn row(options: &'static str, pass: &Pass, said: &[Message]) -> RowJson {
    let retention = Retention::of(said, &written_out(&pass.after));
    RowJson {
        options,
        outcome: pass.report.outcome.as_str(),
        after: pass.report.after.into(),
        facts: FactsJson {
            urls: retention.urls.into(),
            paths: retention.paths.into(),
            commands: retention.commands.into(),
            ids: retention.ids.into(),
            numbers: retention.numbers.into(),
            all: retention.total().into(),
        },
    }
}

/// A view as one text.
fn written_out(view: &View) -> String {
    let mut text = String::new();
    for message in view.messages() {
        LineFormat.format(&message, &mut text);
        text.push('\n');
    }
    text
}

fn text(compared: &CompareJson, sessions: &Sessions) -> String {
    let SizeJson {
        events,
        turns,
        tokens,
    } = compared.before;
    let mut text = format!(
        "{BOLD}{}{BOLD:#}: {}, {}, {} {DIM}by {}{DIM:#}\n",
        compared.source,
        counted(events, "event"),
        counted(turns, "turn"),
        counted(tokens, "token"),
        sessions.estimator(),
    );
    let mut table = Table::with_titles([
        "what is kept by",
        ">events",
        ">turns",
        ">tokens",
        "",
        ">facts",
        ">paths",
        ">commands",
        ">ids",
        ">numbers",
        ">urls",
    ]);
    let kept =
        |share: ShareJson| Cell::right(format!("{}/{}", number(share.kept), number(share.of)));
    for row in &compared.rows {
        let SizeJson {
            events,
            turns,
            tokens,
        } = row.after;
        let facts = row.facts;
        let style = if row.outcome == "compacted" {
            BOLD
        } else {
            DIM
        };
        table.push([
            Cell::new(row.options).styled(style),
            Cell::number(events),
            Cell::number(turns),
            Cell::number(tokens),
            Cell::new(share(tokens, compared.before.tokens)).styled(DIM),
            Cell::right(share(facts.all.kept, facts.all.of)),
            kept(facts.paths),
            kept(facts.commands),
            kept(facts.ids),
            kept(facts.numbers),
            kept(facts.urls),
        ]);
    }
    text.push_str(&table.render(2));
    if compared.rows.iter().any(|row| row.outcome != "compacted") {
        let _ = writeln!(text, "  {DIM}(dimmed: nothing to compact){DIM:#}");
    }
    text
}
