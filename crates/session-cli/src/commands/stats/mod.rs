//! `compaction stats`: where the tokens are.

mod tally;
mod text;

use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use session::{Sessions, TokenEstimator};

use crate::args::number::count;
use crate::args::source::SourceArgs;
use crate::args::tokens::TokenArgs;
use crate::args::{Globals, after_help};
use crate::commands::stats::tally::{Line, Tally};
use crate::failure::{Ending, Failure};
use crate::output::json::document;
use crate::output::receipt::{skipped_lines, warning_line};
use crate::output::{fates, print, print_styled, tell};
use crate::parallel;
use crate::source::{Source, resolve};

/// Say where the tokens of a conversation are
///
/// Counts events, turns and steps, and tokens by role and by kind of content, and names the largest tool
/// results and the biggest turns. Of a session it counts what a model sees, or with --log everything.
///
/// A message that brings nothing but tool results counts under the role tool, whatever the record says.
/// "framing" is what the names of the speakers and the punctuation around them add.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    source: SourceArgs,

    /// Count the whole log, not only what a model sees
    #[arg(long, help_heading = "What is counted")]
    log: bool,

    /// How many of the largest results and turns to name
    #[arg(long, value_name = "N", value_parser = count, default_value = "5", help_heading = "What is counted")]
    top: usize,

    #[command(flatten)]
    tokens: TokenArgs,
}

const AFTER_HELP: &str = after_help!(
    "\
Examples:
  compaction stats talk.jsonl
  compaction stats talk.jsonl --top 20 --encoding cl100k_base
  compaction stats 37f83ec9 --log --json | jq '.kinds[] | select(.kind == \"tool_result\")'"
);

/// What was counted.
#[derive(Debug, Serialize)]
struct Stats {
    source: String,
    format: Option<&'static str>,
    format_because: Option<String>,
    estimator: String,
    conversations: u64,
    #[serde(flatten)]
    tally: Tally,
    warnings: Vec<String>,
}

/// Runs the command.
pub(crate) async fn run(globals: &Globals, args: &StatsArgs) -> Result<Ending, Failure> {
    let estimator = args.tokens.estimator()?;
    let source = resolve(
        &args.source,
        globals.store.as_deref(),
        Arc::clone(&estimator),
    )
    .await?;
    let stats = stats(&source, args, &*estimator).await?;
    if globals.json {
        print(&document(&stats)?)?;
        return Ok(Ending::Done);
    }
    print_styled(&text::text(&stats))?;
    if let (Source::File(desk), false) = (&source, globals.quiet) {
        let warnings = desk.input.warnings.iter();
        let lines: String = warnings
            .map(|warning| warning_line(&warning.to_string()))
            .collect();
        tell(&lines);
        tell(&skipped_lines(&desk.input.name, &desk.input.skipped));
    }
    Ok(Ending::Done)
}

async fn stats(
    source: &Source,
    args: &StatsArgs,
    estimator: &dyn TokenEstimator,
) -> Result<Stats, Failure> {
    let (sessions, ids, is_long) = match source {
        Source::Session(sessions, id) => (sessions, vec![id], false),
        Source::File(desk) => {
            let ids = desk.talks.iter().map(|talk| &talk.id).collect();
            (&desk.sessions, ids, desk.input.is_long)
        }
    };
    let conversations = u64::try_from(ids.len()).unwrap_or(u64::MAX);
    let mut lines = Vec::new();
    for id in ids {
        lines.extend(self::lines(sessions, id, args.log).await?);
    }
    parallel::each(&mut lines, "counting", is_long, |line| {
        line.count(sessions, estimator);
    });
    let mut stats = Stats {
        source: String::new(),
        format: None,
        format_because: None,
        estimator: sessions.estimator().into(),
        conversations,
        tally: Tally::of(&lines, args.top),
        warnings: Vec::new(),
    };
    match source {
        Source::Session(_, id) => stats.source = id.to_string(),
        Source::File(desk) => {
            let input = &desk.input;
            stats.source.clone_from(&input.name);
            stats.format = Some(input.format.name());
            stats.format_because = Some(input.why.clone());
            stats
                .warnings
                .extend(input.warnings.iter().map(ToString::to_string));
            stats.warnings.extend(
                input
                    .skipped
                    .iter()
                    .map(|skipped| format!("skipped {skipped}")),
            );
        }
    }
    Ok(stats)
}

/// The messages of a session, each with the turn it is in.
async fn lines(
    sessions: &Sessions,
    id: &session::SessionId,
    is_log: bool,
) -> Result<Vec<Line>, Failure> {
    let view = sessions.view(id).await?;
    let events = if is_log {
        sessions.log(id).await?
    } else {
        view.events().to_vec()
    };
    let lines = fates::with_turns(&events).filter_map(|(event, turn)| {
        let message = if is_log {
            event.as_message()?.clone()
        } else {
            view.shown(event)?.into_owned()
        };
        Some(Line::new(id, event, message, turn))
    });
    Ok(lines.collect())
}
