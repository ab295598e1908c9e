//! `compaction show`: a session, event by event.

use std::sync::Arc;

use clap::Args;
use compaction_tokens::Estimators;
use session::{Damage, Event, EventQuery, Session, Sessions, StoreError, Version, View};

use crate::args::number::{amount, count};
use crate::args::tokens::by_name;
use crate::args::{Globals, after_help};
use crate::commands::export::version;
use crate::failure::{Ending, Failure, Kind};
use crate::output::receipt::warning_line;
use crate::output::text::columns;
use crate::output::{print, print_styled, tell};
use crate::source::id;
use crate::store;

pub(crate) mod event;
mod json;
mod list;

/// Look at a session
///
/// Shows what a model sees of it, one event a line: its place in the log, who says it, what it costs, and how
/// it begins. With --log it shows everything, and marks what is pinned and what is covered; boundaries and
/// what took them back stand where they were written.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ShowArgs {
    /// The id of a session
    #[arg(value_name = "SESSION")]
    session: String,

    /// Show what a model sees; this is the default
    #[arg(long, conflicts_with = "log")]
    view: bool,

    /// Show the whole log
    #[arg(long)]
    log: bool,

    /// Show one event whole, by its place or id
    #[arg(long, value_name = "SEQ|ID")]
    event: Option<String>,

    /// As it was at this version
    #[arg(long, value_name = "VERSION", value_parser = amount)]
    at: Option<u64>,

    /// Show every event whole
    #[arg(long)]
    full: bool,

    /// Cut lines to N columns [default: the width of the terminal]
    #[arg(long, value_name = "N", value_parser = count)]
    width: Option<usize>,
}

const AFTER_HELP: &str = after_help!(
    "\
Examples:
  compaction show 37f83ec9
  compaction show 37f83ec9 --log | less -R
  compaction show 37f83ec9 --event 17
  compaction show 37f83ec9 --at 40 --json"
);

/// What is shown.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) session: Session,
    pub(crate) view: View,
    /// All events up to the version, where they are asked for.
    pub(crate) log: Option<Vec<Arc<Event>>>,
    /// Events that cannot be read.
    pub(crate) damaged: Vec<Damage>,
}

impl Shown {
    pub(crate) fn events(&self) -> &[Arc<Event>] {
        self.log.as_deref().unwrap_or_else(|| self.view.events())
    }
}

/// Runs the command.
pub(crate) async fn run(globals: &Globals, args: &ShowArgs) -> Result<Ending, Failure> {
    let sessions = store::open(globals.store.as_deref(), by_name(Estimators::DEFAULT)?).await?;
    let session = id::session(&sessions, &args.session).await?;
    let version = version(&session, args.at)?;
    let mut shown = read(
        &sessions,
        session,
        version,
        args.log || args.event.is_some(),
    )
    .await?;
    if let Some(wanted) = &args.event {
        shown = one(shown, wanted)?;
    }
    if globals.json {
        print(&json::document(&shown)?)?;
    } else {
        let width = args.width.unwrap_or_else(columns);
        let is_whole = args.full || args.event.is_some();
        print_styled(&list::text(&shown, &sessions, width, is_whole))?;
    }
    for damage in &shown.damaged {
        tell(&warning_line(&format!(
            "event {} cannot be read: {}",
            damage.seq, damage.reason
        )));
    }
    if shown.damaged.is_empty() {
        Ok(Ending::Done)
    } else {
        Ok(Ending::Partly(Kind::Work))
    }
}

/// Reads a session at a version: its view, and its log if that is asked for.
pub(crate) async fn read(
    sessions: &Sessions,
    session: Session,
    version: Version,
    is_log: bool,
) -> Result<Shown, Failure> {
    let id = session.id.clone();
    if !is_log {
        match sessions.view_at(&id, version).await {
            Ok(view) => {
                return Ok(Shown {
                    session,
                    view,
                    log: None,
                    damaged: Vec::new(),
                });
            }
            Err(session::Error::Store(StoreError::Corrupt { .. })) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let mut query = EventQuery::all().lenient();
    query.to = session::Seq::new(version.as_u64());
    let (mut log, mut damaged) = (Vec::new(), Vec::new());
    while query.to.is_some() {
        let page = sessions.read(&id, &query).await?;
        log.extend(page.items);
        damaged.extend(page.damaged);
        match page.next {
            Some(mark) => query.after = Some(mark),
            None => break,
        }
    }
    let view = View::fold(log.iter().cloned());
    Ok(Shown {
        session,
        view,
        log: is_log.then_some(log),
        damaged,
    })
}

/// Only the event that is asked for.
fn one(mut shown: Shown, wanted: &str) -> Result<Shown, Failure> {
    let by_id = |event: &&Arc<Event>| event.id.as_str() == wanted;
    let seq = wanted.trim_start_matches('#').parse::<u64>().ok();
    let by_seq = |event: &&Arc<Event>| Some(event.seq.as_u64()) == seq;
    let log = shown.log.take().unwrap_or_default();
    let found = log
        .iter()
        .find(by_id)
        .or_else(|| log.iter().find(by_seq))
        .cloned();
    let Some(event) = found else {
        let last = log.last().map_or(0, |event| event.seq.as_u64());
        return Err(Failure::usage(format!(
            "session {} has no event {wanted}",
            shown.session.id
        ))
        .with_hint(format!(
            "its events are 1 to {last}; `show --log` lists them"
        )));
    };
    shown.log = Some(vec![event]);
    Ok(shown)
}
