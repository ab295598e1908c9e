//! A conversation as one HTML page that needs nothing around it: where the tokens are, what becomes of
//! each event, and what each boundary did.
//!
//! The page is a function of what it shows: the same conversation gives the same bytes.

mod boundaries;
mod chart;
mod events;
mod fate;
mod gather;
mod html;
mod page;
mod policy;

use std::sync::Arc;

use session::Event;
use session_log::{Message, Size};

use crate::report::fate::Fate;

pub(crate) use crate::report::gather::{of_pass, of_session};
pub(crate) use crate::report::page::render;

/// The most events that are listed one by one.
const MOST_EVENTS: usize = 10_000;

/// How many bytes of text the page has room for, shared by its events.
const ROOM_FOR_TEXT: usize = 2_000_000;

/// What is on the page.
#[derive(Debug)]
pub(crate) struct Report {
    /// What people know it by.
    title: String,
    /// What happened, or would, in a few words.
    headline: String,
    /// What is known of it.
    facts: Vec<(&'static str, String)>,
    estimator: String,
    /// What there is, and what of it a model sees.
    before: Size,
    after: Size,
    items: Vec<Item>,
    boundaries: Vec<Card>,
    /// How many tokens a model saw at each event; empty where nothing was recorded yet.
    growth: Vec<u64>,
    /// What the reader should know.
    notes: Vec<String>,
}

/// An event.
#[derive(Debug)]
struct Item {
    event: Arc<Event>,
    /// What it says, if it says something.
    message: Option<Message>,
    fate: Fate,
    tokens: u64,
    /// The turn it stands in, counted from 1; `None` before the first one.
    turn: Option<u64>,
    /// The step it is a part of, counted from 1 in its turn.
    step: Option<u64>,
    /// Whether it is in the log. Of a plan the summary is not.
    is_new: bool,
}

/// A boundary and what it did.
#[derive(Debug)]
struct Card {
    /// Its place in the log; `None` for one that is only planned.
    seq: Option<u64>,
    state: State,
    time: Option<String>,
    before: Size,
    after: Size,
    /// What is known of the pass, each under its name.
    facts: Vec<(&'static str, String)>,
    summary: Option<String>,
    /// What it took out of the view, by place.
    hidden: Vec<u64>,
}

/// Whether a boundary counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Planned,
    /// No boundary at all: a selection for one request.
    Selected,
    InForce,
    Replaced,
    TakenBack,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Selected => "recorded nowhere",
            Self::InForce => "in force",
            Self::Replaced => "replaced by a later one",
            Self::TakenBack => "taken back",
        }
    }
}

impl Report {
    pub(crate) fn events(&self) -> u64 {
        count(self.items.len())
    }

    pub(crate) fn listed(&self) -> u64 {
        count(self.items.len().min(MOST_EVENTS))
    }

    /// The events that are listed one by one, the newest.
    fn items_listed(&self) -> &[Item] {
        let unlisted = self.items.len().saturating_sub(MOST_EVENTS);
        self.items.get(unlisted..).unwrap_or_default()
    }

    /// How many characters of one text are shown.
    fn allowance(&self) -> usize {
        (ROOM_FOR_TEXT / self.items.len().max(1)).clamp(200, 6000)
    }
}

fn count(things: usize) -> u64 {
    u64::try_from(things).unwrap_or(u64::MAX)
}
