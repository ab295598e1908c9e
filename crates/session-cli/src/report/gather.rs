//! From a pass over a file, or a session in a store, to what is on the page.

mod cards;
mod fates;
mod growth;

use std::collections::BTreeSet;
use std::sync::Arc;

use session::{Entry as _, EntryKind, Outcome, Session, Sessions, attribute};
use session_log::{Origin, Size};

use crate::commands::pass::Pass;
use crate::commands::sessions::title;
use crate::commands::show::Shown;
use crate::output::fates::{cost, rows};
use crate::output::receipt::{headline, warnings};
use crate::output::text::{counted, less, number};
use crate::output::words::plainly;
use crate::report::fate::Fate;
use crate::report::gather::cards::cards;
use crate::report::gather::fates::Fates;
use crate::report::gather::growth::growth;
use crate::report::{Card, Item, Report, State, count};

/// What a pass does, or would do, with the view of a conversation.
pub(crate) fn of_pass(
    name: &str,
    format: &str,
    pass: &Pass,
    sessions: &Sessions,
    session: &Session,
) -> Report {
    let of_pass = &pass.report;
    let rows = rows(pass, sessions);
    let mut items: Vec<Item> = rows
        .iter()
        .map(|row| Item {
            message: row.event.as_message().cloned(),
            fate: row.fate.into(),
            tokens: row.tokens,
            turn: None,
            step: None,
            is_new: false,
            event: Arc::clone(&row.event),
        })
        .collect();
    // A summary that is only planned stands where it will stand: right before what is kept.
    let known: BTreeSet<&str> = rows.iter().map(|row| row.event.id.as_str()).collect();
    let new = pass.after.events().iter();
    let new: Vec<Item> = new
        .filter(|event| !known.contains(event.id.as_str()))
        .map(|event| Item {
            message: event.as_message().cloned(),
            fate: Fate::Summary,
            tokens: cost(sessions, &pass.after, event),
            turn: None,
            step: None,
            is_new: true,
            event: Arc::clone(event),
        })
        .collect();
    let cut = items
        .iter()
        .rposition(|item| item.fate == Fate::Covered)
        .map_or(0, |at| at + 1);
    items.splice(cut..cut, new);
    number_turns(&mut items);
    let did = of_pass.outcome == Outcome::Compacted;
    let hidden = items.iter().filter(|item| item.fate == Fate::Covered);
    let card = Card {
        seq: None,
        state: match pass.selected_by {
            Some(_) => State::Selected,
            None => State::Planned,
        },
        time: None,
        before: of_pass.before,
        after: of_pass.after,
        facts: vec![
            ("trigger", of_pass.why.clone()),
            ("strategy", plainly(&of_pass.strategy)),
        ],
        summary: of_pass.summary.as_ref().map(|it| it.text.clone()),
        hidden: hidden.map(|item| item.event.seq.as_u64()).collect(),
    };
    let mut facts = vec![("file", name.to_owned()), ("format", format.to_owned())];
    facts.extend(about(session));
    let file = std::path::Path::new(name).file_name();
    Report {
        title: file.map_or_else(|| name.into(), |file| file.display().to_string()),
        headline: in_a_line(pass),
        facts,
        estimator: of_pass.estimator.clone(),
        before: of_pass.before,
        after: of_pass.after,
        items,
        boundaries: if did { vec![card] } else { Vec::new() },
        growth: Vec::new(),
        notes: warnings(pass).collect(),
    }
}

/// What the pass comes to.
fn in_a_line(pass: &Pass) -> String {
    let (before, after) = (pass.report.before.tokens, pass.report.after.tokens);
    if pass.report.outcome != Outcome::Compacted {
        let receipt = headline("it", pass);
        let first = receipt.lines().next().unwrap_or_default();
        return anstream::adapter::strip_str(first).to_string();
    }
    let who = match pass.selected_by {
        Some(_) => "one request would have",
        None => "a pass would leave",
    };
    format!(
        "{who} {} of {} tokens, {}",
        number(after),
        number(before),
        less(before, after)
    )
}

/// A session as its log has it, and what a model sees of it.
pub(crate) fn of_session(shown: &Shown, sessions: &Sessions) -> Report {
    let (session, view) = (&shown.session, &shown.view);
    let log = shown.events();
    let fates = Fates::of(view);
    let mut items: Vec<Item> = log
        .iter()
        .map(|event| Item {
            message: event.as_message().cloned(),
            fate: fates.fate(event),
            tokens: event
                .as_message()
                .map_or(0, |_| cost(sessions, view, event)),
            turn: None,
            step: None,
            is_new: false,
            event: Arc::clone(event),
        })
        .collect();
    number_turns(&mut items);
    let said = items
        .iter()
        .filter(|item| !matches!(item.fate, Fate::Record));
    let said =
        said.filter(|item| !matches!(item.event.origin, Origin::Summary { boundary: Some(_) }));
    let before = said.fold(Size::default(), |sum, item| {
        let opens = u64::from(item.event.kind() == EntryKind::TurnStart);
        let tokens = sum.tokens.saturating_add(item.tokens);
        Size::new(sum.events + 1, sum.turns + opens, tokens)
    });
    let outline = view.outline(|event| cost(sessions, view, event));
    let after = Size::new(
        count(view.events().len()),
        count(outline.turns().len()),
        outline.tokens(),
    );
    let version = view.version();
    let mut facts = vec![("version", format!("{version} of {}", session.head.version))];
    facts.extend(about(session));
    let headline = match view.boundary() {
        Some(_) => format!(
            "a model sees {} of {} tokens, {}",
            number(after.tokens),
            number(before.tokens),
            less(before.tokens, after.tokens)
        ),
        None => format!("a model sees all of it: {}", counted(after.tokens, "token")),
    };
    let damaged = shown.damaged.iter();
    Report {
        title: session.id.to_string(),
        headline,
        facts,
        estimator: sessions.estimator().into(),
        before,
        after,
        boundaries: cards(log, view),
        growth: growth(log, sessions),
        items,
        notes: damaged
            .map(|damage| format!("event {} cannot be read: {}", damage.seq, damage.reason))
            .collect(),
    }
}

fn about(session: &Session) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    facts.extend(title(session).map(|title| ("title", title)));
    let model = session.attributes.get(attribute::MODEL);
    facts.extend(model.map(|model| ("model", model.clone())));
    facts.extend(session.owner.clone().map(|owner| ("owner", owner)));
    facts.extend(session.parent.as_ref().map(|it| ("parent", it.to_string())));
    facts
}

/// Numbers turns and steps. What stands between turns belongs to the one before.
fn number_turns(items: &mut [Item]) {
    let (mut turn, mut step, mut is_in_step) = (0, 0, false);
    for item in items {
        match item.event.kind() {
            EntryKind::TurnStart => {
                (turn, step, is_in_step) = (turn + 1, 0, false);
            }
            EntryKind::StepStart => {
                step += 1;
                is_in_step = true;
            }
            _ => {
                let message = item.message.as_ref();
                is_in_step &= message.is_some_and(session_log::Message::is_only_results);
            }
        }
        item.turn = Some(turn).filter(|turn| *turn > 0);
        item.step = Some(step).filter(|_| is_in_step);
    }
}
