//! A session for people.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use anstyle::Style;
use session::{Event, EventId, Session, Sessions, View, attribute};
use session_log::{EventBody, Role};

use crate::commands::sessions::title;
use crate::commands::show::{Shown, event};
use crate::output::fates::cost;
use crate::output::style::{BOLD, COVERED, DIM, KEPT, PINNED};
use crate::output::text::{counted, line, moment, number};

/// What a view does with an event of its log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Pinned,
    Covered,
    Cleared,
    Kept,
}

impl State {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Covered => "covered",
            Self::Cleared => "cleared",
            Self::Kept => "kept",
        }
    }

    fn style(self) -> Style {
        match self {
            Self::Pinned => PINNED,
            Self::Covered | Self::Cleared => COVERED,
            Self::Kept => KEPT,
        }
    }
}

/// What the view does with each message of the log.
pub(super) fn states(shown: &Shown) -> HashMap<EventId, State> {
    let view = &shown.view;
    let events = shown
        .events()
        .iter()
        .filter(|event| event.as_message().is_some());
    let mut states: HashMap<EventId, State> = events
        .map(|event| (event.id.clone(), State::Covered))
        .collect();
    for (at, event) in view.events().iter().enumerate() {
        let state = if view.is_cleared(event.seq) {
            State::Cleared
        } else if at < view.lead() || view.held().contains(&event.seq) {
            State::Pinned
        } else {
            State::Kept
        };
        states.insert(event.id.clone(), state);
    }
    states
}

/// The session, one event a line or each whole.
pub(super) fn text(shown: &Shown, sessions: &Sessions, width: usize, is_whole: bool) -> String {
    let mut text = header(&shown.session, &shown.view, sessions);
    let states = states(shown);
    let has_states = shown.log.is_some() || shown.view.boundary().is_some();
    let places = shown
        .events()
        .iter()
        .map(|event| event.seq.as_u64())
        .max()
        .unwrap_or(0);
    let digits = places.to_string().len();
    for event in shown.events() {
        let state = states.get(&event.id).copied().filter(|_| has_states);
        let tokens = event
            .as_message()
            .map(|_| cost(sessions, &shown.view, event));
        let row = Row {
            event,
            state,
            has_states,
            tokens,
            digits,
        };
        if is_whole {
            text.push_str(&row.head());
            text.push('\n');
            text.push_str(&event::whole(event, &shown.view));
        } else {
            text.push_str(&row.line(&shown.view, width));
        }
    }
    text
}

fn header(session: &Session, view: &View, sessions: &Sessions) -> String {
    let mut text = format!("{BOLD}{}{BOLD:#}", session.id);
    if let Some(title) = title(session) {
        let _ = write!(text, "  {}", line(&title, 80));
    }
    text.push('\n');
    let outline = view.outline(|event| cost(sessions, view, event));
    let events = u64::try_from(view.events().len()).unwrap_or(u64::MAX);
    let turns = u64::try_from(outline.turns().len()).unwrap_or(u64::MAX);
    let _ = writeln!(
        text,
        "  {DIM}version {} of {}; in view {}, {}, {} by {}{DIM:#}",
        view.version(),
        session.head.version,
        counted(events, "event"),
        counted(turns, "turn"),
        counted(outline.tokens(), "token"),
        sessions.estimator(),
    );
    let mut facts = vec![format!("created {}", moment(session.created_at))];
    facts.extend(
        session
            .expires_at
            .map(|at| format!("expires {}", moment(at))),
    );
    facts.extend(
        session
            .owner
            .as_ref()
            .map(|owner| format!("owner {}", line(owner, 40))),
    );
    facts.extend(
        session
            .attributes
            .get(attribute::MODEL)
            .map(|model| format!("model {}", line(model, 40))),
    );
    facts.extend(
        session
            .parent
            .as_ref()
            .map(|parent| format!("parent {parent}")),
    );
    let _ = writeln!(text, "  {DIM}{}{DIM:#}", facts.join("; "));
    text
}

struct Row<'a> {
    event: &'a Arc<Event>,
    state: Option<State>,
    has_states: bool,
    tokens: Option<u64>,
    digits: usize,
}

impl Row<'_> {
    /// Place, role, state and cost, all of a width.
    fn head(&self) -> String {
        let seq = self.event.seq.as_u64();
        let who = event::who(self.event);
        let tokens = self.tokens.map(number).unwrap_or_default();
        let digits = self.digits;
        let state = match self.state {
            Some(state) => {
                let style = state.style();
                format!("{style}{:<8}{style:#}", state.name())
            }
            None if self.has_states => " ".repeat(8),
            None => String::new(),
        };
        let style = match self.event.as_message().map(|message| &message.role) {
            Some(Role::User) => BOLD,
            Some(_) => Style::new(),
            None => DIM,
        };
        format!(
            "{DIM}{seq:>digits$}{DIM:#} {state}{style}{who:<10}{style:#} {DIM}{tokens:>8}{DIM:#} "
        )
    }

    fn line(&self, view: &View, width: usize) -> String {
        let taken = self.digits + 1 + 10 + 1 + 8 + 2 + if self.has_states { 8 } else { 0 };
        let rest = width.saturating_sub(taken).max(8);
        let head = self.head();
        match &self.event.body {
            EventBody::Message(_) => {
                let message = view.shown(self.event);
                let text = message
                    .map(|message| event::summary(&message))
                    .unwrap_or_default();
                format!("{head} {}\n", line(&text, rest))
            }
            _ => format!(
                "{head} {DIM}{}{DIM:#}\n",
                line(&event::record(self.event), rest)
            ),
        }
    }
}
