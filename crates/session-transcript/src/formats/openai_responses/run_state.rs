//! States of runs of the OpenAI Agents SDK: what a run was given, and the items it made, each in a
//! wrap of its own.

use session_log::{Fields, Json};

use crate::envelope::{Frame, Hole, Layout};
use crate::formats::lists::Listed;
use crate::json::{Kind, Members, Object, Raw, array};
use crate::note::Place;
use crate::source::Placed;

/// The field of the envelope with the wraps of the items that were made.
const WRAPS: &str = "wraps";

/// The last version of the states that is known.
const LAST_MINOR: u32 = 17;

/// Whether a value is a state of a version that is known.
pub(super) fn is_state(raw: Raw<'_>) -> bool {
    let minor = raw.find_str("$schemaVersion").and_then(|version| {
        let minor = version.strip_prefix("1.")?;
        minor.parse::<u32>().ok()
    });
    minor.is_some_and(|minor| minor <= LAST_MINOR) && raw.find("original_input").is_some()
}

/// The items of a state, and what the envelope must remember of them.
pub(super) fn listed<'a>(placed: &Placed<'a>) -> Option<(Listed<'a>, Fields)> {
    let members = placed.raw.members()?;
    let input = members.peek("original_input")?;
    let records = match input.kind() {
        Kind::String => vec![input],
        _ => input.items()?,
    };
    let mut holes = vec![(Hole::Messages, input.text())];
    let mut replies = Vec::new();
    let mut wraps = Vec::new();
    if let Some(made) = members.peek("generated_items")
        && let Some(items) = made.items()
    {
        holes.push((Hole::Replies, made.text()));
        for item in items {
            // A history that was handed over holds items of the run before.
            let raw = item.member("raw_item").filter(|raw| {
                raw.kind() == Kind::Object
                    && !records.iter().any(|record| record.text() == raw.text())
            });
            match (raw, item.members()) {
                (Some(raw), Some(wrap)) => {
                    replies.push(placed.inner(raw));
                    wraps.push(without_item(&wrap));
                }
                _ => wraps.push(item.text().to_owned()),
            }
        }
    }
    let listed = Listed {
        layout: Layout::Framed(Frame::cut(placed.raw.text(), holes)?),
        system: None,
        records: records.into_iter().map(|raw| placed.inner(raw)).collect(),
        replies,
        more_replies: 0,
        beside: members,
        beside_reply: Members::default(),
    };
    let wraps = Json::new(array(wraps)).unwrap_or_else(|_| Json::null());
    Some((listed, Fields::from([(WRAPS.into(), wraps)])))
}

fn without_item(wrap: &Members<'_>) -> String {
    let mut object = Object::new();
    for (name, value) in wrap.iter().filter(|(name, _)| *name != "raw_item") {
        object.raw(name, value.text());
    }
    object.finish()
}

/// Puts the items of the reply into their wraps again; new ones get a plain one.
pub(super) fn wrap(records: &mut Vec<(Place, String)>, fields: &Fields) {
    let Some(wraps) = fields
        .get(WRAPS)
        .and_then(|json| Raw::parse(json.as_str())?.items())
    else {
        return;
    };
    let is_reply = |(place, _): &(Place, String)| *place == Place::Reply;
    let split = records.iter().position(is_reply).unwrap_or(records.len());
    let mut items: Vec<String> = Vec::new();
    for (_, item) in records.drain(split..) {
        items.push(item);
    }
    let is_whole = |wrap: &Raw<'_>| wrap.member("raw_item").is_some();
    let are_same = wraps.iter().filter(|wrap| !is_whole(wrap)).count() == items.len();
    let agent = wraps.iter().find_map(|wrap| wrap.member("agent"));
    let mut items = items.into_iter();
    for wrap in wraps {
        let members = wrap.members().unwrap_or_default();
        if members.has("raw_item") || members.iter().next().is_none() {
            records.push((Place::Reply, wrap.text().to_owned()));
        } else if are_same && let Some(item) = items.next() {
            let mut object = Object::new();
            for (name, value) in members.iter() {
                object.raw(name, value.text());
            }
            object.raw("raw_item", &item);
            records.push((Place::Reply, object.finish()));
        }
    }
    let made = items.map(|item| (Place::Reply, plain(&item, agent)));
    records.extend(made);
}

fn plain(item: &str, agent: Option<Raw<'_>>) -> String {
    let kind = Raw::parse(item).and_then(|raw| raw.member_str("type"));
    let kind = match kind.as_deref() {
        None | Some("message") => "message_output_item",
        Some("reasoning") => "reasoning_item",
        Some(kind) if kind.ends_with("_output") => "tool_call_output_item",
        Some(_) => "tool_call_item",
    };
    let mut object = Object::new();
    object.str("type", kind).raw("raw_item", item);
    if let Some(agent) = agent {
        object.raw("agent", agent.text());
    }
    object.finish()
}
