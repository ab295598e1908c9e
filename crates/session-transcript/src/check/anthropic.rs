//! The rules of Anthropic Messages.

use std::collections::BTreeSet;

use crate::check::{Found, Rule, is_plain};
use crate::json::{Kind, Raw};

/// Checks the messages in order. Messages of one role in a row count as one, as they do there.
pub(super) fn check(messages: &[Raw<'_>], found: &mut Found) {
    let mut merged: Vec<Message<'_>> = Vec::new();
    for (at, raw) in messages.iter().enumerate() {
        let Some(message) = Message::of(at, *raw, found) else {
            continue;
        };
        match merged.last_mut() {
            Some(last) if last.role == message.role => last.blocks.extend(message.blocks),
            _ => merged.push(message),
        }
    }
    found.check(
        merged.first().is_none_or(|first| first.role == "user"),
        0,
        Rule::UserFirst,
    );
    let mut ids = BTreeSet::new();
    let mut open: Vec<(usize, String)> = Vec::new();
    for (number, message) in merged.iter().enumerate() {
        if message.role == "system" {
            continue;
        }
        let is_last = number + 1 == merged.len();
        message.check_text(is_last, found);
        if message.role == "assistant" {
            found.close(&mut open);
            message.calls(&mut ids, &mut open, found);
        } else {
            message.results(&mut open, found);
            found.close(&mut open);
        }
    }
    found.close(&mut open);
}

struct Message<'a> {
    role: &'a str,
    blocks: Vec<(usize, Block<'a>)>,
}

enum Block<'a> {
    Text(String),
    Other(Raw<'a>),
}

impl<'a> Message<'a> {
    fn of(at: usize, raw: Raw<'a>, found: &mut Found) -> Option<Self> {
        let role = match raw.member_str("role").as_deref() {
            Some("user") => "user",
            Some("assistant") => "assistant",
            Some("system") => "system",
            _ => {
                found.add(at, Rule::Role);
                return None;
            }
        };
        let content = raw.member("content");
        let blocks = match content.map(|content| (content.kind(), content)) {
            Some((Kind::String, text)) => vec![(
                at,
                Block::Text(text.as_str().unwrap_or_default().into_owned()),
            )],
            Some((Kind::Array, list)) => list
                .items()
                .unwrap_or_default()
                .into_iter()
                .map(|raw| (at, block(raw)))
                .collect(),
            _ => Vec::new(),
        };
        found.check(!blocks.is_empty(), at, Rule::Content);
        Some(Self { role, blocks })
    }

    fn check_text(&self, is_last: bool, found: &mut Found) {
        for (at, block) in &self.blocks {
            if let Block::Text(text) = block {
                found.check(!text.trim().is_empty(), *at, Rule::BlankText);
            }
        }
        if let Some((at, Block::Text(text))) = self
            .blocks
            .last()
            .filter(|_| is_last && self.role == "assistant")
        {
            found.check(text.trim_end() == text, *at, Rule::BlankText);
        }
    }

    fn calls(
        &self,
        ids: &mut BTreeSet<String>,
        open: &mut Vec<(usize, String)>,
        found: &mut Found,
    ) {
        for (at, block) in &self.blocks {
            let Block::Other(raw) = block else {
                continue;
            };
            match raw.member_str("type").as_deref() {
                Some("tool_use") => {
                    let id = raw.member_str("id").unwrap_or_default().into_owned();
                    let is_fit = is_plain(&id) && ids.insert(id.clone());
                    found.check(is_fit, *at, Rule::CallId);
                    open.push((*at, id));
                    let name = raw.member_str("name");
                    found.check(
                        name.is_some_and(|name| !name.is_empty()),
                        *at,
                        Rule::CallName,
                    );
                    let input = raw.member("input");
                    found.check(
                        input.is_some_and(|input| input.kind() == Kind::Object),
                        *at,
                        Rule::Arguments,
                    );
                }
                Some("thinking") => {
                    let signature = raw.member_str("signature");
                    found.check(
                        signature.is_some_and(|text| !text.is_empty()),
                        *at,
                        Rule::Unsigned,
                    );
                }
                Some("tool_result") => found.add(*at, Rule::OrphanResult),
                _ => {}
            }
        }
    }

    fn results(&self, open: &mut Vec<(usize, String)>, found: &mut Found) {
        let mut has_other = false;
        for (at, block) in &self.blocks {
            let raw = match block {
                Block::Other(raw) if raw.member_str("type").as_deref() == Some("tool_result") => {
                    raw
                }
                _ => {
                    has_other = true;
                    continue;
                }
            };
            found.check(!has_other, *at, Rule::ResultsFirst);
            let id = raw.member_str("tool_use_id").unwrap_or_default();
            found.answer(*at, &id, open);
            let is_fit = raw
                .member("content")
                .is_none_or(|content| matches!(content.kind(), Kind::String | Kind::Array));
            found.check(is_fit, *at, Rule::ResultContent);
        }
    }
}

fn block(raw: Raw<'_>) -> Block<'_> {
    let text = raw
        .member_str("type")
        .filter(|kind| kind == "text")
        .and_then(|_| raw.member_str("text"));
    match text {
        Some(text) => Block::Text(text.into_owned()),
        None => Block::Other(raw),
    }
}
