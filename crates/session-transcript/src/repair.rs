//! Calls and results brought into the order that providers want.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use compaction_core::{Entry, EntryKind, Link};
use session_log::{Message, Part, Role, ToolResult};

use crate::item::Item;
use crate::note::Note;
use crate::transcript::Warning;
use crate::write::{Draft, Repair};

/// A message to write, with the note it came with.
#[derive(Clone, Debug)]
pub(crate) struct Arranged<'a> {
    pub(crate) message: Cow<'a, Message>,
    pub(crate) note: Option<Note>,
    pub(crate) is_summary: bool,
    /// Which of the draft's items it is; `None` for results that were moved up.
    pub(crate) position: Option<usize>,
    /// Which of the item's parts are left, unless all are.
    pub(crate) kept: Option<Vec<bool>>,
}

/// The messages of a draft: results right after their calls, without calls and results that no
/// provider takes, as far as the draft asks for it.
pub(crate) fn arrange<'d>(draft: &'d Draft<'_>, warnings: &mut Vec<Warning>) -> Vec<Arranged<'d>> {
    let items = draft.items.iter().enumerate();
    let lines: Vec<Line<'d>> = items.filter_map(|(at, item)| Line::of(at, item)).collect();
    if draft.repair == Repair::Nothing {
        return lines.iter().map(|line| line.arranged(None)).collect();
    }
    let plan = Plan::of(&lines, draft.repair, warnings);
    let mut arranged = Vec::with_capacity(lines.len());
    for (position, line) in lines.iter().enumerate() {
        match plan.kept(position, line) {
            Kept::All => arranged.push(line.arranged(None)),
            Kept::Some(kept) => arranged.push(line.arranged(Some(kept))),
            Kept::Nothing => {}
        }
        if let Some(parts) = plan.moved_behind(position) {
            arranged.push(results(parts));
        }
    }
    arranged
}

/// A message among the items.
struct Line<'a> {
    at: usize,
    item: &'a Item<'a>,
    message: &'a Message,
}

impl<'a> Line<'a> {
    fn of(at: usize, item: &'a Item<'a>) -> Option<Self> {
        Some(Self {
            at,
            item,
            message: item.message()?,
        })
    }

    fn arranged(&self, kept: Option<Vec<bool>>) -> Arranged<'a> {
        let message = match &kept {
            None => Cow::Borrowed(self.message),
            Some(kept) => {
                let mut message = self.message.clone();
                let mut kept = kept.iter();
                message
                    .parts
                    .retain(|_| kept.next().copied().unwrap_or(true));
                Cow::Owned(message)
            }
        };
        Arranged {
            message,
            note: self.item.note(),
            is_summary: self.item.is_summary(),
            position: Some(self.at),
            kept,
        }
    }

    /// Only the model makes calls; a call anywhere else is none.
    fn makes_calls(&self) -> bool {
        self.message.role == Role::Assistant
    }

    fn brings_results(&self) -> bool {
        matches!(self.message.role, Role::Tool | Role::User)
    }

    fn name(&self, position: usize) -> String {
        match self.item.id {
            Some(id) => format!("event {id}"),
            None => format!("message {}", position + 1),
        }
    }
}

impl Entry for Line<'_> {
    fn kind(&self) -> EntryKind {
        EntryKind::Continuation
    }

    fn links<'a>(&'a self, each: &mut dyn FnMut(Link<'a>)) {
        for part in &self.message.parts {
            match part {
                Part::ToolCall(call) if self.makes_calls() => each(Link::Call(&call.id)),
                Part::ToolResult(result) if self.brings_results() => {
                    each(Link::Result(&result.call_id));
                }
                _ => {}
            }
        }
    }
}

/// How much of a message stays.
enum Kept {
    All,
    Some(Vec<bool>),
    Nothing,
}

/// What happens to which call and result, by position and index.
#[derive(Default)]
struct Plan<'a> {
    dropped_calls: BTreeSet<(usize, usize)>,
    dropped_results: BTreeSet<(usize, usize)>,
    /// Results that move up behind the message with their call.
    moved: BTreeMap<usize, Vec<&'a ToolResult>>,
    moved_from: BTreeSet<(usize, usize)>,
}

