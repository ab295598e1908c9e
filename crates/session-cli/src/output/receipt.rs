//! What a pass did, or would do, for people.

use std::fmt::Write as _;

use session::{Entry as _, EntryKind, Outcome, Reason, Report, Sessions};
use session_transcript::Skipped;

use crate::commands::pass::Pass;
use crate::output::fates::{Fate, Row, Sum, rows, sum};
use crate::output::style::{BOLD, DIM, HINT, WARNING};
use crate::output::table::{Cell, Table};
use crate::output::text::{counted, inline, less, number};

/// How many skipped records are told one by one.
const MOST_SKIPPED: usize = 10;

/// The receipt of a pass over what people know as `name`.
pub(crate) fn receipt(name: &str, pass: &Pass, sessions: &Sessions) -> String {
    let name = inline(name);
    let mut text = headline(&name, pass);
    if pass.report.outcome == Outcome::Compacted {
        let rows = rows(pass, sessions);
        text.push_str(&sizes(&pass.report));
        text.push_str(&fates(&rows));
    }
    for warning in warnings(pass) {
        text.push_str(&warning_line(&warning));
    }
    text
}

/// What people should know of a pass.
pub(crate) fn warnings(pass: &Pass) -> impl Iterator<Item = String> + '_ {
    let of_report = pass.report.warnings.iter().map(ToString::to_string);
    of_report.chain(pass.notes.iter().cloned())
}

/// The receipts of several passes over one file, a line each.
pub(crate) fn receipts<'a>(
    name: &str,
    passes: impl ExactSizeIterator<Item = (&'a str, &'a Pass)>,
) -> String {
    let count = u64::try_from(passes.len()).unwrap_or(u64::MAX);
    let mut text = format!(
        "{BOLD}{}{BOLD:#} has {}\n",
        inline(name),
        counted(count, "conversation")
    );
    let mut table = Table::with_titles([
        ">",
        "conversation",
        "",
        ">events",
        ">turns",
        ">tokens",
        ">tokens after",
    ]);
    let mut notes = String::new();
    for (at, (id, pass)) in passes.enumerate() {
        let report = &pass.report;
        let style = if report.outcome == Outcome::Compacted {
            BOLD
        } else {
            DIM
        };
        table.push([
            Cell::right((at + 1).to_string()),
            Cell::new(id),
            Cell::new(report.outcome.as_str()).styled(style),
            Cell::number(report.before.events),
            Cell::number(report.before.turns),
            Cell::number(report.before.tokens),
            Cell::number(report.after.tokens),
        ]);
        for warning in warnings(pass) {
            notes.push_str(&warning_line(&format!(
                "conversation {}: {warning}",
                at + 1
            )));
        }
    }
    text.push_str(&table.render(2));
    text.push_str(&notes);
    text
}

/// One line: what happened, to what, by how much.
pub(crate) fn headline(name: &str, pass: &Pass) -> String {
    let report = &pass.report;
    let size = report.before;
    let sizes = format!(
        "{}, {}, {}",
        counted(size.events, "event"),
        counted(size.turns, "turn"),
        counted(size.tokens, "token")
    );
    match report.outcome {
        Outcome::Compacted => {
            let verb = match (pass.selected_by, &pass.plan) {
                (Some(_), _) => "selected for one request from",
                (None, Some(_)) => "would compact",
                (None, None) => "compacted",
            };
            let before = report.before.tokens;
            format!(
                "{BOLD}{verb} {name}{BOLD:#}: {} → {} tokens, {}\n",
                number(before),
                number(report.after.tokens),
                less(before, report.after.tokens),
            )
        }
        Outcome::Unchanged(Reason::FitsWindow) => {
            format!("{BOLD}nothing to compact in {name}{BOLD:#}: {sizes}, which fits\n")
        }
        Outcome::Unchanged(_) => {
            let hint = if size.turns > 0 {
                format!(
                    "{HINT}hint:{HINT:#} --grain step may cut inside the newest turn, between its tool calls\n"
                )
            } else {
                String::new()
            };
            let why = match size.turns {
                0 => "no message of a user opens a turn",
                _ => "the newest turn stays whole, and nothing stands before it that may go",
            };
            format!("{BOLD}nothing to compact in {name}{BOLD:#}: {sizes}; {why}\n{hint}")
        }
        Outcome::NotTriggered => {
            format!(
                "{BOLD}left {name} as it is{BOLD:#}: the trigger did not fire, {}\n",
                report.why
            )
        }
        Outcome::Declined => {
            let why = match report.reason() {
                Some("declined") | None => String::new(),
                Some(check) => format!(" ({})", check.replace('_', " ")),
            };
            format!(
                "{BOLD}left {name} as it is{BOLD:#}: there is no valid summary that could stand for what would be covered{why}\n"
            )
        }
        Outcome::Stale => format!(
            "{BOLD}left {name} as it is{BOLD:#}: somebody else compacted or undid it meanwhile; try again\n"
        ),
        _ => format!("{BOLD}{} {name}{BOLD:#}\n", report.outcome.as_str()),
    }
}

