//! Messages that stay in the file of an agent (Roo Code) though its model does not read them any
//! more: each names the summary, or the mark of a truncation, that came in its place.

use std::collections::BTreeSet;

use session_log::{EventBody, Json, Message, NewEvent, Origin, Seq};

use crate::format::Format;
use crate::formats::log::Log;
use crate::note::Note;

/// What stands in for messages, its flag, and the field by which they name it.
const KINDS: [(&str, &str, &str); 2] = [
    ("condenseId", "isSummary", "condenseParent"),
    ("truncationId", "isTruncationMarker", "truncationParent"),
];

/// Says at the end of the events which of them left the view. A message whose summary is not
/// there any more is shown again, as the agent does it.
pub(super) fn hide(events: &mut Vec<NewEvent>, id: &str, format: Format) {
    let mut there: BTreeSet<(usize, String)> = BTreeSet::new();
    for event in events.iter_mut() {
        let EventBody::Message(message) = &event.body else {
            continue;
        };
        for (kind, (name, flag, _)) in KINDS.iter().enumerate() {
            let is_flagged = field(message, flag).is_some_and(|json| json.as_str() == "true");
            if let Some(json) = field(message, name).filter(|_| is_flagged) {
                there.insert((kind, json.as_str().to_owned()));
                event.origin = Origin::Summary { boundary: None };
            }
        }
    }
    if there.is_empty() {
        return;
    }
    let is_left = |message: &Message| {
        let parents = KINDS.iter().enumerate();
        parents
            .filter_map(|(kind, (.., parent))| Some((kind, field(message, parent)?)))
            .any(|(kind, json)| there.contains(&(kind, json.as_str().to_owned())))
    };
    let record = |event: &NewEvent| Note::in_fields(&event.metadata).map(|note| note.record);
    // A record of results and text is two events; the fields are with the first.
    let mut left: BTreeSet<Option<u64>> = BTreeSet::new();
    let mut hidden = Vec::new();
    let places = std::iter::successors(Some(Seq::FIRST), |seq| Some(seq.plus(1)));
    for (seq, event) in places.zip(events.iter()) {
        let EventBody::Message(message) = &event.body else {
            continue;
        };
        let record = record(event);
        if is_left(message) {
            left.insert(record);
        }
        if left.contains(&record) {
            hidden.push(seq);
        }
    }
    *events = Log::hidden_in(std::mem::take(events), id, format, &hidden);
}

fn field<'m>(message: &'m Message, name: &str) -> Option<&'m Json> {
    message.extra.get(name)
}
