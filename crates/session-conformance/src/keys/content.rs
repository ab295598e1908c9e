//! What messages say: read back as they were put in.

use serde_json::{Value, json};

use super::{Checked, Key, Shape, differs, nothing};
use crate::case::names;
use crate::export;
use crate::seen::Seen;

pub(super) const KEYS: &[Key] = &[
    Key::new("byte_equal", Shape::Texts, byte_equal),
    Key::new("content_of", Shape::Map, content_of),
];

/// Each message, read back and written in the shape it came in, is the message of the input.
fn byte_equal(seen: &Seen, expected: &Value) -> Checked {
    let wanted = names(expected);
    if wanted.is_empty() {
        return Err(nothing("no id is named"));
    }
    for name in wanted {
        let record = seen.records.find(name);
        let record = record.ok_or_else(|| nothing(&format!("the input has no {name}")))?;
        let came = written(seen, name)?;
        if came != record.json {
            return Err(format!("{name}: {}", differs(&came, &record.json)));
        }
        is_exported(seen, name, &came)?;
    }
    Ok(())
}

fn content_of(seen: &Seen, expected: &Value) -> Checked {
    let fields = expected.as_object().into_iter().flatten();
    for (name, wanted) in fields {
        let written = written(seen, name)?;
        let Some(came) = written.get("content") else {
            return Err(format!("{name} has no content, expected {wanted}"));
        };
        if came != wanted {
            return Err(format!("{name}: {}", differs(came, wanted)));
        }
        is_exported(seen, name, &written)?;
    }
    Ok(())
}

fn written(seen: &Seen, name: &str) -> Result<Value, String> {
    let event = seen.event(name);
    let event = event.ok_or_else(|| format!("the log has no {name}"))?;
    let record = seen.records.find(name).map(|record| &record.json);
    export::one_like(event, record)
}

/// Where the view was exported, a message in it stands in the export as it is.
fn is_exported(seen: &Seen, name: &str, message: &Value) -> Checked {
    let (Some(export), Some(after)) = (&seen.export, &seen.after) else {
        return Ok(());
    };
    let is_in_view = after.view_names().iter().any(|other| other == name);
    // A request may leave out what a provider does not take, but nothing that was said or called.
    let said = ["role", "content", "tool_calls", "tool_call_id"];
    let is_it = |other: &Value| said.iter().all(|name| other.get(name) == message.get(name));
    let is_chat = export.format == "openai-chat" && message.get("role").is_some();
    if !is_chat || !is_in_view || export.messages.iter().any(is_it) {
        return Ok(());
    }
    Err(format!(
        "{name} is not in the export as it was put in: {}",
        json!(message)
    ))
}
