//! Events of an Anthropic message.

use std::collections::BTreeMap;

use crate::json::{Object, Raw, array};

/// The message that events add up to.
pub(super) fn assemble(values: &[Raw<'_>]) -> Option<String> {
    let kind = |value: &Raw<'_>| value.member_str("type").map(|kind| kind.into_owned());
    let start = values
        .iter()
        .find(|value| kind(value).as_deref() == Some("message_start"))?;
    let mut blocks: BTreeMap<u64, Block> = BTreeMap::new();
    let mut last: Vec<(String, String)> = Vec::new();
    for value in values {
        let index = value
            .member("index")
            .and_then(|index| index.text().parse().ok())
            .unwrap_or_default();
        match kind(value).as_deref() {
            Some("content_block_start") => {
                if let Some(block) = value.member("content_block").and_then(Block::of) {
                    blocks.insert(index, block);
                }
            }
            Some("content_block_delta") => {
                if let (Some(block), Some(delta)) = (blocks.get_mut(&index), value.member("delta"))
                {
                    block.add(delta);
                }
            }
            Some("message_delta") => {
                for (name, json) in value
                    .member("delta")
                    .and_then(Raw::members)
                    .unwrap_or_default()
                    .iter()
                {
                    last.push((name.into(), json.text().into()));
                }
                last.extend(
                    value
                        .member("usage")
                        .map(|usage| ("usage".into(), usage.text().into())),
                );
            }
            _ => {}
        }
    }
    let mut object = Object::new();
    for (name, json) in last.iter().rev() {
        object.raw(name, json);
    }
    object.raw("content", &array(blocks.values().map(Block::finish)));
    for (name, json) in start.member("message")?.members()?.iter() {
        object.raw(name, json.text());
    }
    Some(object.finish())
}

/// A block that grows: its members as JSON, and the texts that are joined.
struct Block {
    members: Vec<(String, String)>,
    texts: BTreeMap<&'static str, String>,
    input: String,
    citations: Vec<String>,
}

impl Block {
    fn of(raw: Raw<'_>) -> Option<Self> {
        let members = raw.members()?;
        let members = members
            .iter()
            .map(|(name, value)| (name.into(), value.text().into()))
            .collect();
        Some(Self {
            members,
            texts: BTreeMap::new(),
            input: String::new(),
            citations: Vec::new(),
        })
    }

    fn add(&mut self, delta: Raw<'_>) {
        let kind = delta.member_str("type").unwrap_or_default();
        let name = match &*kind {
            "text_delta" => "text",
            "thinking_delta" => "thinking",
            "signature_delta" => "signature",
            "input_json_delta" => {
                self.input
                    .push_str(&delta.member_str("partial_json").unwrap_or_default());
                return;
            }
            "citations_delta" => {
                self.citations.extend(
                    delta
                        .member("citation")
                        .map(|citation| citation.text().to_owned()),
                );
                return;
            }
            _ => return,
        };
        self.texts
            .entry(name)
            .or_default()
            .push_str(&delta.member_str(name).unwrap_or_default());
    }

    fn finish(&self) -> String {
        let mut object = Object::new();
        for (name, text) in &self.texts {
            object.str(name, text);
        }
        if Raw::parse(&self.input).is_some() {
            object.raw("input", &self.input);
        }
        if !self.citations.is_empty() {
            object.raw("citations", &array(&self.citations));
        }
        for (name, json) in &self.members {
            object.raw(name, json);
        }
        object.finish()
    }
}
