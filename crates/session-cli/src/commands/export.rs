//! `compaction export`: a session as a transcript.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use compaction_tokens::Estimators;
use serde::Serialize;
use session::{Event, NewEvent, Session, Sessions, Version};
use session_transcript::{Envelope, Format, Repair, Written, view_as_request};

use crate::args::number::amount;
use crate::args::source::{requests, to_help, writable};
use crate::args::tokens::by_name;
use crate::args::{Globals, after_help};
use crate::failure::{Ending, Failure};
use crate::output::json::document;
use crate::output::receipt::warning_line;
use crate::output::{file, print, tell, transcript};
use crate::source::desk::ENVELOPE;
use crate::source::id;
use crate::store;

/// Write a session as a transcript
///
/// By default it writes what a model sees of the session now, in the format the session was imported in,
/// or as openai-chat where that can only be read, or with --request is none that a provider takes. Calls
/// that were given up and results without a call are left out with a warning, since no provider takes
/// them; --log leaves everything as it is.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ExportArgs {
    /// The id of a session
    #[arg(value_name = "SESSION")]
    session: String,

    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = writable,
        help = to_help("the one it was imported in, or openai-chat where that can only be read"),
        help_heading = "Output"
    )]
    to: Option<Format>,

    /// Write what a model sees; this is the default
    #[arg(long, conflicts_with_all = ["log", "request"], help_heading = "What is written")]
    view: bool,

    /// Write the whole log; only jsonl has a place for boundaries
    #[arg(long, help_heading = "What is written")]
    log: bool,

    #[arg(
        long,
        conflicts_with = "log",
        help = format!("Write what a model sees as a request that the provider takes: {}", requests()),
        help_heading = "What is written"
    )]
    request: bool,

    /// As it was at this version
    #[arg(long, value_name = "VERSION", value_parser = amount, help_heading = "What is written")]
    at: Option<u64>,

    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
}

const AFTER_HELP: &str = after_help!(
    "\
Examples:
  compaction export 37f83ec9 --to anthropic -o talk.json
  compaction export 37f83ec9 --log --to jsonl > backup.jsonl
  compaction export 37f83ec9 --request | jq '{model: \"m\", messages: .}'"
);

#[derive(Debug, Serialize)]
struct ExportJson<'a> {
    session: &'a str,
    version: u64,
    format: &'static str,
    text: Option<&'a str>,
    warnings: Vec<String>,
}

/// Runs the command.
pub(crate) async fn run(globals: &Globals, args: &ExportArgs) -> Result<Ending, Failure> {
    let sessions = store::open(globals.store.as_deref(), by_name(Estimators::DEFAULT)?).await?;
    let session = id::session(&sessions, &args.session).await?;
    let version = version(&session, args.at)?;
    let envelope = session.metadata.get(ENVELOPE).and_then(Envelope::from_json);
    let own = envelope
        .as_ref()
        .map(|envelope| envelope.format)
        .filter(|format| format.can_write() && (!args.request || format.is_request()))
        .unwrap_or(Format::OpenAiChat);
    let format = args.to.unwrap_or(own);
    let written = written(
        &sessions,
        &session,
        version,
        envelope.as_ref(),
        format,
        args,
    )
    .await?;

    if let Some(path) = &args.output {
        let text = transcript::together(std::slice::from_ref(&written.text), false);
        file::write(path, &text)?;
    }
    let warnings: Vec<String> = written.warnings.iter().map(ToString::to_string).collect();
    if globals.json {
        let text = args.output.is_none().then_some(written.text.as_str());
        let (session, version) = (session.id.as_str(), version.as_u64());
        print(&document(&ExportJson {
            session,
            version,
            format: format.name(),
            text,
            warnings,
        })?)?;
        return Ok(Ending::Done);
    }
    if args.output.is_none() {
        print(&transcript::together(&[written.text], false))?;
    }
    if !globals.quiet {
        let lines: String = warnings
            .iter()
            .map(|warning| warning_line(warning))
            .collect();
        tell(&lines);
    }
    Ok(Ending::Done)
}

/// The version that is asked for, if the session got that far.
pub(crate) fn version(session: &Session, at: Option<u64>) -> Result<Version, Failure> {
    let newest = session.head.version;
    match at.map(Version::new) {
        None => Ok(newest),
        Some(version) if version <= newest => Ok(version),
        Some(version) => Err(Failure::usage(format!(
            "session {} has no version {version}",
            session.id
        ))
        .with_hint(format!("it is at version {newest}"))),
    }
}

async fn written(
    sessions: &Sessions,
    session: &Session,
    version: Version,
    envelope: Option<&Envelope>,
    format: Format,
    args: &ExportArgs,
) -> Result<Written, Failure> {
    if args.log {
        let log = sessions.log(&session.id).await?;
        let log = log
            .iter()
            .filter(|event| Version::from(event.seq) <= version);
        let events: Vec<NewEvent> = log.map(|event| Event::clone(event).into_new()).collect();
        return transcript::in_format(&events, envelope, format, Repair::Nothing);
    }
    let view = sessions.view_at(&session.id, version).await?;
    if args.request {
        let events: Vec<Arc<Event>> = view.events().to_vec();
        let items = events.iter().filter_map(|event| {
            Some(session_transcript::Item::from(&**event).with_message(view.shown(event)?))
        });
        return view_as_request(items, format).map_err(|error| {
            Failure::usage(error.to_string())
                .with_hint(format!("choose one of {} with --to", requests()))
        });
    }
    transcript::in_format(
        &transcript::as_log(&view),
        envelope,
        format,
        Repair::Abandoned,
    )
}
