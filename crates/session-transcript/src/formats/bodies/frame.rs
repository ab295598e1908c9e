//! Messages laid out as they were, or as plainly as the format allows.

use crate::envelope::{Hole, Layout};
use crate::json::{Object, array};
use crate::note::Place;

/// The records to lay out.
#[derive(Debug, Default)]
pub(crate) struct Filled {
    /// The content of the `system` field.
    pub(crate) system: Option<String>,
    /// The messages, each as JSON, with the place it came from.
    pub(crate) messages: Vec<(Place, String)>,
}

/// Puts `filled` into `layout`. A frame whose reply is not the last message any more is given up.
pub(crate) fn lay_out(layout: &Layout, filled: Filled) -> String {
    match layout {
        Layout::Lines if filled.system.is_none() => {
            let mut text = String::new();
            for (_, message) in &filled.messages {
                text.push_str(message);
                text.push('\n');
            }
            text
        }
        Layout::Framed(frame) => {
            let reply = match filled.messages.last() {
                Some((Place::Reply, _)) if frame.has(Hole::Reply) => filled.messages.len() - 1,
                _ => filled.messages.len(),
            };
            let has_reply = reply < filled.messages.len();
            let is_filled = has_reply == frame.has(Hole::Reply)
                && (frame.has(Hole::Messages) || (reply == 0 && filled.system.is_none()));
            if !is_filled {
                return plain(filled);
            }
            let texts = filled.messages.iter().map(|(_, text)| text);
            frame.fill(|hole| match hole {
                Hole::Messages => array(texts.clone().take(reply)),
                Hole::System => filled.system.clone().unwrap_or_else(|| "[]".into()),
                Hole::SystemMember => match &filled.system {
                    Some(system) => format!("\"system\":{system},"),
                    None => String::new(),
                },
                Hole::Reply | Hole::Replies => {
                    texts.clone().next_back().cloned().unwrap_or_default()
                }
            })
        }
        _ => plain(filled),
    }
}

/// A bare array, or the smallest body that has a place for the system prompt.
fn plain(filled: Filled) -> String {
    let messages = array(filled.messages.into_iter().map(|(_, text)| text));
    let Some(system) = filled.system else {
        return messages;
    };
    let mut body = Object::new();
    body.raw("system", &system).raw("messages", &messages);
    body.finish()
}
