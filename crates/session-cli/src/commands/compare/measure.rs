//! What a view still has of what was said.

use serde::Serialize;
use serde_json::Value;
use session::{Message, Retention, Share, View};
use session_log::{LineFormat, MessageFormat as _};

/// How many facts are kept, of how many.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct FactsJson {
    pub(super) urls: ShareJson,
    pub(super) paths: ShareJson,
    pub(super) commands: ShareJson,
    pub(super) ids: ShareJson,
    pub(super) numbers: ShareJson,
    pub(super) all: ShareJson,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct ShareJson {
    pub(super) kept: u64,
    pub(super) of: u64,
}

impl From<Share> for ShareJson {
    fn from(share: Share) -> Self {
        let Share { kept, of, .. } = share;
        Self { kept, of }
    }
}

/// How many tool results a message brings.
pub(super) fn results(message: &Message) -> u64 {
    u64::try_from(message.results().count()).unwrap_or(u64::MAX)
}

/// Which facts of what was said are in a text.
pub(super) fn facts(said: &[Message], text: &str) -> FactsJson {
    let retention = Retention::of(said, text);
    FactsJson {
        urls: retention.urls.into(),
        paths: retention.paths.into(),
        commands: retention.commands.into(),
        ids: retention.ids.into(),
        numbers: retention.numbers.into(),
        all: retention.total().into(),
    }
}

/// A view as one text, what tools were called with also as it is behind its escapes.
pub(super) fn written_out(view: &View) -> String {
    let mut text = String::new();
    for message in view.messages() {
        LineFormat.format(&message, &mut text);
        text.push('\n');
        for call in message.calls() {
            if let Ok(arguments) = serde_json::from_str(call.arguments.as_str()) {
                strings(&arguments, &mut text);
            }
        }
    }
    text
}

fn strings(value: &Value, text: &mut String) {
    match value {
        Value::String(it) => {
            text.push_str(it);
            text.push('\n');
        }
        Value::Array(all) => all.iter().for_each(|one| strings(one, text)),
        Value::Object(fields) => fields.values().for_each(|one| strings(one, text)),
        _ => {}
    }
}
