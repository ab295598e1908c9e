//! `compaction compact`: the main job.

use std::path::PathBuf;

use clap::Args;
use session::{Outcome, SessionId, Sessions};
use session_transcript::{Format, Repair};

use crate::args::source::{SourceArgs, to_help, writable};
use crate::args::window::WindowArgs;
use crate::args::{Globals, after_help};
use crate::commands::pass::Pass;
use crate::commands::plan;
use crate::failure::{Ending, Failure};
use crate::job::Job;
use crate::output::json::{PassJson, document};
use crate::output::receipt::{receipt, receipts, skipped_lines, warning_line};
use crate::output::{file, print, tell, transcript};
use crate::source::{Desk, Source, Talk, resolve};

/// Compact a transcript or a session
///
/// A file: prints the compacted transcript on standard output, in its own format or in --to, and the
/// receipt on standard error. The file itself is left alone.
///
/// A session: appends one boundary to its log. Nothing is lost: `show --log` still has all of it, and
/// `undo` takes the boundary back.
///
/// What stays: the latest system prompt, what stands before the first turn, and the newest whole turns
/// that the window has room for. The newest turn always stays. When there is nothing to compact the
/// transcript is printed as it is.
///
/// A file with several conversations (JSONL with one on each line, an array of runs) is compacted
/// conversation by conversation. Conversations of sub-agents are left as they are, and left out when
/// the format changes.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct CompactArgs {
    #[command(flatten)]
    source: SourceArgs,

    #[command(flatten)]
    window: WindowArgs,

    /// Write the transcript to FILE instead of standard output; a file of this name is replaced once the
    /// new one is whole
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = writable,
        help = to_help("the file's own, or openai-chat where that can only be read"),
        help_heading = "Output"
    )]
    to: Option<Format>,

    /// Stop at the plan: say what would be done, and do nothing
    #[arg(short = 'n', long, help_heading = "Output")]
    dry_run: bool,
}

const AFTER_HELP: &str = after_help!(
    "\
Examples:
  compaction compact talk.json > shorter.json        keep 8,000 tokens of it
  compaction compact talk.jsonl --last-turns 4 -o shorter.jsonl
  zcat old.json.gz | compaction compact - --to anthropic
  compaction compact talk.json --last-turns 4 --pin 12 --pin 'Never touch config.yml.'
  compaction compact talk.json --json | jq '[.view[].message]'
  compaction compact 37f83ec9 --tokens 60k --when 'tokens>=100k'"
);

/// Runs the command.
pub(crate) async fn run(globals: &Globals, args: &CompactArgs) -> Result<Ending, Failure> {
    let job = args.window.job()?;
    let estimator = args.window.tokens.estimator()?;
    args.source.keep(args.output.as_deref())?;
    let source = resolve(&args.source, globals.store.as_deref(), estimator).await?;
    source.pin(&args.window.pins(), !args.dry_run).await?;
    match source {
        source if args.dry_run => {
            plan::show(globals, &source, &job).await?;
            Ok(Ending::Done)
        }
        Source::File(desk) => of_file(globals, args, &desk, &job).await,
        Source::Session(sessions, id) => of_session(globals, args, &sessions, &id, &job).await,
    }
}

async fn of_file(
    globals: &Globals,
    args: &CompactArgs,
    desk: &Desk,
    job: &Job,
) -> Result<Ending, Failure> {
    let mut texts = Vec::with_capacity(desk.talks.len());
    let mut passes = Vec::with_capacity(desk.talks.len());
    let mut warnings: Vec<String> = desk
        .input
        .warnings
        .iter()
        .map(ToString::to_string)
        .collect();
    if args.to.is_none() && !own_format(desk, args) {
        let (own, written) = (desk.input.format, format(desk, args));
        warnings.push(format!(
            "{own} can be read but not written: this is {written}"
        ));
    }
    let mut left_out = 0_usize;
    for talk in &desk.talks {
        if talk.is_side {
            match own_format(desk, args) {
                // There it stands in the trajectory of its parent.
                true if desk.input.format == Format::Atif => {}
                true => texts.push(written_back(desk, talk, args).await?),
                false => left_out += 1,
            }
            continue;
        }
        let pass = job.run(&desk.sessions, &talk.id).await?;
        let text = compacted(desk, talk, args, &pass, &mut warnings).await?;
        texts.push(text);
        passes.push((talk, pass));
    }
    if left_out > 0 {
        warnings.push(format!(
            "{left_out} conversation(s) of sub-agents were left out"
        ));
    }
    let whole = transcript::together(&texts, is_array(desk, args, texts.len()));
    match &args.output {
        Some(path) => file::write(path, &whole)?,
        None if !globals.json => print(&whole)?,
        None => {}
    }
    tell_file(globals, desk, &passes, &warnings);
    if globals.json {
        let skipped = desk
            .input
            .skipped
            .iter()
            .map(|skipped| format!("skipped {skipped}"));
        let about: Vec<String> = warnings.iter().cloned().chain(skipped).collect();
        print(&documents(passes.iter().map(|(_, pass)| pass), &about)?)?;
    }
    Ok(Ending::Done)
}

