//! Writing conversations as transcripts.

use serde::de::IgnoredAny;
use session::{NewEvent, Role, View};
use session_log::{EventBody, Origin};
use session_transcript::{Envelope, Format, Repair, WriteError, WriteOptions, Written, write};

use crate::failure::Failure;

/// A view as a log of its own: as it is shown, and without the boundary it was folded from.
pub(crate) fn as_log(view: &View) -> Vec<NewEvent> {
    let alone = |event: &std::sync::Arc<session::Event>| {
        let message = view.shown(event)?.into_owned();
        let mut event = session::Event::clone(event).into_new();
        event.body = EventBody::Message(message);
        if let Origin::Summary { boundary } = &mut event.origin {
            *boundary = None;
        }
        Some(event)
    };
    view.events().iter().filter_map(alone).collect()
}

/// The same events, a summary in the system's name turned into one in the person's: transcripts of
/// this format hold what person, model and tools say, and nothing else.
pub(crate) fn for_format(mut events: Vec<NewEvent>, format: Format) -> Vec<NewEvent> {
    if format != Format::ClaudeCode {
        return events;
    }
    for event in &mut events {
        if let (EventBody::Message(message), Origin::Summary { .. }) =
            (&mut event.body, &event.origin)
            && message.role.is_system()
        {
            message.role = Role::User;
        }
    }
    events
}

/// Writes events in a format, in the layout of `envelope` if it is of that format.
pub(crate) fn in_format(
    events: &[NewEvent],
    envelope: Option<&Envelope>,
    format: Format,
    repair: Repair,
) -> Result<Written, Failure> {
    let options = WriteOptions::default().with_repair(repair);
    write(events, envelope, format, &options).map_err(|error| unwritable(&error))
}

/// Puts the conversations of one file together again: as an array if they came in one and each is
/// one value, else one after the other, each from the beginning of a line.
pub(crate) fn together(texts: &[String], is_array: bool) -> String {
    let mut whole = String::with_capacity(texts.iter().map(|text| text.len() + 2).sum());
    let is_value = |text: &String| serde_json::from_str::<IgnoredAny>(text).is_ok();
    let (open, between, close) = match is_array && texts.iter().all(is_value) {
        true => ("[", ",\n", "]\n"),
        false => ("", "\n", "\n"),
    };
    whole.push_str(open);
    for (at, text) in texts.iter().enumerate() {
        if at > 0 {
            whole.push_str(between);
        }
        whole.push_str(text.trim_end());
    }
    whole.push_str(close);
    whole
}

fn unwritable(error: &WriteError) -> Failure {
    let failure = Failure::work(error.to_string());
    match error {
        WriteError::Unrepresentable { .. } => {
            failure.with_hint("--to jsonl has a place for everything")
        }
        _ => failure.with_hint("choose another format with --to"),
    }
}
