//! Where an event comes from, and the name it has in its conversation.

use std::ops::Range;

use session_log::{Branch, NewEvent};

use crate::json::Raw;
use crate::note::Note;
use crate::source::Placed;

/// Where an event comes from, and its name in the conversation.
#[derive(Clone, Debug)]
pub(crate) struct Spot<'a> {
    pub(crate) line: u64,
    pub(crate) bytes: Range<u64>,
    /// The number of the record in its conversation, from 1.
    pub(crate) record: u64,
    pub(crate) name: String,
    pub(crate) time: Option<Raw<'a>>,
    /// The sub-agent it belongs to.
    pub(crate) branch: Option<Branch>,
}

impl<'a> Spot<'a> {
    /// The spot of the record at `at`, named by its number.
    pub(crate) fn of(value: &Placed<'a>, at: usize) -> Self {
        let record = u64::try_from(at).unwrap_or(u64::MAX).saturating_add(1);
        Self {
            line: value.line,
            bytes: value.bytes.clone(),
            record,
            name: format!("{record:05}"),
            time: None,
            branch: None,
        }
    }

    /// The spot behind finished events, if there are any: where the last of them came from.
    pub(crate) fn behind(events: &[NewEvent], name: &str) -> Option<Self> {
        let note = Note::in_fields(&events.last()?.metadata);
        Some(Self {
            line: note.as_ref().map_or(1, |note| note.line),
            bytes: note.as_ref().map_or(0..0, |note| note.bytes.clone()),
            record: note.as_ref().map_or(1, |note| note.record),
            name: name.into(),
            time: None,
            branch: None,
        })
    }

    /// The same spot under another name, if there is one.
    pub(crate) fn named(mut self, name: Option<impl Into<String>>) -> Self {
        if let Some(name) = name {
            self.name = name.into();
        }
        self
    }

    /// The same spot with something behind its name.
    pub(crate) fn with(&self, suffix: &str) -> Self {
        let mut spot = self.clone();
        spot.name.push_str(suffix);
        spot
    }

    /// The same spot at a moment as it is written.
    pub(crate) fn at(mut self, time: Option<Raw<'a>>) -> Self {
        self.time = time.filter(|raw| !raw.is_null());
        self
    }
}
