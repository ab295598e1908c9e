//! The note an importer leaves on each event: where it came from.

use std::ops::Range;

use session_log::{Fields, Json, NewEvent};

use crate::format::Format;
use crate::json::{Object, Raw, array};

/// The metadata entry of imported events that says where they came from.
pub const SOURCE: &str = "source";

/// Where in its conversation a record stood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Place {
    /// Among the messages.
    #[default]
    Messages,
    /// In the `system` field beside them.
    System,
    /// In the response.
    Reply,
}

/// Where an event came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) format: Format,
    pub(crate) line: u64,
    pub(crate) bytes: Range<u64>,
    /// The number of the record in its conversation.
    pub(crate) record: u64,
    pub(crate) place: Place,
    /// For one of several events of a record: where its parts stood among the parts of the record.
    pub(crate) slots: Option<Vec<u64>>,
    /// The moment as it was written.
    pub(crate) time: Option<Json>,
}

impl Note {
    pub(crate) fn new(format: Format, line: u64, bytes: Range<u64>, record: u64) -> Self {
        Self {
            format,
            line,
            bytes,
            record,
            place: Place::Messages,
            slots: None,
            time: None,
        }
    }

    pub(crate) fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    pub(crate) fn to_json(&self) -> Json {
        let mut object = Object::new();
        object
            .str("format", self.format.name())
            .raw("line", &self.line.to_string());
        object.raw(
            "bytes",
            &format!("[{},{}]", self.bytes.start, self.bytes.end),
        );
        object.raw("record", &self.record.to_string());
        match self.place {
            Place::Messages => {}
            Place::System => {
                object.str("place", "system");
            }
            Place::Reply => {
                object.str("place", "reply");
            }
        }
        if let Some(slots) = &self.slots {
            object.raw("slots", &array(slots.iter().map(u64::to_string)));
        }
        if let Some(time) = &self.time {
            object.json("time", time);
        }
        object.into_json()
    }

    /// The note in the metadata of an event, if there is one.
    pub(crate) fn in_fields(fields: &Fields) -> Option<Self> {
        let members = Raw::parse(fields.get(SOURCE)?.as_str())?.members()?;
        let number = |raw: Raw<'_>| raw.text().parse::<u64>().ok();
        let bytes = members.peek("bytes")?.items()?;
        let place = match members.peek_str("place").as_deref() {
            Some("system") => Place::System,
            Some("reply") => Place::Reply,
            _ => Place::Messages,
        };
        let slots = members.peek("slots").and_then(|slots| slots.items());
        Some(Self {
            format: members.peek_str("format")?.parse().ok()?,
            line: number(members.peek("line")?)?,
            bytes: number(*bytes.first()?)?..number(*bytes.get(1)?)?,
            record: number(members.peek("record")?)?,
            place,
            slots: slots.and_then(|slots| slots.into_iter().map(number).collect()),
            time: members.peek("time").map(Raw::to_json),
        })
    }

    pub(crate) fn on(self, event: NewEvent) -> NewEvent {
        let json = self.to_json();
        event.with_metadata(SOURCE, json)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_reads_back() {
        let mut note = Note::new(Format::Anthropic, 3, 10..20, 2).at(Place::System);
        note.slots = Some(vec![1, 0]);
        note.time = Some(Json::string("2024"));
        let fields = Fields::from([(SOURCE.into(), note.to_json())]);
        assert_eq!(Note::in_fields(&fields), Some(note));
        assert_eq!(Note::in_fields(&Fields::new()), None);
    }
}
