//! Where the messages are.

use std::ops::Range;

use crate::envelope::{Frame, Hole, Layout};
use crate::json::{Kind, Members, Raw};
use crate::source::{Form, Placed, Scan};

/// Names under which an object holds its messages.
const LISTS: [&str; 2] = ["messages", "traj"];

/// Names under which a log line holds a request.
const REQUESTS: [&str; 7] = [
    "request", "body", "input", "inputs", "kwargs", "params", "data",
];

/// Names under which a log line holds a response.
const RESPONSES: [&str; 4] = ["response", "output", "outputs", "completion"];

/// One conversation's messages and what stands around them.
#[derive(Clone, Debug)]
pub(crate) struct Body<'a> {
    pub(crate) layout: Layout,
    pub(crate) system: Option<Placed<'a>>,
    pub(crate) messages: Vec<Placed<'a>>,
    pub(crate) reply: Option<Placed<'a>>,
    pub(crate) tools: Option<Raw<'a>>,
    pub(crate) model: Option<String>,
    /// Other choices of the reply, which are not part of the conversation.
    pub(crate) more_choices: usize,
}

/// What was found, and which records are neither message nor body.
#[derive(Debug, Default)]
pub(crate) struct Bodies<'a> {
    pub(crate) found: Vec<Body<'a>>,
    pub(crate) strangers: Vec<(u64, Range<u64>)>,
}

/// The bodies among the records of a file.
pub(crate) fn bodies<'a>(scan: &'a Scan<'a>) -> Bodies<'a> {
    find(scan, usize::MAX)
}

/// The first bodies and their first messages, for a look at what they are.
pub(crate) fn first_bodies<'a>(scan: &'a Scan<'a>) -> Vec<Body<'a>> {
    const ENOUGH: usize = 300;
    find(scan, ENOUGH).found
}

fn find<'a>(scan: &'a Scan<'a>, limit: usize) -> Bodies<'a> {
    let mut finder = Finder {
        limit,
        bodies: Bodies::default(),
    };
    let placed = scan.records.iter().take(limit).map(Placed::of);
    match scan.form {
        Form::Document => placed.for_each(|placed| finder.document(&placed)),
        Form::Lines => finder.lines(placed, Layout::Lines),
        Form::BrokenArray => finder.lines(placed, Layout::Messages),
    }
    finder.bodies
}

struct Finder<'a> {
    /// How many values of a list are looked at.
    limit: usize,
    bodies: Bodies<'a>,
}

impl<'a> Finder<'a> {
    fn document(&mut self, placed: &Placed<'a>) {
        match self.items(placed) {
            Some(items) => self.lines(items.into_iter(), Layout::Messages),
            None => self.lines(std::iter::once(placed.clone()), Layout::Lines),
        }
    }

