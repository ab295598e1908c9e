//! How a message is wrapped.

use session_log::Json;

use crate::json::{Kind, Members, Object, Raw};

/// A way to write a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// `{"type": …, "data": {…}}`.
    Data,
    /// `{"lc": 1, "type": "constructor", "id": […], "kwargs": {…}}`.
    Constructor,
    /// All fields in one object.
    Flat,
}

/// The type of what takes messages out of a state.
pub(super) const REMOVAL: &str = "remove";

/// The type, and the class, of a piece of a reply.
const CHUNK: &str = "AIMessageChunk";

/// Types of messages.
const TYPES: [&str; 8] = [
    "human",
    "ai",
    "system",
    "developer",
    "tool",
    "function",
    "chat",
    REMOVAL,
];

impl Encoding {
    pub(super) const ALL: [Self; 3] = [Self::Data, Self::Constructor, Self::Flat];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Constructor => "constructor",
            Self::Flat => "flat",
        }
    }

    /// The encoding with this name, as a JSON string.
    pub(super) fn named(json: &Json) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|encoding| *json == Json::string(encoding.name()))
    }
}

fn is_type(kind: &str) -> bool {
    TYPES.contains(&kind) || kind.ends_with("MessageChunk")
}

/// How a message is wrapped; `None` when the value is none.
pub(super) fn of(raw: Raw<'_>) -> Option<Encoding> {
    if raw.kind() != Kind::Object {
        return None;
    }
    let kind = raw.find_str("type")?;
    if kind == "constructor" {
        let name = class(raw.find("id")?)?;
        let is_message = name.ends_with("Message") || name.ends_with("MessageChunk");
        let has_fields = raw.find("kwargs")?.kind() == Kind::Object;
        return (is_message && has_fields).then_some(Encoding::Constructor);
    }
    if !is_type(&kind) {
        return None;
    }
    if raw
        .find("data")
        .is_some_and(|data| data.kind() == Kind::Object)
    {
        return Some(Encoding::Data);
    }
    let members = raw.members()?;
    let is_foreign = ["uuid", "sessionId", "message", "role"]
        .iter()
        .any(|name| members.has(name) && kind != "chat");
    let is_removal = kind == REMOVAL && members.has("id");
    ((members.has("content") || is_removal) && !is_foreign).then_some(Encoding::Flat)
}

/// The name of the class, the last of its path.
fn class(id: Raw<'_>) -> Option<String> {
    Some(id.items()?.last()?.as_str()?.into_owned())
}

/// A message without its wrap.
pub(super) struct Unwrapped<'a> {
    pub(super) encoding: Encoding,
    /// Its type, by the short name.
    pub(super) kind: String,
    /// Whether it is a piece of a reply, as a stream gives them.
    pub(super) is_chunk: bool,
    pub(super) fields: Members<'a>,
    /// What the wrap has beside the fields.
    pub(super) outer: Option<Json>,
}

/// Takes the wrap off.
pub(super) fn unwrap(raw: Raw<'_>) -> Option<Unwrapped<'_>> {
    let encoding = of(raw)?;
    let mut members = raw.members()?;
    let mut is_chunk = members.peek_str("type").as_deref() == Some(CHUNK);
    let (kind, fields, outer) = match encoding {
        Encoding::Flat => (members.peek_str("type")?.into_owned(), members, None),
        Encoding::Data => {
            let kind = members.peek_str("type")?.into_owned();
            let fields = members.take("data")?.members()?;
            (kind, fields, Some(object(&members)))
        }
        Encoding::Constructor => {
            let class = class(members.peek("id")?)?;
            is_chunk = class == CHUNK;
            let fields = members.take("kwargs")?.members()?;
            let kind = match class.trim_end_matches("Chunk").trim_end_matches("Message") {
                "Human" => "human".into(),
                "AI" => "ai".into(),
                "System" => "system".into(),
                "Tool" => "tool".into(),
                "Function" => "function".into(),
                "Chat" => "chat".into(),
                "Remove" => REMOVAL.into(),
                other => other.to_lowercase(),
            };
            (kind, fields, Some(object(&members)))
        }
    };
    Some(Unwrapped {
        encoding,
        kind,
        is_chunk,
        fields,
        outer,
    })
}

fn object(members: &Members<'_>) -> Json {
    let mut object = Object::new();
    for (name, value) in members.iter() {
        object.raw(name, value.text());
    }
    object.into_json()
}

/// The name of the class that has messages of this type.
fn class_of(kind: &str) -> &'static str {
    match kind {
        "human" => "HumanMessage",
        "ai" => "AIMessage",
        "system" => "SystemMessage",
        "tool" => "ToolMessage",
        "function" => "FunctionMessage",
        _ => "ChatMessage",
    }
}

/// Wraps fields; `outer` is what the wrap had beside them.
pub(super) fn wrap(encoding: Encoding, kind: &str, fields: &str, outer: Option<&Json>) -> String {
    let name = match encoding {
        Encoding::Flat => return fields.into(),
        Encoding::Data => "data",
        Encoding::Constructor => "kwargs",
    };
    let mut object = Object::new();
    match outer.and_then(|json| Raw::parse(json.as_str())?.members()) {
        Some(members) => {
            for (name, value) in members.iter() {
                object.raw(name, value.text());
            }
        }
        None if encoding == Encoding::Data => {
            object.str("type", kind);
        }
        None => {
            let path = ["langchain", "schema", "messages", class_of(kind)];
            let path = path.iter().map(|part| crate::json::quote(part));
            object
                .raw("lc", "1")
                .str("type", "constructor")
                .raw("id", &crate::json::array(path));
        }
    }
    object.raw(name, fields);
    object.finish()
}
