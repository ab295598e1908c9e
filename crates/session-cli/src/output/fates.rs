//! What becomes of each event of a view, with its cost and its turn.

use std::collections::HashMap;
use std::sync::Arc;

use anstyle::Style;
use session::{Entry as _, EntryKind, Event, EventId, Sessions, View};

use crate::commands::pass::Pass;
use crate::output::style::{COVERED, KEPT, PINNED};

/// What a pass does with an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fate {
    Pinned,
    Superseded,
    Covered,
    Cleared,
    Kept,
}

impl Fate {
    pub(crate) const ALL: [Self; 5] = [
        Self::Pinned,
        Self::Superseded,
        Self::Covered,
        Self::Cleared,
        Self::Kept,
    ];

    /// The word for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Superseded => "superseded",
            Self::Covered => "covered",
            Self::Cleared => "cleared",
            Self::Kept => "kept",
        }
    }

    pub(crate) fn style(self) -> Style {
        match self {
            Self::Pinned => PINNED,
            Self::Superseded | Self::Covered | Self::Cleared => COVERED,
            Self::Kept => KEPT,
        }
    }
}

/// An event of the view before a pass.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) event: Arc<Event>,
    pub(crate) fate: Fate,
    pub(crate) tokens: u64,
    /// The number of its turn, counted from 1; `None` before the first one.
    pub(crate) turn: Option<u64>,
}

/// The events of the view before a pass, each with its fate.
pub(crate) fn rows(pass: &Pass, sessions: &Sessions) -> Vec<Row> {
    let report = &pass.report;
    let mut fates: HashMap<&EventId, Fate> = HashMap::new();
    for (ids, fate) in [
        (&report.preserved, Fate::Kept),
        (&report.pinned, Fate::Pinned),
        (&report.superseded, Fate::Superseded),
        (&report.covered, Fate::Covered),
        (&report.cleared, Fate::Cleared),
    ] {
        fates.extend(ids.iter().map(|id| (id, fate)));
    }
    with_turns(pass.before.events())
        .map(|(event, turn)| Row {
            event: Arc::clone(event),
            fate: fates.get(&event.id).copied().unwrap_or(Fate::Kept),
            tokens: cost(sessions, &pass.before, event),
            turn,
        })
        .collect()
}

/// Events with the number of the turn each is in.
pub(crate) fn with_turns(
    events: &[Arc<Event>],
) -> impl Iterator<Item = (&Arc<Event>, Option<u64>)> {
    let mut turn = None;
    events.iter().map(move |event| match event.kind() {
        EntryKind::TurnStart => {
            turn = Some(turn.map_or(1, |turn| turn + 1));
            (event, turn)
        }
        EntryKind::System | EntryKind::Summary => (event, None),
        _ => (event, turn),
    })
}

/// What an event costs as the view shows it.
pub(crate) fn cost(sessions: &Sessions, view: &View, event: &Event) -> u64 {
    match &event.tokens {
        Some(count) if count.estimator == sessions.estimator() && !view.is_cleared(event.seq) => {
            count.tokens
        }
        _ => view
            .shown(event)
            .map_or(0, |message| sessions.tokens_of(&message)),
    }
}

/// How many events of a fate there are, what they cost, and which turns they are of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) events: u64,
    pub(crate) tokens: u64,
    pub(crate) first_turn: Option<u64>,
    pub(crate) last_turn: Option<u64>,
}

/// The sum over the rows of one fate.
pub(crate) fn sum(rows: &[Row], fate: Fate) -> Sum {
    let mut sum = Sum::default();
    for row in rows.iter().filter(|row| row.fate == fate) {
        sum.events += 1;
        sum.tokens = sum.tokens.saturating_add(row.tokens);
        sum.first_turn = sum.first_turn.or(row.turn);
        sum.last_turn = row.turn.or(sum.last_turn);
    }
    sum
}
