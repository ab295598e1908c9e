//! The counts for people.

use std::fmt::Write as _;

use crate::commands::stats::Stats;
use crate::output::style::{BOLD, DIM};
use crate::output::table::{Cell, Table};
use crate::output::text::{columns, counted, inline, line, share};

/// The counts as tables.
pub(super) fn text(stats: &Stats) -> String {
    let mut text = headline(stats);
    let tally = &stats.tally;
    if tally.events == 0 {
        return text;
    }
    let whole = tally.tokens;

    let mut roles = Table::with_titles(["by role", ">events", ">tokens", ">share"]);
    for sum in &tally.roles {
        roles.push([
            Cell::new(line(&sum.role, 24)),
            Cell::number(sum.events),
            Cell::number(sum.tokens),
            Cell::right(share(sum.tokens, whole)),
        ]);
    }
    let mut kinds = Table::with_titles(["by kind", ">parts", ">tokens", ">share"]);
    for sum in &tally.kinds {
        kinds.push([
            Cell::new(sum.kind.title()),
            Cell::number(sum.parts),
            Cell::number(sum.tokens),
            Cell::right(share(sum.tokens, whole)),
        ]);
    }
    for table in [roles, kinds, results(stats), turns(stats)] {
        let rendered = table.render(2);
        if rendered.lines().count() > 1 {
            text.push('\n');
            text.push_str(&rendered);
        }
    }
    text
}

fn headline(stats: &Stats) -> String {
    let tally = &stats.tally;
    let mut text = format!("{BOLD}{}{BOLD:#}", inline(&stats.source));
    if let (Some(format), Some(why)) = (stats.format, &stats.format_because) {
        let _ = write!(text, " {DIM}({format}: {why}){DIM:#}");
    }
    let several = match stats.conversations {
        1 => String::new(),
        count => format!("{}, ", counted(count, "conversation")),
    };
    let _ = writeln!(
        text,
        ": {several}{}, {}, {}, {} {DIM}by {}{DIM:#}",
        counted(tally.events, "event"),
        counted(tally.turns, "turn"),
        counted(tally.steps, "step"),
        counted(tally.tokens, "token"),
        stats.estimator,
    );
    text
}

fn results(stats: &Stats) -> Table {
    let mut table = Table::with_titles([
        "largest results",
        ">tokens",
        ">share",
        ">turn",
        ">line",
        "event",
    ]);
    for result in &stats.tally.largest_results {
        let tool = result
            .tool
            .as_deref()
            .filter(|tool| !tool.is_empty())
            .unwrap_or("-");
        table.push([
            Cell::new(line(tool, 32)),
            Cell::number(result.tokens),
            Cell::right(share(result.tokens, stats.tally.tokens)),
            result.turn.map_or(Cell::right("-"), Cell::number),
            result.line.map_or(Cell::right("-"), Cell::number),
            Cell::new(line(&result.event, 60)).styled(DIM),
        ]);
    }
    table
}

fn turns(stats: &Stats) -> Table {
    let width = columns().saturating_sub(58).max(20);
    let mut table = Table::with_titles([
        "biggest turns",
        ">tokens",
        ">share",
        ">events",
        ">steps",
        "begins with",
    ]);
    for turn in &stats.tally.biggest_turns {
        let name = match stats.conversations {
            1 => format!("turn {}", turn.turn),
            _ => format!("turn {} of {}", turn.turn, line(&turn.session, 24)),
        };
        table.push([
            Cell::new(name),
            Cell::number(turn.tokens),
            Cell::right(share(turn.tokens, stats.tally.tokens)),
            Cell::number(turn.events),
            Cell::number(turn.steps),
            Cell::new(line(&turn.begins, width)).styled(DIM),
        ]);
    }
    table
}
