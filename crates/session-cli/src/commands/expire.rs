//! `compaction expire`: the sessions whose time is over, out of the store.

use clap::Args;
use compaction_tokens::Estimators;
use serde::Serialize;
use session::{Session, SessionQuery, Sessions};

use crate::args::moment::now;
use crate::args::tokens::by_name;
use crate::args::{Globals, after_help};
use crate::failure::{Ending, Failure};
use crate::output::json::document;
use crate::output::text::{counted, line, moment};
use crate::output::{print, print_styled, tell};
use crate::store::StoreUrl;

/// Delete the sessions whose time is over
///
/// A session expires some time after it was made, 60 days unless told otherwise. Nothing deletes it before
/// this command does, and until then it can be read and written.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ExpireArgs {
    /// List them, and delete nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

const AFTER_HELP: &str = after_help!(
    "\
Examples:
  compaction expire --dry-run
  compaction expire --quiet"
);

#[derive(Debug, Serialize)]
struct ExpireJson {
    expired: u64,
    deleted: u64,
}

/// Runs the command.
pub(crate) async fn run(globals: &Globals, args: &ExpireArgs) -> Result<Ending, Failure> {
    let url = StoreUrl::parse(globals.store.as_deref())?;
    let opened = url.open_existing(by_name(Estimators::DEFAULT)?).await?;
    let mut ended = ExpireJson {
        expired: 0,
        deleted: 0,
    };
    if let Some(sessions) = opened {
        if args.dry_run {
            let expired = expired(&sessions).await?;
            ended.expired = u64::try_from(expired.len()).unwrap_or(u64::MAX);
            if !globals.json {
                print_styled(&list(&expired))?;
            }
        } else {
            ended.deleted = sessions.expire().await?;
            ended.expired = ended.deleted;
        }
    }
    if globals.json {
        print(&document(&ended)?)?;
    } else if !globals.quiet {
        let what = if args.dry_run { "would go" } else { "deleted" };
        tell(&format!("{} {what}\n", counted(ended.expired, "session")));
    }
    Ok(Ending::Done)
}

/// The sessions whose time is over.
pub(crate) async fn expired(sessions: &Sessions) -> Result<Vec<Session>, Failure> {
    let mut query = SessionQuery::all().with_expires_before(now());
    let mut expired = Vec::new();
    loop {
        let page = sessions.list(&query).await?;
        expired.extend(page.items);
        match page.next {
            Some(mark) => query.after = Some(mark),
            None => return Ok(expired),
        }
    }
}

fn list(expired: &[Session]) -> String {
    let lines = expired.iter().map(|session| {
        let at = session.expires_at.map(moment).unwrap_or_default();
        format!("{}\texpired {at}\n", line(session.id.as_str(), 255))
    });
    lines.collect()
}
