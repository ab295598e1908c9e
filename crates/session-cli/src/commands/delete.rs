//! `compaction delete`: sessions out of the store.

use clap::Args;
use compaction_tokens::Estimators;
use serde::Serialize;
use session::SessionId;

use crate::args::tokens::by_name;
use crate::args::{Globals, after_help};
use crate::failure::{Ending, Failure, Kind};
use crate::output::json::document;
use crate::output::text::inline;
use crate::output::{print, tell};
use crate::store;

/// Delete sessions with all that is in them
///
/// There is no way back. An id must be written whole here, so that no slip deletes the wrong session.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct DeleteArgs {
    /// Whole ids of sessions
    #[arg(value_name = "SESSION", required = true)]
    sessions: Vec<String>,
}

const AFTER_HELP: &str = after_help!(
    "\
Examples:
  compaction export talk-1 --log --to jsonl -o talk-1.jsonl && compaction delete talk-1"
);

#[derive(Debug, Serialize)]
struct DeleteJson {
    deleted: Vec<String>,
    unknown: Vec<String>,
}

/// Runs the command.
pub(crate) async fn run(globals: &Globals, args: &DeleteArgs) -> Result<Ending, Failure> {
    let sessions = store::open(globals.store.as_deref(), by_name(Estimators::DEFAULT)?).await?;
    let mut ended = DeleteJson {
        deleted: Vec::new(),
        unknown: Vec::new(),
    };
    for text in &args.sessions {
        let was_there = match SessionId::new(text) {
            Ok(id) => sessions.delete(&id).await?,
            Err(_) => false,
        };
        if was_there {
            if !globals.quiet && !globals.json {
                tell(&format!("deleted {}\n", inline(text)));
            }
            ended.deleted.push(text.clone());
        } else {
            let failure = Failure::usage(format!("no session is named {text}"))
                .with_hint("write the whole id, as `compaction sessions` lists it");
            tell(&failure.render());
            ended.unknown.push(text.clone());
        }
    }
    if globals.json {
        print(&document(&ended)?)?;
    }
    Ok(if ended.unknown.is_empty() {
        Ending::Done
    } else {
        Ending::Partly(Kind::Usage)
    })
}
