//! Chunks of a Gemini response.

use crate::json::{Members, Object, Raw, array};

/// The response that chunks add up to: the last one, with the parts of all.
pub(super) fn assemble(values: &[Raw<'_>]) -> Option<String> {
    let chunks: Vec<Members<'_>> = values
        .iter()
        .filter_map(|value| value.members())
        .filter(|members| members.has("candidates"))
        .collect();
    let last = chunks.last()?;
    let mut parts: Vec<Piece<'_>> = Vec::new();
    let mut role = None;
    for chunk in &chunks {
        let Some(content) =
            first_candidate(chunk).and_then(|candidate| candidate.member("content"))
        else {
            continue;
        };
        role = role.or_else(|| content.member("role"));
        for part in content
            .member("parts")
            .and_then(Raw::items)
            .unwrap_or_default()
        {
            push(&mut parts, part);
        }
    }
    let mut content = Object::new();
    content.raw("parts", &array(parts.iter().map(Piece::json)));
    content.raw("role", role.map_or("\"model\"", Raw::text));
    let mut candidate = Object::new();
    candidate.raw("content", &content.finish());
    let rest = first_candidate(last).and_then(Raw::members);
    for (name, value) in rest.unwrap_or_default().iter() {
        candidate.raw(name, value.text());
    }
    let mut response = Object::new();
    response.raw("candidates", &array([candidate.finish()]));
    for (name, value) in last.iter() {
        response.raw(name, value.text());
    }
    Some(response.finish())
}

fn first_candidate<'a>(chunk: &Members<'a>) -> Option<Raw<'a>> {
    chunk.peek("candidates")?.first_items(1)?.first().copied()
}

/// A part, or a text that grows.
enum Piece<'a> {
    Whole(Raw<'a>),
    Text { text: String, is_thought: bool },
}

impl Piece<'_> {
    fn json(&self) -> String {
        match self {
            Self::Whole(raw) => raw.text().into(),
            Self::Text { text, is_thought } => {
                let mut object = Object::new();
                object.str("text", text);
                if *is_thought {
                    object.raw("thought", "true");
                }
                object.finish()
            }
        }
    }
}

/// Adds a part; a text without a signature goes on with the one before.
fn push<'a>(parts: &mut Vec<Piece<'a>>, part: Raw<'a>) {
    let members = part.members().unwrap_or_default();
    let is_plain = members
        .iter()
        .all(|(name, _)| matches!(name, "text" | "thought"));
    let Some(more) = members.peek_str("text").filter(|_| is_plain) else {
        return parts.push(Piece::Whole(part));
    };
    let more_thought = members.peek("thought").and_then(Raw::as_bool) == Some(true);
    match parts.last_mut() {
        Some(Piece::Text { text, is_thought }) if *is_thought == more_thought => {
            text.push_str(&more);
        }
        _ => parts.push(Piece::Text {
            text: more.into_owned(),
            is_thought: more_thought,
        }),
    }
}