impl<'a> Plan<'a> {
    fn of(lines: &[Line<'a>], repair: Repair, warnings: &mut Vec<Warning>) -> Self {
        let pairs = compaction_core::pairs(lines);
        let mut plan = Self::default();
        let mut ends = BTreeMap::new();
        let mut moved = Vec::new();
        let tail = open_tail(lines);
        for pair in &pairs.calls {
            let Some(result) = pair.result else {
                if repair == Repair::Abandoned && pair.call >= tail {
                    continue;
                }
                plan.dropped_calls.insert((pair.call, pair.call_index));
                if let Some(line) = lines.get(pair.call) {
                    let what = format!(
                        "a call of {} has no result and was left out",
                        line.name(pair.call)
                    );
                    warnings.push(Warning::file(what));
                }
                continue;
            };
            let end = *ends
                .entry(pair.call)
                .or_insert_with(|| run_end(lines, pair.call));
            if result.0 > end {
                plan.moved_from.insert(result);
                moved.push((pair.call, result));
            }
        }
        plan.move_results(lines, moved);
        warn_of_roles(lines, warnings);
        for orphan in pairs.orphans {
            plan.dropped_results.insert(orphan);
            if let Some(line) = lines.get(orphan.0) {
                let what = format!(
                    "a result in {} answers no call and was left out",
                    line.name(orphan.0)
                );
                warnings.push(Warning::file(what));
            }
        }
        plan
    }

    /// Moves results, each by position and index, behind the message with their call.
    fn move_results(&mut self, lines: &[Line<'a>], moved: Vec<(usize, (usize, usize))>) {
        let results: BTreeMap<usize, Vec<&'a ToolResult>> = moved
            .iter()
            .filter_map(|(_, (at, _))| Some((*at, lines.get(*at)?.message)))
            .map(|(at, message)| (at, message.results().collect()))
            .collect();
        for (call, (at, index)) in moved {
            let result = results.get(&at).and_then(|results| results.get(index));
            self.moved.entry(call).or_default().extend(result);
        }
    }

    /// Which parts of the message stay.
    fn kept(&self, position: usize, line: &Line<'_>) -> Kept {
        let (mut call, mut result) = (0, 0);
        let mut kept = Vec::with_capacity(line.message.parts.len());
        let mut says_something = false;
        for part in &line.message.parts {
            let is_kept = match part {
                Part::ToolCall(_) if !line.makes_calls() => false,
                Part::ToolResult(_) if !line.brings_results() => false,
                Part::ToolCall(_) => {
                    call += 1;
                    !self.dropped_calls.contains(&(position, call - 1))
                }
                Part::ToolResult(_) => {
                    result += 1;
                    let at = (position, result - 1);
                    !self.dropped_results.contains(&at) && !self.moved_from.contains(&at)
                }
                _ => true,
            };
            says_something |= is_kept
                && match part {
                    Part::Text(text) => !text.text.trim().is_empty(),
                    Part::Reasoning(_) => false,
                    _ => true,
                };
            kept.push(is_kept);
        }
        match () {
            () if kept.iter().all(|kept| *kept) => Kept::All,
            () if says_something => Kept::Some(kept),
            () => Kept::Nothing,
        }
    }

    fn moved_behind(&self, position: usize) -> Option<Vec<Part>> {
        let moved = self.moved.get(&position)?;
        Some(
            moved
                .iter()
                .map(|result| Part::ToolResult((*result).clone()))
                .collect(),
        )
    }
}

/// Tells of calls and results that nobody of their message's role makes or brings.
fn warn_of_roles(lines: &[Line<'_>], warnings: &mut Vec<Warning>) {
    for (position, line) in lines.iter().enumerate() {
        let calls = line.message.calls().filter(|_| !line.makes_calls()).count();
        let results = line
            .message
            .results()
            .filter(|_| !line.brings_results())
            .count();
        if calls + results > 0 {
            let what = format!(
                "calls or results in {} are not of its role and were left out",
                line.name(position)
            );
            warnings.push(Warning::file(what));
        }
    }
}

/// The last position of the results that directly follow the message at `position`.
fn run_end(lines: &[Line<'_>], position: usize) -> usize {
    let mut end = position;
    for (at, line) in lines.iter().enumerate().skip(position + 1) {
        if line.message.results().next().is_none() {
            break;
        }
        end = at;
        if !line.message.is_only_results() {
            break;
        }
    }
    end
}

/// The position of the last message that is not only results: its calls may still be answered.
fn open_tail(lines: &[Line<'_>]) -> usize {
    lines
        .iter()
        .rposition(|line| !line.message.is_only_results())
        .unwrap_or(0)
}

fn results<'a>(parts: Vec<Part>) -> Arranged<'a> {
    Arranged {
        message: Cow::Owned(Message::new(Role::Tool, parts)),
        note: None,
        is_summary: false,
        position: None,
        kept: None,
    }
}
