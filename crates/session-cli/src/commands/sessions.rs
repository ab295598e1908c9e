//! `compaction sessions`: what is in the store.

use clap::Args;
use compaction_tokens::Estimators;
use serde::Serialize;
use session::{Direction, Session, SessionQuery, attribute};
use session_log::Json;

use crate::args::number::count;
use crate::args::tokens::by_name;
use crate::args::{Globals, after_help};
use crate::failure::{Ending, Failure};
use crate::output::json::document;
use crate::output::style::{BOLD, DIM};
use crate::output::table::{Cell, Table};
use crate::output::text::{columns, counted, instant, line, moment};
use crate::output::{print, print_styled, tell};
use crate::source::desk::{FILE, TITLE};
use crate::store::StoreUrl;

/// List the sessions in the store
///
/// Oldest first. "events" and "tokens" are what a model sees of a session; "log" is how many events it has
/// altogether.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct SessionsArgs {
    /// Only sessions of this owner
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,

    /// Only sessions of this model
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// Only sessions that were forked from this one, or work for it
    #[arg(long, value_name = "SESSION")]
    parent: Option<String>,

    /// Newest first
    #[arg(long)]
    newest: bool,

    /// At most N sessions [default: all]
    #[arg(long, value_name = "N", value_parser = count)]
    limit: Option<usize>,
}

const AFTER_HELP: &str = after_help!(
    "\
Examples:
  compaction sessions --newest --limit 10
  compaction sessions --json | jq -r '.[].session'"
);

#[derive(Debug, Serialize)]
struct SessionJson<'a> {
    session: &'a str,
    title: Option<String>,
    owner: Option<&'a str>,
    model: Option<&'a str>,
    parent: Option<&'a str>,
    file: Option<String>,
    created: Option<String>,
    expires: Option<String>,
    version: u64,
    events: Option<u64>,
    turns: Option<u64>,
    tokens: Option<u64>,
    estimator: Option<&'a str>,
    compacted: bool,
}

/// Runs the command.
pub(crate) async fn run(globals: &Globals, args: &SessionsArgs) -> Result<Ending, Failure> {
    let url = StoreUrl::parse(globals.store.as_deref())?;
    let sessions = match url.open_existing(by_name(Estimators::DEFAULT)?).await? {
        Some(sessions) => list(&sessions, args).await?,
        None => Vec::new(),
    };
    if globals.json {
        let all: Vec<SessionJson<'_>> = sessions.iter().map(to_json).collect();
        print(&document(&all)?)?;
        return Ok(Ending::Done);
    }
    if sessions.is_empty() {
        if !globals.quiet {
            tell(&format!(
                "no sessions in {url}; `compaction import FILE` puts some there\n"
            ));
        }
        return Ok(Ending::Done);
    }
    print_styled(&table(&sessions))?;
    Ok(Ending::Done)
}

async fn list(service: &session::Sessions, args: &SessionsArgs) -> Result<Vec<Session>, Failure> {
    let mut query = SessionQuery::all();
    query.owner.clone_from(&args.owner);
    if let Some(model) = &args.model {
        query = query.with_attribute(attribute::MODEL, model);
    }
    if let Some(parent) = &args.parent {
        query = query.with_parent(session::SessionId::new(parent).map_err(session::Error::from)?);
    }
    if args.newest {
        query = query.with_direction(Direction::Backward);
    }
    let limit = args.limit.unwrap_or(usize::MAX);
    let mut sessions = Vec::new();
    while sessions.len() < limit {
        let page = service.list(&query).await?;
        sessions.extend(page.items);
        match page.next {
            Some(mark) => query.after = Some(mark),
            None => break,
        }
    }
    sessions.truncate(limit);
    Ok(sessions)
}

fn table(sessions: &[Session]) -> String {
    let width = columns().saturating_sub(92).max(24);
    let mut table = Table::with_titles([
        "session", "created", ">log", ">events", ">turns", ">tokens", "", "title",
    ]);
    for session in sessions {
        let counters = session.head.counters.as_ref();
        let number = |value: Option<u64>| value.map_or(Cell::right("-"), Cell::number);
        let tokens = counters.and_then(|counters| counters.tokens.as_ref());
        table.push([
            Cell::new(line(session.id.as_str(), 80)).styled(BOLD),
            Cell::new(moment(session.created_at)),
            Cell::number(session.head.version.as_u64()),
            number(counters.map(|counters| counters.events)),
            number(counters.map(|counters| counters.turns)),
            number(tokens.map(|count| count.tokens)),
            Cell::new(if session.head.boundary.is_some() {
                "compacted"
            } else {
                ""
            })
            .styled(DIM),
            Cell::new(line(&title(session).unwrap_or_default(), width)),
        ]);
    }
    let total = u64::try_from(sessions.len()).unwrap_or(u64::MAX);
    format!(
        "{}{DIM}{}{DIM:#}\n",
        table.render(0),
        counted(total, "session")
    )
}

/// The title, or the name of the file it came from.
pub(crate) fn title(session: &Session) -> Option<String> {
    entry(session, TITLE).or_else(|| {
        let file = entry(session, FILE)?;
        let name = std::path::Path::new(&file).file_name()?;
        Some(name.display().to_string())
    })
}

/// A text among the metadata.
fn entry(session: &Session, name: &str) -> Option<String> {
    let value = session.metadata.get(name).map(Json::to_value)?.ok()?;
    value.as_str().map(Into::into)
}

fn to_json(session: &Session) -> SessionJson<'_> {
    let counters = session.head.counters.as_ref();
    let tokens = counters.and_then(|counters| counters.tokens.as_ref());
    SessionJson {
        session: session.id.as_str(),
        title: entry(session, TITLE),
        owner: session.owner.as_deref(),
        model: session.attributes.get(attribute::MODEL).map(String::as_str),
        parent: session.parent.as_ref().map(session::SessionId::as_str),
        file: entry(session, FILE),
        created: instant(session.created_at),
        expires: session.expires_at.and_then(instant),
        version: session.head.version.as_u64(),
        events: counters.map(|counters| counters.events),
        turns: counters.map(|counters| counters.turns),
        tokens: tokens.map(|count| count.tokens),
        estimator: tokens.map(|count| count.estimator.as_str()),
        compacted: session.head.boundary.is_some(),
    }
}