/// One document, or an array of them for a file with several conversations.
pub(crate) fn documents<'a>(
    passes: impl ExactSizeIterator<Item = &'a Pass>,
    about_file: &[String],
) -> Result<String, Failure> {
    let mut all: Vec<PassJson<'_>> = passes
        .map(|pass| PassJson::new(pass, about_file.iter().cloned()))
        .collect();
    match all.len() {
        1 => document(&all.swap_remove(0)),
        _ => document(&all),
    }
}

/// The conversation as a transcript: its view if it was compacted, else as it was read.
async fn compacted(
    desk: &Desk,
    talk: &Talk,
    args: &CompactArgs,
    pass: &Pass,
    warnings: &mut Vec<String>,
) -> Result<String, Failure> {
    if pass.report.outcome != Outcome::Compacted && own_format(desk, args) {
        return written_back(desk, talk, args).await;
    }
    let format = format(desk, args);
    let view = transcript::for_format(transcript::as_log(&pass.after), format);
    let written = transcript::in_format(&view, Some(&talk.envelope), format, Repair::Abandoned)?;
    warnings.extend(written.warnings.iter().map(ToString::to_string));
    Ok(written.text)
}

/// The conversation as it was read.
async fn written_back(desk: &Desk, talk: &Talk, args: &CompactArgs) -> Result<String, Failure> {
    let log = desk.sessions.log(&talk.id).await?;
    let events: Vec<_> = log
        .iter()
        .filter(|event| session::Version::from(event.seq) <= talk.version)
        .map(|event| session::Event::clone(event).into_new())
        .collect();
    let format = format(desk, args);
    let written = transcript::in_format(&events, Some(&talk.envelope), format, Repair::Nothing)?;
    Ok(written.text)
}

/// The format to write: the file's own, unless told otherwise or nobody can write that.
fn format(desk: &Desk, args: &CompactArgs) -> Format {
    let own = desk.input.format;
    args.to.unwrap_or(if own.can_write() {
        own
    } else {
        Format::OpenAiChat
    })
}

/// Whether so many conversations come out in an array, as they came in.
fn is_array(desk: &Desk, args: &CompactArgs, count: usize) -> bool {
    let has_lines = matches!(format(desk, args), Format::ClaudeCode | Format::Jsonl);
    let was_array = match count {
        0 => false,
        1 => desk.input.is_list && own_format(desk, args),
        _ => desk.input.is_array,
    };
    was_array && !has_lines
}

fn own_format(desk: &Desk, args: &CompactArgs) -> bool {
    format(desk, args) == desk.input.format
}

/// The receipts, and what was said about the file.
fn tell_file(globals: &Globals, desk: &Desk, passes: &[(&Talk, Pass)], warnings: &[String]) {
    if globals.quiet || globals.json {
        return;
    }
    let input = &desk.input;
    let mut text = match passes {
        [(_, pass)] => receipt(&input.name, pass, &desk.sessions),
        _ => receipts(
            &input.name,
            passes.iter().map(|(talk, pass)| (talk.id.as_str(), pass)),
        ),
    };
    text.extend(warnings.iter().map(|warning| warning_line(warning)));
    text.push_str(&skipped_lines(&input.name, &input.skipped));
    tell(&text);
}

async fn of_session(
    globals: &Globals,
    args: &CompactArgs,
    sessions: &Sessions,
    id: &SessionId,
    job: &Job,
) -> Result<Ending, Failure> {
    if args.output.is_some() || args.to.is_some() {
        let option = if args.to.is_some() {
            "--to"
        } else {
            "--output"
        };
        return Err(Failure::usage(format!(
            "{option} is about a transcript, and {id} is a session"
        ))
        .with_hint(format!("compact it first, then `compaction export {id}`")));
    }
    if let Job::Selection(selection) = job {
        let name = selection.window;
        return Err(Failure::usage(format!(
            "--strategy {name} selects messages for one request and records nothing, so it compacts no session"
        ))
        .with_hint(format!(
            "--dry-run shows what it selects of {id}, and with --json the messages; --tokens N compacts it"
        )));
    }
    let pass = job.run(sessions, id).await?;
    if globals.json {
        print(&documents(std::iter::once(&pass), &[])?)?;
    } else if !globals.quiet {
        tell(&receipt(id.as_str(), &pass, sessions));
    }
    Ok(Ending::Done)
}
