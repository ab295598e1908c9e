//! Messages and their parts, from an export or from the records of the older storage.

use std::collections::BTreeMap;

use crate::json::{Kind, Members, Raw};
use crate::read::Context;
use crate::source::Placed;

/// A session.
#[derive(Default)]
pub(super) struct Session<'a> {
    pub(super) id: Option<String>,
    pub(super) info: Members<'a>,
    pub(super) messages: Vec<Stored<'a>>,
}

/// A message and its parts, in their order.
pub(super) struct Stored<'a> {
    pub(super) id: Option<String>,
    pub(super) value: Placed<'a>,
    pub(super) info: Members<'a>,
    pub(super) parts: Vec<Placed<'a>>,
}

/// Whether the value is an export.
pub(super) fn is_export(raw: Raw<'_>) -> bool {
    let messages = raw.find("messages").and_then(|list| list.first_items(1));
    let is_message = |raw: &Raw<'_>| raw.find("info").is_some() && raw.find("parts").is_some();
    let is_empty = |raw: Raw<'_>| {
        let info = raw.find("info");
        info.is_some_and(|info| info.find("directory").is_some() && info.find("time").is_some())
    };
    match messages.as_deref() {
        Some([first]) => is_message(first),
        Some(_) => is_empty(raw),
        None => false,
    }
}

/// Whether the value is a session, a message or a part of the storage.
pub(super) fn is_stored(raw: Raw<'_>) -> bool {
    let has = |name: &str| raw.find_str(name).is_some();
    let is_inner = has("sessionID") && has("id");
    (is_inner && (has("role") || (has("messageID") && has("type"))))
        || (has("projectID") && has("directory") && has("id"))
}

/// Whether the value is a message with its parts.
pub(super) fn is_message(raw: Raw<'_>) -> bool {
    let info = raw.find("info");
    info.is_some_and(|info| info.find("role").is_some()) && raw.find("parts").is_some()
}

/// The session in an export.
pub(super) fn export<'a>(value: &Placed<'a>, context: &mut Context<'_>) -> Session<'a> {
    let mut members = value.raw.members().unwrap_or_default();
    let info = members
        .take("info")
        .and_then(Raw::members)
        .unwrap_or_default();
    let list = members.take("messages").and_then(Raw::items);
    let list = list.unwrap_or_default().into_iter();
    let messages = list.map(|raw| value.inner(raw)).collect();
    Session {
        id: info.peek_str("id").map(Into::into),
        info,
        ..loose(messages, context)
    }
}

/// Messages of a session of which nothing else is known.
pub(super) fn loose<'a>(values: Vec<Placed<'a>>, context: &mut Context<'_>) -> Session<'a> {
    let mut session = Session::default();
    for value in values {
        let info = value.raw.member("info").and_then(Raw::members);
        let Some(info) = info.filter(|info| info.has("role")) else {
            context.skip(value.line, value.bytes, "a message without a role");
            continue;
        };
        let id = info.peek_str("sessionID").map(|id| id.into_owned());
        session.id = session.id.or(id);
        let parts = value.raw.member("parts").and_then(Raw::items);
        let parts = parts.unwrap_or_default().into_iter();
        session.messages.push(Stored {
            id: info.peek_str("id").map(Into::into),
            parts: parts.map(|raw| value.inner(raw)).collect(),
            info,
            value,
        });
    }
    session
}

/// The sessions among the records of the storage, which are one file each there. Ids are made so
/// that their order is that of time.
pub(super) fn stored<'a>(values: &[Placed<'a>]) -> Vec<Session<'a>> {
    let mut sessions: BTreeMap<String, Session<'a>> = BTreeMap::new();
    let mut parts: BTreeMap<(String, String), Vec<(String, Placed<'a>)>> = BTreeMap::new();
    for value in values {
        let members = value.raw.members().unwrap_or_default();
        let text = |name: &str| members.peek_str(name).unwrap_or_default().into_owned();
        let session = match members.has("projectID") {
            true => text("id"),
            false => text("sessionID"),
        };
        let entry = sessions.entry(session.clone()).or_default();
        entry.id = Some(session.clone());
        if members.has("projectID") {
            entry.info = members;
        } else if members.has("role") {
            entry.messages.push(Stored {
                id: Some(text("id")),
                value: value.clone(),
                info: members,
                parts: Vec::new(),
            });
        } else {
            let message = text("messageID");
            let named = parts.entry((session, message)).or_default();
            named.push((text("id"), value.clone()));
        }
    }
    for (id, session) in &mut sessions {
        session.messages.sort_by(|one, other| one.id.cmp(&other.id));
        for message in &mut session.messages {
            let key = (id.clone(), message.id.clone().unwrap_or_default());
            let mut found = parts.remove(&key).unwrap_or_default();
            found.sort_by(|(one, _), (other, _)| one.cmp(other));
            message.parts = found.into_iter().map(|(_, value)| value).collect();
        }
    }
    // Parts whose message is not there are kept under a message of their own.
    for ((session, id), mut found) in parts {
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        let Some((_, first)) = found.first() else {
            continue;
        };
        let session = sessions.entry(session).or_default();
        session.messages.push(Stored {
            id: Some(id),
            value: first.clone(),
            info: Members::default(),
            parts: found.into_iter().map(|(_, value)| value).collect(),
        });
    }
    sessions.into_values().collect()
}

/// The kind of a part.
pub(super) fn kind(part: &Placed<'_>) -> String {
    let kind = match part.raw.kind() {
        Kind::Object => part.raw.find_str("type"),
        _ => None,
    };
    kind.unwrap_or_default().into_owned()
}
