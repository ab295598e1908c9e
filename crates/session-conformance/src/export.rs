//! Views and messages in the shapes of providers.

use serde_json::Value;
use session::View;
use session_log::{Event, Part};
use session_transcript::{Format, Item, Repair, WriteOptions, view_as_request, write};

use crate::seen::Export;

/// The view as a provider of `format` gets it.
pub(crate) fn request(view: &View, format: &str) -> Result<Export, String> {
    let format = by_name(format)?;
    let written = match format.is_request() {
        true => view_as_request(items(view), format),
        false => write(items(view), None, format, &WriteOptions::default()),
    };
    Ok(export(
        format,
        written.map_err(|error| error.to_string())?.text,
    ))
}

/// All events of a log as a file of `format`.
pub(crate) fn log<'a>(
    events: impl IntoIterator<Item = &'a Event>,
    format: &str,
) -> Result<Export, String> {
    let format = by_name(format)?;
    let options = WriteOptions::default().with_repair(Repair::Nothing);
    let written = write(events, None, format, &options);
    Ok(export(
        format,
        written.map_err(|error| error.to_string())?.text,
    ))
}

/// One message in the chat shape.
pub(crate) fn one(event: &Event) -> Result<Value, String> {
    one_as(event, "openai")
}

/// One message in the shape of the record it came from: an item, where that has no role.
pub(crate) fn one_like(event: &Event, record: Option<&Value>) -> Result<Value, String> {
    const ITEMS: &str = "openai-responses";

    let is_item = record.is_some_and(|record| record.get("role").is_none());
    if !is_item {
        return one_as(event, "openai");
    }
    // An item that was kept whole is read back whole.
    let parts = event.as_message().map(|message| message.parts.as_slice());
    match parts {
        Some([Part::Opaque(opaque)]) if opaque.format == ITEMS => {
            opaque.json.to_value().map_err(|error| error.to_string())
        }
        _ => one_as(event, ITEMS),
    }
}

fn one_as(event: &Event, format: &str) -> Result<Value, String> {
    let written = log([event], format)?;
    match written.messages.as_slice() {
        [message] => Ok(message.clone()),
        messages => Err(format!(
            "event {} is written as {} messages",
            event.id,
            messages.len()
        )),
    }
}

/// The format that a case calls by this name, or by this name with what sort of file it is.
pub(crate) fn by_name(name: &str) -> Result<Format, String> {
    const ENDS: [&str; 5] = ["_rollout", "_jsonl", "_json", "_export", "_session"];
    let short = ENDS.iter().find_map(|end| name.strip_suffix(end));
    let found = name.parse::<Format>();
    match (found, short) {
        (Err(error), Some(short)) => short.parse().map_err(|_| error.to_string()),
        (found, _) => found.map_err(|error| error.to_string()),
    }
}

fn items(view: &View) -> Vec<Item<'_>> {
    view.events()
        .iter()
        .filter_map(|event| Some(Item::from(&**event).with_message(view.shown(event)?)))
        .collect()
}

fn export(format: Format, text: String) -> Export {
    let messages = match serde_json::from_str::<Value>(&text) {
        Ok(Value::Array(messages)) => messages,
        Ok(value) => match value.get("messages").or_else(|| value.get("input")) {
            Some(Value::Array(messages)) => messages.clone(),
            _ => vec![value],
        },
        Err(_) => text
            .split('\n')
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect(),
    };
    Export {
        format: format.name().into(),
        text,
        messages,
    }
}
