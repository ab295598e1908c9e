//! Where the records are.

use std::ops::Range;

use crate::envelope::{Frame, Hole, Layout};
use crate::json::{Kind, Members, Raw};
use crate::source::{Form, Placed, Scan};

/// Names under which a log line holds a request.
const REQUESTS: [&str; 11] = [
    "request",
    "body",
    "input",
    "inputs",
    "kwargs",
    "params",
    "data",
    "config",
    "values",
    "channel_values",
    "checkpoint",
];

/// Names under which a log line holds a response.
const RESPONSES: [&str; 5] = ["response", "output", "outputs", "completion", "result"];

/// What the containers of a format look like.
#[derive(Debug)]
pub(crate) struct Containers {
    /// Members that hold the list of records.
    pub(crate) lists: &'static [&'static str],
    /// Members beside the list that hold the system prompt; the first is the one to write.
    pub(crate) system: &'static [&'static str],
    /// Whether a text may stand in the place of the list, under the first of its names.
    pub(crate) takes_text: bool,
    /// Whether a value is a record.
    pub(crate) is_record: fn(Raw<'_>) -> bool,
    /// The reply in a response body.
    pub(crate) reply: for<'a> fn(&Members<'a>) -> Option<Reply<'a>>,
}

/// The reply in a response body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reply<'a> {
    /// One record, or a list of them.
    pub(crate) raw: Raw<'a>,
    /// Other replies, which are no part of the conversation.
    pub(crate) more: usize,
}

/// One conversation's records and what stands around them.
pub(crate) struct Listed<'a> {
    pub(crate) layout: Layout,
    pub(crate) system: Option<Placed<'a>>,
    pub(crate) records: Vec<Placed<'a>>,
    pub(crate) replies: Vec<Placed<'a>>,
    pub(crate) more_replies: usize,
    /// What stands beside the list.
    pub(crate) beside: Members<'a>,
    /// What stands beside the reply.
    pub(crate) beside_reply: Members<'a>,
}

/// What was found, and which records are of no such list.
#[derive(Default)]
pub(crate) struct Lists<'a> {
    pub(crate) found: Vec<Listed<'a>>,
    pub(crate) strangers: Vec<(u64, Range<u64>)>,
}

/// The lists among the records of a file.
pub(crate) fn lists<'a>(containers: &Containers, scan: &'a Scan<'a>) -> Lists<'a> {
    find(containers, scan, usize::MAX)
}

/// The first lists and their first records, for a look at what they are.
pub(crate) fn first_lists<'a>(containers: &Containers, scan: &'a Scan<'a>) -> Vec<Listed<'a>> {
    const ENOUGH: usize = 300;
    find(containers, scan, ENOUGH).found
}

fn find<'a>(containers: &Containers, scan: &'a Scan<'a>, limit: usize) -> Lists<'a> {
    let mut finder = Finder {
        containers,
        limit,
        lists: Lists::default(),
    };
    let placed = scan.records.iter().take(limit).map(Placed::of);
    match scan.form {
        Form::Document => placed.for_each(|placed| match finder.items(&placed) {
            Some(items) => finder.values(items.into_iter(), Layout::Messages),
            None => finder.values(std::iter::once(placed), Layout::Lines),
        }),
        Form::Lines => finder.values(placed, Layout::Lines),
        Form::BrokenArray => finder.values(placed, Layout::Messages),
    }
    finder.lists
}

struct Finder<'c, 'a> {
    containers: &'c Containers,
    /// How many values of a list are looked at.
    limit: usize,
    lists: Lists<'a>,
}