    fn items(&self, placed: &Placed<'a>) -> Option<Vec<Placed<'a>>> {
        let items = placed.raw.first_items(self.limit)?;
        Some(items.into_iter().map(|raw| placed.inner(raw)).collect())
    }

    /// Messages side by side are one conversation; bodies are one each.
    fn lines(&mut self, values: impl Iterator<Item = Placed<'a>>, layout: Layout) {
        let mut messages = Vec::new();
        for placed in values {
            if let Some(items) = self.items(&placed)
                && items.iter().any(|item| is_message(item.raw))
            {
                self.bodies
                    .found
                    .push(Body::of_messages(items, Layout::Messages));
                continue;
            }
            if is_message(placed.raw) {
                messages.push(placed);
            } else if let Some(body) = self.body(&placed) {
                self.bodies.found.push(body);
            } else {
                self.bodies.strangers.push((placed.line, placed.bytes));
            }
        }
        if !messages.is_empty() {
            self.bodies
                .found
                .insert(0, Body::of_messages(messages, layout));
        }
    }

    fn body(&self, placed: &Placed<'a>) -> Option<Body<'a>> {
        let mut found = Found::default();
        look(placed.raw, 0, &mut found);
        let members = found.members;
        let system = members.peek("system").filter(|system| !system.is_null());
        let mut holes = Vec::new();
        if let Some(list) = found.list {
            holes.push((Hole::Messages, list.text()));
            match system {
                Some(system) => holes.push((Hole::System, system.text())),
                None => holes.push((Hole::SystemMember, found.object?.text().get(1..1)?)),
            }
        }
        if let Some(reply) = found.reply {
            holes.push((Hole::Reply, reply.text()));
        }
        if holes.is_empty() {
            return None;
        }
        let messages = found
            .list
            .and_then(|list| list.first_items(self.limit))
            .unwrap_or_default();
        Some(Body {
            layout: Layout::Framed(Frame::cut(placed.raw.text(), holes)?),
            system: system.map(|raw| placed.inner(raw)),
            messages: messages.into_iter().map(|raw| placed.inner(raw)).collect(),
            reply: found.reply.map(|raw| placed.inner(raw)),
            tools: members.peek("tools"),
            model: members.peek_str("model").map(Into::into),
            more_choices: found.more_choices,
        })
    }
}

pub(crate) fn is_message(raw: Raw<'_>) -> bool {
    raw.find_str("role").is_some()
}

impl<'a> Body<'a> {
    fn of_messages(messages: Vec<Placed<'a>>, layout: Layout) -> Self {
        Self {
            layout,
            system: None,
            messages,
            reply: None,
            tools: None,
            model: None,
            more_choices: 0,
        }
    }
}

/// What a body is made of, before its frame is cut.
#[derive(Default)]
struct Found<'a> {
    object: Option<Raw<'a>>,
    list: Option<Raw<'a>>,
    members: Members<'a>,
    reply: Option<Raw<'a>>,
    more_choices: usize,
}

/// Looks for a list of messages and a reply, two levels deep.
fn look<'a>(raw: Raw<'a>, depth: u8, found: &mut Found<'a>) {
    let Some(members) = raw.members() else {
        return;
    };
    let list = LISTS
        .iter()
        .find_map(|name| members.peek(name).filter(|list| is_list(*list)));
    if list.is_some() && found.list.is_none() {
        found.list = list;
        found.object = Some(raw);
        found.members = members.clone();
    } else if depth < 2 {
        for name in REQUESTS {
            if let Some(inner) = members.peek(name).filter(|_| found.list.is_none()) {
                look(inner, depth + 1, found);
            }
        }
    }
    if found.reply.is_some() {
        return;
    }
    if let Some(choices) = members.peek("choices").and_then(Raw::items) {
        found.reply = choices
            .first()
            .and_then(|choice| choice.member("message"))
            .filter(|message| is_message(*message));
        found.more_choices = choices.len().saturating_sub(1);
        if found.list.is_none() {
            found.members = members;
        }
        return;
    }
    let is_done = ["done", "finish_reason"]
        .iter()
        .any(|name| members.has(name));
    if let Some(message) = members
        .peek("message")
        .filter(|message| is_done && is_message(*message))
    {
        found.reply = Some(message);
        if found.list.is_none() {
            found.members = members;
        }
        return;
    }
    for name in RESPONSES {
        let Some(inner) = members
            .peek(name)
            .filter(|inner| inner.kind() == Kind::Object)
        else {
            continue;
        };
        if is_message(inner) {
            found.reply = Some(inner);
        } else if depth < 2 && found.reply.is_none() {
            look(inner, depth + 1, found);
        }
    }
}

/// Whether a value is a list with a message in it. A list of other things has none at the front.
fn is_list(raw: Raw<'_>) -> bool {
    const ENOUGH: usize = 64;
    raw.first_items(ENOUGH)
        .is_some_and(|items| items.is_empty() || items.iter().any(|item| is_message(*item)))
}
