//! The lines of a rollout, and what each is.

use std::ops::Range;

use crate::formats::openai_responses::item;
use crate::json::{Kind, Members, Raw};
use crate::read::Context;
use crate::source::{Form, Scan};

/// A line.
pub(super) struct Line<'a> {
    pub(super) raw: Raw<'a>,
    pub(super) number: u64,
    pub(super) bytes: Range<u64>,
    pub(super) timestamp: Option<Raw<'a>>,
    pub(super) what: What<'a>,
}

/// What a line is.
pub(super) enum What<'a> {
    /// The head of a session.
    Meta(Members<'a>),
    /// What the model reads or says.
    Item(Raw<'a>),
    /// The settings of a turn.
    Turn(Raw<'a>),
    /// The history was replaced.
    Compacted(Members<'a>),
    /// A text of the screen that usually is in an item too.
    Mirror(Mirror, String),
    /// The last turns were taken back.
    RolledBack(u64),
    /// A reply has ended.
    ReplyEnd,
    /// Anything else.
    Other(Other),
}

/// A line that says nothing to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Other {
    /// Of a type that is known.
    Known,
    /// Of a type that is not.
    Unknown,
}

/// Whose text it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mirror {
    /// The person's.
    User,
    /// The model's.
    Agent,
    /// The model's reasoning.
    Reasoning,
}

const TYPES: [&str; 5] = [
    "session_meta",
    "response_item",
    "event_msg",
    "turn_context",
    "compacted",
];

/// Whether the value is a line with a payload.
pub(super) fn is_rollout(raw: Raw<'_>) -> bool {
    let kind = raw.find_str("type");
    kind.is_some_and(|kind| TYPES.contains(&&*kind)) && raw.find("payload").is_some()
}

/// Whether the value is the first line of the first versions, whose items have no payload.
pub(super) fn is_old_head(raw: Raw<'_>) -> bool {
    raw.members().is_some_and(|members| {
        members.has("id")
            && members.has("timestamp")
            && members.has("instructions")
            && !members.has("type")
    })
}

/// All lines that are objects; others are reported.
pub(super) fn lines<'a>(scan: &'a Scan<'_>, context: &mut Context<'_>) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for record in &scan.records {
        let raw = record.raw();
        let values = match scan.form {
            Form::Document => raw.items().unwrap_or_else(|| vec![raw]),
            Form::Lines | Form::BrokenArray => vec![raw],
        };
        for raw in values {
            let (number, bytes) = record.place_of(raw);
            let Some(members) = raw.members() else {
                context.skip(number, bytes, "no line of a session");
                continue;
            };
            lines.push(Line {
                raw,
                number,
                bytes,
                timestamp: members.peek("timestamp"),
                what: what(raw, members),
            });
        }
    }
    lines
}

fn what<'a>(raw: Raw<'a>, members: Members<'a>) -> What<'a> {
    let kind = members.peek_str("type");
    let Some(payload) = members
        .peek("payload")
        .filter(|raw| raw.kind() == Kind::Object)
    else {
        return bare(raw, members);
    };
    let inner = payload.members().unwrap_or_default();
    match kind.as_deref() {
        Some("session_meta") => What::Meta(inner),
        Some("response_item") => What::Item(payload),
        Some("turn_context") => What::Turn(payload),
        Some("compacted") => What::Compacted(inner),
        Some("event_msg") => event(&inner),
        Some("world_state" | "inter_agent_communication" | "token_usage") => {
            What::Other(Other::Known)
        }
        _ => What::Other(Other::Unknown),
    }
}

/// A line of the first versions.
fn bare<'a>(raw: Raw<'a>, members: Members<'a>) -> What<'a> {
    if is_old_head(raw) {
        return What::Meta(members);
    }
    let is_item = match members.peek_str("type") {
        Some(kind) => item::is_known(&kind) && (kind != "message" || members.has("role")),
        None => false,
    };
    match is_item {
        true => What::Item(raw),
        false if members.has("record_type") => What::Other(Other::Known),
        false => What::Other(Other::Unknown),
    }
}

fn event<'a>(payload: &Members<'a>) -> What<'a> {
    let text = |name: &str| payload.peek_str(name).map(|text| text.into_owned());
    let kind = payload.peek_str("type").unwrap_or_default();
    let mirror = match &*kind {
        "user_message" => text("message").map(|text| (Mirror::User, text)),
        "agent_message" => text("message").map(|text| (Mirror::Agent, text)),
        "agent_reasoning" | "agent_reasoning_raw_content" => {
            text("text").map(|text| (Mirror::Reasoning, text))
        }
        _ => None,
    };
    match (mirror, &*kind) {
        (Some((mirror, text)), _) => What::Mirror(mirror, text),
        (None, "thread_rolled_back") => {
            let turns = payload.peek("num_turns").map(Raw::text);
            match turns.and_then(|turns| turns.parse().ok()) {
                Some(turns) => What::RolledBack(turns),
                None => What::Other(Other::Unknown),
            }
        }
        (None, "token_count" | "task_complete" | "turn_complete" | "turn_aborted") => {
            What::ReplyEnd
        }
        (None, _) => What::Other(Other::Known),
    }
}
