//! `compaction search`: recall over what was said, covered or not.

use std::fmt::Write as _;

use clap::Args;
use compaction_tokens::Estimators;
use serde::Serialize;
use session::{
    Hit, Keywords, Order, Reach, Role, Scope, SearchQuery, SessionId, SessionQuery,
    SessionStore as _, Sessions, Snippet, Timestamp,
};

use crate::args::moment::moment;
use crate::args::number::count;
use crate::args::tokens::by_name;
use crate::args::{Globals, after_help};
use crate::failure::{Ending, Failure, Kind};
use crate::output::json::document;
use crate::output::receipt::warning_line;
use crate::output::style::{BOLD, DIM, WARNING};
use crate::output::text::{self, counted, instant, line};
use crate::output::{print, print_styled, tell};
use crate::source::id;
use crate::store;

/// Find messages by words, covered ones included
///
/// A word is found where the text contains it, in any case; no character has a special meaning. What tools were
/// called with and what they returned is searched too, summaries are not. Oldest first.
///
/// Without --in and --owner all sessions of the store are searched, one after the other.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct SearchArgs {
    /// What to find: 1 to 20 words, or phrases in quotes
    #[arg(value_name = "WORDS", required = true)]
    words: Vec<String>,

    /// In this session
    #[arg(long = "in", value_name = "SESSION", help_heading = "Where")]
    session: Option<String>,

    /// In the sessions of this owner
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with = "session",
        help_heading = "Where"
    )]
    owner: Option<String>,

    /// Messages that have at least one of the words; this is the default
    #[arg(long, help_heading = "What")]
    any: bool,

    /// Messages that have all of the words
    #[arg(long, conflicts_with = "any", help_heading = "What")]
    all: bool,

    /// Only messages of this role: user, assistant, tool, system. May be repeated
    #[arg(long = "type", value_name = "ROLE", value_parser = role, help_heading = "What")]
    roles: Vec<Role>,

    /// Only messages since then: 7d, 12h, 2026-01-31, 2026-01-31T12:00:00Z
    #[arg(long, value_name = "WHEN", value_parser = moment, help_heading = "What")]
    since: Option<Timestamp>,

    /// Only what was said, not what tools were called with and returned
    #[arg(long, help_heading = "What")]
    text_only: bool,

    /// The best first: more of the words, then more often, then the newer
    #[arg(long, help_heading = "Output")]
    best: bool,

    /// The page to show, from 1
    #[arg(long, value_name = "N", value_parser = count, default_value = "1", help_heading = "Output")]
    page: usize,

    /// How many hits a page has
    #[arg(long, value_name = "N", value_parser = count, default_value = "10", help_heading = "Output")]
    limit: usize,
}

const AFTER_HELP: &str = after_help!(
    "\
Examples:
  compaction search migration
  compaction search --in 37f83ec9 --all invoice '100%' --since 30d
  compaction search --owner ann password --type user --json"
);

#[derive(Debug, Serialize)]
struct SearchJson<'a> {
    page: usize,
    more: bool,
    hits: Vec<HitJson<'a>>,
    damaged: Vec<String>,
}

#[derive(Debug, Serialize)]
struct HitJson<'a> {
    session: &'a str,
    seq: u64,
    event: &'a str,
    role: &'a str,
    time: Option<String>,
    keywords: u64,
    occurrences: u64,
    snippet: &'a str,
    /// Where keywords stand in the snippet, in bytes.
    found: Vec<[usize; 2]>,
}

/// A page of hits.
#[derive(Debug, Default)]
struct Hits {
    hits: Vec<Hit>,
    has_more: bool,
    damaged: Vec<String>,
}

fn role(name: &str) -> Result<Role, String> {
    match Role::from_name(name) {
        Role::Other(_) => Err("expected user, assistant, tool or system".into()),
        role => Ok(role),
    }
}

/// Runs the command.
pub(crate) async fn run(globals: &Globals, args: &SearchArgs) -> Result<Ending, Failure> {
    let query = query(args)?;
    let sessions = store::open(globals.store.as_deref(), by_name(Estimators::DEFAULT)?).await?;
    let scopes = scopes(&sessions, args).await?;
    let hits = search(&sessions, &scopes, query, args).await?;
    if globals.json {
        print(&document(&to_json(&hits, args))?)?;
    } else {
        print_styled(&hits.hits.iter().map(hit_text).collect::<String>())?;
        if !globals.quiet {
            tell(&told(&hits, args));
        }
    }
    Ok(if hits.damaged.is_empty() {
        Ending::Done
    } else {
        Ending::Partly(Kind::Work)
    })
}

fn query(args: &SearchArgs) -> Result<SearchQuery, Failure> {
    if args.page == 0 || args.limit == 0 {
        return Err(Failure::usage("pages begin at 1 and have at least one hit"));
    }
    let mut query = SearchQuery::new(args.words.iter().cloned())
        .with_keywords(if args.all {
            Keywords::All
        } else {
            Keywords::Any
        })
        .with_reach(if args.text_only {
            Reach::Text
        } else {
            Reach::TextAndTools
        })
        .with_order(if args.best {
            Order::Relevance
        } else {
            Order::OldestFirst
        })
        .with_roles(args.roles.iter().cloned());
    query.since = args.since;
    query
        .check()
        .map_err(|error| Failure::usage(error.to_string()))?;
    Ok(query)
}

