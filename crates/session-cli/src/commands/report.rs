//! `compaction report`: a conversation as one page to look at.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use crate::args::number::amount;
use crate::args::source::SourceArgs;
use crate::args::window::WindowArgs;
use crate::args::{Globals, after_help};
use crate::commands::export::version;
use crate::commands::show;
use crate::failure::{Ending, Failure};
use crate::output::json::document;
use crate::output::text::{counted, inline, number};
use crate::output::{file, print, tell};
use crate::report::{self, Report};
use crate::source::{Source, id, resolve};

/// Make a page to look at: where the tokens are, and what becomes of each event
///
/// Writes one HTML file that needs no network and no script: the tokens of each event as a timeline,
/// coloured by what becomes of it, turns and steps, and what each boundary did. In a browser with scripts
/// the events can be searched and sifted.
///
/// Of a file it shows what `compact` with the same options would do. Of a session it shows the log with its
/// boundaries as they are, or with --at as they were.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    source: SourceArgs,

    /// Write the page to FILE instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Show the session as it was at this version
    #[arg(long, value_name = "VERSION", value_parser = amount, help_heading = "Input")]
    at: Option<u64>,

    #[command(flatten)]
    window: WindowArgs,
}

const AFTER_HELP: &str = after_help!(
    "\
Examples:
  compaction report talk.jsonl -o talk.html
  compaction report talk.jsonl --last-turns 4 --summarizer ledger -o plan.html
  compaction report 37f83ec9 --at 120 -o then.html"
);

#[derive(Debug, Serialize)]
struct ReportJson<'a> {
    source: &'a str,
    events: u64,
    listed: u64,
    bytes: u64,
    html: Option<&'a str>,
}

/// Runs the command.
pub(crate) async fn run(globals: &Globals, args: &ReportArgs) -> Result<Ending, Failure> {
    args.source.keep(args.output.as_deref())?;
    let job = args.window.job()?;
    let estimator = args.window.tokens.estimator()?;
    let source = resolve(
        &args.source,
        globals.store.as_deref(),
        Arc::clone(&estimator),
    )
    .await?;
    let (name, page) = match &source {
        Source::File(desk) if args.at.is_some() => {
            return Err(Failure::usage(format!(
                "--at is about a session, and {} is a file",
                desk.input.name
            ))
            .with_hint("`compaction import` makes a session of it"));
        }
        Source::Session(_, id) if args.window.is_chosen() => {
            return Err(Failure::usage(format!(
                "a session is shown as it is, and {id} is one: leave the options of what is kept out"
            ))
            .with_hint(format!("`compaction plan {id}` says what a pass would do")));
        }
        Source::File(_) => {
            source.pin(&args.window.pins(), false).await?;
            let one = source.only()?;
            let pass = job.plan(one.sessions, one.id).await?;
            let session = id::session(one.sessions, one.id.as_str()).await?;
            let page = report::of_pass(&one.name, one.format, &pass, one.sessions, &session);
            (one.name, page)
        }
        Source::Session(sessions, id) => {
            let session = id::session(sessions, id.as_str()).await?;
            let version = version(&session, args.at)?;
            let shown = show::read(sessions, session, version, true).await?;
            (id.to_string(), report::of_session(&shown, sessions))
        }
    };
    written(globals, args, &name, &page)
}

fn written(
    globals: &Globals,
    args: &ReportArgs,
    name: &str,
    page: &Report,
) -> Result<Ending, Failure> {
    let html = report::render(page);
    let bytes = u64::try_from(html.len()).unwrap_or(u64::MAX);
    if let Some(path) = &args.output {
        file::write(path, &html)?;
    }
    if globals.json {
        print(&document(&ReportJson {
            source: name,
            events: page.events(),
            listed: page.listed(),
            bytes,
            html: args.output.is_none().then_some(html.as_str()),
        })?)?;
        return Ok(Ending::Done);
    }
    let Some(path) = &args.output else {
        print(&html)?;
        return Ok(Ending::Done);
    };
    if !globals.quiet {
        let kilobytes = number(bytes.div_ceil(1000));
        let events = counted(page.events(), "event");
        tell(&format!(
            "wrote {}: {events}, {kilobytes} kB\n",
            inline(&path.display().to_string())
        ));
    }
    Ok(Ending::Done)
}
