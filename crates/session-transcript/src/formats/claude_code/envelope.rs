//! What of a line is no content: kept beside the message, to write the line again.

use std::collections::BTreeSet;

use session_log::{Json, Part};

use crate::formats::claude_code::line::{Line, What};
use crate::json::{Object, Raw, array};

/// The metadata entry of events that keeps the lines they came from.
pub(super) const LINES: &str = "claude-code";

/// A line of an event.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) line: u64,
    pub(super) uuid: Option<String>,
    /// How many of the event's parts the line has.
    pub(super) parts: usize,
    /// Where they stood in the line, if other parts of it are in another event.
    pub(super) slots: Option<Vec<u64>>,
    /// The length of all text in the parts.
    pub(super) size: u64,
    /// The content was a plain string.
    pub(super) is_text: bool,
    /// Its parent was not in the file.
    pub(super) is_orphan: bool,
    /// The line without its content; only with the first event of a line.
    pub(super) record: Option<Json>,
}

impl Entry {
    fn to_text(&self) -> String {
        let mut object = Object::new();
        object.raw("line", &self.line.to_string());
        if let Some(uuid) = &self.uuid {
            object.str("uuid", uuid);
        }
        object
            .raw("parts", &self.parts.to_string())
            .raw("size", &self.size.to_string());
        if let Some(slots) = &self.slots {
            object.raw("slots", &array(slots.iter().map(u64::to_string)));
        }
        if self.is_text {
            object.raw("text", "true");
        }
        if self.is_orphan {
            object.raw("orphan", "true");
        }
        if let Some(record) = &self.record {
            object.json("record", record);
        }
        object.finish()
    }

    fn from_raw(raw: Raw<'_>) -> Option<Self> {
        let members = raw.members()?;
        let number = |raw: Raw<'_>| raw.text().parse::<u64>().ok();
        let slots = members.peek("slots").and_then(Raw::items);
        Some(Self {
            line: number(members.peek("line")?)?,
            uuid: members.peek_str("uuid").map(|uuid| uuid.into_owned()),
            parts: usize::try_from(number(members.peek("parts")?)?).ok()?,
            slots: slots.and_then(|slots| slots.into_iter().map(number).collect()),
            size: number(members.peek("size")?)?,
            is_text: members.has("text"),
            is_orphan: members.has("orphan"),
            record: members.peek("record").map(Raw::to_json),
        })
    }
}

/// The entries as metadata.
pub(super) fn to_json(entries: &[Entry]) -> Json {
    Json::new(array(entries.iter().map(Entry::to_text))).unwrap_or_else(|_| Json::null())
}

/// The entries in metadata.
pub(super) fn from_json(json: &Json) -> Option<Vec<Entry>> {
    Raw::parse(json.as_str())?
        .items()?
        .into_iter()
        .map(Entry::from_raw)
        .collect()
}

/// The line as an object without its content.
pub(super) fn record(line: &Line<'_>) -> Json {
    let (holder, hole) = match line.what {
        What::Queued => ("attachment", "prompt"),
        _ => ("message", "content"),
    };
    let content = line.content().map_or(0, |content| content.text().len());
    let mut object = Object::with_capacity(line.raw.text().len().saturating_sub(content) + 1);
    for (name, value) in last_of_each(line.members.iter()) {
        if name != holder {
            object.raw(name, value.text());
            continue;
        }
        let mut inner = Object::new();
        for (name, value) in last_of_each(line.message.iter()) {
            if name != hole {
                inner.raw(name, value.text());
            }
        }
        object.raw(holder, &inner.finish());
    }
    object.into_json()
}

/// Members whose name comes again later are left out: the last one counts.
fn last_of_each<'m, 'a>(
    members: impl Iterator<Item = (&'m str, Raw<'a>)>,
) -> Vec<(&'m str, Raw<'a>)> {
    let mut last: Vec<(&str, Raw<'a>)> = members.collect();
    let mut seen = BTreeSet::new();
    last.reverse();
    last.retain(|(name, _)| seen.insert(*name));
    last.reverse();
    last
}

/// The length of all text in `parts`: another one tells that the content was changed.
pub(super) fn size<'p>(parts: impl IntoIterator<Item = &'p Part>) -> u64 {
    let length = |part: &Part| match part {
        Part::Text(text) => text.text.len() as u64,
        Part::ToolResult(result) => size(&result.parts),
        _ => 1,
    };
    parts.into_iter().map(length).sum()
}
