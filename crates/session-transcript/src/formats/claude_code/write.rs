//! Writing lines that Claude Code can resume.

use std::collections::BTreeMap;

use session_log::{EventBody, Message, Part, Shape};

use crate::format::Format;
use crate::formats::anthropic::blocks_out;
use crate::formats::claude_code::LINE_EVENT;
use crate::formats::claude_code::envelope::{self, Entry, LINES};
use crate::formats::claude_code::fresh::Fresh;
use crate::formats::claude_code::line_out::{Content, Line, firsts, link};
use crate::formats::style::Style;
use crate::item::{Item, ItemBody};
use crate::json::Raw;
use crate::repair::{Arranged, arrange};
use crate::transcript::Warning;
use crate::write::{Draft, Repair, Written};

/// Writes the draft as lines, kept ones as they were.
pub(super) fn write(draft: &Draft<'_>) -> Written {
    let mut warnings = Vec::new();
    let arranged = arrange(draft, &mut warnings);
    let mut writer = Writer {
        lines: Vec::new(),
        place_of: BTreeMap::new(),
        fresh: Fresh::new(draft),
        lost: 0,
        unsaid: 0,
    };
    let mut others = draft.items.iter().enumerate().peekable();
    for arranged in &arranged {
        let end = arranged.position.unwrap_or(0);
        while let Some((_, item)) = others.next_if(|(at, _)| *at < end) {
            writer.other(item);
        }
        writer.message(
            arranged,
            arranged.position.and_then(|at| draft.items.get(at)),
        );
    }
    for (_, item) in others {
        writer.other(item);
    }
    if writer.unsaid > 0 {
        warnings.push(Warning::file(format!(
            "{} message(s) that are not of the person, the model or a tool were left out",
            writer.unsaid
        )));
    }
    if writer.lost > 0 {
        warnings.push(Warning::file(format!(
            "{} part(s) have no place in these lines and were left out",
            writer.lost
        )));
    }
    let is_log = draft.is_file
        || draft
            .items
            .iter()
            .any(|item| matches!(item.body, ItemBody::Other(_)));
    let mut lines = writer.lines;
    let is_exact = draft.repair == Repair::Nothing;
    if is_log || is_exact || firsts(&lines).is_sorted() {
        lines.sort_by_key(|line| line.number);
    }
    link(&mut lines, is_log, is_exact);
    let mut text = String::new();
    for line in &lines {
        text.push_str(&line.to_text());
        text.push('\n');
    }
    let mut written = Written::new(text);
    written.warnings = warnings;
    written
}

struct Writer<'a> {
    lines: Vec<Line>,
    /// Where the line with a number is, to join parts of it that became two events.
    place_of: BTreeMap<u64, usize>,
    fresh: Fresh<'a>,
    lost: usize,
    unsaid: usize,
}

