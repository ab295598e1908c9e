//! What the lines say about the session as a whole.

use session_log::{Json, Message, Part, Role, Text};

use crate::envelope::Envelope;
use crate::format::Format;
use crate::formats::codex::line::{Line, What};
use crate::ids::digest;
use crate::json::{Members, Object, Raw};

/// What is known of the whole session.
pub(super) struct About {
    pub(super) id: String,
    pub(super) model: Option<String>,
    pub(super) parent: Option<String>,
    pub(super) tools: Option<Json>,
    pub(super) envelope: Envelope,
    /// The place of the head, with the system prompt in it.
    pub(super) system: Option<(usize, Message)>,
    /// The place of the head of this session; later ones are copies of others.
    pub(super) head: Option<usize>,
}

impl About {
    pub(super) fn of(lines: &[Line<'_>]) -> Self {
        let head = lines
            .iter()
            .enumerate()
            .find_map(|(at, line)| match &line.what {
                What::Meta(meta) => Some((at, meta)),
                _ => None,
            });
        let whole = || {
            let all = digest(lines.iter().map(|line| line.raw.text()));
            format!("{}-{all}", Format::Codex)
        };
        let meta = head.map(|(_, meta)| meta);
        let text = |name: &str| meta.and_then(|meta| meta.peek_str(name));
        let mut envelope = Envelope::new(Format::Codex);
        if let Some(meta) = meta {
            envelope
                .fields
                .insert("session_meta".into(), without_prompt(meta));
        }
        Self {
            id: text("id").map_or_else(whole, Into::into),
            model: lines.iter().rev().find_map(|line| match line.what {
                What::Turn(raw) => raw.member_str("model").map(Into::into),
                _ => None,
            }),
            parent: meta.and_then(parent),
            tools: meta
                .and_then(|meta| meta.peek("dynamic_tools"))
                .filter(|tools| !tools.is_null())
                .map(Raw::to_json),
            envelope,
            system: head.and_then(|(at, meta)| Some((at, prompt(meta)?))),
            head: head.map(|(at, _)| at),
        }
    }
}

/// The session whose agent this one is.
fn parent(meta: &Members<'_>) -> Option<String> {
    let spawn = meta
        .peek("source")?
        .member("subagent")?
        .member("thread_spawn")?;
    spawn.member_str("parent_thread_id").map(Into::into)
}

/// The prompt the session began with.
fn prompt(meta: &Members<'_>) -> Option<Message> {
    let text = match meta.peek("base_instructions") {
        Some(raw) => raw.as_str().or_else(|| raw.member_str("text")),
        None => meta.peek_str("instructions"),
    };
    let text = text.filter(|text| !text.trim().is_empty())?;
    Some(Message::new(
        Role::System,
        vec![Part::Text(Text::new(text))],
    ))
}

fn without_prompt(meta: &Members<'_>) -> Json {
    let mut object = Object::new();
    let prompts = ["base_instructions", "instructions"];
    for (name, raw) in meta.iter().filter(|(name, _)| !prompts.contains(name)) {
        object.raw(name, raw.text());
    }
    object.into_json()
}
