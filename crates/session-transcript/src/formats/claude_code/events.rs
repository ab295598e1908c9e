//! From steps to events.

use std::collections::{BTreeMap, BTreeSet};

use session_log::{EventBody, EventId, EventType, NewEvent, Origin, Seq, Shape, Timestamp};

use crate::envelope::Envelope;
use crate::format::Format;
use crate::formats::anthropic;
use crate::formats::bodies::Piece;
use crate::formats::claude_code::LINE_EVENT;
use crate::formats::claude_code::boundary;
use crate::formats::claude_code::envelope::{self, Entry};
use crate::formats::claude_code::line::{Line, What};
use crate::formats::claude_code::path::{self, Path, Thread};
use crate::formats::claude_code::steps::{Step, steps};
use crate::ids::{digest, event_id};
use crate::note::Note;
use crate::read::Context;
use crate::time;
use crate::transcript::{Conversation, Warning};

/// The conversation of a thread.
pub(super) fn conversation(
    lines: &[Line<'_>],
    thread: &Thread,
    context: &mut Context<'_>,
) -> Conversation {
    let path = path::live_path(lines, thread);
    let steps = steps(lines, thread, &path);
    warn(lines, thread, &path, &steps, context);
    let about = About::of(lines, thread, &path);
    let id = context.names.name(&about.id);
    let mut fold = Fold {
        lines,
        path: &path,
        default_time: context.options.default_time,
        id: id.clone(),
        events: Vec::new(),
        of_line: BTreeMap::new(),
        aside: aside(thread, &steps),
        repeats: BTreeMap::new(),
        boundary: None,
    };
    for step in &steps {
        fold.step(step);
    }
    fold.rest();
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

/// The lines that are in no step.
fn aside(thread: &Thread, steps: &[Step]) -> Vec<usize> {
    let used: BTreeSet<usize> = steps
        .iter()
        .flat_map(|step| step.lines.iter().copied())
        .collect();
    let mut aside: Vec<usize> = thread
        .members
        .iter()
        .filter(|at| !used.contains(at))
        .copied()
        .collect();
    aside.reverse();
    aside
}

fn warn(
    lines: &[Line<'_>],
    thread: &Thread,
    path: &Path,
    steps: &[Step],
    context: &mut Context<'_>,
) {
    for at in &path.orphans {
        if let Some(line) = lines.get(*at).filter(|_| path.lines.contains(at)) {
            context.report.warn(Warning::line(
                line.number,
                "missing parent: joined to the line before",
            ));
        }
    }
    if let Some(line) = path.cycle.and_then(|at| lines.get(at)) {
        context.report.warn(Warning::line(
            line.number,
            "the lines form a cycle: cut here",
        ));
    }
    let used: BTreeSet<usize> = steps
        .iter()
        .flat_map(|step| step.lines.iter().copied())
        .collect();
    let is_left = |at: &&usize| {
        !used.contains(at) && lines.get(**at).is_some_and(|line| line.what.is_message())
    };
    let left = thread.members.iter().filter(is_left).count();
    if left > 0 {
        let what = format!(
            "{left} message line(s) of given-up or repeated branches are kept beside the conversation"
        );
        context.report.warn(Warning::file(what));
    }
}

/// What is known of the whole conversation.
struct About {
    id: String,
    title: Option<String>,
    model: Option<String>,
    parent: Option<String>,
    envelope: Envelope,
}

impl About {
    fn of(lines: &[Line<'_>], thread: &Thread, path: &Path) -> Self {
        let all = || thread.members.iter().filter_map(|at| lines.get(*at));
        let live = || path.lines.iter().rev().filter_map(|at| lines.get(*at));
        let newest = |name: &str| {
            live()
                .find_map(|line| line.text(name))
                .or_else(|| all().rev().find_map(|line| line.text(name)))
        };
        let session = newest("sessionId");
        let is_side = all().any(|line| line.is_side);
        let agent = newest("agentId")
            .or_else(|| all().find_map(|line| line.uuid.clone()))
            .filter(|_| is_side);
        let whole = || format!("claude-code-{}", digest(all().map(|line| line.raw.text())));
        let id = match (&session, &agent) {
            (Some(session), Some(agent)) => format!("{session}/agent-{agent}"),
            (Some(session), None) => session.clone(),
            (None, Some(agent)) => format!("agent-{agent}"),
            (None, None) => whole(),
        };
        let model = live().find_map(|line| {
            let model = line.members.peek("message")?.member_str("model")?;
            (model != "<synthetic>").then(|| model.into_owned())
        });
        let mut envelope = Envelope::new(Format::ClaudeCode);
        let known = [
            ("sessionId", session.clone()),
            ("cwd", newest("cwd")),
            ("version", newest("version")),
            ("gitBranch", newest("gitBranch")),
            ("model", model.clone()),
            ("agentId", agent),
        ];
        for (name, value) in known {
            if let Some(value) = value {
                envelope
                    .fields
                    .insert(name.into(), session_log::Json::string(&value));
            }
        }
        Self {
            id,
            title: title(lines, thread),
            model,
            parent: session.filter(|_| is_side),
            envelope,
        }
    }
}

/// The title the person gave, else the one that was made for the conversation.
fn title(lines: &[Line<'_>], thread: &Thread) -> Option<String> {
    let all = || thread.members.iter().rev().filter_map(|at| lines.get(*at));
    let kind =
        |line: &&Line<'_>, name: &str| line.members.peek_str("type").as_deref() == Some(name);
    let field = |kind_name: &'static str, names: [&'static str; 2]| {
        all()
            .filter(move |line| kind(line, kind_name))
            .find_map(|line| names.iter().find_map(|name| line.text(name)))
    };
    let uuids: BTreeSet<&str> = lines
        .iter()
        .filter_map(|line| line.uuid.as_deref())
        .collect();
    let is_here = |line: &&Line<'_>| {
        line.text("leafUuid")
            .is_some_and(|leaf| uuids.contains(leaf.as_str()))
    };
    field("custom-title", ["customTitle", "title"])
        .or_else(|| field("ai-title", ["aiTitle", "title"]))
        .or_else(|| {
            all()
                .filter(|line| kind(line, "summary"))
                .find(is_here)?
                .text("summary")
        })
}

struct Fold<'l, 'a> {
    lines: &'l [Line<'a>],
    path: &'l Path,
    default_time: Timestamp,
    id: String,
    events: Vec<NewEvent>,
    /// The events a line became.
    of_line: BTreeMap<usize, Vec<EventId>>,
    /// Lines that are in no step, the last one first.
    aside: Vec<usize>,
    repeats: BTreeMap<String, usize>,
    /// The boundary whose summary comes next.
    boundary: Option<EventId>,
}

impl Fold<'_, '_> {
    fn step(&mut self, step: &Step) {
        let Some((at, line)) = step
            .lines
            .first()
            .and_then(|at| Some((*at, self.lines.get(*at)?)))
        else {
            return;
        };
        let is_summary = step.what == What::User && boundary::is_summary(line);
        if !is_summary {
            self.asides_before(at);
            self.boundary = None;
        }
        match step.what {
            What::Boundary => self.boundary(at, line),
            What::Assistant => self.reply(step),
            _ => self.spoken(at, line, is_summary),
        }
    }

    fn boundary(&mut self, at: usize, line: &Line<'_>) {
        let Some(id) = self.event_id(line, "") else {
            return;
        };
        let kept = self
            .path
            .preserved
            .get(&at)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let kept: BTreeSet<&EventId> = kept
            .iter()
            .filter_map(|at| self.of_line.get(at))
            .flatten()
            .collect();
        let count = u64::try_from(self.events.len()).unwrap_or(u64::MAX);
        let boundary = boundary::boundary(line, &self.events, Seq::FIRST.plus(count), |id| {
            kept.contains(id)
        });
        let event = NewEvent::new(
            id.clone(),
            self.moment(line),
            EventBody::Compaction(Box::new(boundary)),
        );
        let event = event.with_metadata(envelope::LINES, line.raw.to_json());
        self.events.push(self.note(at, line).on(event));
        self.boundary = Some(id);
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
            let Some(id) = self.event_id(line, &suffix) else {
                return;
            };
            let origin = match piece.origin {
                _ if is_summary => Origin::Summary {
                    boundary: self.boundary.clone(),
                },
                _ if line.flag("isMeta") => Origin::Injected,
                origin => origin,
            };
            if let Origin::Summary {
                boundary: Some(boundary),
            } = &origin
            {
                self.name_summary(boundary, &id);
            }
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
            self.push(id, at, line, Piece { origin, ..piece }, &[entry]);
        }
    }

    fn name_summary(&mut self, boundary: &EventId, summary: &EventId) {
        let event = self
            .events
            .iter_mut()
            .rev()
            .find(|event| event.id == *boundary);
        if let Some(EventBody::Compaction(boundary)) = event.map(|event| &mut event.body) {
            boundary.summary.push(summary.clone());
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
                || line
                    .members
                    .peek("message")
                    .and_then(|message| message.member_str("model"))
                    .as_deref()
                    == Some("<synthetic>");
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
        let Some((at, line)) = step
            .lines
            .first()
            .and_then(|at| Some((*at, self.lines.get(*at)?)))
        else {
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
        if let Some(id) = self.event_id(line, "") {
            self.push(
                id,
                at,
                line,
                Piece {
                    message,
                    origin,
                    slots: None,
                },
                &entries,
            );
        }
        let id = self.events.last().map(|event| event.id.clone());
        for at in step.lines.iter().skip(1) {
            self.of_line.entry(*at).or_default().extend(id.clone());
        }
    }

    fn push(&mut self, id: EventId, at: usize, line: &Line<'_>, piece: Piece, entries: &[Entry]) {
        self.of_line.entry(at).or_default().push(id.clone());
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
        let name = line
            .uuid
            .clone()
            .unwrap_or_else(|| digest([line.raw.text()]));
        let repeats = self.repeats.entry(name.clone()).or_default();
        *repeats += 1;
        let name = if *repeats == 1 {
            format!("line/{name}")
        } else {
            format!("line/{name}/{repeats}")
        };
        let (Some(id), Ok(event_type)) = (event_id(&self.id, &name), EventType::new(LINE_EVENT))
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

    fn event_id(&self, line: &Line<'_>, suffix: &str) -> Option<EventId> {
        let name = line
            .uuid
            .clone()
            .unwrap_or_else(|| digest([line.raw.text()]));
        event_id(&self.id, &format!("{name}{suffix}"))
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
