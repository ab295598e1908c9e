//! From steps to events.

use std::collections::BTreeMap;

use session_log::{EventBody, EventId, EventType, NewEvent, Origin, Shape, Timestamp};

use crate::format::Format;
use crate::formats::anthropic;
use crate::formats::bodies::Piece;
use crate::formats::claude_code::LINE_EVENT;
use crate::formats::claude_code::about::About;
use crate::formats::claude_code::beside::{beside, warn};
use crate::formats::claude_code::boundary;
use crate::formats::claude_code::envelope::{self, Entry};
use crate::formats::claude_code::held::Held;
use crate::formats::claude_code::kept::Keeps;
use crate::formats::claude_code::line::{Line, What};
use crate::formats::claude_code::path::{self, Path};
use crate::formats::claude_code::steps::{Step, steps};
use crate::formats::claude_code::threads::Thread;
use crate::formats::shown::next_seq;
use crate::ids::{digest, event_id};
use crate::note::Note;
use crate::read::Context;
use crate::time;
use crate::transcript::Conversation;

/// The conversation of a thread.
pub(super) fn conversation(
    lines: &[Line<'_>],
    thread: &Thread,
    context: &mut Context<'_>,
) -> Conversation {
    let path = path::live_path(lines, thread);
    let steps = steps(lines, thread, &path);
    let aside = beside(thread, &steps);
    warn(lines, &path, &aside, context);
    let about = About::of(lines, thread, &path);
    let id = context.names.name(&about.id);
    let mut fold = Fold {
        lines,
        path: &path,
        default_time: context.options.default_time,
        id: id.clone(),
        events: Vec::new(),
        aside: aside.into_iter().rev().collect(),
        repeats: BTreeMap::new(),
        boundary: None,
        has_message: false,
        held: Held::default(),
    };
    for step in &steps {
        fold.step(step);
    }
    fold.rest();
    if let Some(warning) = path.unkept.clone().or_else(|| fold.held.warning()) {
        context.report.warn(warning);
    }
    Conversation {
        id,
        title: about.title,
        model: about.model,
        parent: about.parent,
        tools: None,
        envelope: about.envelope,
        events: fold.events,
    }
}

struct Fold<'l, 'a> {
    lines: &'l [Line<'a>],
    path: &'l Path,
    default_time: Timestamp,
    id: String,
    events: Vec<NewEvent>,
    /// Lines that are in no step, the last one first.
    aside: Vec<usize>,
    repeats: BTreeMap<String, usize>,
    /// The boundary whose summary comes next, and its place among the events.
    boundary: Option<(EventId, usize)>,
    has_message: bool,
    held: Held,
}

impl<'l, 'a> Fold<'l, 'a> {
    fn first(&self, lines: &[usize]) -> Option<(usize, &'l Line<'a>)> {
        let at = *lines.first()?;
        Some((at, self.lines.get(at)?))
    }

    fn step(&mut self, step: &Step) {
        let Some((at, line)) = self.first(&step.lines) else {
            return;
        };
        let is_summary = step.what == What::User && boundary::is_summary(line);
        if !is_summary {
            self.asides_before(at);
            self.boundary = None;
        }
        if is_summary && self.boundary.is_none() && self.has_message {
            self.boundary_before(line);
        }
        match step.what {
            What::Boundary => self.boundary(at, line),
            What::Assistant => self.reply(step),
            _ => self.spoken(at, line, is_summary),
        }
    }

    fn boundary(&mut self, at: usize, line: &Line<'_>) {
        let Some(id) = self.event_id("", line, "") else {
            return;
        };
        let keeps = self.path.keeps.get(&at).unwrap_or(&Keeps::Nothing);
        let left = self.held.go_on(keeps, &self.path.above);
        let boundary = boundary::boundary(line, &self.events, &left, &mut self.held);
        let event = NewEvent::new(
            id.clone(),
            self.moment(line),
            EventBody::Compaction(Box::new(boundary)),
        );
        let event = event.with_metadata(envelope::LINES, line.raw.to_json());
        self.boundary = Some((id, self.events.len()));
        self.events.push(self.note(at, line).on(event));
    }

    /// The boundary in front of a summary that came without one, as older files have it.
    fn boundary_before(&mut self, line: &Line<'_>) {
        let Some(id) = self.event_id("", line, "/boundary") else {
            return;
        };
        let left = self.held.go_on(&Keeps::Nothing, &self.path.above);
        let boundary = boundary::boundary(line, &self.events, &left, &mut self.held);
        let body = EventBody::Compaction(Box::new(boundary));
        self.boundary = Some((id.clone(), self.events.len()));
        self.events.push(NewEvent::new(id, self.moment(line), body));
    }

