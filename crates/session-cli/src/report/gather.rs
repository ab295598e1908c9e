//! From a pass over a file, or a session in a store, to what is on the page.

use std::collections::BTreeSet;
use std::sync::Arc;

use session::{Entry as _, EntryKind, Event, Outcome, Seq, Session, Sessions, View, attribute};
use session_log::{Boundary, EventBody, Origin, Size};

use crate::commands::pass::Pass;
use crate::commands::sessions::title;
use crate::commands::show::Shown;
use crate::output::fates::{cost, rows};
use crate::output::receipt::{headline, warnings};
use crate::output::text::{counted, instant, less, number, share};
use crate::output::words::plainly;
use crate::report::fate::Fate;
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
        state: State::Planned,
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

/// What the view does with each event of its log.
struct Fates<'a> {
    view: &'a View,
    leading: BTreeSet<Seq>,
    following: BTreeSet<Seq>,
    superseded: BTreeSet<Seq>,
}

impl<'a> Fates<'a> {
    fn of(view: &'a View) -> Self {
        let seqs = |events: &[Arc<Event>]| events.iter().map(|event| event.seq).collect();
        let (leading, following) = view.events().split_at(view.lead().min(view.events().len()));
        let boundary = view.boundary().and_then(|event| event.as_boundary());
        Self {
            view,
            leading: seqs(leading),
            following: seqs(following),
            superseded: boundary
                .map(|boundary| boundary.superseded.iter().copied().collect())
                .unwrap_or_default(),
        }
    }

    fn fate(&self, event: &Event) -> Fate {
        let is_leading = self.leading.contains(&event.seq);
        let is_shown = is_leading || self.following.contains(&event.seq);
        match event.as_message() {
            None => Fate::Record,
            Some(_) if !is_shown && self.superseded.contains(&event.seq) => Fate::Superseded,
            Some(_) if !is_shown => Fate::Covered,
            Some(_) if matches!(event.origin, Origin::Summary { .. }) => Fate::Summary,
            Some(_) if self.view.is_cleared(event.seq) => Fate::Cleared,
            Some(_) if is_leading || self.view.held().contains(&event.seq) => Fate::Pinned,
            Some(_) => Fate::Kept,
        }
    }
}

/// The boundaries of a log, oldest first.
fn cards(log: &[Arc<Event>], view: &View) -> Vec<Card> {
    let taken_back = taken_back(log);
    let in_force = view.boundary().map(|event| event.seq);
    let boundaries = log
        .iter()
        .enumerate()
        .filter_map(|(at, event)| Some((at, event, event.as_boundary()?)));
    boundaries
        .map(|(at, event, boundary)| Card {
            seq: Some(event.seq.as_u64()),
            state: match () {
                () if in_force == Some(event.seq) => State::InForce,
                () if taken_back.contains(&event.seq) => State::TakenBack,
                () => State::Replaced,
            },
            time: instant(event.timestamp),
            before: boundary.receipt.before,
            after: boundary.receipt.after,
            facts: facts(boundary),
            summary: summary(log, boundary),
            hidden: hidden(log, at, boundary),
        })
        .collect()
}

/// What no longer counts: boundaries and undos that a later undo names, unless that was undone.
fn taken_back(log: &[Arc<Event>]) -> BTreeSet<Seq> {
    let mut gone = BTreeSet::new();
    for event in log.iter().rev() {
        if let EventBody::Revert(revert) = &event.body
            && revert.of < event.seq
            && !gone.contains(&event.seq)
        {
            gone.insert(revert.of);
        }
    }
    gone
}

fn facts(boundary: &Boundary) -> Vec<(&'static str, String)> {
    let receipt = &boundary.receipt;
    let places = |seqs: &[Seq]| {
        let some: Vec<String> = seqs.iter().take(12).map(ToString::to_string).collect();
        let more = if seqs.len() > some.len() { ", …" } else { "" };
        format!(
            "{}: {}{more}",
            counted(count(seqs.len()), "event"),
            some.join(", ")
        )
    };
    let mut facts = vec![
        ("trigger", plainly(&receipt.trigger)),
        ("strategy", plainly(&receipt.strategy)),
        ("counted by", receipt.estimator.clone()),
        ("keeps from", format!("event {} on", boundary.kept_from)),
    ];
    for (name, seqs) in [
        ("pinned", &boundary.pinned),
        ("superseded", &boundary.superseded),
        ("cleared", &boundary.cleared),
    ] {
        if !seqs.is_empty() {
            facts.push((name, places(seqs)));
        }
    }
    if let Some(summary) = &receipt.summary {
        let mut words = vec![
            summary.model.clone(),
            format!("asked {}", times(summary.attempts)),
        ];
        words.extend(
            summary
                .input_tokens
                .map(|n| format!("read {}", counted(n, "token"))),
        );
        words.extend(
            summary
                .output_tokens
                .map(|n| format!("wrote {}", counted(n, "token"))),
        );
        words.extend(
            summary
                .duration_ms
                .map(|n| format!("took {} ms", number(n))),
        );
        let kept = summary.retained_per_mille.map(|n| share(n.into(), 1000));
        words.extend(kept.map(|part| format!("{part} of the facts survive")));
        facts.push(("summary by", words.join(", ")));
    }
    facts.push(("digest", receipt.covered.digest.clone()));
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

fn times(count: u64) -> String {
    match count {
        1 => "once".into(),
        count => format!("{} times", number(count)),
    }
}

/// What the summary of a boundary says, not what it answers.
fn summary(log: &[Arc<Event>], boundary: &Boundary) -> Option<String> {
    let id = boundary.summary.last()?;
    let event = log.iter().find(|event| event.id == *id)?;
    Some(event.as_message()?.text().into_owned())
}

/// The messages that were in the view before the boundary at `at`, and are not behind it.
fn hidden(log: &[Arc<Event>], at: usize, boundary: &Boundary) -> Vec<u64> {
    let before = View::fold(log.iter().take(at).cloned());
    let end = at + 1 + boundary.summary.len();
    let after = View::fold(log.iter().take(end).cloned());
    let shown: BTreeSet<Seq> = after.events().iter().map(|event| event.seq).collect();
    let gone = before.events().iter().map(|event| event.seq);
    let mut gone: Vec<u64> = gone
        .filter(|seq| !shown.contains(seq) && !boundary.superseded.contains(seq))
        .map(Seq::as_u64)
        .collect();
    gone.sort_unstable();
    gone
}
