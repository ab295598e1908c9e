//! `compaction undo` and `compaction redo`: boundaries taken back, and given back.

use clap::Args;
use serde::Serialize;
use session::{Event, SessionId, Sessions};
use session_log::EventBody;

use crate::args::tokens::TokenArgs;
use crate::args::{Globals, after_help};
use crate::commands::import::measure;
use crate::failure::{Ending, Failure};
use crate::output::json::{SizeJson, document};
use crate::output::style::BOLD;
use crate::output::text::{counted, inline};
use crate::output::{print, tell};
use crate::source::id;
use crate::store;

/// Take back the newest boundary of a session
///
/// The view is as it was before that pass, with everything that was appended since. The boundary stays in the
/// log and no longer counts; `redo` gives it back. Undo again to take back the one before.
#[derive(Args, Debug)]
#[command(after_help = UNDO_HELP)]
pub(crate) struct UndoArgs {
    #[command(flatten)]
    session: BoundaryArgs,
}

/// Give back the boundary that was taken back last
#[derive(Args, Debug)]
#[command(after_help = REDO_HELP)]
pub(crate) struct RedoArgs {
    #[command(flatten)]
    session: BoundaryArgs,
}

#[derive(Args, Debug)]
struct BoundaryArgs {
    /// The id of a session
    #[arg(value_name = "SESSION")]
    session: String,

    #[command(flatten)]
    tokens: TokenArgs,
}

const UNDO_HELP: &str = after_help!(
    "\
Examples:
  compaction compact talk-1 --last-turns 2
  compaction undo talk-1"
);

const REDO_HELP: &str = after_help!(
    "\
Examples:
  compaction undo talk-1
  compaction redo talk-1"
);

#[derive(Debug, Serialize)]
struct UndoJson<'a> {
    session: &'a str,
    version: u64,
    reverted: Option<u64>,
    view: SizeJson,
}

/// Runs `undo`.
pub(crate) async fn undo(globals: &Globals, args: &UndoArgs) -> Result<Ending, Failure> {
    let (sessions, id) = find(globals, &args.session).await?;
    let reverted = sessions.undo(&id).await?;
    tell_of(globals, &sessions, &id, reverted.as_deref(), "took back").await
}

/// Runs `redo`.
pub(crate) async fn redo(globals: &Globals, args: &RedoArgs) -> Result<Ending, Failure> {
    let (sessions, id) = find(globals, &args.session).await?;
    let reverted = sessions.redo(&id).await?;
    tell_of(
        globals,
        &sessions,
        &id,
        reverted.as_deref(),
        "gave back what was taken back by",
    )
    .await
}

async fn find(globals: &Globals, args: &BoundaryArgs) -> Result<(Sessions, SessionId), Failure> {
    let sessions = store::open(globals.store.as_deref(), args.tokens.estimator()?).await?;
    let id = id::session(&sessions, &args.session).await?.id;
    Ok((sessions, id))
}

async fn tell_of(
    globals: &Globals,
    sessions: &Sessions,
    id: &SessionId,
    revert: Option<&Event>,
    did: &str,
) -> Result<Ending, Failure> {
    let size = measure(sessions, id).await?;
    let reverted = revert.and_then(|event| match &event.body {
        EventBody::Revert(revert) => Some(revert.of.as_u64()),
        _ => None,
    });
    if globals.json {
        let version = sessions.view(id).await?.version().as_u64();
        let (session, view) = (id.as_str(), size.into());
        print(&document(&UndoJson {
            session,
            version,
            reverted,
            view,
        })?)?;
    } else if !globals.quiet {
        let view = format!(
            "in view {}, {}, {}",
            counted(size.events, "event"),
            counted(size.turns, "turn"),
            counted(size.tokens, "token")
        );
        let name = inline(id.as_str());
        tell(&match reverted {
            Some(seq) => format!("{BOLD}{name}{BOLD:#}: {did} {seq}; {view}\n"),
            None => {
                format!(
                    "{BOLD}{name}{BOLD:#}: there is nothing to take back or give back; {view}\n"
                )
            }
        });
    }
    Ok(Ending::Done)
}