/// Where to search, in order.
async fn scopes(sessions: &Sessions, args: &SearchArgs) -> Result<Vec<Scope>, Failure> {
    if let Some(owner) = &args.owner {
        return Ok(vec![Scope::Owner(owner.clone())]);
    }
    if let Some(text) = &args.session {
        return Ok(vec![Scope::Session(id::session(sessions, text).await?.id)]);
    }
    let mut query = SessionQuery::all().with_limit(1000);
    let mut scopes = Vec::new();
    loop {
        let page = sessions.list(&query).await?;
        scopes.extend(
            page.items
                .into_iter()
                .map(|session| Scope::Session(session.id)),
        );
        match page.next {
            Some(mark) => query.after = Some(mark),
            None => return Ok(scopes),
        }
    }
}

async fn search(
    sessions: &Sessions,
    scopes: &[Scope],
    query: SearchQuery,
    args: &SearchArgs,
) -> Result<Hits, Failure> {
    let mut skip = (args.page - 1).saturating_mul(args.limit);
    let mut found = Hits::default();
    for scope in scopes {
        let mut query = query
            .clone()
            .with_limit(args.limit.saturating_add(1).min(1000));
        loop {
            let page = sessions.store().search(scope, &query).await?;
            let damaged = page.damaged.iter();
            found.damaged.extend(
                damaged.map(|it| format!("{} event {}: {}", it.session, it.seq, it.reason)),
            );
            for hit in page.items {
                if skip > 0 {
                    skip -= 1;
                } else if found.hits.len() == args.limit {
                    found.has_more = true;
                    return Ok(found);
                } else {
                    found.hits.push(hit);
                }
            }
            match page.next {
                Some(mark) => query.after = Some(mark),
                None => break,
            }
        }
    }
    Ok(found)
}

fn hit_text(hit: &Hit) -> String {
    let message = hit.event.as_message();
    let role = message.map_or("", |message| message.role.as_str());
    let mut text = format!(
        "{BOLD}{}{BOLD:#} {DIM}event {}, {}, {}{DIM:#}\n",
        line(session(hit), 255),
        hit.event.seq,
        line(role, 20),
        text::moment(hit.event.timestamp),
    );
    let _ = writeln!(text, "    {}", snippet_text(&hit.snippet));
    text
}

fn session(hit: &Hit) -> &str {
    SessionId::as_str(&hit.session)
}

/// The snippet with the keywords marked, on one line.
fn snippet_text(snippet: &Snippet) -> String {
    let mut text = String::new();
    let mut at = 0;
    let plain = |text: &mut String, from: usize, to: usize| {
        text.push_str(&text::inline(
            snippet.text.get(from..to).unwrap_or_default(),
        ));
    };
    for [start, end] in found(snippet) {
        plain(&mut text, at, start);
        let _ = write!(text, "{WARNING}");
        plain(&mut text, start, end);
        let _ = write!(text, "{WARNING:#}");
        at = end;
    }
    plain(&mut text, at, snippet.text.len());
    text
}

/// Where keywords stand in the text of the snippet.
fn found(snippet: &Snippet) -> Vec<[usize; 2]> {
    let inside = |offset: usize| offset.saturating_sub(snippet.start).min(snippet.text.len());
    snippet
        .found
        .iter()
        .map(|range| [inside(range.start), inside(range.end)])
        .collect()
}

fn told(hits: &Hits, args: &SearchArgs) -> String {
    let mut text: String = hits
        .damaged
        .iter()
        .map(|it| warning_line(&format!("cannot be read: {it}")))
        .collect();
    if hits.hits.is_empty() {
        text.push_str(if args.page > 1 {
            "nothing more found\n"
        } else {
            "nothing found\n"
        });
    } else if hits.has_more {
        let _ = writeln!(text, "there is more: --page {}", args.page + 1);
    } else {
        let shown = (args.page - 1)
            .saturating_mul(args.limit)
            .saturating_add(hits.hits.len());
        let _ = writeln!(
            text,
            "{} found",
            counted(u64::try_from(shown).unwrap_or(u64::MAX), "message")
        );
    }
    text
}

fn to_json<'a>(hits: &'a Hits, args: &SearchArgs) -> SearchJson<'a> {
    let hit_json = |hit: &'a Hit| HitJson {
        session: session(hit),
        seq: hit.event.seq.as_u64(),
        event: hit.event.id.as_str(),
        role: hit
            .event
            .as_message()
            .map_or("", |message| message.role.as_str()),
        time: instant(hit.event.timestamp),
        keywords: hit.keywords,
        occurrences: hit.occurrences,
        snippet: &hit.snippet.text,
        found: found(&hit.snippet),
    };
    SearchJson {
        page: args.page,
        more: hits.has_more,
        hits: hits.hits.iter().map(hit_json).collect(),
        damaged: hits.damaged.clone(),
    }
}
