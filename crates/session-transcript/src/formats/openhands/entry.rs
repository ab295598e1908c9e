//! What an event is to the conversation, whatever its version.

use std::collections::BTreeSet;

use session_log::{Message, Origin, Part, ToolResult};

use crate::json::Raw;

/// An event.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) id: Option<String>,
    pub(super) what: What,
}

/// What it is.
#[derive(Debug)]
pub(super) enum What {
    /// Somebody says something.
    Said(Box<Message>, Origin),
    /// The model does something; actions of one response are one message.
    Acts {
        response: Option<String>,
        thought: Vec<Part>,
        call: Part,
    },
    /// What came of an action.
    Brought(Box<ToolResult>),
    /// Events leave the view, and a summary may stand in for them.
    Condensed(Condensed),
    /// Nothing the model reads.
    Silent,
    /// Of a kind that is not known.
    Unknown,
}

/// A condensation.
#[derive(Debug, Default)]
pub(super) struct Condensed {
    pub(super) forgotten: BTreeSet<String>,
    /// The first and the last number of what is forgotten.
    pub(super) range: Option<(u64, u64)>,
    pub(super) summary: Option<String>,
    /// How many of the events that stay come before the summary.
    pub(super) offset: Option<usize>,
}

/// The id of an event, which is a text or a number.
pub(super) fn id(raw: Option<Raw<'_>>) -> Option<String> {
    let raw = raw.filter(|raw| !raw.is_null())?;
    let text = raw.as_str();
    Some(text.map_or_else(|| raw.text().to_owned(), |text| text.into_owned()))
}

/// The condensation in the members of an event or its arguments.
pub(super) fn condensed(raw: Raw<'_>) -> Condensed {
    let members = raw.members().unwrap_or_default();
    let number = |name: &str| members.peek(name)?.text().parse().ok();
    let forgotten = members.peek("forgotten_event_ids").and_then(Raw::items);
    let ids = forgotten.unwrap_or_default().into_iter();
    let summary = members.peek_str("summary");
    Condensed {
        forgotten: ids.filter_map(|raw| id(Some(raw))).collect(),
        range: number("forgotten_events_start_id").zip(number("forgotten_events_end_id")),
        summary: summary
            .filter(|text| !text.trim().is_empty())
            .map(|text| text.into_owned()),
        offset: members
            .peek("summary_offset")
            .and_then(|raw| raw.text().parse().ok()),
    }
}