impl<'a> Finder<'_, 'a> {
    fn items(&self, placed: &Placed<'a>) -> Option<Vec<Placed<'a>>> {
        let items = placed.raw.first_items(self.limit)?;
        Some(items.into_iter().map(|raw| placed.inner(raw)).collect())
    }

    fn is_record(&self, raw: Raw<'_>) -> bool {
        (self.containers.is_record)(raw)
    }

    /// Records side by side are one conversation; bodies are one each.
    fn values(&mut self, values: impl Iterator<Item = Placed<'a>>, layout: Layout) {
        let mut records = Vec::new();
        for placed in values {
            if let Some(items) = self.items(&placed)
                && items.iter().any(|item| self.is_record(item.raw))
            {
                self.lists.found.push(Listed::bare(items, Layout::Messages));
            } else if self.is_record(placed.raw) {
                records.push(placed);
            } else if let Some(listed) = self.body(&placed) {
                self.lists.found.push(listed);
            } else {
                self.lists.strangers.push((placed.line, placed.bytes));
            }
        }
        if !records.is_empty() {
            self.lists.found.insert(0, Listed::bare(records, layout));
        }
    }

    fn body(&self, placed: &Placed<'a>) -> Option<Listed<'a>> {
        let mut found = Found::default();
        self.look(placed.raw, 0, &mut found);
        let system = self
            .containers
            .system
            .iter()
            .find_map(|name| found.beside.peek(name).filter(|system| !system.is_null()));
        let system = system.filter(|_| found.list.is_some());
        let mut holes = Vec::new();
        if let Some(list) = found.list {
            holes.push((Hole::Messages, list.text()));
            match system {
                Some(system) => holes.push((Hole::System, system.text())),
                None => holes.push((Hole::SystemMember, found.object?.text().get(1..1)?)),
            }
        }
        if let Some(reply) = found.reply {
            let hole = match reply.raw.kind() {
                Kind::Array => Hole::Replies,
                _ => Hole::Reply,
            };
            holes.push((hole, reply.raw.text()));
        }
        if holes.is_empty() {
            return None;
        }
        let placed_all = |raw: Raw<'a>| match raw.first_items(self.limit) {
            Some(items) => items.into_iter().map(|raw| placed.inner(raw)).collect(),
            None => vec![placed.inner(raw)],
        };
        Some(Listed {
            layout: Layout::Framed(Frame::cut(placed.raw.text(), holes)?),
            system: system.map(|raw| placed.inner(raw)),
            records: found.list.map(placed_all).unwrap_or_default(),
            replies: found
                .reply
                .map(|reply| placed_all(reply.raw))
                .unwrap_or_default(),
            more_replies: found.reply.map_or(0, |reply| reply.more),
            beside: found.beside,
            beside_reply: found.beside_reply,
        })
    }

    /// Looks for a list of records and a reply, two levels deep.
    fn look(&self, raw: Raw<'a>, depth: u8, found: &mut Found<'a>) {
        let Some(members) = raw.members() else {
            return;
        };
        let list = self.containers.lists.iter().find_map(|name| {
            let list = members.peek(name)?;
            let is_text = self.containers.takes_text && list.kind() == Kind::String;
            if self.is_list(list) || (is_text && self.containers.lists.first() == Some(name)) {
                return Some(list);
            }
            // A batch of one.
            let [inner] = list.first_items(2)?.try_into().ok()?;
            let is_filled = inner.first_items(1).is_some_and(|items| !items.is_empty());
            (is_filled && self.is_list(inner)).then_some(inner)
        });
        if list.is_some() && found.list.is_none() {
            found.list = list;
            found.object = Some(raw);
            found.beside = members.clone();
        } else if depth < 2 {
            for name in REQUESTS {
                if let Some(inner) = members.peek(name).filter(|_| found.list.is_none()) {
                    self.look(inner, depth + 1, found);
                }
            }
        }
        if found.reply.is_some() {
            return;
        }
        if let Some(reply) = (self.containers.reply)(&members) {
            found.reply = Some(reply);
            found.beside_reply = members;
            return;
        }
        for name in RESPONSES {
            if let Some(inner) = members.peek(name)
                && inner.kind() == Kind::Object
                && depth < 2
                && found.reply.is_none()
            {
                self.look(inner, depth + 1, found);
            }
        }
    }

    /// Whether a value is a list with a record in it.
    fn is_list(&self, raw: Raw<'_>) -> bool {
        const ENOUGH: usize = 64;
        raw.first_items(ENOUGH)
            .is_some_and(|items| items.is_empty() || items.iter().any(|item| self.is_record(*item)))
    }
}

/// What a body is made of, before its frame is cut.
#[derive(Default)]
struct Found<'a> {
    object: Option<Raw<'a>>,
    list: Option<Raw<'a>>,
    beside: Members<'a>,
    reply: Option<Reply<'a>>,
    beside_reply: Members<'a>,
}

impl<'a> Listed<'a> {
    fn bare(records: Vec<Placed<'a>>, layout: Layout) -> Self {
        Self {
            layout,
            system: None,
            records,
            replies: Vec::new(),
            more_replies: 0,
            beside: Members::default(),
            beside_reply: Members::default(),
        }
    }

    /// All records, the system prompt first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Placed<'a>> {
        self.system.iter().chain(&self.records).chain(&self.replies)
    }
}