impl Writer<'_> {
    /// An event without a message: a line kept beside the conversation, or a boundary.
    fn other(&mut self, item: &Item<'_>) {
        let ItemBody::Other(body) = &item.body else {
            return;
        };
        let Some(note) = item.note().filter(|note| note.format == Format::ClaudeCode) else {
            return;
        };
        let json = match body {
            EventBody::Custom {
                event_type,
                payload,
            } if event_type.as_str() == LINE_EVENT => payload,
            EventBody::Compaction(_) => {
                match item.metadata.and_then(|metadata| metadata.get(LINES)) {
                    Some(json) => json,
                    None => return,
                }
            }
            _ => return,
        };
        let members = Raw::parse(json.as_str())
            .and_then(Raw::members)
            .unwrap_or_default();
        self.lines.push(Line {
            number: note.line,
            item: usize::MAX,
            uuid: members.peek_str("uuid").map(|uuid| uuid.into_owned()),
            parent: None,
            is_orphan: true,
            is_kept: true,
            relinked: None,
            is_changed: false,
            is_reply: false,
            record: json.clone(),
            content: None,
        });
    }

    fn message(&mut self, arranged: &Arranged<'_>, item: Option<&Item<'_>>) {
        let entries = item.and_then(|item| envelope::from_json(item.metadata?.get(LINES)?));
        let whole = item.and_then(Item::message).unwrap_or(&arranged.message);
        match entries {
            Some(entries) if is_fit(&entries, whole) => self.kept(&entries, whole, arranged),
            _ => {
                let number = self.lines.last().map_or(0, |line| line.number);
                let made = self.fresh.lines(arranged, item, number);
                match made {
                    Some((lines, lost)) => {
                        self.lost += lost;
                        self.lines.extend(lines);
                    }
                    None => self.unsaid += 1,
                }
            }
        }
    }

    /// Lines that were read, with the content the message has now.
    fn kept(&mut self, entries: &[Entry], message: &Message, arranged: &Arranged<'_>) {
        let is_kept = |at: usize| {
            arranged
                .kept
                .as_ref()
                .and_then(|kept| kept.get(at))
                .copied()
                .unwrap_or(true)
        };
        let mut at = 0;
        for entry in entries {
            let end = if entries.len() == 1 {
                message.parts.len()
            } else {
                at + entry.parts
            };
            let parts = message.parts.get(at..end).unwrap_or_default();
            let left: Vec<usize> = (0..parts.len())
                .filter(|place| is_kept(at + place))
                .collect();
            at = end;
            if left.is_empty() && !parts.is_empty() {
                continue;
            }
            let shape = if entry.is_text {
                Shape::Text
            } else {
                Shape::Parts
            };
            let content = content(parts, &left, shape, entry.slots.as_deref());
            let is_changed = envelope::size(parts) != entry.size;
            self.line(entry, content, is_changed, arranged);
        }
    }

    fn line(&mut self, entry: &Entry, content: Content, is_changed: bool, arranged: &Arranged<'_>) {
        let joined = self
            .place_of
            .get(&entry.line)
            .and_then(|at| self.lines.get_mut(*at));
        let joined = joined.filter(|line| line.uuid == entry.uuid);
        if let (
            Some(Line {
                content: Some(Content::Blocks(all)),
                ..
            }),
            Content::Blocks(_),
        ) = (joined, &content)
        {
            if let Content::Blocks(blocks) = content {
                all.extend(blocks);
                all.sort_by_key(|(slot, _)| *slot);
            }
            return;
        }
        let record = entry
            .record
            .clone()
            .unwrap_or_else(|| self.fresh.record("user", entry.uuid.as_deref(), None));
        let members = Raw::parse(record.as_str())
            .and_then(Raw::members)
            .unwrap_or_default();
        self.place_of.insert(entry.line, self.lines.len());
        self.lines.push(Line {
            number: entry.line,
            item: arranged.position.unwrap_or(0),
            uuid: entry.uuid.clone(),
            parent: members
                .peek_str("parentUuid")
                .map(|parent| parent.into_owned()),
            is_orphan: entry.is_orphan,
            is_kept: entry.record.is_some(),
            relinked: None,
            is_changed,
            is_reply: members.peek_str("type").as_deref() == Some("assistant"),
            record,
            content: Some(content),
        });
    }
}

/// Whether the parts can be told apart by line.
fn is_fit(entries: &[Entry], message: &Message) -> bool {
    match entries {
        [] => false,
        [_] => true,
        all => all.iter().map(|entry| entry.parts).sum::<usize>() == message.parts.len(),
    }
}

fn content(parts: &[Part], left: &[usize], shape: Shape, slots: Option<&[u64]>) -> Content {
    let style = Style {
        is_own: true,
        is_exact: true,
    };
    if shape == Shape::Text
        && left.len() == parts.len()
        && let [Part::Text(_) | Part::Opaque(_)] = parts
    {
        return Content::Plain(blocks_out::content(parts, shape, style).unwrap_or_default());
    }
    let block = |at: &usize| {
        let slot = slots
            .and_then(|slots| slots.get(*at))
            .copied()
            .unwrap_or_default();
        Some((slot, blocks_out::block(parts.get(*at)?, style).ok()?))
    };
    Content::Blocks(left.iter().filter_map(block).collect())
}
