//! `compaction import`: transcripts into the store.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use session::{Compaction, SessionId, Sessions, Trigger, Window};
use session_log::Size;

use crate::args::source::FromArgs;
use crate::args::tokens::TokenArgs;
use crate::args::{Globals, after_help};
use crate::failure::{Ending, Failure, Kind};
use crate::output::json::{SizeJson, document};
use crate::output::receipt::{skipped_lines, warning_line};
use crate::output::style::DIM;
use crate::output::text::{counted, inline, line};
use crate::output::{print, print_styled, tell};
use crate::source::desk::{Keeping, TakenIn, take_in};
use crate::source::{Input, bytes};
use crate::store::StoreUrl;

/// Put transcripts into the store
///
/// Each conversation of a file becomes a session. The format is found out by looking, or given with
/// --from. A record that cannot be read is skipped and reported with its line, and the rest is taken. Importing
/// the same file again adds nothing; importing it after it has grown adds what is new.
///
/// A file that cannot be read at all is reported and the others are imported; the exit code tells.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ImportArgs {
    /// Transcript files, gzip included; - is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    from: FromArgs,

    /// Whose sessions they are
    #[arg(long, value_name = "NAME", help_heading = "Sessions")]
    owner: Option<String>,

    #[command(flatten)]
    tokens: TokenArgs,
}

const AFTER_HELP: &str = after_help!(
    "\
Examples:
  compaction import talk.json
  compaction import ~/.claude/projects/*/*.jsonl
  compaction --store sqlite:work.db import --owner ann *.json"
);

/// What became of a file.
#[derive(Debug, Serialize)]
struct FileJson {
    file: String,
    format: Option<&'static str>,
    sessions: Vec<SessionJson>,
    skipped: Vec<SkippedJson>,
    warnings: Vec<String>,
    error: Option<String>,
}

#[derive(Debug, Serialize)]
struct SessionJson {
    session: String,
    new: u64,
    known: u64,
    view: SizeJson,
}

#[derive(Debug, Serialize)]
struct SkippedJson {
    line: u64,
    first_byte: u64,
    end_byte: u64,
    reason: String,
}

/// Runs the command.
pub(crate) async fn run(globals: &Globals, args: &ImportArgs) -> Result<Ending, Failure> {
    let url = StoreUrl::parse(globals.store.as_deref())?;
    let sessions = url.open(args.tokens.estimator()?).await?;
    let mut files = Vec::with_capacity(args.files.len());
    let mut worst = None;
    for path in &args.files {
        let mut file = FileJson {
            file: path.display().to_string(),
            format: None,
            sessions: Vec::new(),
            skipped: Vec::new(),
            warnings: Vec::new(),
            error: None,
        };
        if let Err(failure) = import(globals, args, &sessions, path, &mut file).await {
            if failure.kind() == Kind::Closed {
                return Err(failure);
            }
            tell(&failure.render());
            file.error = Some(failure.what().into());
            worst = worst.max(Some(failure.kind()));
        }
        files.push(file);
    }
    let is_new = |session: &SessionJson| session.new > 0;
    if files.iter().any(|file| file.sessions.iter().any(is_new)) {
        url.update_index().await?;
    }
    if globals.json {
        print(&document(&files)?)?;
    }
    Ok(worst.map_or(Ending::Done, Ending::Partly))
}

async fn import(
    globals: &Globals,
    args: &ImportArgs,
    sessions: &Sessions,
    path: &Path,
    file: &mut FileJson,
) -> Result<(), Failure> {
    let name = path.display().to_string();
    let bytes = if path == Path::new("-") {
        bytes::of_stdin()?
    } else {
        bytes::of_file(path)?
    };
    let Some(mut input) = Input::of_bytes_if_any(&name, &bytes, args.from.from)? else {
        // Other tools leave such files behind, and among many nobody needs to mend them.
        if !globals.json && !globals.quiet {
            tell(&format!("{} is empty\n", inline(&name)));
        }
        return Ok(());
    };
    file.format = Some(input.format.name());
    file.warnings = input.warnings.iter().map(ToString::to_string).collect();
    file.skipped = input
        .skipped
        .iter()
        .map(|skipped| SkippedJson {
            line: skipped.line,
            first_byte: skipped.bytes.start,
            end_byte: skipped.bytes.end,
            reason: skipped.reason.to_string(),
        })
        .collect();
    if !globals.json && !globals.quiet {
        let warnings = file.warnings.iter();
        let lines: String = warnings
            .map(|what| warning_line(&format!("{}: {what}", input.name)))
            .collect();
        tell(&lines);
        tell(&skipped_lines(&input.name, &input.skipped));
    }
    let keeping = Keeping {
        owner: args.owner.clone(),
        file: std::path::absolute(path)
            .ok()
            .filter(|_| path != Path::new("-"))
            .map(|path| path.display().to_string()),
    };
    for conversation in std::mem::take(&mut input.conversations) {
        let title = conversation.title.clone();
        let taken = take_in(sessions, conversation, &keeping, input.is_long).await?;
        let size = measure(sessions, &taken.id).await?;
        for what in notes(&taken, &input.name) {
            if !globals.json && !globals.quiet {
                tell(&warning_line(&what));
            }
            file.warnings.push(what);
        }
        if !globals.json {
            print_styled(&taken_line(&taken, size, title.as_deref(), &input))?;
        }
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        file.sessions.push(SessionJson {
            session: taken.id.to_string(),
            new: number(taken.new),
            known: number(taken.known),
            view: size.into(),
        });
    }
    Ok(())
}

/// What a person should know of a session that was imported before.
fn notes(taken: &TakenIn, file: &str) -> Vec<String> {
    let events = |count: usize| counted(u64::try_from(count).unwrap_or(u64::MAX), "event");
    let TakenIn {
        id, changed, gone, ..
    } = taken;
    let mut notes = Vec::new();
    if *changed > 0 {
        let changed = events(*changed);
        notes.push(format!(
            "{file}: {changed} of session {id} changed since the last import; what is stored stays"
        ));
    }
    if *gone > 0 {
        let gone = events(*gone);
        notes.push(format!(
            "{file}: {gone} of session {id} are no part of the conversation any more, since the other program \
             has gone back; what is stored stays"
        ));
    }
    notes
}

/// The size of the view, which the store keeps from here on.
pub(crate) async fn measure(sessions: &Sessions, id: &SessionId) -> Result<Size, Failure> {
    let never = Compaction::builder(Window::Turns(1))
        .when(Trigger::Never)
        .build();
    let never = never.map_err(session::Error::from)?;
    Ok(sessions.prepare(id, &never).await?.report().before)
}

/// The id first, so that it can be cut out and used.
fn taken_line(taken: &TakenIn, size: Size, title: Option<&str>, input: &Input) -> String {
    let events = |count: usize| counted(u64::try_from(count).unwrap_or(u64::MAX), "event");
    let what = match (taken.new, taken.known) {
        (0, 0) => "no events".into(),
        (0, known) => format!("nothing new, {} known", events(known)),
        (new, 0) => events(new),
        (new, known) => format!("{} new, {} known", events(new), events(known)),
    };
    let size = format!(
        "{}, {} in view",
        counted(size.turns, "turn"),
        counted(size.tokens, "token")
    );
    let title = title
        .map(|title| format!(" “{}”", line(title, 60)))
        .unwrap_or_default();
    format!(
        "{}\t{what}\t{size}\t{DIM}{} ({}){title}{DIM:#}\n",
        inline(taken.id.as_str()),
        inline(&input.name),
        input.format
    )
}
