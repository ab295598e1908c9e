//! `compaction fork`: another session that begins as this one did.

use clap::Args;
use compaction_tokens::Estimators;
use serde::Serialize;
use session::SessionId;

use crate::args::number::amount;
use crate::args::tokens::by_name;
use crate::args::{Globals, after_help};
use crate::commands::export::version;
use crate::failure::{Ending, Failure};
use crate::output::json::document;
use crate::output::print;
use crate::source::id;
use crate::store;

/// Copy a session, whole or up to a version, into a new one
///
/// The copy has the same view and goes its own way from there; the session itself is not touched. Prints the
/// id of the copy.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ForkArgs {
    /// The id of a session
    #[arg(value_name = "SESSION")]
    session: String,

    /// Up to this version [default: all of it]
    #[arg(long, value_name = "VERSION", value_parser = amount)]
    at: Option<u64>,

    /// The id of the copy [default: a fresh one]
    #[arg(long = "as", value_name = "ID")]
    id: Option<String>,
}

const AFTER_HELP: &str = after_help!(
    "\
Examples:
  compaction fork talk-1 --at 40
  compaction fork talk-1 --as talk-1-b"
);

#[derive(Debug, Serialize)]
struct ForkJson<'a> {
    session: &'a str,
    parent: &'a str,
    version: u64,
}

/// Runs the command.
pub(crate) async fn run(globals: &Globals, args: &ForkArgs) -> Result<Ending, Failure> {
    let sessions = store::open(globals.store.as_deref(), by_name(Estimators::DEFAULT)?).await?;
    let session = id::session(&sessions, &args.session).await?;
    let version = version(&session, args.at)?;
    let into = match &args.id {
        Some(text) => SessionId::new(text).map_err(session::Error::from)?,
        None => fresh(&sessions, &session.id).await?,
    };
    let mut into = sessions.describe(into);
    into.owner.clone_from(&session.owner);
    into.attributes.clone_from(&session.attributes);
    into.metadata.clone_from(&session.metadata);
    let fork = sessions
        .fork(&session.id, version, into)
        .await
        .map_err(|error| match error {
            session::Error::SessionExists { .. } => {
                Failure::usage(error.to_string()).with_hint("choose another id with --as")
            }
            other => other.into(),
        })?;
    if globals.json {
        let (parent, version) = (session.id.as_str(), fork.head.version.as_u64());
        print(&document(&ForkJson {
            session: fork.id.as_str(),
            parent,
            version,
        })?)?;
    } else {
        print(&format!("{}\n", fork.id))?;
    }
    Ok(Ending::Done)
}

/// An id that tells where the copy comes from, and that nobody has.
async fn fresh(sessions: &session::Sessions, parent: &SessionId) -> Result<SessionId, Failure> {
    const TRIES: u32 = 10_000;
    for number in 1..=TRIES {
        let text = format!("{parent}-fork-{number}");
        let id = SessionId::new(&text).map_err(|error| {
            Failure::from(session::Error::from(error)).with_hint("choose an id with --as")
        })?;
        if sessions.find(&id).await?.is_none() {
            return Ok(id);
        }
    }
    Err(
        Failure::work(format!("session {parent} has too many forks"))
            .with_hint("choose an id with --as"),
    )
}