    /// A line of the person, of tools, or put in by a program.
    fn spoken(&mut self, at: usize, line: &Line<'_>, is_summary: bool) {
        let (parts, shape) = anthropic::blocks_in::content(line.content());
        let mut record = Some(envelope::record(line));
        let pieces = anthropic::pieces("user", parts, shape, session_log::Fields::new());
        for (number, piece) in pieces.into_iter().enumerate() {
            let suffix = if number == 0 {
                String::new()
            } else {
                format!("/{}", number + 1)
            };
            let Some(id) = self.event_id("", line, &suffix) else {
                return;
            };
            let origin = match piece.origin {
                _ if is_summary => self.summary_of_boundary(&id),
                _ if line.flag("isMeta") => Origin::Injected,
                origin => origin,
            };
            let entry = Entry {
                line: line.number,
                uuid: line.uuid.clone(),
                parts: piece.message.parts.len(),
                size: envelope::size(&piece.message.parts),
                slots: piece.slots.clone(),
                is_text: shape == Shape::Text,
                is_orphan: self.path.orphans.contains(&at),
                record: record.take(),
            };
            self.push(id, &[at], Piece { origin, ..piece }, &[entry]);
        }
    }

    /// Makes an event the summary of the boundary before it, if there is one.
    fn summary_of_boundary(&mut self, summary: &EventId) -> Origin {
        let Some((id, at)) = &self.boundary else {
            return Origin::Summary { boundary: None };
        };
        let event = self.events.get_mut(*at);
        if let Some(EventBody::Compaction(boundary)) = event.map(|event| &mut event.body) {
            boundary.summary.push(summary.clone());
        }
        Origin::Summary {
            boundary: Some(id.clone()),
        }
    }

    /// The lines of one reply as one message.
    fn reply(&mut self, step: &Step) {
        let mut all = Vec::new();
        let mut entries = Vec::new();
        let mut first_shape = None;
        let mut is_synthetic = false;
        for (at, line) in step
            .lines
            .iter()
            .filter_map(|at| Some((*at, self.lines.get(*at)?)))
        {
            let (parts, shape) = anthropic::blocks_in::content(line.content());
            first_shape = first_shape.or(Some(shape));
            is_synthetic |= line.flag("isApiErrorMessage")
                || line.message.peek_str("model").as_deref() == Some("<synthetic>");
            entries.push(Entry {
                line: line.number,
                uuid: line.uuid.clone(),
                parts: parts.len(),
                slots: None,
                size: envelope::size(&parts),
                is_text: shape == Shape::Text,
                is_orphan: self.path.orphans.contains(&at),
                record: Some(envelope::record(line)),
            });
            all.extend(parts);
        }
        let Some((_, line)) = self.first(&step.lines) else {
            return;
        };
        let is_summary = boundary::is_summary(line);
        let mut message = session_log::Message::new(session_log::Role::Assistant, all);
        if step.lines.len() == 1 {
            message.shape = first_shape.unwrap_or_default();
        }
        let origin = match () {
            () if is_summary => Origin::Summary { boundary: None },
            () if is_synthetic => Origin::Injected,
            () => Origin::Real,
        };
        if let Some(id) = self.event_id("", line, "") {
            let piece = Piece {
                message,
                origin,
                slots: None,
            };
            self.push(id, &step.lines, piece, &entries);
        }
    }

    /// Adds the message that some lines became.
    fn push(&mut self, id: EventId, lines: &[usize], piece: Piece, entries: &[Entry]) {
        let Some((at, line)) = self.first(lines) else {
            return;
        };
        self.has_message = true;
        let seq = next_seq(&self.events);
        self.held.add(seq, &piece.origin, lines.iter().copied());
        let event = NewEvent::message(id, self.moment(line), piece.message)
            .with_origin(piece.origin)
            .with_metadata(envelope::LINES, envelope::to_json(entries));
        self.events.push(self.note(at, line).on(event));
    }

    /// Lines beside the conversation that stand before `at` in the file.
    fn asides_before(&mut self, at: usize) {
        while let Some(aside) = self.aside.pop_if(|aside| *aside < at) {
            self.aside(aside);
        }
    }

    fn rest(&mut self) {
        self.asides_before(usize::MAX);
    }

    fn aside(&mut self, at: usize) {
        let Some(line) = self.lines.get(at) else {
            return;
        };
        let (Some(id), Ok(event_type)) =
            (self.event_id("line/", line, ""), EventType::new(LINE_EVENT))
        else {
            return;
        };
        let body = EventBody::Custom {
            event_type,
            payload: line.raw.to_json(),
        };
        let event = NewEvent::new(id, self.moment(line), body);
        self.events.push(self.note(at, line).on(event));
    }

    /// The id of a line's event: its uuid or a digest of it, with a number where it comes again.
    fn event_id(&mut self, prefix: &str, line: &Line<'_>, suffix: &str) -> Option<EventId> {
        let name = match &line.uuid {
            Some(uuid) => format!("{prefix}{uuid}{suffix}"),
            None => format!("{prefix}{}{suffix}", digest([line.raw.text()])),
        };
        let repeats = self.repeats.entry(name.clone()).or_default();
        *repeats += 1;
        match *repeats {
            1 => event_id(&self.id, &name),
            number => event_id(&self.id, &format!("{name}/{number}")),
        }
    }

    fn moment(&self, line: &Line<'_>) -> Timestamp {
        line.members
            .peek("timestamp")
            .and_then(time::parse)
            .unwrap_or(self.default_time)
    }

    fn note(&self, at: usize, line: &Line<'_>) -> Note {
        let record = u64::try_from(at).unwrap_or(u64::MAX).saturating_add(1);
        Note::new(Format::ClaudeCode, line.number, line.bytes.clone(), record)
    }
}
