//! Records laid out as they were, or as plainly as the format allows.

use crate::envelope::{Hole, Layout};
use crate::formats::lists::find::Containers;
use crate::json::{Object, array};
use crate::note::Place;

/// The records to lay out.
#[derive(Debug, Default)]
pub(crate) struct Laid {
    /// The system prompt beside the list.
    pub(crate) system: Option<String>,
    /// The records, each as JSON, with the place it came from.
    pub(crate) records: Vec<(Place, String)>,
    /// The text that stood in the place of the list, as JSON.
    pub(crate) text: Option<String>,
}

impl Laid {
    /// How many records at the end are the reply.
    fn reply(&self) -> usize {
        let is_reply = |(place, _): &&(Place, String)| *place == Place::Reply;
        self.records.iter().rev().take_while(is_reply).count()
    }

    /// The list: an array, or the text that stood for one.
    fn list(&self, records: &[(Place, String)]) -> String {
        match (&self.text, records) {
            (Some(text), [_]) => text.clone(),
            (_, records) => array(records.iter().map(|(_, text)| text)),
        }
    }
}

/// Puts `laid` into `layout`. A frame that has no place for it is given up.
pub(crate) fn lay_out(layout: &Layout, laid: &Laid, containers: &Containers) -> String {
    match layout {
        Layout::Lines if laid.system.is_none() => {
            let lines = laid.records.iter();
            return lines.map(|(_, text)| format!("{text}\n")).collect();
        }
        Layout::Framed(frame) => {
            let reply = laid.reply();
            let (records, replies) = laid
                .records
                .split_at(laid.records.len().saturating_sub(reply));
            let has_replies = frame.has(Hole::Replies);
            let has_reply = frame.has(Hole::Reply);
            let is_mixed = records.iter().any(|(place, _)| *place == Place::Reply);
            let is_fit = match reply {
                0 => !(has_reply || has_replies && is_mixed),
                1 => has_reply || has_replies,
                _ => has_replies,
            };
            let has_list = frame.has(Hole::Messages);
            if is_fit && (has_list || (records.is_empty() && laid.system.is_none())) {
                return frame.fill(|hole| match hole {
                    Hole::Messages => laid.list(records),
                    Hole::System => laid.system.clone().unwrap_or_else(|| "null".into()),
                    Hole::SystemMember => match (&laid.system, containers.system.first()) {
                        (Some(system), Some(name)) => format!("\"{name}\":{system},"),
                        _ => String::new(),
                    },
                    Hole::Replies => array(replies.iter().map(|(_, text)| text)),
                    Hole::Reply => replies
                        .first()
                        .map(|(_, text)| text.clone())
                        .unwrap_or_default(),
                });
            }
        }
        _ => {}
    }
    plain(laid, containers)
}

/// A bare array, or the smallest body that has a place for the system prompt.
fn plain(laid: &Laid, containers: &Containers) -> String {
    match (&laid.system, containers.system) {
        (Some(_), [_, ..]) => as_body(laid, containers),
        _ => array(laid.records.iter().map(|(_, text)| text)),
    }
}

/// The smallest body.
pub(crate) fn as_body(laid: &Laid, containers: &Containers) -> String {
    let mut body = Object::new();
    if let (Some(system), Some(name)) = (&laid.system, containers.system.first()) {
        body.raw(name, system);
    }
    let records = array(laid.records.iter().map(|(_, text)| text));
    for name in containers.lists.iter().take(1) {
        body.raw(name, &records);
    }
    body.finish()
}