fn sizes(report: &Report) -> String {
    let mut table = Table::with_titles(["", ">before", ">after", ""]);
    let rows = [
        ("events", report.before.events, report.after.events),
        ("turns", report.before.turns, report.after.turns),
        ("tokens", report.before.tokens, report.after.tokens),
    ];
    for (name, before, after) in rows {
        let by = if name == "tokens" {
            format!("by {}", report.estimator)
        } else {
            String::new()
        };
        table.push([
            name.into(),
            Cell::number(before),
            Cell::number(after),
            Cell::new(by).styled(DIM),
        ]);
    }
    table.render(2)
}

fn fates(rows: &[Row]) -> String {
    let mut table = Table::plain();
    for fate in Fate::ALL {
        let total = sum(rows, fate);
        if total.events == 0 {
            continue;
        }
        table.push([
            Cell::new(fate.name()).styled(fate.style()),
            Cell::right(counted(total.events, "event")),
            Cell::right(counted(total.tokens, "token")),
            Cell::new(about(rows, fate, total)).styled(DIM),
        ]);
    }
    table.render(2)
}

/// Which events they are, in words.
fn about(rows: &[Row], fate: Fate, total: Sum) -> String {
    let mut words = Vec::new();
    if fate == Fate::Pinned {
        let of = |test: fn(&Row) -> bool| rows.iter().any(|row| row.fate == fate && test(row));
        let is_plain =
            |row: &Row| !matches!(row.event.kind(), EntryKind::System | EntryKind::Summary);
        if of(|row| row.event.kind() == EntryKind::System) {
            words.push("system prompt".to_owned());
        }
        if rows
            .iter()
            .any(|row| row.fate == fate && row.turn.is_none() && is_plain(row))
        {
            words.push("what stands before the first turn".into());
        }
        if of(|row| row.event.kind() == EntryKind::Summary) {
            words.push("an earlier summary".into());
        }
    }
    match (total.first_turn, total.last_turn) {
        (Some(first), Some(last)) if first == last => words.push(format!("turn {first}")),
        (Some(first), Some(last)) => words.push(format!("turns {first} to {last}")),
        _ => {}
    }
    words.join(", ")
}

/// A warning as a line of its own.
pub(crate) fn warning_line(what: &str) -> String {
    format!("{WARNING}warning:{WARNING:#} {}\n", inline(what))
}

/// The records of a file that were left out, each with its line.
pub(crate) fn skipped_lines(name: &str, skipped: &[Skipped]) -> String {
    let name = inline(name);
    let mut text = String::new();
    let lost: Vec<&Skipped> = skipped
        .iter()
        .filter(|skipped| skipped.reason.is_loss())
        .collect();
    for skipped in lost.iter().take(MOST_SKIPPED) {
        let _ = writeln!(text, "{WARNING}skipped:{WARNING:#} {name}, {skipped}");
    }
    if let Some(more) = lost
        .len()
        .checked_sub(MOST_SKIPPED)
        .filter(|more| *more > 0)
    {
        let more = counted(u64::try_from(more).unwrap_or(u64::MAX), "more record");
        let _ = writeln!(
            text,
            "{WARNING}skipped:{WARNING:#} {more} of {name}; --json lists all"
        );
    }
    text
}
