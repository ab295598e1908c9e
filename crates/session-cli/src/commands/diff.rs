//! `compaction diff`: how a view changed from one version to another.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use anstyle::Style;
use clap::Args;
use compaction_tokens::Estimators;
use serde::Serialize;
use session::{Event, EventId, View, ViewDiff};

use crate::args::number::amount;
use crate::args::tokens::by_name;
use crate::args::{Globals, after_help};
use crate::commands::export::version;
use crate::commands::show::event;
use crate::failure::{Ending, Failure};
use crate::output::json::document;
use crate::output::style::{BOLD, COVERED, DIM, KEPT};
use crate::output::text::{columns, counted, inline, line};
use crate::output::{print, print_styled};
use crate::source::id;
use crate::store;

/// Compare what a model saw of a session at two versions
///
/// Lists what left the view, what joined it and what was cleared in between; events that stayed are counted.
/// `show --log` shows versions: each is the place of an event.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct DiffArgs {
    /// The id of a session
    #[arg(value_name = "SESSION")]
    session: String,

    /// A version
    #[arg(value_name = "A", value_parser = amount)]
    a: u64,

    /// Another version
    #[arg(value_name = "B", value_parser = amount)]
    b: u64,
}

const AFTER_HELP: &str = after_help!(
    "\
Examples:
  compaction diff talk-1 40 41
  compaction diff talk-1 0 41 --json | jq .joined"
);

#[derive(Debug, Serialize)]
struct DiffJson<'a> {
    session: &'a str,
    a: u64,
    b: u64,
    left: Vec<&'a str>,
    joined: Vec<&'a str>,
    cleared: Vec<&'a str>,
    stayed: Vec<&'a str>,
}

/// Runs the command.
pub(crate) async fn run(globals: &Globals, args: &DiffArgs) -> Result<Ending, Failure> {
    let sessions = store::open(globals.store.as_deref(), by_name(Estimators::DEFAULT)?).await?;
    let session = id::session(&sessions, &args.session).await?;
    let a = sessions
        .view_at(&session.id, version(&session, Some(args.a))?)
        .await?;
    let b = sessions
        .view_at(&session.id, version(&session, Some(args.b))?)
        .await?;
    let diff = ViewDiff::between(&a, &b);
    if globals.json {
        print(&document(&DiffJson {
            session: session.id.as_str(),
            a: args.a,
            b: args.b,
            left: texts(&diff.left),
            joined: texts(&diff.joined),
            cleared: texts(&diff.cleared),
            stayed: texts(&diff.stayed),
        })?)?;
    } else {
        print_styled(&text(session.id.as_str(), args, &diff, &a, &b))?;
    }
    Ok(Ending::Done)
}

fn texts(ids: &[EventId]) -> Vec<&str> {
    ids.iter().map(EventId::as_str).collect()
}

fn text(name: &str, args: &DiffArgs, diff: &ViewDiff, a: &View, b: &View) -> String {
    let number = |ids: &[EventId]| counted(u64::try_from(ids.len()).unwrap_or(u64::MAX), "event");
    let mut text = format!(
        "{BOLD}{}{BOLD:#} from version {} to {}: {} left, {} joined, {} stayed\n",
        inline(name),
        args.a,
        args.b,
        number(&diff.left),
        number(&diff.joined),
        number(&diff.stayed),
    );
    lines(&mut text, '-', COVERED, &diff.left, a);
    lines(&mut text, '~', COVERED, &diff.cleared, b);
    lines(&mut text, '+', KEPT, &diff.joined, b);
    text
}

fn lines(text: &mut String, sign: char, style: Style, ids: &[EventId], view: &View) {
    let by_id: HashMap<&EventId, &Arc<Event>> = view
        .events()
        .iter()
        .map(|event| (&event.id, event))
        .collect();
    for event in ids.iter().filter_map(|id| by_id.get(id)) {
        let said = view
            .shown(event)
            .map(|message| event::summary(&message))
            .unwrap_or_default();
        let said = line(&said, columns().saturating_sub(22));
        let (seq, who) = (event.seq.as_u64(), event::who(event));
        let _ = writeln!(
            text,
            "{style}{sign}{style:#} {DIM}{seq:>6}{DIM:#} {who:<10} {said}"
        );
    }
}
